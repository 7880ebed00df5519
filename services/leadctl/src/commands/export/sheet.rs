//! Defines the columns of an exported table of leads.

use anyhow::Result;
use chrono::NaiveDateTime;
use chrono_tz::Tz;
use contracts::{
    crm::v1::{Lead, Progress},
    leads::v1::{Campaign, LeadSubmitted, Session},
};
use lead::{Channel, Interest, SpamSignal, Telephone, field::optional_time, text::several_lines};
use prost_types::Timestamp;

use crate::leads::{language_name, state_name, submission};

/// An export in progress. Dropped, it leaves no file.
pub(super) trait Sheet {
    fn add(&mut self, lead: &Lead) -> Result<()>;

    /// Writes the rest, and moves the file to its path.
    fn finish(self: Box<Self>) -> Result<()>;
}

pub(super) enum Cell {
    /// A text without characters that control a program.
    Text(String),
    /// In the configured zone, to the second.
    Time(NaiveDateTime),
    Empty,
}

pub(super) struct Column {
    pub(super) name: &'static str,
    /// Width in a spreadsheet, in characters.
    pub(super) width: u8,
    cell: fn(&Row<'_>) -> Cell,
}

struct Row<'a> {
    lead: &'a Lead,
    submission: &'a LeadSubmitted,
    progress: Progress,
    session: Session,
    campaign: Campaign,
    zone: Tz,
}

const fn column(name: &'static str, width: u8, cell: fn(&Row<'_>) -> Cell) -> Column {
    Column { name, width, cell }
}

/// The zone is a column, since a table names it nowhere else.
pub(super) const COLUMNS: [Column; 31] = [
    column("Reference", 12, |row| text(&row.submission.reference)),
    column("Submitted", 19, |row| time(row, row.submission.submitted_at)),
    column("Time zone", 15, |row| text(row.zone.name())),
    column("State", 11, |row| text(&state_name(row.progress.state))),
    column("Owner", 14, |row| text(&row.progress.owner)),
    column("Do not contact since", 20, |row| time(row, row.progress.do_not_contact_at)),
    column("Name", 24, |row| text(&row.submission.name)),
    column("Mobile", 18, |row| text(&row.submission.mobile)),
    column("E.164", 15, |row| {
        text(Telephone::read(&row.submission.mobile).as_ref().map_or("", Telephone::as_str))
    }),
    column("May call", 9, |row| yes(row.submission.channels.contains(&Channel::number(Channel::Phone)))),
    column("May message", 12, |row| {
        yes(row.submission.channels.contains(&Channel::number(Channel::Message)))
    }),
    column("Email", 30, |row| text(&row.submission.email)),
    column("Brochure", 9, |row| interest(row, Interest::Brochure)),
    column("Purchase", 9, |row| interest(row, Interest::Purchase)),
    column("Show flat", 9, |row| interest(row, Interest::Showflat)),
    column("Question", 50, |row| text(&row.submission.questions)),
    column("Language", 9, |row| text(language_name(row.submission.language))),
    column("Earlier enquiries", 16, |row| {
        let contact = &row.lead.contact_id;
        yes(!contact.is_empty() && *contact != row.submission.lead_id)
    }),
    column("Signals", 15, |row| {
        let signals = row.submission.signals.iter().filter_map(|signal| SpamSignal::from_repr(*signal));
        text(&signals.map(SpamSignal::id).collect::<Vec<_>>().join(", "))
    }),
    column("Landing page", 20, |row| text(&row.session.landing_path)),
    column("Referrer", 20, |row| text(&row.session.referrer_host)),
    column("utm_source", 14, |row| text(&row.campaign.source)),
    column("utm_medium", 14, |row| text(&row.campaign.medium)),
    column("utm_campaign", 14, |row| text(&row.campaign.name)),
    column("utm_term", 14, |row| text(&row.campaign.term)),
    column("utm_content", 14, |row| text(&row.campaign.content)),
    column("Policy version", 14, |row| text(&row.submission.privacy_policy_version)),
    column("Same number", 24, |row| text(&row.lead.same_number.join(", "))),
    column("Contact conflict", 36, |row| text(&row.lead.conflicting_contact_id)),
    column("Contact", 36, |row| text(&row.lead.contact_id)),
    column("Id", 36, |row| text(&row.submission.lead_id)),
];

pub(super) fn cells(lead: &Lead, zone: Tz) -> [Cell; COLUMNS.len()] {
    let (submission, progress) = (submission(lead), lead.progress.clone().unwrap_or_default());
    let session = submission.session.clone().unwrap_or_default();
    let campaign = session.campaign.clone().unwrap_or_default();
    let row = Row { lead, submission, progress, session, campaign, zone };
    COLUMNS.map(|column| (column.cell)(&row))
}

fn text(text: &str) -> Cell {
    Cell::Text(several_lines(text))
}

fn time(row: &Row<'_>, time: Option<Timestamp>) -> Cell {
    let time = optional_time("time", time).ok().flatten();
    time.map_or(Cell::Empty, |time| Cell::Time(time.with_timezone(&row.zone).naive_local()))
}

fn interest(row: &Row<'_>, interest: Interest) -> Cell {
    yes(row.submission.interests.contains(&Interest::number(interest)))
}

fn yes(is_so: bool) -> Cell {
    text(if is_so { "yes" } else { "" })
}
