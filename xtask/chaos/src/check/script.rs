//! Checks that the run went as planned.

use super::Row;
use crate::run::Run;

pub(super) fn faults(run: &Run) -> Row {
    let findings = run.findings();
    let mut numbers = format!("{} made", findings.windows.len() - findings.failed.len());
    if !findings.impossible.is_empty() {
        let names: Vec<String> = findings.impossible.iter().map(ToString::to_string).collect();
        numbers.push_str(&format!("; not possible here: {}", names.join(", ")));
    }
    if !findings.failed.is_empty() {
        numbers.push_str(&format!("; failed: {}", findings.failed.join("; ")));
    }
    Row::new("every fault of the script was made and healed", findings.failed.is_empty(), numbers)
}

pub(super) fn quiescence(run: &Run) -> Row {
    let findings = run.findings();
    Row::new(
        "the system quiesced in time",
        findings.unrest.is_none(),
        findings.unrest.clone().unwrap_or_else(|| "quiescent".to_owned()),
    )
}
