//! Notes for sales: earlier enquiries and spam signals.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Lead, Reference, SpamSignal};
use uuid::Uuid;

use super::local_time::LocalTime;

/// An earlier enquiry of the same person.
#[derive(Clone)]
pub struct Earlier {
    pub id: Uuid,
    pub reference: Reference,
    pub submitted_at: DateTime<Utc>,
}

/// What the CRM knows of a lead's sender.
#[derive(Clone, Default)]
pub struct Related {
    /// Earlier leads of the same person, oldest first.
    pub earlier: Vec<Earlier>,
    /// Leads with the same telephone number from other people, newest first.
    pub same_number: Vec<Reference>,
}

/// The note about earlier enquiries.
pub(super) struct FollowUp<'a> {
    /// `3rd enquiry`
    pub(super) count: String,
    /// Date of the first enquiry: `12 Feb 2026`.
    pub(super) date: String,
    pub(super) reference: &'a Reference,
}

impl<'a> FollowUp<'a> {
    /// `None` without an earlier enquiry.
    pub(super) fn to(earlier: &'a [Earlier], zone: Tz) -> Option<Self> {
        let first = earlier.first()?;
        Some(Self {
            count: format!("{} enquiry", ordinal(earlier.len() + 1)),
            date: LocalTime::new(first.submitted_at, zone).date_alone(),
            reference: &first.reference,
        })
    }
}

/// `Same number as ZG-7F3K-2Q, other name and address`; `None` without such a lead.
pub(super) fn same_number(others: &[Reference]) -> Option<String> {
    let first = others.first()?;
    let more = if others.len() == 1 { String::new() } else { format!(" and {} more", others.len() - 1) };
    Some(format!("Same number as {first}{more}, other name and address"))
}

/// `Very quick: 3 seconds`, or with two signals `Looks automatic: very quick, 3 seconds; question full of links`. One
/// signal alone says what was seen: a browser that fills in forms is quick, too. `None` without spam signals.
pub(super) fn automatic(lead: &Lead) -> Option<String> {
    let signals = lead.signals.iter().map(|signal| match signal {
        SpamSignal::TooFast => ("Very quick", seconds(lead)),
        SpamSignal::Links => ("Question full of links", None),
        SpamSignal::Trapped => ("Filled in a hidden field", None),
        SpamSignal::Canary => ("A canary, sent to see whether leads arrive", None),
    });
    let said = |separator: &'static str| {
        move |(what, detail): (&str, Option<String>)| match detail {
            Some(detail) => format!("{what}{separator}{detail}"),
            None => what.to_owned(),
        }
    };
    match lead.signals.len() {
        0 => None,
        1 => signals.map(said(": ")).next(),
        _ => {
            let all: Vec<_> = signals.map(said(", ")).collect();
            Some(format!("Looks automatic: {}", all.join("; ").to_lowercase()))
        }
    }
}

/// From the opened page to the lead; `None` without a visit.
fn seconds(lead: &Lead) -> Option<String> {
    let visit = lead.visit.as_ref()?;
    Some(match (lead.submitted_at - visit.started_at).num_seconds() {
        ..1 => "less than a second".to_owned(),
        1 => "1 second".to_owned(),
        seconds @ 2.. => format!("{seconds} seconds"),
    })
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_in_english() {
        let said: Vec<_> = [2, 3, 4, 11, 12, 13, 21, 22, 103, 111].map(ordinal).into();
        assert_eq!(said, ["2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "103rd", "111th"]);
    }
}
