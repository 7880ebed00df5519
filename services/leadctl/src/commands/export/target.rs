//! The file or stream that an export is written to.

use std::{
    io::{self, BufWriter, Stdout, Write},
    path::Path,
};

use crate::{error::Error, new_file::NewFile};

pub(super) enum Target {
    File(NewFile),
    Stdout(BufWriter<Stdout>),
}

impl Target {
    /// Standard output without a path.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Error> {
        Ok(match path {
            Some(path) => Self::File(NewFile::create(path)?),
            None => Self::Stdout(BufWriter::new(io::stdout())),
        })
    }

    /// A file appears at its path.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self {
            Self::File(file) => file.finish(),
            Self::Stdout(mut stdout) => Ok(stdout.flush()?),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}
