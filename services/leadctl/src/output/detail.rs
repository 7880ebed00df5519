//! One lead for people, with all that is known of it.

use ::lead::{Campaign, Lead, SpamSignal, Visit};
use chrono_tz::Tz;
use contracts::leads::v1::LeadSubmitted;

use super::{
    columns::{GAP, columns, indented, usable},
    text::{lines, one_line, second, when},
    timeline,
};
use crate::lead::{Consent, Delivery, FullLead, Progress, RelatedLead, interest, language};

/// As wide as the longest label.
const LABEL: u16 = 9;

/// What all but the first line begins with.
const INDENT: u16 = 2;

/// A label and what stands beside it.
pub(super) type Field = (&'static str, String);

/// Its fields, its timeline, and what came with the same key.
pub(super) fn render(full: &FullLead, width: u16, zone: Tz) -> String {
    let FullLead { lead, related, timeline, conflicts } = full;
    let submission = &lead.submission;
    let mut all = form(&submission.clone().into());
    all.extend([
        ("State", progress(&lead.progress, zone)),
        ("Signals", signals(&submission.signals)),
        ("Submitted", second(submission.submitted_at, zone)),
        ("Recorded", second(lead.recorded_at, zone)),
        ("Delivered", delivered(&lead.deliveries, zone)),
        ("Person", person(related, zone)),
        ("Conflict", conflict(&lead.conflicting_contact_id)),
        ("Consent", consent(lead.consent.as_ref(), &submission.privacy_policy_version, zone)),
    ]);
    if let Some(visit) = &submission.visit {
        all.extend(visit_fields(visit, zone));
    }
    let title = format!("{}  {}", submission.reference, submission.id);
    let mut text = format!("{title}\n\n{}", fields(all, width));
    let inner = usable(width) - INDENT;
    if !timeline.is_empty() {
        let timeline = timeline::render(timeline, inner, zone);
        text.push_str(&format!("\n\n  Timeline ({})\n{}", zone.name(), indented(&timeline)));
    }
    for conflict in conflicts {
        let comparison = indented(&beside(submission, conflict, inner, zone));
        text.push_str(&format!(
            "\n\n  The same key again, with other contents; the first stands\n{comparison}"
        ));
    }
    text
}

/// Fields, one below the other; those that are empty are left out.
pub(super) fn fields(fields: Vec<Field>, width: u16) -> String {
    let filled = fields.into_iter().filter(|(_, value)| !value.is_empty());
    let value = usable(width) - INDENT - LABEL - GAP;
    indented(&columns(filled.map(|(label, value)| [label.to_owned(), value]), [LABEL, value]))
}

/// What the visitor filled in, be it valid or not.
pub(super) fn form(lead: &LeadSubmitted) -> Vec<Field> {
    vec![
        ("Name", one_line(&lead.name)),
        ("Mobile", one_line(&lead.mobile)),
        ("E-mail", one_line(&lead.email)),
        ("Interests", lead.interests().map(interest).collect::<Vec<_>>().join(", ")),
        ("Questions", lines(&lead.questions).collect::<Vec<_>>().join("\n")),
        ("Language", language(lead.language()).to_owned()),
    ]
}

/// The fields of a later submission that differ, beside those of the first.
fn beside(first: &Lead, later: &Lead, width: u16, zone: Tz) -> String {
    let heading = [String::new(), "FIRST".to_owned(), second(later.submitted_at, zone)];
    let differing = form(&first.clone().into())
        .into_iter()
        .zip(form(&later.clone().into()))
        .filter(|(first, later)| first != later);
    let empty = |value: String| if value.is_empty() { "-".to_owned() } else { value };
    let rows = differing.map(|((label, first), (_, later))| [label.to_owned(), empty(first), empty(later)]);
    let half = (width - LABEL - 2 * GAP) / 2;
    columns(std::iter::once(heading).chain(rows), [LABEL, half, half])
}

fn visit_fields(visit: &Visit, zone: Tz) -> [Field; 5] {
    let Campaign { source, medium, name, term, content } = &visit.attribution.campaign;
    let parameters = [
        ("utm_source", source),
        ("utm_medium", medium),
        ("utm_campaign", name),
        ("utm_term", term),
        ("utm_content", content),
    ];
    let campaign = parameters
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(parameter, value)| format!("{parameter}={}", one_line(value)));
    [
        ("Session", visit.id.to_string()),
        ("Began", second(visit.started_at, zone)),
        ("Landed on", one_line(&visit.attribution.landing_path)),
        ("Came from", one_line(&visit.attribution.referrer_host)),
        ("Campaign", campaign.collect::<Vec<_>>().join("\n")),
    ]
}

/// How far it has come, and whose it is.
pub(super) fn progress(progress: &Progress, zone: Tz) -> String {
    let owner = match one_line(&progress.owner) {
        nobody if nobody.is_empty() => "nobody's".to_owned(),
        owner => format!("{owner}'s"),
    };
    let contacted = progress.contacted_at.map(|at| format!("first contact {}", second(at, zone)));
    let changed = progress
        .changed_at
        .map(|at| format!("said {} at {}", one_line(&progress.changed_by), second(at, zone)));
    let first = format!("{}, {owner}", progress.state.as_str());
    [Some(first), changed, contacted].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn signals(signals: &[SpamSignal]) -> String {
    let said = signals.iter().map(|signal| match signal {
        SpamSignal::TooFast => "sent within seconds of the visit's beginning",
        SpamSignal::Links => "a question stuffed with links",
        SpamSignal::Canary => "a canary, sent to see whether leads arrive",
    });
    match said.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        said => format!("looks automatic: {said}"),
    }
}

/// What else the same person sent.
fn person(related: &[RelatedLead], zone: Tz) -> String {
    if related.is_empty() {
        return "nothing else from this person".to_owned();
    }
    let line = |it: &RelatedLead| {
        let interests = it.interests.join(" ");
        let (reference, at) = (one_line(&it.reference), when(it.submitted_at, zone));
        format!("{reference}  {at}  {}  {interests}", it.state.as_str())
    };
    std::iter::once("also sent".to_owned()).chain(related.iter().map(line)).collect::<Vec<_>>().join("\n")
}

fn conflict(other: &str) -> String {
    if other.is_empty() {
        return String::new();
    }
    format!("the address is one person's and the number another's, whose first lead is {}", one_line(other))
}

fn consent(consent: Option<&Consent>, version: &str, zone: Tz) -> String {
    let Some(consent) = consent else { return one_line(version) };
    let version = match one_line(&consent.policy_version) {
        none if none.is_empty() => "a policy whose version is not known".to_owned(),
        version => format!("policy {version}"),
    };
    let given = consent.given_at.map(|at| format!(", {}", second(at, zone))).unwrap_or_default();
    format!("{version} ({}), to: {}{given}", consent.language, consent.purpose)
}

fn delivered(deliveries: &[Delivery], zone: Tz) -> String {
    if deliveries.is_empty() {
        return "to nobody yet".to_owned();
    }
    let line = |it: &Delivery| {
        let (recipient, reply) = (one_line(&it.recipient), one_line(&it.server_reply));
        format!("{}  {recipient}\n{reply}\n{}", second(it.delivered_at, zone), one_line(&it.mail_message_id))
    };
    deliveries.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{
        super::{json, samples},
        *,
    };

    #[test]
    fn everything_fits_eighty_columns() {
        let text = render(&samples::full_lead(), 80, Tz::Asia__Singapore);
        insta::assert_snapshot!("show", text);
    }

    #[test]
    fn json_carries_all_of_it() {
        insta::assert_snapshot!("show.json", json::pretty(&samples::full_lead()));
    }
}
