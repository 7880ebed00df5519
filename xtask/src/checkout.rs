//! Paths in this checkout, and the lock that prevents two commands from using the same directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files;

#[derive(Clone, Debug)]
pub struct Checkout {
    root: PathBuf,
}

impl Checkout {
    /// The checkout that this program was built in.
    pub fn here() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self { root: package.parent().unwrap_or(package).to_owned() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The data of `up`, kept between runs.
    pub fn local(&self) -> PathBuf {
        self.root.join(".local")
    }

    pub fn throw_away(&self, name: &str) -> PathBuf {
        self.root.join("target/test-stack").join(name)
    }

    pub fn frontend(&self) -> PathBuf {
        self.root.join("frontend")
    }

    /// The generator of the site's pictures.
    pub fn art(&self) -> PathBuf {
        self.root.join("art")
    }

    /// The production configuration of nginx.
    pub fn nginx(&self) -> PathBuf {
        self.root.join("deploy/nginx")
    }

    /// Prometheus' configuration, alerts and alert tests.
    pub fn prometheus(&self) -> PathBuf {
        self.root.join("deploy/prometheus")
    }

    /// The routes file.
    pub fn routes(&self) -> PathBuf {
        self.root.join("deploy/notifier/routes.toml")
    }

    pub fn maildev(&self) -> PathBuf {
        self.root.join("deploy/maildev")
    }

    /// Displays a path relative to the root if it is below it.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// A command's lock on a directory; the kernel releases it however the process ends.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock file beside `directory`; fails with the id of the process that holds it.
    pub fn take(directory: &Path, what: &str) -> Result<Self> {
        let path = directory.with_extension("lock");
        if let Some(parent) = path.parent() {
            files::directory(parent)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| Error::file("open", &path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                let _unknown = file.read_to_string(&mut owner);
                let owner = owner.trim();
                return Err(Error::failed(format!(
                    "{what} is already running in this checkout (process {}): stop it with Ctrl-C, or use another checkout with other ports",
                    if owner.is_empty() { "unknown" } else { owner }
                )));
            }
            Err(TryLockError::Error(error)) => return Err(Error::file("lock", &path, &error)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(|error| Error::file("write", &path, &error))?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_taker_of_a_lock_learns_who_has_it() {
        let directory = std::env::temp_dir().join(format!("xtask-lock-{}", std::process::id()));
        let first = Lock::take(&directory, "cargo xtask up").expect("free");

        let message = Lock::take(&directory, "cargo xtask up").err().expect("taken").to_string();
        assert!(message.starts_with("cargo xtask up is already running"), "{message}");
        assert!(message.contains(&format!("(process {})", std::process::id())), "{message}");

        drop(first);
        Lock::take(&directory, "cargo xtask up").expect("free again");
        std::fs::remove_file(directory.with_extension("lock")).expect("the lock file");
    }
}
