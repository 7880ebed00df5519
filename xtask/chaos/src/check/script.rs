//! Checks that the run went as planned.

use super::Row;
use crate::run::Run;

pub(super) fn faults(run: &Run) -> Row {
    let findings = run.findings();
    let mut numbers = format!("{} injected", findings.windows.len() - findings.failed.len());
    if !findings.impossible.is_empty() {
        let names: Vec<String> = findings.impossible.iter().map(ToString::to_string).collect();
        numbers.push_str(&format!("; not supported on this machine: {}", names.join(", ")));
    }
    if !findings.failed.is_empty() {
        numbers.push_str(&format!("; failed: {}", findings.failed.join("; ")));
    }
    Row::new("every scheduled fault is injected and healed", findings.failed.is_empty(), numbers)
}

pub(super) fn quiescence(run: &Run) -> Row {
    let findings = run.findings();
    Row::new(
        "the system becomes idle in time",
        findings.unrest.is_none(),
        findings.unrest.clone().unwrap_or_else(|| "idle".to_owned()),
    )
}
