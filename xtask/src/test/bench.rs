//! Checks that every figure of `cargo xtask bench` can be measured, without judging its value.

use crate::bench;
use crate::error::Result;
use crate::process::Invocation;

use super::{Run, outcomes};

impl Run<'_> {
    pub(super) fn bench(&mut self) -> Result<()> {
        let program = bench::build(false, self.session)?;
        // It stops its own processes on SIGTERM.
        let invocation = Invocation::new(program, ["--small"]).death_signal("TERM");
        self.check("bench", &invocation, outcomes::of_rows)
    }
}
