//! Checks the answers to visitors.

use std::collections::BTreeMap;

use super::Row;
use crate::fault::Fault;
use crate::history::Window;
use crate::journal::Millis;
use crate::reconciliation::Reconciliation;
use crate::run::Run;
use crate::stack::parts::Process;

/// The promised five seconds plus an allowance for a slow machine.
const LONGEST: Millis = 6_500;

pub(super) fn rows(run: &Run, reconciliation: &Reconciliation) -> Vec<Row> {
    let acknowledged = reconciliation.acknowledged().count();
    let unanswered = reconciliation.leads.len() - acknowledged;
    let findings = run.findings();
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for failure in &reconciliation.failures {
        let name = failure.status.map_or_else(|| "broken".to_owned(), |status| status.to_string());
        *statuses.entry(name).or_default() += 1;
    }
    let others: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let only_to_try_again =
        statuses.keys().all(|status| ["broken", "429", "502", "503", "504"].contains(&status.as_str()));
    let in_rolling =
        reconciliation.failures.iter().filter(|failure| findings.rolling_restart.holds(failure.at)).count();
    let away =
        reconciliation.failures.iter().filter(|failure| findings.broker_away.holds(failure.at)).count();
    let slowest = slowest_while_nginx_ran(&findings.windows, reconciliation);
    vec![
        Row::new(
            "every submitted lead is acknowledged",
            unanswered == 0 && run.visitors.unwritten() == 0 && acknowledged > 0,
            format!("{acknowledged} acknowledged, {unanswered} not, {} requests", reconciliation.requests),
        ),
        Row::new(
            "every other response allows a retry",
            only_to_try_again,
            if others.is_empty() { "none".to_owned() } else { others.join(", ") },
        ),
        Row::new(
            "every request ends in time while nginx runs",
            slowest <= LONGEST,
            format!("slowest {slowest} ms, {} requests took a second or longer", reconciliation.slow.len()),
        ),
        Row::new("no request fails in the rolling restart", in_rolling == 0, format!("{in_rolling} failed")),
        Row::new("no request fails while the broker is stopped", away == 0, format!("{away} failed")),
    ]
}

/// Excludes requests that overlap a frozen nginx, since they wait until it continues.
fn slowest_while_nginx_ran(windows: &[Window], reconciliation: &Reconciliation) -> Millis {
    let frozen = Fault::Freeze(Process::Nginx);
    let met_it = |ended: Millis, took: Millis| {
        windows
            .iter()
            .any(|window| window.fault == frozen && window.from <= ended && ended - took <= window.to)
    };
    let others = reconciliation.slow.iter().filter(|(ended, took)| !met_it(*ended, *took));
    others.map(|(_, took)| *took).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_met_a_frozen_nginx_is_excused() {
        let window = |fault| Window { fault, from: 10_000, to: 14_000 };
        let reconciliation =
            |slow: &[(Millis, Millis)]| Reconciliation { slow: slow.to_vec(), ..Reconciliation::default() };
        let frozen = [window(Fault::Freeze(Process::Nginx))];
        assert_eq!(
            slowest_while_nginx_ran(&frozen, &reconciliation(&[(14_100, 4_500), (9_000, 1_200)])),
            1_200
        );
        assert_eq!(slowest_while_nginx_ran(&frozen, &reconciliation(&[(30_000, 8_000)])), 8_000);
        let other = [window(Fault::Freeze(Process::Intake1))];
        assert_eq!(slowest_while_nginx_ran(&other, &reconciliation(&[(14_100, 4_500)])), 4_500);
    }
}
