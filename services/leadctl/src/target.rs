//! Writes an export to a file or standard output.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use lead::text::single_line;
use tempfile::{NamedTempFile, TempPath};

pub(crate) struct Target {
    writer: Box<dyn Write + Send>,
    /// A temporary file, which only its owner may read, and the path to which [`Target::finish`] moves it. Dropped before
    /// that, it is deleted. `None`: standard output.
    file: Option<(TempPath, PathBuf)>,
}

impl Target {
    /// Standard output without a path.
    pub(crate) fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self { writer: Box::new(BufWriter::new(io::stdout())), file: None });
        };
        let beside = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        // Temporary files have mode 0600.
        let file = NamedTempFile::with_prefix_in(".leadctl-", beside.unwrap_or(Path::new(".")));
        let (file, temporary) = file.with_context(|| path.display().to_string())?.into_parts();
        Ok(Self { writer: Box::new(BufWriter::new(file)), file: Some((temporary, path.to_owned())) })
    }

    /// Moves a file to its path, replacing an older one, and reports its contents, such as `9 leads`.
    pub(crate) fn finish(mut self, contents: &str) -> Result<()> {
        self.flush()?;
        if let Some((temporary, path)) = self.file {
            let shown = path.display().to_string();
            temporary.persist(&path).map_err(|failed| failed.error).with_context(|| shown.clone())?;
            eprintln!("leadctl: {contents} in {}", single_line(&shown));
        }
        Ok(())
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
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
        assert!(whole.finish("1 lead").is_ok());
        assert_eq!((names(), fs::read_to_string(&path).unwrap().as_str()), (1, "whole"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let nowhere = Target::create(Some(&directory.path().join("no/leads.csv"))).err().unwrap();
        assert!(nowhere.is::<io::Error>());
    }
}
