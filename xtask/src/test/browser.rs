//! Tests the whole system in a browser, with real nginx, services, broker, database and email.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;

use crate::builds::{self, npm};
use crate::checkout;
use crate::http;
use crate::packages::chromium;
use crate::ports::{self, Ports};
use crate::process::Invocation;
use crate::session::step;
use crate::stack::nginx::Limits;
use crate::stack::plan::{Plan, Programs, Storage};
use crate::stack::rabbitmq::RabbitMq;
use crate::stack::{Stack, services};
use crate::supervisor::{Service, Supervisor};

use super::{Run, metrics};

const COLLECTOR_TIMEOUT: Duration = Duration::from_secs(20);

impl Run<'_> {
    pub(super) fn browser(&mut self) -> Result<()> {
        let programs = builds::programs(self.session)?;
        let mut plan = Plan::new(self.directory.join("stack"), Ports::free(1)?);
        let supervisor = Supervisor::new(self.session.interrupt.clone());
        let collected = self.directory.join("collected.jsonl");
        plan.collect(&self.start_collector(programs.join("collector"), &collected, &supervisor)?);
        plan.programs = Programs::Built(programs);
        plan.limits = Limits::lifted();
        plan.storage = Storage::Fast;
        let stack = Stack::start(&plan, self.session)?;
        let address = |port| format!("http://127.0.0.1:{port}");
        let tests = npm(&checkout::path("frontend"), &["run", "e2e"])
            .env("SITE_URL", address(plan.ports.site))
            .env("MAIL_URL", address(plan.ports.mail))
            .env("COLLECTED", &collected)
            .env("SERVICE_LOGS", plan.logs())
            .env("LEADCTL", stack.programs.join("leadctl"))
            .env("LEADCTL_CONFIG", plan.directory.join("leadctl.toml"))
            .env("CRM_SYNC_PID_FILE", services::pid_file(&plan.directory, "crm-sync"))
            .env("RABBITMQ_PID_FILE", stack.rabbitmq.as_ref().map(RabbitMq::pid_file).unwrap_or_default())
            .env("CHROMIUM", chromium()?);
        self.check("browser tests", &tests)?;
        self.count("metrics of alerts and dashboards", metrics::check(&plan.ports))?;
        step("stop the system", || {
            stack.supervisor.stop_all();
            Ok(())
        })
    }

    /// Starts a collector that writes the services' spans and metrics to a file; returns its endpoint.
    fn start_collector(&self, program: PathBuf, file: &PathBuf, supervisor: &Supervisor) -> Result<String> {
        fs::create_dir_all(&self.directory)?;
        let port = ports::free_ports(1)?[0];
        let collector = Invocation::new(program, [format!("127.0.0.1:{port}")]).argument(file);
        let service = Service::new("collector", collector, &self.directory);
        supervisor.start(service, COLLECTOR_TIMEOUT, || http::connects(port))?;
        Ok(format!("http://127.0.0.1:{port}"))
    }
}
