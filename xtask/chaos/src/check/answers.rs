//! What visitors were answered.

use std::collections::BTreeMap;

use super::Row;
use crate::books::Books;
use crate::run::Run;

/// Every request ends within five seconds, and this much is the machine's.
const LONGEST: i64 = 6_500;

pub(super) fn rows(run: &Run, books: &Books) -> Vec<Row> {
    let acknowledged = books.acknowledged().count();
    let unanswered = books.leads.len() - acknowledged;
    let findings = run.findings();
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for failure in &books.failures {
        let name = failure.status.map_or_else(|| "broken".to_owned(), |status| status.to_string());
        *statuses.entry(name).or_default() += 1;
    }
    let others: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let only_to_try_again =
        statuses.keys().all(|status| ["broken", "429", "502", "503", "504"].contains(&status.as_str()));
    let in_rolling = books.failures.iter().filter(|failure| findings.rolling.holds(failure.at)).count();
    let away = books.failures.iter().filter(|failure| findings.broker_away.holds(failure.at)).count();
    vec![
        Row::new(
            "every visitor was acknowledged in the end",
            unanswered == 0 && run.visitors.unwritten() == 0 && acknowledged > 0,
            format!("{acknowledged} leads, {unanswered} not; {} requests", books.requests),
        ),
        Row::new(
            "other answers only asked to try again",
            only_to_try_again,
            if others.is_empty() { "none".to_owned() } else { others.join(", ") },
        ),
        Row::new(
            "every request ended in time",
            books.slowest <= LONGEST,
            format!("slowest {} ms", books.slowest),
        ),
        Row::new("no request failed in the rolling restart", in_rolling == 0, format!("{in_rolling} failed")),
        Row::new("no request failed while the broker was away", away == 0, format!("{away} failed")),
    ]
}
