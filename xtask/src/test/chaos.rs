//! A chaos run of one minute, and clippy beside it.

use std::thread;

use crate::chaos;
use crate::error::{Error, Result};
use crate::process::Invocation;

use super::Run;
use super::rust::clippy;

/// A fixed seed, so that failures are reproducible, and a load that a debug build can process.
const ARGUMENTS: [&str; 4] = ["--rate", "10", "--seed", "1"];

impl Run<'_> {
    pub(super) fn chaos(&mut self, with_clippy: bool) -> Result<()> {
        let program = chaos::build(self.session)?;
        // It stops its own processes on SIGTERM.
        let chaos = Invocation::new(program, ARGUMENTS).death_signal("TERM");
        if !with_clippy {
            return self.check("chaos", &chaos);
        }
        let session = self.session;
        let log = self.directory.join("clippy.log");
        let linted = thread::scope(|scope| {
            let linting = scope.spawn(|| clippy(&session.checkout).run(&log, &session.interrupt));
            self.check("chaos", &chaos)?;
            linting.join().unwrap_or_else(|_| Err(Error::failed("a step panicked; see its message above")))
        });
        self.note("cargo clippy", linted)
    }
}
