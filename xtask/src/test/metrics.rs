//! Checks that the metrics in alerts and dashboards exist in the running system.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use fs_err as fs;

use crate::checkout;
use crate::http;
use crate::ports::Ports;

const TIMEOUT: Duration = Duration::from_secs(5);

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
const MAY_BE_ABSENT: [&str; 4] = [
    "crm_conflicts_total",
    "crm_erased_leads_total",
    "notifier_daily_summaries_total",
    "notifier_unclaimed_emails_total",
];

/// Compares the names in alerts and dashboards with what the services export after the browser tests.
pub(super) fn check(ports: &Ports) -> Result<()> {
    let mut exported = String::new();
    for replica in &ports.replicas {
        for port in [replica.intake_admin, replica.notifier_admin, replica.crm_sync_admin, replica.desk_admin]
        {
            let response = http::request("GET", port, "/metrics", &[], "", TIMEOUT);
            let response = response.with_context(|| format!("no metrics on {port}"))?;
            exported.push_str(&response.body);
        }
    }
    let exported: BTreeSet<&str> =
        exported.lines().filter_map(|line| line.split(['{', ' ']).next()).chain(MAY_BE_ABSENT).collect();
    let mut missing = Vec::new();
    for file in files_with_expressions()? {
        let text = fs::read_to_string(&file)?;
        let absent = names(&text).into_iter().filter(|name| !exported.contains(name));
        missing.extend(absent.map(|name| format!("{name} in {}", checkout::shown(&file))));
    }
    if missing.is_empty() { Ok(()) } else { Err(anyhow!("missing: {}", missing.join(", "))) }
}

fn files_with_expressions() -> Result<Vec<PathBuf>> {
    let dashboards = checkout::path("deploy/grafana/dashboards");
    let entries = fs::read_dir(&dashboards)?;
    let dashboards = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"));
    Ok(dashboards.chain([checkout::path("deploy/prometheus/alerts.yml")]).collect())
}

/// Our metrics in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|part: char| !part.is_ascii_alphanumeric() && part != '_' && part != ':');
    words.filter(|word| OURS.iter().any(|ours| word.starts_with(ours))).collect()
}

#[cfg(test)]
mod tests {
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
