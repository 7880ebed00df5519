//! The checks after quiescence; each promise is a row of the table.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use anyhow::Result;
use uuid::Uuid;

use crate::fault::CONSUMERS;
use crate::mailbox::email_id;
use crate::run::{Confirmed, Findings, Run};
use crate::system::{RECIPIENTS, System, is_service, services};
use crate::visitor::{Log, Millis};

/// The promise for every request, in milliseconds.
const LONGEST: Millis = 5_000;
/// Responses that allow a retry.
const RETRY: [u16; 4] = [429, 502, 503, 504];

/// How a process ends that a fault killed.
const KILLED: &str = "signal: 9 (SIGKILL)";
/// Leads with due or later deliveries, as seen by leases.
const OPEN: &str = "SELECT count(*) FROM lead WHERE open";
/// Excludes `cancelled`: routes do not change in a run and nothing is discarded.
const UNFINISHED: &str = "SELECT count(*) FROM delivery WHERE state NOT IN ('delivered', 'failed')";

pub(crate) struct Row {
    promise: &'static str,
    /// How many leads, requests or other things were checked. Without any, the check proves nothing.
    checked: usize,
    violations: Vec<String>,
}

impl Row {
    pub(crate) fn is_kept(&self) -> bool {
        self.checked > 0 && self.violations.is_empty()
    }
}

fn row(promise: &'static str, checked: usize, violations: impl IntoIterator<Item = String>) -> Row {
    Row {
        promise,
        checked,
        violations: violations.into_iter().collect(),
    }
}

/// A row for two sets that must be equal.
fn equal<T: Ord>(promise: &'static str, found: &BTreeSet<T>, expected: &BTreeSet<T>) -> Row {
    let (missing, unexpected) = (
        expected.difference(found).count(),
        found.difference(expected).count(),
    );
    row(
        promise,
        expected.len(),
        counts([(missing, "missing"), (unexpected, "unexpected")]),
    )
}

/// Describes the kinds of violations that occurred.
fn counts<const N: usize>(kinds: [(usize, &str); N]) -> Vec<String> {
    let occurred = kinds.into_iter().filter(|(count, _)| *count > 0);
    occurred
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect()
}

/// One line per row: `ok` or `MISS`, the promise, the number of checked things, the violations.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = rows
        .iter()
        .map(|row| row.promise.len())
        .max()
        .unwrap_or_default();
    let line = |row: &Row| {
        let mark = if row.is_kept() { "ok" } else { "MISS" };
        let violations = row.violations.join(", ");
        format!(
            "{mark:<6}{:<width$}{:>8}  {violations}\n",
            row.promise, row.checked
        )
    };
    rows.iter().map(line).collect()
}

pub(crate) fn check_all(run: &Run) -> Result<Vec<Row>> {
    let (findings, log, system) = (run.findings(), run.visitors.log(), &run.system);
    let failed = findings.failed.iter().cloned();
    let mut table = vec![
        row(
            "every scheduled fault is injected and healed",
            findings.scheduled,
            failed,
        ),
        row(
            "the system becomes idle in time",
            1,
            findings.unrest.clone(),
        ),
    ];
    table.extend(check_responses(&findings, &log));
    table.extend(check_database(&log, system)?);
    table.extend(check_emails(&findings, &log, &system.mailbox.emails()));
    table.extend(check_queues(&findings, system)?);
    table.extend(check_deliveries(&findings, system)?);
    table.push(check_processes(&findings, system));
    if system.broker.len() > 1 {
        table.push(check_quorum(&findings));
    }
    Ok(table)
}

/// The number of these times within a span. A span without a request has proven nothing.
fn count_in<'a>(span: &Range<Millis>, times: impl IntoIterator<Item = &'a Millis>) -> usize {
    times.into_iter().filter(|at| span.contains(at)).count()
}

fn check_responses(findings: &Findings, log: &Log) -> [Row; 6] {
    let requests = log.requests.len();
    let acknowledged = log.acknowledged().count();
    let unanswered = log.leads.len() - acknowledged;
    let statuses: BTreeSet<u16> = log
        .failures
        .iter()
        .filter_map(|(_, status)| *status)
        .collect();
    let final_statuses = statuses.iter().filter(|status| !RETRY.contains(status));
    let failures = || log.failures.iter().map(|(at, _)| at);
    let rolling = &findings.rolling_restart;
    let stopped = &findings.broker_stopped;
    let count_both = |times: &[Millis]| count_in(rolling, times) + count_in(stopped, times);
    // Requests wait until a frozen nginx continues.
    let met_frozen_nginx = |ended: Millis, took: Millis| {
        findings
            .frozen_nginx
            .iter()
            .any(|span| span.start <= ended && ended - took <= span.end)
    };
    let late = log.slow.iter().filter(|(_, took)| *took > LONGEST);
    let late = late
        .filter(|(ended, took)| !met_frozen_nginx(*ended, *took))
        .count();
    let failed = |count: usize| counts([(count, "failed")]);
    [
        row(
            "every submitted lead is acknowledged",
            acknowledged,
            counts([(unanswered, "not acknowledged")]),
        ),
        row(
            "every other response allows a retry",
            requests,
            final_statuses.map(u16::to_string),
        ),
        row(
            "every request ends within 5 s while nginx runs",
            requests,
            counts([(late, "late")]),
        ),
        row(
            "no request fails in the rolling restart",
            count_in(rolling, &log.requests),
            failed(count_in(rolling, failures())),
        ),
        row(
            "no request fails while the broker is stopped",
            count_in(stopped, &log.requests),
            failed(count_in(stopped, failures())),
        ),
        row(
            "the desk answers in the rolling restart and while the broker is stopped",
            count_both(&log.desk_requests),
            failed(count_both(&log.desk_failures)),
        ),
    ]
}

/// Counts the leads that two nodes confirmed while the third was separated from them.
fn check_quorum(findings: &Findings) -> Row {
    let confirmed_in = |span: &Range<Millis>| -> u64 {
        let during = |confirmed: &&Confirmed| {
            span.start <= confirmed.within.start && confirmed.within.end <= span.end
        };
        let confirmed = findings.confirmed.iter().filter(during);
        confirmed.map(|confirmed| confirmed.leads).sum()
    };
    let mut leads = 0;
    let mut violations = Vec::new();
    for (fault, span) in &findings.separated {
        let confirmed = confirmed_in(span);
        leads += confirmed;
        if confirmed == 0 {
            violations.push(format!("none during {fault}"));
        }
    }
    row(
        "two nodes confirm leads while the third is down or separated",
        usize::try_from(leads).unwrap_or(usize::MAX),
        violations,
    )
}

fn check_database(log: &Log, system: &System) -> Result<[Row; 3]> {
    let ids = |query| -> Result<Vec<Uuid>> {
        Ok(system
            .sql(query)?
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect())
    };
    let rows = ids("SELECT id FROM lead")?;
    let stored: HashSet<Uuid> = rows.iter().copied().collect();
    let acknowledged: Vec<_> = log.acknowledged().collect();
    let missing = acknowledged
        .iter()
        .filter(|(id, _)| !stored.contains(id))
        .count();
    let unknown = stored
        .iter()
        .filter(|id| !log.leads.contains_key(id))
        .count();
    let conflicts: HashSet<Uuid> = ids("SELECT DISTINCT lead_id FROM conflict")?
        .into_iter()
        .collect();
    let others = acknowledged.iter().filter(|(_, sent)| sent.other_contents);
    let lost = others
        .clone()
        .filter(|(id, _)| !conflicts.contains(id))
        .count();
    let duplicates = rows.len() - stored.len();
    Ok([
        row(
            "every acknowledged lead is in the database",
            acknowledged.len(),
            counts([(missing, "missing")]),
        ),
        row(
            "the database contains no duplicate and no unknown lead",
            rows.len(),
            counts([(duplicates, "duplicates"), (unknown, "unknown")]),
        ),
        row(
            "different contents with the same key are kept as a conflict",
            others.count(),
            counts([(lost, "missing")]),
        ),
    ])
}

fn check_emails(findings: &Findings, log: &Log, emails: &HashMap<Uuid, Vec<Millis>>) -> [Row; 3] {
    let expected = log
        .acknowledged()
        .flat_map(|(id, _)| RECIPIENTS.map(|recipient| (id, recipient)));
    let expected: Vec<(Uuid, &str)> = expected
        .filter(|(id, to)| !findings.refused.contains(id) || *to != RECIPIENTS[1])
        .collect();
    let missing = expected
        .iter()
        .filter(|(id, to)| !emails.contains_key(&email_id(*id, to)))
        .count();
    let ours: HashSet<Uuid> = log
        .leads
        .keys()
        .flat_map(|id| RECIPIENTS.map(|to| email_id(*id, to)))
        .collect();
    let unknown = emails.keys().filter(|id| !ours.contains(id)).count();
    let early: Vec<usize> = emails
        .values()
        .map(|times| count_in(&(0..findings.faults_from), times))
        .filter(|count| *count > 0)
        .collect();
    let duplicates = early.iter().map(|count| count - 1).sum();
    let of_slow: Vec<usize> = emails
        .values()
        .filter(|times| count_in(&findings.crm_slow, *times) > 0)
        .map(|times| count_in(&(0..findings.faults_from), times))
        .collect();
    let duplicates_of_slow = of_slow.iter().map(|count| count - 1).sum();
    [
        row(
            "every acknowledged lead is emailed to every recipient",
            expected.len(),
            counts([(missing, "missing"), (unknown, "unknown")]),
        ),
        row(
            "no email is sent twice before the faults",
            early.len(),
            counts([(duplicates, "duplicates")]),
        ),
        row(
            "no email is sent twice while the CRM is slow",
            of_slow.len(),
            counts([(duplicates_of_slow, "duplicates")]),
        ),
    ]
}

fn check_queues(findings: &Findings, system: &System) -> Result<[Row; 2]> {
    let depths = system.block_on(system.management.depths())?;
    let work = depths.iter().filter(|depth| depth.is_work());
    let left = work.map(|depth| format!("{} messages in {}", depth.messages, depth.queue));
    let mut dead_letters = BTreeSet::new();
    for service in CONSUMERS {
        let name = format!("{service}.dead-letters");
        for message in system.block_on(system.management.messages(&name, false))? {
            let id = &message["properties"]["message_id"];
            dead_letters.insert((
                service,
                id.as_str().unwrap_or("without a message id").to_owned(),
            ));
        }
    }
    let poison: BTreeSet<_> = findings.poison.iter().cloned().collect();
    Ok([
        row("the work queues are empty", depths.len(), left),
        equal(
            "the dead letters are exactly the poison messages",
            &dead_letters,
            &poison,
        ),
    ])
}

/// Number of leads and deliveries with work left.
pub(crate) fn count_unfinished(system: &System) -> Result<usize> {
    Ok(system.number(OPEN)? + system.number(UNFINISHED)?)
}

fn check_deliveries(findings: &Findings, system: &System) -> Result<[Row; 2]> {
    let unfinished = count_unfinished(system)?;
    let incomplete = system.number(&format!(
        "SELECT count(*) FROM lead WHERE {} <> \
         (SELECT count(*) FROM delivery WHERE lead_id = lead.id AND state IN ('delivered', 'failed'))",
        RECIPIENTS.len()
    ))?;
    let found = system.sql("SELECT lead_id, recipient FROM delivery WHERE state = 'failed'")?;
    let failed: BTreeSet<String> = found.lines().map(str::to_owned).collect();
    let refused = findings
        .refused
        .iter()
        .map(|id| format!("{id}\t{}", RECIPIENTS[1]))
        .collect();
    let deliveries = system.number("SELECT count(*) FROM delivery")?;
    let violations = counts([
        (unfinished, "unfinished"),
        (incomplete, "leads lack deliveries"),
    ]);
    Ok([
        row(
            "every delivery is delivered or failed",
            deliveries,
            violations,
        ),
        equal(
            "the failed deliveries are exactly the rejected emails",
            &failed,
            &refused,
        ),
    ])
}

fn check_processes(findings: &Findings, system: &System) -> Row {
    let endings = system.supervisor().endings();
    let crashes = endings
        .iter()
        .filter(|ending| is_service(&ending.name) && ending.how != KILLED);
    let crashes = crashes.map(|ending| format!("{} ended ({})", ending.name, ending.how));
    let late = findings
        .overdue
        .iter()
        .filter(|process| is_service(process));
    let late = late.map(|process| format!("{process} stopped late"));
    row(
        "no service crashes or exceeds its grace period",
        services().count(),
        crashes.chain(late),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_without_a_request_proves_nothing() {
        let findings = Findings {
            rolling_restart: 10..20,
            broker_stopped: 30..40,
            ..Findings::default()
        };
        let outside = vec![5, 25, 45];
        let mut log = Log {
            requests: outside.clone(),
            desk_requests: outside,
            ..Log::default()
        };
        let missed = |log: &Log| -> Vec<&str> {
            let rows = check_responses(&findings, log).into_iter();
            rows.filter(|row| !row.is_kept())
                .map(|row| row.promise)
                .collect()
        };
        let windows = [
            "no request fails in the rolling restart",
            "no request fails while the broker is stopped",
            "the desk answers in the rolling restart and while the broker is stopped",
        ];
        let of_windows = |missed: Vec<&'static str>| -> Vec<&str> {
            missed
                .into_iter()
                .filter(|promise| windows.contains(promise))
                .collect()
        };
        assert_eq!(of_windows(missed(&log)), windows);

        log.requests.extend([15, 35]);
        log.desk_requests.push(15);
        assert_eq!(of_windows(missed(&log)), Vec::<&str>::new());
    }
}
