//! Tests the whole system in a browser, with real nginx, services, broker, database and mail.

use crate::builds::{Builds, npm};
use crate::error::Result;
use crate::ports::{Ports, Role};
use crate::stack::nginx::Limits;
use crate::stack::{Broker, Database, Plan, Programs, Stack, services};
use crate::system::tools;

use super::Run;
use super::collector::Collector;
use super::prometheus::Prometheus;

impl Run<'_> {
    pub(super) fn browser(&mut self) -> Result<()> {
        let programs = Builds::new(self.session, &self.directory).all()?;
        let collector = Collector::start(&self.directory.join("collector"), &programs, self.session)?;
        let plan = Plan {
            directory: self.directory.join("stack"),
            ports: Ports::free()?,
            database: Database::Postgres,
            broker: Broker::Private,
            programs: Programs::Built(programs),
            limits: Limits::lifted(),
            throw_away: true,
            collector: Some(collector.url()),
        };
        let stack = Stack::start(&plan, self.session)?;
        let prometheus = Prometheus::start(&self.directory.join("prometheus"), &plan.ports, self.session)?;
        let address = |role| format!("http://127.0.0.1:{}", plan.ports.get(role));
        let mut tests = npm(&self.session.checkout.frontend(), &["run", "e2e"])
            .env("SITE_URL", address(Role::Site))
            .env("MAIL_URL", address(Role::Mail))
            .env("COLLECTED", &collector.file)
            .env("SERVICE_LOGS", plan.logs())
            .env("LEADCTL", stack.programs.join("leadctl"))
            .env("LEADCTL_CONFIG", plan.directory.join("leadctl.toml"))
            .env("CRM_SYNC_PID_FILE", services::pid_file(&plan.directory, "crm-sync"))
            .env("CHROMIUM", tools::chromium()?);
        if let Some(rabbitmq) = plan.rabbitmq() {
            tests = tests.env("RABBITMQ_PID_FILE", rabbitmq.pid_file());
        }
        self.check("browser tests", &tests)?;
        let seen = self.session.progress.run("check metrics and alerts", |_| prometheus.check(self.session));
        self.note("metrics and alerts", seen)?;
        self.session.progress.run("stop the system", |_| {
            stack.stop();
            Ok(())
        })
    }
}
