//! A table of leads, and its columns.

use ::lead::{Attribution, Interest, SpamSignal, Telephone};
use chrono::NaiveDateTime;
use chrono_tz::Tz;

use crate::{error::Error, leads::lead::Lead, terminal::text::plain};

/// An export under way. Dropped, it leaves no file.
pub(super) trait Sheet {
    fn add(&mut self, lead: &Lead) -> Result<(), Error>;

    /// Writes what is left, and the file to its place.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

pub(super) enum Cell {
    /// A text, without anything that steers a program.
    Text(String),
    /// In the configured zone, to the second.
    Time(NaiveDateTime),
}

pub(super) struct Column {
    pub(super) name: &'static str,
    /// In a spreadsheet, in characters.
    pub(super) width: u8,
}

const fn column(name: &'static str, width: u8) -> Column {
    Column { name, width }
}

/// The zone has a column, since a table says it nowhere else.
pub(super) const COLUMNS: [Column; 27] = [
    column("Reference", 12),
    column("Submitted", 19),
    column("Time zone", 15),
    column("State", 11),
    column("Owner", 14),
    column("Name", 24),
    column("Mobile", 18),
    column("E.164", 15),
    column("E-mail", 30),
    column("Brochure", 9),
    column("Purchase", 9),
    column("Showflat", 9),
    column("Question", 50),
    column("Language", 9),
    column("Earlier enquiries", 16),
    column("Looks automatic", 15),
    column("Landing page", 20),
    column("Referrer", 20),
    column("utm_source", 14),
    column("utm_medium", 14),
    column("utm_campaign", 14),
    column("utm_term", 14),
    column("utm_content", 14),
    column("Policy version", 14),
    column("Contact conflict", 36),
    column("Contact", 36),
    column("Id", 36),
];

pub(super) fn cells(lead: &Lead, zone: Tz) -> [Cell; COLUMNS.len()] {
    let submission = &lead.submission;
    let id = submission.id.to_string();
    let telephone = Telephone::read(&submission.mobile);
    let asked_for = |interest| yes(submission.interests.contains(&interest));
    let has_earlier = !lead.contact_id.is_empty() && lead.contact_id != id;
    let signals: Vec<_> = submission.signals.iter().copied().map(SpamSignal::id).collect();
    let visit = submission.visit.as_ref().map(|visit| visit.attribution.clone());
    let Attribution { landing_path, referrer_host, campaign } = visit.unwrap_or_default();
    [
        text(submission.reference.as_str()),
        Cell::Time(submission.submitted_at.with_timezone(&zone).naive_local()),
        text(zone.name()),
        text(lead.progress.state.into_str()),
        text(&lead.progress.owner),
        text(&submission.name),
        text(&submission.mobile),
        text(telephone.as_ref().map(Telephone::as_str).unwrap_or_default()),
        text(&submission.email),
        asked_for(Interest::Brochure),
        asked_for(Interest::Purchase),
        asked_for(Interest::Showflat),
        text(&submission.questions),
        text(submission.language.tag()),
        yes(has_earlier),
        text(&signals.join(", ")),
        text(&landing_path),
        text(&referrer_host),
        text(&campaign.source),
        text(&campaign.medium),
        text(&campaign.name),
        text(&campaign.term),
        text(&campaign.content),
        text(&submission.privacy_policy_version),
        text(&lead.conflicting_contact_id),
        text(&lead.contact_id),
        text(&id),
    ]
}

fn text(text: &str) -> Cell {
    Cell::Text(plain(text))
}

fn yes(is_so: bool) -> Cell {
    text(if is_so { "yes" } else { "" })
}
