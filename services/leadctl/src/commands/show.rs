use anyhow::Result;
use clap::Args;
use contracts::{
    crm::v1::{Consent, Delivery, Lead, Progress, RelatedLead},
    leads::v1::{LeadSubmitted, Session},
};
use lead::text::single_line;

use crate::{
    cli::Context,
    leads::{
        channels_text, event_text, form_fields, interest_names, language_name, or_dash, progress_texts,
        signals_text, state_name, submission,
    },
    output::{Field, Output},
};

/// Show one lead with its person and timeline
#[derive(Args)]
#[command(after_help = "\
Example:
  leadctl show zg-7f3k-2q")]
pub(crate) struct Show {
    /// Id or reference of the lead, for example zg-7f3k-2q or 7F3K2Q
    #[arg(value_name = "LEAD")]
    lead: String,
}

impl Show {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let lead = context.crm().await?.find_lead(&self.lead).await?;
        context.output.show(&lead, || text(&lead, &context.output))
    }
}

fn text(lead: &Lead, output: &Output) -> String {
    let submission = submission(lead);
    let progress = lead.progress.clone().unwrap_or_default();
    let mut fields = form_fields(submission).to_vec();
    fields.extend([
        ("State", progress_texts(&progress, output).join("\n")),
        ("Contacted", output.zoned(progress.contacted_at)),
        ("Updated", updated_text(&progress, output)),
        ("Signals", signals_text(&submission.signals)),
        ("Submitted", output.zoned(submission.submitted_at)),
        ("Recorded", output.zoned(lead.recorded_at)),
        ("Delivered", deliveries_text(&lead.deliveries, output)),
        ("Person", related_text(&lead.related, output)),
        ("Phone", same_number_text(&lead.same_number)),
        ("Conflict", conflict_text(&lead.conflicting_contact_id)),
        ("Consent", consent_text(lead.consent.as_ref(), &submission.privacy_policy_version, output)),
        ("Agreed to", channels_text(&submission.channels)),
    ]);
    fields.extend(submission.session.iter().flat_map(|session| session_fields(session, output)));
    let (reference, id) = (single_line(&submission.reference), single_line(&submission.lead_id));
    let mut text = format!("{reference}  {id}\n\n{}", output.fields(fields));
    if !lead.timeline.is_empty() {
        let events = lead.timeline.iter().map(|entry| (output.second(entry.at), event_text(entry, output)));
        text.push_str(&format!("\n\nTimeline ({})\n{}", output.zone.name(), output.fields(events)));
    }
    for conflict in &lead.conflicts {
        text.push_str("\n\nSent again with different contents; the first version is used\n");
        text.push_str(&differences(submission, conflict, output));
    }
    text
}

/// The fields of a later submission that differ, beside those of the first.
fn differences(first: &LeadSubmitted, later: &LeadSubmitted, output: &Output) -> String {
    let (before, after) = ("FIRST", output.zoned(later.submitted_at));
    let rows = form_fields(first).into_iter().zip(form_fields(later));
    let rows = rows
        .filter(|(first, later)| first != later)
        .map(|((label, first), (_, later))| [label.to_owned(), or_dash(first), or_dash(later)]);
    output.table(["FIELD", before, &after], &[before, &after], rows)
}

fn session_fields(session: &Session, output: &Output) -> [Field; 5] {
    let campaign = session.campaign.clone().unwrap_or_default();
    let campaign = [
        ("source", campaign.source),
        ("medium", campaign.medium),
        ("campaign", campaign.name),
        ("term", campaign.term),
        ("content", campaign.content),
    ];
    let campaign = campaign.iter().filter(|(_, value)| !value.is_empty());
    let campaign = campaign.map(|(name, value)| format!("utm_{name}={}", single_line(value)));
    [
        ("Session", single_line(&session.session_id)),
        ("Began", output.zoned(session.started_at)),
        ("Landed on", single_line(&session.landing_path)),
        ("Came from", single_line(&session.referrer_host)),
        ("Campaign", campaign.collect::<Vec<_>>().join("\n")),
    ]
}

fn deliveries_text(deliveries: &[Delivery], output: &Output) -> String {
    if deliveries.is_empty() {
        return "to no recipient yet".to_owned();
    }
    let lines = |it: &Delivery| {
        let [recipient, reply, id] =
            [&it.recipient, &it.server_reply, &it.mail_message_id].map(|text| single_line(text));
        format!("{}  {recipient}\n{reply}\n{id}", output.zoned(it.delivered_at))
    };
    deliveries.iter().map(lines).collect::<Vec<_>>().join("\n")
}

fn related_text(related: &[RelatedLead], output: &Output) -> String {
    if related.is_empty() {
        return "no other leads from this person".to_owned();
    }
    let line = |it: &RelatedLead| {
        let (reference, at) = (single_line(&it.reference), output.second(it.submitted_at));
        format!("\n{reference}  {at}  {}  {}", state_name(it.state), interest_names(&it.interests).join(" "))
    };
    format!("also sent{}", related.iter().map(line).collect::<String>())
}

fn updated_text(progress: &Progress, output: &Output) -> String {
    match output.zoned(progress.changed_at) {
        none if none.is_empty() => none,
        time => format!("{time}, by {}", single_line(&progress.changed_by)),
    }
}

fn same_number_text(references: &[String]) -> String {
    if references.is_empty() {
        return String::new();
    }
    let references: Vec<_> = references.iter().map(|reference| single_line(reference)).collect();
    format!("same phone number as {}, different name and email", references.join(", "))
}

fn conflict_text(other_contact_id: &str) -> String {
    match single_line(other_contact_id) {
        none if none.is_empty() => none,
        id => format!("email and phone number belong to different people; the other's first lead is {id}"),
    }
}

fn consent_text(consent: Option<&Consent>, submitted_version: &str, output: &Output) -> String {
    let Some(consent) = consent else { return single_line(submitted_version) };
    let version = match single_line(&consent.policy_version) {
        none if none.is_empty() => "unknown policy version".to_owned(),
        version => format!("policy {version}"),
    };
    let given = match output.zoned(consent.given_at) {
        none if none.is_empty() => none,
        time => format!(", {time}"),
    };
    let purpose = consent.purpose().as_str_name().trim_start_matches("PURPOSE_").to_lowercase();
    format!("{version} ({}), for: {purpose}{given}", language_name(consent.language))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        leads::full_lead,
        output::{NARROW, pretty_json},
    };

    #[test]
    fn everything_fits_eighty_columns() {
        insta::assert_snapshot!("show", text(&full_lead(), &NARROW));
    }

    #[test]
    fn json_has_all_fields() {
        insta::assert_snapshot!("show.json", pretty_json(&full_lead()).unwrap());
    }
}
