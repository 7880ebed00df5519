//! Evaluates the alert rules with Prometheus on the running system.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
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

const TIMEOUT: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(5);

/// The scraped services, by the job names used in the rules.
const JOBS: [(&str, Role); 4] = [
    ("lead-intake", Role::IntakeAdmin),
    ("notifier", Role::NotifierAdmin),
    ("crm-sync", Role::CrmSyncAdmin),
    ("desk", Role::DeskAdmin),
];

/// Prefixes of our metrics; no label starts with one.
const OURS: [&str; 9] = [
    "crm_",
    "db_client_",
    "desk_",
    "http_server_",
    "lead_",
    "leads_",
    "messaging_",
    "notifier_",
    "rpc_server_",
];

/// Metrics that exist only after events which no browser test causes.
const MAY_BE_ABSENT: [&str; 1] = ["crm_conflicts_total"];

/// The pages that the tests cause: browser tests stop broker and CRM, and the rule looks back 15 minutes.
const BROUGHT_ABOUT: [&str; 2] = ["LeadSubmissionsFailing", TRIED];

/// An alert that fires at once, to see whom it reaches.
const TRIED: &str = "Tried";

/// Prometheus and Alertmanager for the running system; they stop when dropped.
pub(super) struct Prometheus {
    port: u16,
    mail_port: u16,
    /// Accepts what is sent to the pager.
    pager: TcpListener,
    _supervisor: Supervisor,
}

impl Prometheus {
    /// Starts them with the production rules and receivers.
    pub(super) fn start(directory: &Path, services: &Ports, session: &Session) -> Result<Self> {
        files::directory(directory)?;
        let rules = session.checkout.prometheus().join("alerts.yml");
        let configuration = directory.join("prometheus.yml");
        let [port, alertmanager] = ports::free_ports(2)?[..] else { unreachable!("two were asked for") };
        let tried = format!(
            "groups:\n  - name: tried\n    rules:\n      - {{alert: {TRIED}, expr: vector(1), labels: {{severity: page}}}}\n"
        );
        files::replace(&directory.join("tried.yml"), tried.as_bytes(), files::PUBLIC)?;
        let text = configured(&rules, services, alertmanager);
        files::replace(&configuration, text.as_bytes(), files::PUBLIC)?;
        let invocation = Invocation::new(tools::prometheus()?, [] as [&str; 0])
            .argument(format!("--config.file={}", configuration.display()))
            .argument(format!("--storage.tsdb.path={}", directory.join("data").display()))
            .argument(format!("--web.listen-address=127.0.0.1:{port}"));
        let supervisor = Supervisor::new(session.progress.clone(), session.interrupt.clone());
        let pager = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|pager| pager.set_nonblocking(true).map(|()| pager))
            .map_err(|error| Error::failed(format!("no port for the pager: {error}")))?;
        let pager_port = pager.local_addr().map_or(0, |address| address.port());
        let receivers = files::read(&session.checkout.prometheus().join("alertmanager.yml"))?;
        let receivers = on_this_machine(&receivers, services.get(Role::Smtp), pager_port);
        let alertmanager_file = directory.join("alertmanager.yml");
        files::replace(&alertmanager_file, receivers.as_bytes(), files::PUBLIC)?;
        let manager = Invocation::new(tools::alertmanager()?, ["--cluster.listen-address="])
            .argument(format!("--config.file={}", alertmanager_file.display()))
            .argument(format!("--storage.path={}", directory.join("alerts").display()))
            .argument(format!("--web.listen-address=127.0.0.1:{alertmanager}"));
        supervisor.start(Service::new("alertmanager", manager, directory), TIMEOUT, || {
            http::get(alertmanager, "/-/ready", &[], ANSWER).is_ok_and(|answer| answer.status == 200)
        })?;
        supervisor.start(Service::new("prometheus", invocation, directory), TIMEOUT, || {
            http::get(port, "/-/ready", &[], ANSWER).is_ok_and(|answer| answer.status == 200)
        })?;
        Ok(Self { port, mail_port: services.get(Role::Mail), pager, _supervisor: supervisor })
    }

    /// Waits until every service has been scraped, every rule evaluated with existing metrics, and [`TRIED`] has reached
    /// mail and pager.
    pub(super) fn check(&self, session: &Session) -> Result<()> {
        self.check_metrics(session)?;
        wait::until("the alert's mail did not come", TIMEOUT, &session.interrupt, || {
            let mails = http::get(self.mail_port, "/email", &[], ANSWER).map(|answer| answer.text());
            Ok(mails.is_ok_and(|mails| mails.contains(&format!("[FIRING:1] {TRIED}"))))
        })?;
        wait::until("the pager was not called", TIMEOUT, &session.interrupt, || {
            Ok(self.pager.accept().is_ok())
        })
    }

    /// Waits until every service has been scraped and every rule evaluated with existing metrics.
    fn check_metrics(&self, session: &Session) -> Result<()> {
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
            let is_page = rule["labels"]["severity"] == "page" && !BROUGHT_ABOUT.iter().any(|it| name == it);
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

/// The production receivers, with the mail catcher and the pager of this machine.
fn on_this_machine(receivers: &str, smtp: u16, pager: u16) -> String {
    let pager = format!("webhook_configs: [{{url: \"http://127.0.0.1:{pager}/\"}}]");
    receivers
        .replace("mail:465", &format!("127.0.0.1:{smtp}"))
        .replace("        tls_config: {ca_file: /run/secrets/mail.crt}\n", "")
        .replace("# webhook_configs: [{url: \"https://pager.example/alerts\"}]", &pager)
        .replace("group_wait: 15s", "group_wait: 1s")
}

fn configured(rules: &Path, services: &Ports, alertmanager: u16) -> String {
    let jobs = JOBS.map(|(job, role)| {
        let port = services.get(role);
        format!("  - job_name: {job}\n    static_configs: [{{targets: [\"127.0.0.1:{port}\"]}}]\n")
    });
    format!(
        "global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\nrule_files: [\"{}\", tried.yml]\n\
         alerting: {{alertmanagers: [{{static_configs: [{{targets: [\"127.0.0.1:{alertmanager}\"]}}]}}]}}\n\
         scrape_configs:\n{}",
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
            unless on (queue) max_over_time(leads:responses[2m]) == 1 or messaging_paused"#;
        assert_eq!(names(query).into_iter().collect::<Vec<_>>(), ["http_server_x_count", "messaging_paused"]);
    }

    #[test]
    fn every_alert_links_to_its_runbook_entry() {
        let alerts = include_str!("../../../deploy/prometheus/alerts.yml");
        let runbook = include_str!("../../../docs/runbook.md");
        for alert in alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
            assert!(runbook.contains(&format!("\n### {alert}\n")), "{alert} has no entry");
            let link = format!("$externalLabels.runbook }}}}#{}\"\n", alert.to_lowercase());
            assert!(alerts.contains(&link), "{alert} has no link");
        }
    }
}
