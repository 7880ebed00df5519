//! A value parsed from a file, and reloaded when the file changes.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use parking_lot::Mutex;
use tracing::{info, warn};

/// The last valid version of a file. An unchanged file is not read again.
pub struct Reloaded<T> {
    path: PathBuf,
    parse: Box<Parse<T>>,
    latest: Mutex<(Option<Version>, Arc<T>)>,
}

type Parse<T> = dyn Fn(&Path) -> Option<T> + Send + Sync;

/// Modification time, length and inode. One of them changes whether an editor overwrites or replaces the file.
type Version = (Option<SystemTime>, u64, u64);

fn version(path: &Path) -> Option<Version> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok(), metadata.len(), metadata.ino()))
}

impl<T> Reloaded<T> {
    /// # Errors
    /// The errors of `parse`.
    pub fn load<E>(
        path: &Path,
        parse: impl Fn(&Path) -> Result<T, E> + Send + Sync + 'static,
    ) -> Result<Self, E> {
        // Before the file is read, so that a change in between is detected later.
        let version = version(path);
        let value = Arc::new(parse(path)?);
        let parse = Box::new(move |path: &Path| parse(path).ok());
        Ok(Self {
            path: path.to_owned(),
            parse,
            latest: Mutex::new((version, value)),
        })
    }

    /// The current value, or the last valid value if the file is invalid, for example half saved.
    pub fn current(&self) -> Arc<T> {
        let mut latest = self.latest.lock();
        let version = version(&self.path);
        if version != latest.0 {
            latest.0 = version;
            match (self.parse)(&self.path) {
                Some(value) => {
                    latest.1 = Arc::new(value);
                    info!(file = %self.path.display(), "file reloaded");
                }
                // The reason is not logged, because it may quote the file.
                None => {
                    warn!(file = %self.path.display(), "changed file is invalid, last valid version in use")
                }
            }
        }
        Arc::clone(&latest.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(path: &Path) -> Result<u32, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        text.parse().map_err(|_| "not a number".to_owned())
    }

    #[test]
    fn reloads_changed_and_keeps_the_last_valid_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("number");
        assert!(Reloaded::load(&path, number).is_err());
        fs::write(&path, "1").unwrap();
        let reloaded = Reloaded::load(&path, number).unwrap();
        assert_eq!(*reloaded.current(), 1);
        fs::write(&path, "22").unwrap();
        assert_eq!(*reloaded.current(), 22);
        fs::write(&path, "2x3").unwrap();
        assert_eq!(*reloaded.current(), 22);
        fs::remove_file(&path).unwrap();
        assert_eq!(*reloaded.current(), 22);
        let replacement = directory.path().join("new");
        fs::write(&replacement, "4").unwrap();
        fs::rename(&replacement, &path).unwrap();
        assert_eq!(*reloaded.current(), 4);
    }
}
