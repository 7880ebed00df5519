//! Paths in this checkout, files with the right permissions, and the lock that prevents two commands from using the same
//! directory.

use std::fs::{File, Permissions, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fs_err as fs;
use tempfile::Builder;

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

/// Readable by the owner only.
pub const PRIVATE: u32 = 0o600;
/// Readable by everyone.
pub const PUBLIC: u32 = 0o644;

/// Writes a file atomically: readers see either the old or the new content.
pub fn replace(path: &Path, content: &[u8], mode: u32) -> Result<()> {
    let directory = path.parent().context("a file without a directory")?;
    let mut file = Builder::new().permissions(Permissions::from_mode(mode)).tempfile_in(directory)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}

/// Creates a directory that only its owner can enter.
pub fn private_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path)?;
    Ok(fs::set_permissions(path, Permissions::from_mode(0o700))?)
}

/// Empties a directory, or creates it.
pub fn empty_directory(path: &Path) -> Result<()> {
    remove(path)?;
    Ok(fs::create_dir_all(path)?)
}

/// Removes a directory with its contents; a missing one is ignored.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
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
