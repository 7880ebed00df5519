use std::mem;

use anyhow::Result;
use clap::Args;
use contracts::crm::v1::Lead;

use crate::{context::Context, crm::find_lead, output::Output};

/// Show one lead with its person and timeline
#[derive(Args)]
pub(crate) struct Show {
    /// Id or reference of the lead, for example zg-7f3k-2q or 7F3K2Q
    #[arg(value_name = "LEAD")]
    lead: String,
}

impl Show {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let lead = find_lead(&self.lead, &mut context.crm()).await?;
        context
            .output
            .print(&lead, || format_lead(lead.clone(), &context.output))
    }
}

fn format_lead(mut lead: Lead, output: &Output) -> Result<String> {
    let timeline = mem::take(&mut lead.timeline);
    let conflicts = mem::take(&mut lead.conflicts);
    let unfinished = mem::take(&mut lead.unfinished);
    let mut parts = vec![output.format_pairs(output.format_fields(&lead)?)];
    if !timeline.is_empty() {
        let entries = timeline
            .iter()
            .map(|entry| Ok(format_entry(output.format_fields(entry)?)));
        parts.push(format!(
            "Timeline\n{}",
            output.format_pairs(entries.collect::<Result<Vec<_>>>()?)
        ));
    }
    if !unfinished.is_empty() {
        let waiting = unfinished
            .iter()
            .map(|delivery| Ok(format_unfinished(output.format_fields(delivery)?)));
        parts.push(format!(
            "Unfinished deliveries\n{}",
            output.format_pairs(waiting.collect::<Result<Vec<_>>>()?)
        ));
    }
    let first = output.format_fields(&lead.submission)?;
    for later in &conflicts {
        let changed = output
            .format_fields(later)?
            .into_iter()
            .filter(|field| !first.contains(field));
        let changed = output.format_pairs(changed);
        parts.push(format!(
            "Sent again with different contents; the first version is used\n{changed}"
        ));
    }
    Ok(parts.join("\n\n"))
}

/// Returns the recipient of a delivery, and a text with its state, the next attempt and the reason.
fn format_unfinished(fields: Vec<(String, String)>) -> (String, String) {
    let value = |wanted: &str| {
        let found = fields.iter().find(|(name, _)| name == wanted);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let when = match value("until") {
        until if until.is_empty() => format!("since {}", value("since")),
        until => format!("until {until}"),
    };
    let reason = match value("reason.detail") {
        detail if detail.is_empty() => detail,
        detail => format!(": {detail}"),
    };
    (
        value("recipient"),
        format!("{} {when}{reason}", value("state")),
    )
}

/// Returns the time of an event, and a text with its name, recipient and other fields.
fn format_entry(fields: Vec<(String, String)>) -> (String, String) {
    let (mut at, mut event, mut rest) = (String::new(), String::new(), Vec::new());
    for (name, text) in fields {
        match name.as_str() {
            "at" => at = text,
            "event" => event = text,
            "recipient" => rest.insert(0, text),
            _ => rest.push(format!("{name} {text}")),
        }
    }
    if event.is_empty() {
        event.push_str("unknown event (leadctl is older than the CRM)");
    }
    (
        at,
        [event, rest.join("; ")].join(if rest.is_empty() { "" } else { ": " }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        output::to_json,
        tests::{NARROW, full_lead},
    };

    #[test]
    fn everything_fits_eighty_columns() {
        insta::assert_snapshot!("show", format_lead(full_lead(), &NARROW).unwrap());
    }

    #[test]
    fn json_has_all_fields() {
        insta::assert_snapshot!("show.json", to_json(&full_lead()).unwrap());
    }
}
