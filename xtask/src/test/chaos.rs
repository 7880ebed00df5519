//! The whole system under load, broken on purpose, for as long as every fault once takes.

use crate::chaos;
use crate::error::Result;
use crate::process::Invocation;
use crate::stack::rabbitmq::Source;

use super::{Run, outcomes};

/// The same faults in every run, so that a failure is not luck, and a load that a debug build keeps up with: part of the
/// script waits until a backlog is worked off.
const ARGUMENTS: [&str; 6] = ["--minutes", "2", "--rate", "10", "--seed", "1"];

impl Run<'_> {
    pub(super) fn chaos(&mut self) -> Result<()> {
        let program = chaos::build(false, self.session)?;
        // It ends its own processes when it is asked to end.
        let invocation = Invocation::new(program, ARGUMENTS).death_signal("TERM");
        let invocation = match self.rabbitmq {
            Source::Package => invocation,
            Source::Docker => invocation.argument("--rabbitmq").argument("docker"),
        };
        self.check("chaos", &invocation, outcomes::of_rows)
    }
}
