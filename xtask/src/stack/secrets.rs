//! Secrets of a stack: made once, kept in files that only their owner reads, handed over as `NAME_FILE`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files;
use crate::random;

/// The directory of a stack's secrets.
pub struct Secrets {
    directory: PathBuf,
}

impl Secrets {
    /// Secrets below a stack's directory.
    pub fn open(stack: &Path) -> Result<Self> {
        let directory = stack.join("secrets");
        files::private_directory(&directory)?;
        Ok(Self { directory })
    }

    /// The file of a secret that is made once and stays.
    pub fn lasting(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        if !fs::metadata(&path).is_ok_and(|found| found.len() > 0) {
            files::replace(&path, random::secret()?.as_bytes(), files::PRIVATE)?;
        }
        Ok(path)
    }

    /// The file of a secret that is known already, such as an address with a password.
    pub fn known(&self, name: &str, value: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        files::replace(&path, value.as_bytes(), files::PRIVATE)?;
        Ok(path)
    }
}
