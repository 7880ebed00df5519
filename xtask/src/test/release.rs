//! Tests the programs as they are released: optimised, stripped and without debug assertions.

use anyhow::{Result, ensure};

use crate::builds;
use crate::ports::Ports;
use crate::process::command;
use crate::session::step;
use crate::stack::Stack;
use crate::stack::plan::{Plan, Storage};

use super::Run;

impl Run<'_> {
    /// Starts the system, sends a test lead through it and waits for its row and its email, and stops the services.
    pub(super) fn release(self) -> Result<()> {
        let programs = builds::services(true, self.session)?;
        let mut plan = Plan::new(self.directory.join("release"), Ports::free(1, 1)?, programs);
        plan.storage = Storage::Fast;
        let stack = Stack::start(&plan, self.session)?;
        let mut canary = command(stack.programs.join("leadctl"));
        canary
            .arg("--config")
            .arg(plan.directory.join("leadctl.toml"))
            .arg("canary");
        self.check("send a lead through the released services", &mut canary)?;
        let stop = "stop the released services";
        self.count(stop, step(stop, || stop_services(&stack)))
    }
}

fn stop_services(stack: &Stack) -> Result<()> {
    let endings = stack.supervisor.endings();
    ensure!(endings.is_empty(), "services crashed: {endings:?}");
    for program in &stack.services {
        let name = &program.service.name;
        ensure!(
            stack.supervisor.hold(name),
            "{name} exceeded its grace period"
        );
    }
    Ok(())
}
