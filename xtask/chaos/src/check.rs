//! The checks after quiescence; each promise is a row of the table.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::Result;
use serde_json::Value;
use uuid::Uuid;

use crate::fault::CONSUMERS;
use crate::mailbox::email_id;
use crate::run::{Findings, Run, Span};
use crate::system::{RECIPIENTS, System, is_service};
use crate::visitor::{Log, Millis};

/// The promise for every request, in milliseconds.
const LONGEST: Millis = 5_000;

/// How a process ends that a fault killed.
const KILLED: &str = "signal: 9 (SIGKILL)";
/// Leads with due or later deliveries, as seen by leases.
const OPEN: &str = "SELECT count(*) FROM lead WHERE open";
/// Excludes `cancelled`: routes do not change in a run and nothing is discarded.
const UNFINISHED: &str = "SELECT count(*) FROM delivery WHERE state NOT IN ('delivered', 'failed')";

pub(crate) struct Row {
    pub(crate) is_kept: bool,
    what: &'static str,
    numbers: String,
}

impl Row {
    fn new(what: &'static str, is_kept: bool, numbers: impl Into<String>) -> Self {
        Self { is_kept, what, numbers: numbers.into() }
    }
}

/// One line per row: `ok` or `MISS`, the promise, the numbers.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or_default();
    let line = |row: &Row| {
        let mark = if row.is_kept { "ok" } else { "MISS" };
        format!("{mark:<6}{:<width$}  {}\n", row.what, row.numbers)
    };
    rows.iter().map(line).collect()
}

pub(crate) fn check_all(run: &Run) -> Result<Vec<Row>> {
    let (findings, log, system) = (run.findings(), run.visitors.log(), &run.system);
    let mut table = Vec::from(check_script(&findings));
    table.extend(check_responses(&findings, &log));
    table.extend(check_database(&log, system)?);
    table.extend(check_emails(&findings, &log, &system.mailbox.emails()));
    table.extend(check_queues(&findings, system)?);
    table.extend(check_deliveries(&findings, system)?);
    table.push(check_processes(system, &findings));
    Ok(table)
}

fn check_script(findings: &Findings) -> [Row; 2] {
    let failed = findings.failed.len();
    let numbers =
        format!("{} of {} {}", findings.scheduled - failed, findings.scheduled, findings.failed.join("; "));
    [
        Row::new(
            "every scheduled fault is injected and healed",
            failed == 0 && findings.ended == findings.scheduled,
            numbers.trim_end(),
        ),
        Row::new(
            "the system becomes idle in time",
            findings.unrest.is_none(),
            findings.unrest.as_deref().unwrap_or("idle"),
        ),
    ]
}

fn check_responses(findings: &Findings, log: &Log) -> Vec<Row> {
    let acknowledged = log.acknowledged().count();
    let unanswered = log.leads.len() - acknowledged;
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for (_, status) in &log.failures {
        let name = status.map_or_else(|| "broken".to_owned(), |status| status.to_string());
        *statuses.entry(name).or_default() += 1;
    }
    let others: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let allows_retry =
        statuses.keys().all(|status| ["broken", "429", "502", "503", "504"].contains(&status.as_str()));
    let failed_in = |span: Span| log.failures.iter().filter(|(at, _)| span.contains(*at)).count();
    let (rolling, without_broker) = (failed_in(findings.rolling_restart), failed_in(findings.broker_stopped));
    let is_promised =
        |at: Millis| findings.rolling_restart.contains(at) || findings.broker_stopped.contains(at);
    let desk = log.desk_failures.iter().filter(|at| is_promised(**at)).count();
    // Requests wait until a frozen nginx continues.
    let met_frozen_nginx = |ended: Millis, took: Millis| {
        findings.frozen_nginx.iter().any(|span| span.from <= ended && ended - took <= span.to)
    };
    let slow = log.slow.iter().filter(|(ended, took)| !met_frozen_nginx(*ended, *took));
    let slowest = slow.map(|(_, took)| *took).max().unwrap_or_default();
    vec![
        Row::new(
            "every submitted lead is acknowledged",
            unanswered == 0 && acknowledged > 0,
            format!("{acknowledged} acknowledged, {unanswered} not, {} requests", log.requests),
        ),
        Row::new("every other response allows a retry", allows_retry, others.join(", ")),
        Row::new(
            "every request ends within 5 s while nginx runs",
            slowest <= LONGEST,
            format!("slowest {slowest} ms, {} took a second or longer", log.slow.len()),
        ),
        Row::new("no request fails in the rolling restart", rolling == 0, format!("{rolling} failed")),
        Row::new(
            "no request fails while the broker is stopped",
            without_broker == 0,
            format!("{without_broker} failed"),
        ),
        Row::new(
            "the desk answers in the rolling restart and while the broker is stopped",
            desk == 0 && log.desk_requests > 0,
            format!("{desk} failed, {} requests in the whole run", log.desk_requests),
        ),
    ]
}

fn check_database(log: &Log, system: &System) -> Result<[Row; 3]> {
    let ids = |query| -> Result<Vec<Uuid>> {
        Ok(system.sql(query)?.lines().filter_map(|line| line.parse().ok()).collect())
    };
    let rows = ids("SELECT id FROM lead")?;
    let stored: HashSet<Uuid> = rows.iter().copied().collect();
    let missing = log.acknowledged().filter(|(id, _)| !stored.contains(id)).count();
    let strangers = stored.iter().filter(|id| !log.leads.contains_key(id)).count();
    let twice = rows.len() - stored.len();
    let conflicts: HashSet<Uuid> = ids("SELECT DISTINCT lead_id FROM conflict")?.into_iter().collect();
    let others: Vec<Uuid> =
        log.acknowledged().filter(|(_, sent)| sent.other_contents).map(|(id, _)| id).collect();
    let forgotten = others.iter().filter(|id| !conflicts.contains(id)).count();
    Ok([
        Row::new(
            "every acknowledged lead is in the database",
            missing == 0,
            format!("{missing} missing of {}", log.acknowledged().count()),
        ),
        Row::new(
            "the database contains no duplicate and no unknown lead",
            twice == 0 && strangers == 0,
            format!("{twice} duplicates, {strangers} unknown, {} rows", rows.len()),
        ),
        Row::new(
            "different contents with the same key are kept as a conflict",
            forgotten == 0 && !others.is_empty(),
            format!("{forgotten} missing of {}", others.len()),
        ),
    ])
}

fn check_emails(findings: &Findings, log: &Log, emails: &HashMap<Uuid, Vec<Millis>>) -> [Row; 2] {
    let expected = log.acknowledged().flat_map(|(id, _)| RECIPIENTS.map(|recipient| (id, recipient)));
    let expected: Vec<(Uuid, &str)> =
        expected.filter(|(id, to)| !findings.refused.contains(id) || *to != RECIPIENTS[1]).collect();
    let missing = expected.iter().filter(|(id, to)| !emails.contains_key(&email_id(*id, to))).count();
    let ours: HashSet<Uuid> =
        log.leads.keys().flat_map(|id| RECIPIENTS.map(|to| email_id(*id, to))).collect();
    let strangers = emails.keys().filter(|id| !ours.contains(id)).count();
    let again = |until: Millis| -> usize {
        emails.values().map(|times| times.iter().filter(|at| **at < until).count().saturating_sub(1)).sum()
    };
    let early = again(findings.faults_from);
    [
        Row::new(
            "every acknowledged lead is emailed to every recipient",
            missing == 0 && strangers == 0,
            format!("{missing} missing of {}, {strangers} unknown", expected.len()),
        ),
        Row::new(
            "no email is sent twice before the faults",
            early == 0,
            format!("{early} duplicates, {} in the whole run", again(Millis::MAX)),
        ),
    ]
}

fn check_queues(findings: &Findings, system: &System) -> Result<[Row; 2]> {
    let depths = system.block_on(system.management.depths())?;
    let left: Vec<String> = depths
        .iter()
        .filter(|depth| depth.is_work())
        .map(|depth| format!("{} messages in {}", depth.messages, depth.queue))
        .collect();
    let mut dead_letters = BTreeSet::new();
    for service in CONSUMERS {
        let name = format!("{service}.dead-letters");
        for message in system.block_on(system.management.messages(&name, false))? {
            let id: &Value = &message["properties"]["message_id"];
            dead_letters.insert((service, id.as_str().unwrap_or("without a message id").to_owned()));
        }
    }
    let poison: BTreeSet<_> = findings.poison.iter().cloned().collect();
    let missing = poison.difference(&dead_letters).count();
    let unexpected = dead_letters.difference(&poison).count();
    Ok([
        Row::new(
            "the work queues are empty",
            left.is_empty() && !depths.is_empty(),
            if left.is_empty() { format!("{} queues", depths.len()) } else { left.join(", ") },
        ),
        Row::new(
            "the dead letters are exactly the poison messages",
            missing == 0 && unexpected == 0,
            format!("{} dead letters, {missing} missing, {unexpected} unexpected", dead_letters.len()),
        ),
    ])
}

/// Number of leads and deliveries with work left.
pub(crate) fn count_unfinished(system: &System) -> Result<u64> {
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
    let refused: BTreeSet<String> =
        findings.refused.iter().map(|id| format!("{id}\t{}", RECIPIENTS[1])).collect();
    let missing = refused.difference(&failed).count();
    let unexpected = failed.difference(&refused).count();
    Ok([
        Row::new(
            "every delivery is delivered or failed",
            unfinished == 0 && incomplete == 0,
            format!("{unfinished} leads and deliveries unfinished, {incomplete} leads lack deliveries"),
        ),
        Row::new(
            "the failed deliveries are exactly the rejected emails",
            missing == 0 && unexpected == 0,
            format!("{} failed, {missing} missing, {unexpected} unexpected", failed.len()),
        ),
    ])
}

fn check_processes(system: &System, findings: &Findings) -> Row {
    let endings = system.supervisor().endings();
    let crashes = endings.iter().filter(|ending| is_service(&ending.name) && ending.how != KILLED);
    let crashes = crashes.map(|ending| format!("{} ended ({})", ending.name, ending.how));
    let late = findings.overdue.iter().filter(|process| is_service(process));
    let late = late.map(|process| format!("{process} stopped late"));
    let problems: Vec<String> = crashes.chain(late).collect();
    Row::new(
        "no service crashes or exceeds its grace period",
        problems.is_empty(),
        if problems.is_empty() { "none".to_owned() } else { problems.join(", ") },
    )
}
