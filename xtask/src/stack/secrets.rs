//! Secrets of a stack, generated once and stored in private files for use as `NAME_FILE`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;

use crate::files;

pub struct Secrets {
    directory: PathBuf,
}

impl Secrets {
    /// Creates the `secrets` directory below `stack`.
    pub fn create_in(stack: &Path) -> Result<Self> {
        let directory = stack.join("secrets");
        files::private_directory(&directory)?;
        Ok(Self { directory })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// A secret that is generated once and kept.
    pub fn generate(&self, name: &str) -> Result<String> {
        let path = self.path(name);
        if !fs::metadata(&path).is_ok_and(|found| found.len() > 0) {
            files::replace(&path, random_secret()?.as_bytes(), files::PRIVATE)?;
        }
        Ok(fs::read_to_string(&path)?.trim().to_owned())
    }

    /// Stores a given secret, such as a URL with a password.
    pub fn store(&self, name: &str, value: &str) -> Result<()> {
        files::replace(&self.path(name), value.as_bytes(), files::PRIVATE)
    }
}

/// 64 hexadecimal digits, 256 bits.
pub fn random_secret() -> Result<String> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 32];
    File::open(path)
        .and_then(|mut source| source.read_exact(&mut bytes))
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
