//! A short chaos run with every fault once.

use crate::chaos;
use crate::error::Result;
use crate::process::Invocation;

use super::Run;

/// A fixed seed, so that failures are reproducible, and a load that a debug build can process: part of the script waits
/// until a backlog is processed.
const ARGUMENTS: [&str; 6] = ["--minutes", "2", "--rate", "10", "--seed", "1"];

impl Run<'_> {
    pub(super) fn chaos(&mut self) -> Result<()> {
        let program = chaos::build(false, self.session)?;
        // It stops its own processes on SIGTERM.
        self.check("chaos", &Invocation::new(program, ARGUMENTS).death_signal("TERM"))
    }
}
