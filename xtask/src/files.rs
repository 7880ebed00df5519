//! Paths in this checkout, and files with the right permissions.

use std::fs::Permissions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;
use tempfile::{NamedTempFile, TempDir};

/// A file system in memory on Linux.
const MEMORY: &str = "/dev/shm";
/// The free space in bytes that a directory in memory needs. Containers often have 64 MiB.
const NEEDED_MEMORY: u64 = 2 << 30;

/// The checkout that this program was built in.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lives in the checkout")
}

/// A path relative to the root, such as `deploy/nginx`.
pub fn path(relative: impl AsRef<Path>) -> PathBuf {
    root().join(relative)
}

/// Creates the empty directory of a command whose data are disposable.
pub fn scratch(command: &str) -> Result<PathBuf> {
    let directory = path("target/test-stack").join(command);
    empty_directory(&directory)?;
    Ok(directory)
}

/// Creates a directory in memory for disposable data, removed on drop. Returns none if the machine has no such file system, or
/// too little space in it.
pub fn directory_in_memory() -> Option<TempDir> {
    let memory = rustix::fs::statvfs(MEMORY).ok()?;
    let free = memory.f_bavail * memory.f_frsize;
    if free < NEEDED_MEMORY {
        return None;
    }
    TempDir::with_prefix_in("zyon-grand-", MEMORY).ok()
}

/// Displays a path relative to the root if it is below it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Writes a file that only its owner can read. Other programs read either the old or the new content.
pub fn write_private(path: &Path, content: &str) -> Result<()> {
    let mut file = NamedTempFile::new_in(path.parent().context("a file without a directory")?)?;
    file.write_all(content.as_bytes())?;
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

/// Removes a directory with its contents, if it exists.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}
