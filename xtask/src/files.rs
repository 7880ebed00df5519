//! Writes files atomically and with the right permissions.

use std::fs::Permissions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use fs_err as fs;
use tempfile::Builder;

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
