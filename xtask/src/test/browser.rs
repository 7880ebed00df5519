//! Tests the whole system in a browser, with real nginx, services, broker, database and email.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::builds::{self, linted, npm};
use crate::packages::chromium;
use crate::ports::{Ports, free_ports};
use crate::process::command;
use crate::session::step;
use crate::stack::Stack;
use crate::stack::nginx::Limits;
use crate::stack::plan::{Plan, Storage};
use crate::supervisor::{Service, Supervisor};
use crate::{files, http};

use super::{Run, shell};

const COLLECTOR_TIMEOUT: Duration = Duration::from_secs(20);

/// Fails if alerts or dashboards name one of our metrics that the services do not export at `$ports` after the tests. The
/// first names exist only after events which no browser test causes.
const METRICS: &str = r#"
{
    printf '%s\n' crm_conflicts_total crm_erased_leads_total notifier_daily_summaries_total \
        notifier_unclaimed_emails_total
    for port in $ports; do curl --silent --show-error --fail http://127.0.0.1:$port/metrics; done
} | grep -oE '^[a-z0-9_]+' | sort -u >$scratch/exported
ours='(crm|db_client|desk|http_server|leads?|messaging|notifier|rpc_server)_[a-z0-9_]+'
grep -ohE "\b$ours" deploy/grafana/dashboards/*.json deploy/prometheus/alerts.yml | sort -u >$scratch/named
! comm -23 $scratch/named $scratch/exported | grep .
"#;

impl Run<'_> {
    pub(super) fn browser(self) -> Result<()> {
        let mut plan = self.plan_with_site("stack")?;
        // Writes the services' spans and metrics to a file.
        let (collected, port) = (self.directory.join("collected.jsonl"), free_ports(1)?[0]);
        let mut collector = command(plan.programs.join("collector"));
        collector.arg(format!("127.0.0.1:{port}")).arg(&collected);
        let collector = Service::new("collector", collector, self.directory);
        let supervisor = Supervisor::new(self.session.interrupt.clone());
        supervisor.start(collector, COLLECTOR_TIMEOUT, || http::connects(port))?;
        plan.collect(&format!("http://127.0.0.1:{port}"));
        let stack = Stack::start(&plan, self.session)?;
        let mut tests = site_tests(&plan, &["run", "e2e"]);
        tests
            .env("COLLECTED", &collected)
            .env("SERVICE_LOGS", plan.logs())
            .env("LEADCTL", stack.programs.join("leadctl"))
            .env("LEADCTL_CONFIG", plan.directory.join("leadctl.toml"))
            .env("CHROMIUM", chromium()?);
        self.check("browser tests", &mut tests)?;
        let ports = plan
            .ports
            .admin
            .each_ref()
            .map(|(_, ports)| ports[0].to_string());
        let mut metrics = shell(METRICS, self.directory);
        metrics.env("ports", ports.join(" "));
        self.check("metrics of alerts and dashboards", &mut metrics)?;
        step("stop the system", || {
            stack.supervisor.stop_all();
            Ok(())
        })
    }

    /// Builds the programs; returns the plan of a system whose pages a browser loads without rate limits.
    pub(super) fn plan_with_site(self, directory: &str) -> Result<Plan> {
        let programs = builds::programs(linted, self.session)?;

        let directory = self.directory.join(directory);
        let mut plan = Plan::new(directory, Ports::free(1, 1)?, programs);
        plan.site = self.site.map(Path::to_owned);
        plan.limits = Limits::lifted();
        plan.storage = Storage::Fast;
        Ok(plan)
    }
}

/// Tests of the frontend against the running system of a plan.
pub(super) fn site_tests(plan: &Plan, arguments: &[&str]) -> Command {
    let address = |port| format!("http://127.0.0.1:{port}");
    let mut tests = npm(&files::path("frontend"), arguments);
    tests
        .env("SITE_URL", address(plan.ports.site))
        .env("MAIL_URL", address(plan.ports.mail));
    tests
}
