//! Secrets of a stack, generated once and stored in private files for use as `NAME_FILE`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files;
use crate::random;

pub struct Secrets {
    directory: PathBuf,
}

impl Secrets {
    /// Creates the `secrets` directory below `stack`.
    pub fn open(stack: &Path) -> Result<Self> {
        let directory = stack.join("secrets");
        files::private_directory(&directory)?;
        Ok(Self { directory })
    }

    /// The file of a secret that is generated once and kept.
    pub fn lasting(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        if !fs::metadata(&path).is_ok_and(|found| found.len() > 0) {
            files::replace(&path, random::secret()?.as_bytes(), files::PRIVATE)?;
        }
        Ok(path)
    }

    /// Writes a given secret, such as a URL with a password, to a file.
    pub fn known(&self, name: &str, value: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        files::replace(&path, value.as_bytes(), files::PRIVATE)?;
        Ok(path)
    }
}
