use ::lead::{Channel, Lead as Submission, SpamSignal, Visit};
use clap::Args;

use crate::{
    context::Context,
    error::Error,
    leads::{Consent, Delivery, FullLead, RelatedLead, form, state_name, timeline_rows},
    terminal::{Field, GAP, INDENT, LABEL, Render, View, columns, fields, indented, single_line},
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
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let lead = FullLead::find(&mut context.crm().await?, &self.lead).await?;
        context.terminal.show(&lead)
    }
}

impl Render for FullLead {
    fn text(&self, view: &View) -> String {
        let Self { lead, related, timeline, conflicts } = self;
        let submission = &lead.submission;
        let mut all = form(&submission.clone().into()).to_vec();
        all.extend([
            ("State", lead.progress.texts(view).join("\n")),
            ("Signals", signals(&submission.signals)),
            ("Submitted", view.zoned(submission.submitted_at)),
            ("Recorded", view.zoned(lead.recorded_at)),
            ("Delivered", delivered(&lead.deliveries, view)),
            ("Person", person(related, view)),
            ("Phone", same_number(&lead.same_number)),
            ("Conflict", conflict(&lead.conflicting_contact_id)),
            ("Consent", consent(lead.consent.as_ref(), &submission.privacy_policy_version, view)),
            ("Agreed to", channels(&submission.channels)),
        ]);
        all.extend(submission.visit.iter().flat_map(|visit| visit_fields(visit, view)));
        let mut text = format!("{}  {}\n\n{}", submission.reference, submission.id, fields(all, view));
        let inner = view.width - INDENT;
        if !timeline.is_empty() {
            let rows = indented(&timeline_rows(timeline, inner, view));
            text.push_str(&format!("\n\n  Timeline ({})\n{rows}", view.zone.name()));
        }
        for conflict in conflicts {
            let differences = indented(&differences(submission, conflict, inner, view));
            text.push_str("\n\n  Sent again with different contents; the first version is used\n");
            text.push_str(&differences);
        }
        text
    }
}

fn same_number(others: &[String]) -> String {
    let references: Vec<_> = others.iter().map(|it| single_line(it)).collect();
    if others.is_empty() {
        String::new()
    } else {
        format!("same phone number as {}, different name and email", references.join(", "))
    }
}

/// The fields of a later submission that differ, beside those of the first.
fn differences(first: &Submission, later: &Submission, width: u16, view: &View) -> String {
    let heading = [String::new(), "FIRST".to_owned(), view.zoned(later.submitted_at)];
    let pairs = form(&first.clone().into()).into_iter().zip(form(&later.clone().into()));
    let or_dash = |value: String| if value.is_empty() { "-".to_owned() } else { value };
    let rows = pairs
        .filter(|(first, later)| first != later)
        .map(|((label, first), (_, later))| [label.to_owned(), or_dash(first), or_dash(later)]);
    let half = (width - LABEL - 2 * GAP) / 2;
    columns(std::iter::once(heading).chain(rows), [LABEL, half, half])
}

fn visit_fields(visit: &Visit, view: &View) -> [Field; 5] {
    let campaign = visit.attribution.campaign.parts();
    let campaign = campaign.iter().filter(|(_, value)| !value.is_empty());
    let campaign = campaign.map(|(name, value)| format!("utm_{name}={}", single_line(value)));
    [
        ("Session", visit.id.to_string()),
        ("Began", view.zoned(visit.started_at)),
        ("Landed on", single_line(&visit.attribution.landing_path)),
        ("Came from", single_line(&visit.attribution.referrer_host)),
        ("Campaign", campaign.collect::<Vec<_>>().join("\n")),
    ]
}

fn signals(signals: &[SpamSignal]) -> String {
    let said = signals.iter().map(|signal| match signal {
        SpamSignal::TooFast => "form sent within seconds of the visit",
        SpamSignal::Links => "links in the question",
        SpamSignal::Trapped => "hidden field filled in",
        SpamSignal::NoSession => "sent without a session",
        SpamSignal::Canary => "canary (test lead)",
    });
    match said.collect::<Vec<_>>()[..] {
        [] => String::new(),
        // A browser that fills in forms is quick, too.
        [one] => one.to_owned(),
        ref several => format!("looks automated: {}", several.join(", ")),
    }
}

fn channels(channels: &[Channel]) -> String {
    let agreed: Vec<_> = channels
        .iter()
        .map(|channel| match channel {
            Channel::Phone => "calls",
            Channel::Message => "WhatsApp and SMS",
        })
        .collect();
    if agreed.is_empty() { "neither calls nor messages".to_owned() } else { agreed.join(", ") }
}

fn person(related: &[RelatedLead], view: &View) -> String {
    if related.is_empty() {
        return "no other leads from this person".to_owned();
    }
    let line = |it: &RelatedLead| {
        let (reference, at) = (single_line(&it.reference), view.second(it.submitted_at));
        format!("\n{reference}  {at}  {}  {}", state_name(it.state), it.interests.join(" "))
    };
    format!("also sent{}", related.iter().map(line).collect::<String>())
}

fn conflict(other: &str) -> String {
    if other.is_empty() {
        return String::new();
    }
    format!(
        "email and phone number belong to different people; the other's first lead is {}",
        single_line(other)
    )
}

fn consent(consent: Option<&Consent>, version: &str, view: &View) -> String {
    let Some(consent) = consent else { return single_line(version) };
    let version = match single_line(&consent.policy_version) {
        none if none.is_empty() => "unknown policy version".to_owned(),
        version => format!("policy {version}"),
    };
    let given = consent.given_at.map(|at| format!(", {}", view.zoned(at))).unwrap_or_default();
    format!("{version} ({}), for: {}{given}", consent.language, consent.purpose)
}

fn delivered(deliveries: &[Delivery], view: &View) -> String {
    if deliveries.is_empty() {
        return "to no recipient yet".to_owned();
    }
    let lines = |it: &Delivery| {
        let (recipient, reply) = (single_line(&it.recipient), single_line(&it.server_reply));
        format!("{}  {recipient}\n{reply}\n{}", view.zoned(it.delivered_at), single_line(&it.mail_message_id))
    };
    deliveries.iter().map(lines).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{leads::full_lead, terminal::NARROW};

    #[test]
    fn everything_fits_eighty_columns() {
        insta::assert_snapshot!("show", full_lead().text(&NARROW));
    }

    #[test]
    fn json_carries_all_of_it() {
        insta::assert_snapshot!("show.json", full_lead().json());
    }
}
