//! Tests the alert rules alone, and with Prometheus on the running system.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::files;
use crate::http;
use crate::ports::{self, Ports, Role};
use crate::process::Invocation;
use crate::session::Session;
use crate::supervisor::{Service, Supervisor};
use crate::system::tools;
use crate::wait;

use super::{Run, no_tests};

const TIMEOUT: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(5);

/// The scraped services, by the job names used in the rules.
const JOBS: [(&str, Role); 3] =
    [("lead-intake", Role::IntakeAdmin), ("notifier", Role::NotifierAdmin), ("crm-sync", Role::CrmSyncAdmin)];

/// Prefixes of our metrics; no label starts with one.
const OURS: [&str; 8] =
    ["crm_", "db_client_", "http_server_", "lead_", "leads_", "messaging_", "notifier_", "rpc_server_"];

/// Metrics that exist only after events which no browser test causes.
const MAY_BE_ABSENT: [&str; 1] = ["crm_conflicts_total"];

/// The page that browser tests do cause: one of them stops broker and CRM, and the rule looks back 15 minutes.
const BROUGHT_ABOUT: &str = "LeadsRefused";

impl Run<'_> {
    /// Checks the configuration, and that each alert fires and ends as its tests expect.
    pub(super) fn alerts(&mut self) -> Result<()> {
        let promtool = tools::promtool()?;
        let directory = self.session.checkout.prometheus();
        let check = |arguments: &[&str]| Invocation::new(&promtool, arguments).directory(&directory);
        self.check("promtool check config", &check(&["check", "config", "prometheus.yml"]), no_tests)?;
        self.check("promtool test rules", &check(&["test", "rules", "alerts_test.yml"]), no_tests)
    }
}

/// Prometheus for the running system; stops when dropped.
pub(super) struct Prometheus {
    port: u16,
    _supervisor: Supervisor,
}

impl Prometheus {
    /// Starts it with the production rules.
    pub(super) fn start(directory: &Path, services: &Ports, session: &Session) -> Result<Self> {
        files::directory(directory)?;
        let rules = session.checkout.prometheus().join("alerts.yml");
        let configuration = directory.join("prometheus.yml");
        files::replace(&configuration, configured(&rules, services).as_bytes(), files::PUBLIC)?;
        let port = ports::free_ports(1)?[0];
        let invocation = Invocation::new(tools::prometheus()?, [] as [&str; 0])
            .argument(format!("--config.file={}", configuration.display()))
            .argument(format!("--storage.tsdb.path={}", directory.join("data").display()))
            .argument(format!("--web.listen-address=127.0.0.1:{port}"));
        let supervisor = Supervisor::new(session.progress.clone(), session.interrupt.clone());
        supervisor.start(Service::new("prometheus", invocation, directory), TIMEOUT, || {
            http::get(port, "/-/ready", &[], ANSWER).is_ok_and(|answer| answer.status == 200)
        })?;
        Ok(Self { port, _supervisor: supervisor })
    }

    /// Waits until every service has been scraped and every rule evaluated with existing metrics.
    pub(super) fn check(&self, session: &Session) -> Result<()> {
        let mut missing = String::new();
        let outcome =
            wait::until("Prometheus did not see what it should", TIMEOUT, &session.interrupt, || {
                missing = self.what_is_missing()?;
                Ok(missing.is_empty())
            });
        outcome.map_err(|error| match error {
            Error::Interrupted | Error::CommandLine(_) | Error::Usage(_) | Error::Reported => error,
            Error::Failed(what) => Error::failed(format!("{what}: {missing}")),
        })
    }

    fn what_is_missing(&self) -> Result<String> {
        let targets = self.get("/api/v1/targets?state=active")?;
        let targets = each(&targets, "/data/activeTargets");
        let down = targets.filter(|target| target["health"] != "up").map(|target| &target["scrapeUrl"]);
        let mut missing: Vec<String> = down.map(|url| format!("no answer of {url}")).collect();

        let metrics = self.get("/api/v1/label/__name__/values")?;
        let metrics: BTreeSet<&str> = each(&metrics, "/data").filter_map(Value::as_str).collect();
        let rules = self.get("/api/v1/rules")?;
        let rules: Vec<&Value> =
            each(&rules, "/data/groups").flat_map(|group| each(group, "/rules")).collect();
        if rules.is_empty() {
            missing.push("rules".to_owned());
        }
        for rule in rules {
            let (name, query) = (&rule["name"], rule["query"].as_str().unwrap_or_default());
            if rule["health"] != "ok" {
                missing.push(format!("a verdict of {name}"));
            }
            // A page for a healthy system would be a false alarm.
            let is_page = rule["labels"]["severity"] == "page" && *name != BROUGHT_ABOUT;
            if is_page && rule["state"] != "inactive" {
                missing.push(format!("an end of {name}"));
            }
            for metric in names(query) {
                if !MAY_BE_ABSENT.contains(&metric) && !metrics.contains(metric) {
                    missing.push(format!("{metric}, for {name}"));
                }
            }
        }
        Ok(missing.join("; "))
    }

    fn get(&self, path: &str) -> Result<Value> {
        let failed = |why: &dyn std::fmt::Display| Error::failed(format!("Prometheus' {path}: {why}"));
        let answer = http::get(self.port, path, &[], ANSWER).map_err(|error| failed(&error))?;
        serde_json::from_slice(&answer.body).map_err(|error| failed(&error))
    }
}

fn each<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// Our metrics in an expression.
fn names(query: &str) -> BTreeSet<&str> {
    let words = query.split(|part: char| !part.is_ascii_alphanumeric() && part != '_');
    words.filter(|word| OURS.iter().any(|ours| word.starts_with(ours))).collect()
}

fn configured(rules: &Path, services: &Ports) -> String {
    let jobs = JOBS.map(|(job, role)| {
        let port = services.get(role);
        format!("  - job_name: {job}\n    static_configs: [{{targets: [\"127.0.0.1:{port}\"]}}]\n")
    });
    format!(
        "global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\nrule_files: [\"{}\"]\nscrape_configs:\n{}",
        rules.display(),
        jobs.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_metrics_are_found_in_an_expression() {
        let query = r#"sum by (queue, http_route) (rate(http_server_x_count{to=~"a_total|b_c"}[10m])) > 0
            unless on (queue) max_over_time(leads:answers[2m]) == 1 or messaging_paused"#;
        assert_eq!(names(query).into_iter().collect::<Vec<_>>(), ["http_server_x_count", "messaging_paused"]);
    }
}
