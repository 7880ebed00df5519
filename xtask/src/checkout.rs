//! Paths in this checkout, and the lock that prevents two commands from using the same directory.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fs_err as fs;

/// The checkout that this program was built in.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lives in the checkout")
}

/// A path relative to the root, such as `deploy/nginx`.
pub fn path(relative: impl AsRef<Path>) -> PathBuf {
    root().join(relative)
}

/// The directory of a command whose data are disposable.
pub fn scratch(command: &str) -> PathBuf {
    path("target/test-stack").join(command)
}

/// Displays a path relative to the root if it is below it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// A command's lock on a directory; the kernel releases it however the process ends.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks a file beside `directory`; fails if another process has it.
    pub fn acquire(directory: &Path, command: &str) -> Result<Self> {
        let path = directory.with_extension("lock");
        fs::create_dir_all(path.parent().unwrap_or(directory))?;
        let (file, path) = fs::File::create(path)?.into_parts();
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => bail!(
                "{command} is already running in this checkout: stop it with Ctrl-C, or use another checkout with other ports"
            ),
            Err(TryLockError::Error(error)) => Err(error).context(path.display().to_string()),
        }
    }
}
