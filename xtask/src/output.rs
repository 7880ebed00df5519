//! Prints results to standard output; progress goes to standard error.

use std::io::Write;

use crate::error::{Error, Result};

pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::failed(format!("cannot write to standard output: {error}")))
}
