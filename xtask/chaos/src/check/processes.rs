//! Checks that no service crashed or stopped late.

use super::Row;
use crate::run::Run;
use crate::stack::parts::Process;

pub(super) fn row(run: &Run) -> Row {
    let ours = |name: &str| Process::SERVICES.iter().any(|process| process.name() == name);
    let crashes: Vec<String> = run
        .stack
        .supervisor
        .endings()
        .into_iter()
        .filter(|ending| ours(&ending.name) && ending.how != "signal 9")
        .map(|ending| format!("{} ({})", ending.name, ending.how))
        .collect();
    let overdue: Vec<&str> = run
        .findings()
        .overdue
        .iter()
        .filter(|process| Process::SERVICES.contains(process))
        .map(|process| process.name())
        .collect();
    Row::new(
        "no service crashes or exceeds its grace period",
        crashes.is_empty() && overdue.is_empty(),
        format!(
            "{} crashed, {} late {}",
            crashes.len(),
            overdue.len(),
            [crashes.join(" "), overdue.join(" ")].join(" ")
        )
        .trim_end(),
    )
}
