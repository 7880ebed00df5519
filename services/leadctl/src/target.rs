//! Writes an export to a file or standard output.

use std::{
    io::{self, BufWriter, Stdout, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

pub(crate) enum Target {
    /// A temporary file beside its path until [`Target::finish`]; dropped before that, it is deleted. Only its owner
    /// may read it.
    File(BufWriter<NamedTempFile>, PathBuf),
    Stdout(BufWriter<Stdout>),
}

impl Target {
    /// Standard output without a path.
    pub(crate) fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(BufWriter::new(io::stdout()))) };
        let beside = match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => directory,
            Some(_) | None => Path::new("."),
        };
        // Temporary files have mode 0600.
        let file = NamedTempFile::with_prefix_in(".leadctl-", beside);
        let file = file.with_context(|| path.display().to_string())?;
        Ok(Self::File(BufWriter::new(file), path.to_owned()))
    }

    /// Moves a file to its path, replacing an older one.
    pub(crate) fn finish(self) -> Result<()> {
        let (file, path) = match self {
            Self::File(file, path) => (file, path),
            Self::Stdout(mut stdout) => return Ok(stdout.flush()?),
        };
        let finish = || -> io::Result<()> {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        finish().with_context(|| path.display().to_string())
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file, _) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file, _) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn writes_whole_private_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("leads.csv");
        fs::write(&path, "before").unwrap();
        let names = || fs::read_dir(directory.path()).unwrap().count();

        let mut given_up = Target::create(Some(&path)).ok().unwrap();
        given_up.write_all(b"half").unwrap();
        given_up.flush().unwrap();
        assert_eq!(names(), 2);
        drop(given_up);
        assert_eq!((names(), fs::read_to_string(&path).unwrap().as_str()), (1, "before"));

        let mut whole = Target::create(Some(&path)).ok().unwrap();
        whole.write_all(b"whole").unwrap();
        assert!(whole.finish().is_ok());
        assert_eq!((names(), fs::read_to_string(&path).unwrap().as_str()), (1, "whole"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let nowhere = Target::create(Some(&directory.path().join("no/leads.csv"))).err().unwrap();
        assert!(nowhere.is::<io::Error>());
    }
}
