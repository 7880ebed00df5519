//! Writes files atomically and with the right permissions.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::error::{Error, Result};

/// Readable by the owner only.
pub const PRIVATE: u32 = 0o600;
/// Readable by everyone.
pub const PUBLIC: u32 = 0o644;

/// Writes a file atomically: readers see either the old or the new content.
pub fn replace(path: &Path, content: &[u8], mode: u32) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let _absent = fs::remove_file(&new);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&new)
        .and_then(|mut file| file.write_all(content))
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| Error::file("write", path, &error))
}

/// Creates a directory and its parents.
pub fn directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| Error::file("create", path, &error))
}

/// Creates a directory that only its owner can enter.
pub fn private_directory(path: &Path) -> Result<()> {
    directory(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
        .map_err(|error| Error::file("protect", path, &error))
}

/// Empties a directory, or creates it.
pub fn empty_directory(path: &Path) -> Result<()> {
    remove(path)?;
    directory(path)
}

/// Removes a directory with its contents; a missing one is ignored.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::file("remove", path, &error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

pub fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Error::file("read", path, &error))
}
