//! Defines the columns of an exported table of leads.

use ::lead::{Attribution, Channel, Interest, Lead as Submission, Telephone};
use chrono::{DateTime, NaiveDateTime, Utc};
use chrono_tz::Tz;

use crate::{
    error::Error,
    leads::{Lead, state_name},
    terminal::several_lines,
};

/// An export in progress. Dropped, it leaves no file.
pub(super) trait Sheet {
    fn add(&mut self, lead: &Lead) -> Result<(), Error>;

    /// Writes the rest, and moves the file to its path.
    fn finish(self: Box<Self>) -> Result<(), Error>;
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
    submission: &'a Submission,
    attribution: Attribution,
    zone: Tz,
}

const fn column(name: &'static str, width: u8, cell: fn(&Row<'_>) -> Cell) -> Column {
    Column { name, width, cell }
}

/// The zone is a column, since a table names it nowhere else.
pub(super) const COLUMNS: [Column; 31] = [
    column("Reference", 12, |row| text(row.submission.reference.as_str())),
    column("Submitted", 19, |row| time(row, row.submission.submitted_at)),
    column("Time zone", 15, |row| text(row.zone.name())),
    column("State", 11, |row| text(&state_name(row.lead.progress.state))),
    column("Owner", 14, |row| text(&row.lead.progress.owner)),
    column("Do not contact since", 20, |row| {
        row.lead.progress.do_not_contact_at.map_or(Cell::Empty, |at| time(row, at))
    }),
    column("Name", 24, |row| text(&row.submission.name)),
    column("Mobile", 18, |row| text(&row.submission.mobile)),
    column("E.164", 15, |row| {
        text(Telephone::read(&row.submission.mobile).as_ref().map_or("", Telephone::as_str))
    }),
    column("May call", 9, |row| yes(row.submission.channels.contains(&Channel::Phone))),
    column("May message", 12, |row| yes(row.submission.channels.contains(&Channel::Message))),
    column("Email", 30, |row| text(&row.submission.email)),
    column("Brochure", 9, |row| yes(row.submission.interests.contains(&Interest::Brochure))),
    column("Purchase", 9, |row| yes(row.submission.interests.contains(&Interest::Purchase))),
    column("Show flat", 9, |row| yes(row.submission.interests.contains(&Interest::Showflat))),
    column("Question", 50, |row| text(&row.submission.questions)),
    column("Language", 9, |row| text(row.submission.language.id())),
    column("Earlier enquiries", 16, |row| {
        let contact = &row.lead.contact_id;
        yes(!contact.is_empty() && *contact != row.submission.id.to_string())
    }),
    column("Signals", 15, |row| {
        text(&row.submission.signals.iter().map(|it| it.id()).collect::<Vec<_>>().join(", "))
    }),
    column("Landing page", 20, |row| text(&row.attribution.landing_path)),
    column("Referrer", 20, |row| text(&row.attribution.referrer_host)),
    column("utm_source", 14, |row| text(&row.attribution.campaign.source)),
    column("utm_medium", 14, |row| text(&row.attribution.campaign.medium)),
    column("utm_campaign", 14, |row| text(&row.attribution.campaign.name)),
    column("utm_term", 14, |row| text(&row.attribution.campaign.term)),
    column("utm_content", 14, |row| text(&row.attribution.campaign.content)),
    column("Policy version", 14, |row| text(&row.submission.privacy_policy_version)),
    column("Same number", 24, |row| text(&row.lead.same_number.join(", "))),
    column("Contact conflict", 36, |row| text(&row.lead.conflicting_contact_id)),
    column("Contact", 36, |row| text(&row.lead.contact_id)),
    column("Id", 36, |row| text(&row.submission.id.to_string())),
];

pub(super) fn cells(lead: &Lead, zone: Tz) -> [Cell; COLUMNS.len()] {
    let submission = &lead.submission;
    let attribution = submission.visit.as_ref().map(|visit| visit.attribution.clone()).unwrap_or_default();
    let row = Row { lead, submission, attribution, zone };
    COLUMNS.map(|column| (column.cell)(&row))
}

fn text(text: &str) -> Cell {
    Cell::Text(several_lines(text))
}

fn time(row: &Row<'_>, at: DateTime<Utc>) -> Cell {
    Cell::Time(at.with_timezone(&row.zone).naive_local())
}

fn yes(is_so: bool) -> Cell {
    text(if is_so { "yes" } else { "" })
}
