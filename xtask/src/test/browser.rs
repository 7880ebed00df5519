//! The whole system in a browser: real nginx, services, broker, database and mail.

use crate::builds::npm;
use crate::error::Result;
use crate::ports::{Ports, Role};
use crate::stack::{Broker, Database, Plan, Stack, services};
use crate::system::tools;

use super::Run;
use super::counts;

impl Run<'_> {
    pub(super) fn browser(&mut self) -> Result<()> {
        let plan = Plan {
            directory: self.directory.join("stack"),
            ports: Ports::free()?,
            database: Database::Sqlite,
            broker: Broker::Private,
            release: false,
            // All tests come from one address; the limits have tests of their own.
            lead_rate: "100r/s".to_owned(),
            lead_burst: 1000,
            throw_away: true,
        };
        let stack = Stack::start(&plan, self.session)?;
        let address = |role| format!("http://127.0.0.1:{}", plan.ports.get(role));
        let report = self.directory.join("playwright.json");
        let mut tests = npm(&self.session.checkout.frontend(), &["run", "e2e"])
            .env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report)
            .env("SITE_URL", address(Role::Site))
            .env("MAIL_URL", address(Role::Mail))
            .env("LEADCTL", stack.programs.join("leadctl"))
            .env("LEADCTL_CONFIG", plan.directory.join("leadctl.toml"))
            .env("CRM_SYNC_PID_FILE", services::pid_file(&plan.directory, "crm-sync"))
            .env("CHROMIUM", tools::chromium()?);
        if let Some(rabbitmq) = plan.rabbitmq() {
            tests = tests.env("RABBITMQ_PID_FILE", rabbitmq.pid_file());
        }
        self.check("browser tests", &tests, |_| counts::of_playwright(&report))?;
        self.session.progress.run("stop the system", |_| {
            stack.stop();
            Ok(())
        })
    }
}
