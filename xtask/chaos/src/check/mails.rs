//! Checks the mails to the sales team, and that nothing came twice without a reason.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;
use xtask::error::Result;
use xtask::files;

use super::Row;
use crate::history;
use crate::journal::Millis;
use crate::lead;
use crate::reconciliation::Reconciliation;
use crate::run::Run;
use crate::stack::parts::Process;
use crate::stack::{BROCHURE, RECIPIENTS, WEBHOOK};

/// Log messages of a notifier that announce a possible duplicate, which a slow machine can cause without a fault. Each
/// names the lead or the mail.
const ADMITTED: [&str; 3] = ["sent without a claim", "sent after the claim expired", "class=\"report\""];

pub(super) fn rows(run: &Run, reconciliation: &Reconciliation) -> Result<Vec<Row>> {
    let admitted = admitted(run)?;
    let findings = run.findings();
    let (mut missing, mut mailed) = (0, 0);
    let mut waits = Vec::new();
    let mut waits_without_broker = Vec::new();
    let mut twice_without_broker = 0;
    for (id, sent) in reconciliation.acknowledged() {
        for recipient in RECIPIENTS {
            let times = reconciliation.mailed(id, recipient);
            match times.iter().min() {
                Some(first) => {
                    mailed += 1;
                    waits.push(first - sent.submitted);
                    if findings.broker_away.holds(sent.submitted) {
                        waits_without_broker.push(first - sent.submitted);
                        // A later fault excuses the duplicates it caused for these leads, too.
                        let is_excused = |[one, next]: [Millis; 2]| {
                            admitted.contains(&id)
                                || admitted.contains(&lead::mail_id(id, recipient))
                                || history::explanation(&findings.windows, one, next).is_some()
                        };
                        twice_without_broker += usize::from(!second_mails(times).all(is_excused));
                    }
                }
                None if findings.refused.contains(&id) => {}
                None => missing += 1,
            }
        }
    }
    let everybody = || RECIPIENTS.into_iter().chain([WEBHOOK, BROCHURE]);
    let leads: HashMap<Uuid, Uuid> = reconciliation
        .leads
        .keys()
        .flat_map(|id| everybody().map(|recipient| (lead::mail_id(*id, recipient), *id)))
        .collect();
    let strangers = reconciliation.mails.keys().filter(|id| !leads.contains_key(id)).count();

    let (mut duplicates, mut unexplained) = (0_usize, 0_usize);
    let mut reasons: HashMap<String, usize> = HashMap::new();
    for (mail, times) in &reconciliation.mails {
        let is_admitted = [Some(mail), leads.get(mail)].into_iter().flatten().any(|id| admitted.contains(id));
        for [one, next] in second_mails(times) {
            duplicates += 1;
            match history::explanation(&findings.windows, one, next) {
                Some(window) => *reasons.entry(window.fault.to_string()).or_default() += 1,
                None if is_admitted => *reasons.entry("logged by a notifier".to_owned()).or_default() += 1,
                None => unexplained += 1,
            }
        }
    }
    let in_doubt = reconciliation
        .mails
        .values()
        .flatten()
        .filter(|at| history::in_doubt(&findings.windows, **at))
        .count();
    let bound = in_doubt + admitted.len();
    Ok(vec![
        Row::new(
            "every acknowledged lead is emailed to every recipient",
            missing == 0 && strangers == 0,
            format!("{missing} missing of {}, {strangers} unknown", mailed + missing),
        ),
        Row::new(
            "duplicate emails are few and explained",
            unexplained == 0 && duplicates <= bound,
            format!("{duplicates} duplicates, {unexplained} unexplained, limit {bound}{}", most(&reasons)),
        ),
        Row::new("time from submission to email", true, spread(&mut waits)),
        Row::new(
            "leads submitted while the broker is stopped are emailed once",
            twice_without_broker == 0,
            format!(
                "{twice_without_broker} duplicates; submission to email {}",
                spread(&mut waits_without_broker)
            ),
        ),
    ])
}

/// Leads and mails for which a notifier logged a possible duplicate.
fn admitted(run: &Run) -> Result<HashSet<Uuid>> {
    let mut ids = HashSet::new();
    for notifier in [Process::Notifier1, Process::Notifier2] {
        let log = files::read(&run.stack.logs.join(format!("{}.log", notifier.name())))?;
        ids.extend(
            log.lines().filter(|line| ADMITTED.iter().any(|text| line.contains(text))).flat_map(ids_in),
        );
    }
    Ok(ids)
}

/// Every UUID in a line, including those that start a Message-ID.
fn ids_in(line: &str) -> impl Iterator<Item = Uuid> {
    let words = line.split(|part: char| !part.is_ascii_hexdigit() && part != '-');
    words.filter(|word| word.len() == 36).filter_map(|word| word.parse().ok())
}

/// Each consecutive pair of acceptance times, one per duplicate.
fn second_mails(times: &[Millis]) -> impl Iterator<Item = [Millis; 2]> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let later = times.iter().skip(1).copied().collect::<Vec<_>>();
    times.into_iter().zip(later).map(|(one, next)| [one, next])
}

fn most(reasons: &HashMap<String, usize>) -> String {
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
    let named: Vec<String> =
        reasons.iter().take(3).map(|(reason, count)| format!("{count} {reason}")).collect();
    if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) }
}

/// Median, 99th percentile and maximum in seconds.
fn spread(waits: &mut [Millis]) -> String {
    waits.sort_unstable();
    let at = |percent: usize| {
        let place = (waits.len() * percent).div_ceil(100).saturating_sub(1);
        waits
            .get(place)
            .map_or_else(|| "-".to_owned(), |wait| format!("{}.{:03} s", wait / 1000, wait % 1000))
    };
    format!("p50 {}, p99 {}, max {} of {}", at(50), at(99), at(100), waits.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_are_paired_in_the_order_of_time() {
        assert_eq!(second_mails(&[30, 10, 20]).collect::<Vec<_>>(), [[10, 20], [20, 30]]);
        assert_eq!(second_mails(&[10]).count(), 0);
    }

    #[test]
    fn a_log_line_names_leads_and_mails() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let line =
            format!("2026-11-22T20:01:27.684828Z WARN mailed lead_id={one} mail=<{other}@zyongrand.example>");
        assert_eq!(ids_in(&line).collect::<Vec<_>>(), [one, other]);
    }

    #[test]
    fn percentiles_are_of_what_was_measured() {
        let mut waits: Vec<Millis> = (1..=100).rev().map(|number| number * 10).collect();
        assert_eq!(spread(&mut waits), "p50 0.500 s, p99 0.990 s, max 1.000 s of 100");
        assert_eq!(spread(&mut []), "p50 -, p99 -, max - of 0");
    }
}
