//! Files that appear whole or not at all, readable by their owner alone.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::{
    error::Error,
    terminal::text::{counted, one_line},
};

/// A temporary file beside its path until [`NewFile::finish`]; dropped before that, it leaves nothing behind.
pub(crate) struct NewFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl NewFile {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let beside = match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => directory,
            Some(_) | None => Path::new("."),
        };
        // Temporary files have mode 0600.
        let file = NamedTempFile::with_prefix_in(".leadctl-", beside);
        let file = file.map_err(|source| Error::File { path: path.to_owned(), source })?;
        Ok(Self { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Moves the file to its path, over an older one.
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

/// How many leads are in a file now.
pub(crate) fn note_written(leads: usize, path: &Path) -> String {
    let leads = counted(leads as u64, "lead", "leads");
    format!("{leads} in {}", one_line(&path.display().to_string()))
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
