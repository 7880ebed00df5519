//! Files that are there whole or not at all, and that only their owner may read.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::error::Error;

/// A file under another name, beside its place, until it is whole; what is not finished leaves nothing behind.
pub(crate) struct NewFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl NewFile {
    /// A file that is to be at this path.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let beside = match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => directory,
            Some(_) | None => Path::new("."),
        };
        // Those are made with 0600.
        let file = NamedTempFile::with_prefix_in(".leadctl-", beside);
        let file = file.map_err(|source| Error::File { path: path.to_owned(), source })?;
        Ok(Self { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Puts it in its place, over what was there before.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Self { file, path } = self;
        let finish = || -> io::Result<File> {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            Ok(file.persist(&path)?)
        };
        finish().map(drop).map_err(|source| Error::File { path: path.clone(), source })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all_and_nobody_elses() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("leads.csv");
        fs::write(&path, "before").unwrap();
        let names = || fs::read_dir(directory.path()).unwrap().count();

        let mut given_up = NewFile::create(&path).ok().unwrap();
        given_up.write_all(b"half").unwrap();
        given_up.flush().unwrap();
        assert_eq!(names(), 2);
        drop(given_up);
        assert_eq!((names(), fs::read_to_string(&path).unwrap().as_str()), (1, "before"));

        let mut whole = NewFile::create(&path).ok().unwrap();
        whole.write_all(b"whole").unwrap();
        assert!(whole.finish().is_ok());
        assert_eq!((names(), fs::read_to_string(&path).unwrap().as_str()), (1, "whole"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let nowhere = NewFile::create(&directory.path().join("no/leads.csv")).err().unwrap();
        assert_eq!(nowhere.exit_code(), 74);
    }
}
