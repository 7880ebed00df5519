//! Notes for sales: earlier enquiries and spam signals.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Channel, Lead, Reference, SpamSignal};
use uuid::Uuid;

use super::{local_time::LocalTime, sales::Occasion};

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
    /// When the sender was marked as not to be contacted.
    pub do_not_contact_at: Option<DateTime<Utc>>,
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

/// What the visitor asked for and what sales must do, e.g. `On 12 Feb 2026 this person asked not to be contacted.` and
/// `Do not call or message. Answer this enquiry by email only.` `None` when the visitor may be contacted.
pub(super) fn do_not_contact(
    since: Option<DateTime<Utc>>,
    occasion: Occasion,
    zone: Tz,
) -> Option<[String; 2]> {
    let since = since.map(|since| LocalTime::new(since, zone).date_alone());
    let asked = match &since {
        Some(date) => format!("On {date} this person asked not to be contacted."),
        None => "This person asked not to be contacted.".to_owned(),
    };
    match occasion {
        Occasion::Withdrawal => Some([asked, "Do not call, message or email.".to_owned()]),
        Occasion::Erasure => Some([
            "This person asked us to erase their details, and not to contact them.".to_owned(),
            "Ask your administrator to erase them, and confirm it by email within 30 days.".to_owned(),
        ]),
        Occasion::NewLead | Occasion::Assignment => {
            since.map(|_| [asked, "Do not call or message. Answer this enquiry by email only.".to_owned()])
        }
    }
}

/// What the visitor agreed to, e.g. `Agreed to calls, not to WhatsApp or SMS: check the Do Not Call registry first.`
pub(super) fn channels(channels: &[Channel]) -> &'static str {
    match (channels.contains(&Channel::Phone), channels.contains(&Channel::Message)) {
        (true, true) => "Agreed to calls, WhatsApp and SMS.",
        (true, false) => "Agreed to calls, not to WhatsApp or SMS: check the Do Not Call registry first.",
        (false, true) => "Agreed to WhatsApp and SMS, not to calls: check the Do Not Call registry first.",
        (false, false) => "Did not agree to calls, WhatsApp or SMS: check the Do Not Call registry first.",
    }
}

/// `Same phone number as ZG-7F3K-2Q, different name and email`; `None` without such a lead.
pub(super) fn same_number(others: &[Reference]) -> Option<String> {
    let first = others.first()?;
    let more = if others.len() == 1 { String::new() } else { format!(" and {} more", others.len() - 1) };
    Some(format!("Same phone number as {first}{more}, different name and email"))
}

/// `Form sent after 3 seconds`, or with two signals `Looks automated: form sent after 3 seconds; suspicious links in the
/// question`. One signal alone is no proof: browsers that fill in forms are fast, too. `None` without spam signals.
pub(super) fn automatic(lead: &Lead) -> Option<String> {
    let signals = lead.signals.iter().map(|signal| match signal {
        SpamSignal::TooFast => match seconds(lead) {
            Some(seconds) => format!("Form sent after {seconds}"),
            None => "Form sent very quickly".to_owned(),
        },
        SpamSignal::Links => "Suspicious links in the question".to_owned(),
        SpamSignal::Trapped => "Hidden field filled in".to_owned(),
        SpamSignal::NoSession => "Sent without a session".to_owned(),
        SpamSignal::Canary => "Canary: a test lead".to_owned(),
    });
    let notes: Vec<_> = signals.collect();
    match notes.as_slice() {
        [] => None,
        [note] => Some(note.clone()),
        _ => Some(format!("Looks automated: {}", notes.join("; ").to_lowercase())),
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
