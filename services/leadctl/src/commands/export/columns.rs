//! Defines the columns of an exported table of leads.

use chrono::NaiveDateTime;
use chrono_tz::Tz;
use contracts::crm::v1::Lead;
use lead::{
    Channel, Interest, Language, LeadState, PhoneNumber, SpamSignal, field::optional_time,
    text::several_lines,
};
use prost_types::Timestamp;

pub(super) enum Cell {
    /// Text without invisible and control characters, except white space.
    Text(String),
    /// Time in the configured zone, to the second.
    Time(NaiveDateTime),
}

pub(super) struct Column {
    pub(super) name: &'static str,
    /// Width in a spreadsheet, in characters.
    pub(super) width: u8,
    pub(super) cell: Cell,
}

/// Returns the columns with the cells of a lead. The zone is a column, because no other cell contains it.
pub(super) fn build_columns(lead: &Lead, zone: Tz) -> [Column; 35] {
    let (form, progress) = (
        lead.submission.clone().unwrap_or_default(),
        lead.progress.clone().unwrap_or_default(),
    );
    let session = form.session.unwrap_or_default();
    let campaign = session.campaign.unwrap_or_default();
    let has_channel = |channel| bool_cell(form.channels.contains(&Channel::number(channel)));
    let has_interest = |interest| bool_cell(form.interests.contains(&Interest::number(interest)));
    let phone = PhoneNumber::parse(&form.mobile);
    let is_earlier = !lead.contact_id.is_empty() && lead.contact_id != form.lead_id;
    let signals: Vec<_> = SpamSignal::known_from_contract(&form.signals)
        .into_iter()
        .map(SpamSignal::id)
        .collect();
    let state = LeadState::from_repr(progress.state).map_or("unknown", LeadState::id);
    let column = |name, width, cell| Column { name, width, cell };
    [
        column("Reference", 12, text_cell(&form.reference)),
        column("Submitted", 19, time_cell(form.submitted_at, zone)),
        column("Time zone", 15, text_cell(zone.name())),
        column("State", 11, text_cell(state)),
        column("Owner", 14, text_cell(&progress.owner)),
        column(
            "Do not contact since",
            20,
            time_cell(progress.do_not_contact_at, zone),
        ),
        column("Name", 24, text_cell(&form.name)),
        column("Mobile", 18, text_cell(&form.mobile)),
        column(
            "E.164",
            15,
            text_cell(phone.as_ref().map_or("", PhoneNumber::as_str)),
        ),
        column("May call", 9, has_channel(Channel::Phone)),
        column("May message", 12, has_channel(Channel::Message)),
        column("Email", 30, text_cell(&form.email)),
        column("Brochure", 9, has_interest(Interest::Brochure)),
        column("Purchase", 9, has_interest(Interest::Purchase)),
        column("Show flat", 9, has_interest(Interest::Showflat)),
        column("Plan", 6, text_cell(&form.plan)),
        column("Visit times", 30, text_cell(&form.visit_times.join(", "))),
        column("Homes", 30, text_cell(&form.home_preferences.join(", "))),
        column("Question", 50, text_cell(&form.questions)),
        column(
            "Language",
            9,
            text_cell(Language::from_repr(form.language).map_or("unknown", Language::id)),
        ),
        column("Earlier enquiries", 16, bool_cell(is_earlier)),
        column("Signals", 15, text_cell(&signals.join(", "))),
        column("Landing page", 20, text_cell(&session.landing_path)),
        column("Referrer", 20, text_cell(&session.referrer_host)),
        column("utm_source", 14, text_cell(&campaign.source)),
        column("utm_medium", 14, text_cell(&campaign.medium)),
        column("utm_campaign", 14, text_cell(&campaign.name)),
        column("utm_term", 14, text_cell(&campaign.term)),
        column("utm_content", 14, text_cell(&campaign.content)),
        column(
            "Policy version",
            14,
            text_cell(&form.privacy_policy_version),
        ),
        column("Same number", 24, text_cell(&lead.same_number.join(", "))),
        column(
            "Number withdrawn",
            19,
            time_cell(lead.number_withdrawn_at, zone),
        ),
        column(
            "Contact conflict",
            36,
            text_cell(&lead.conflicting_contact_id),
        ),
        column("Contact", 36, text_cell(&lead.contact_id)),
        column("Id", 36, text_cell(&form.lead_id)),
    ]
}

fn text_cell(text: &str) -> Cell {
    Cell::Text(several_lines(text))
}

fn bool_cell(is_so: bool) -> Cell {
    text_cell(if is_so { "yes" } else { "" })
}

fn time_cell(time: Option<Timestamp>, zone: Tz) -> Cell {
    let time = optional_time("time", time).ok().flatten();
    time.map_or_else(
        || text_cell(""),
        |time| Cell::Time(time.with_timezone(&zone).naive_local()),
    )
}
