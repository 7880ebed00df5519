use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use contracts::crm::v1::{
    DeliveryFilter, DeliverySummary, DiscardDeliveriesRequest, ListDeliveriesRequest, ListDeliveriesResponse,
    RetryDeliveriesRequest,
};
use lead::text::single_line;
use serde_json::json;
use uuid::Uuid;

use crate::{
    arguments::{Selection, parse_bounded},
    cli::Context,
    crm::Crm,
    error::Error,
    leads::{reason_text, submission},
    output::{Output, confirm, counted},
    time::TimePoint,
};

/// Longest email address, in characters.
const LONGEST_ADDRESS: usize = 320;

/// Longest reason that the CRM accepts, in UTF-16 code units.
const LONGEST_REASON: usize = 500;

/// List deliveries, retry or discard failed ones
#[derive(Subcommand)]
pub(crate) enum Deliveries {
    /// List unfinished deliveries
    #[command(after_help = "\
Examples:
  leadctl deliveries list --failed
  leadctl deliveries list --failed --recipient sales@zyon.example --since 1d
  leadctl deliveries list --failed --json | jq -r .lead_id")]
    List {
        /// Only failed deliveries
        #[arg(long)]
        failed: bool,
        /// Only deliveries of this lead, by id or reference
        #[arg(long, value_name = "LEAD")]
        lead: Option<String>,
        #[command(flatten)]
        recipient: Recipient,
        /// Only deliveries that changed since then: 30m, 2h, 1d, today, a date, or a date and time
        #[arg(long, value_name = "TIME")]
        since: Option<TimePoint>,
    },
    /// Show the unfinished deliveries of one lead
    #[command(after_help = "\
Example:
  leadctl deliveries show zg-7f3k-2q")]
    Show {
        /// Id or reference of the lead
        #[arg(value_name = "LEAD")]
        lead: String,
    },
    /// Retry failed deliveries from the first attempt
    #[command(after_help = "\
Examples:
  leadctl deliveries retry zg-7f3k-2q
  leadctl deliveries retry --since 2h
  leadctl deliveries retry --all --recipient sales@zyon.example")]
    Retry {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        recipient: Recipient,
    },
    /// Cancel failed deliveries; the timeline of each lead keeps the reason
    #[command(after_help = "\
Examples:
  leadctl deliveries discard zg-7f3k-2q --reason \"a test\"
  leadctl deliveries discard --all --recipient gone@zyon.example --reason \"has left the company\"")]
    Discard {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        recipient: Recipient,
        /// Why the email is no longer needed
        #[arg(long, value_name = "TEXT", value_parser = |text: &str| parse_bounded(text, LONGEST_REASON))]
        reason: String,
    },
}

#[derive(Args)]
pub(crate) struct Recipient {
    /// Only deliveries to this address of the routes, or to `visitor`
    #[arg(long = "recipient", value_name = "ADDRESS", value_parser = |text: &str| parse_bounded(text, LONGEST_ADDRESS))]
    address: Option<String>,
}

impl Deliveries {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let (mut crm, output) = (context.crm().await?, &context.output);
        match self {
            Self::List { failed, lead, recipient, since } => {
                let filter = resolve_filter(&mut crm, lead.as_deref(), recipient, since, context).await?;
                let ListDeliveriesResponse { deliveries, total } =
                    list_deliveries(&mut crm, filter, failed).await?;
                let none = if failed { "No failed deliveries." } else { "No unfinished deliveries." };
                output.rows(&deliveries, none, |deliveries| table(deliveries, output))?;
                let listed = deliveries.len();
                if total > listed as u64 {
                    output.remark(&format!("{listed} of {total} deliveries listed."))?;
                }
                Ok(())
            }
            Self::Show { lead } => {
                let lead_id = find_lead_id(&mut crm, &lead).await?;
                let filter = DeliveryFilter { lead_id, ..DeliveryFilter::default() };
                let deliveries = list_deliveries(&mut crm, filter, false).await?.deliveries;
                if deliveries.is_empty() {
                    let lead = single_line(&lead);
                    bail!(Error::NoMatch(format!(
                        "{lead} has no unfinished delivery: run `leadctl show {lead}` for its timeline"
                    )));
                }
                output.show_all(&deliveries, |delivery| text(delivery, output))
            }
            Self::Retry { selection, recipient } => decide(selection, recipient, None, context, crm).await,
            Self::Discard { selection, recipient, reason } => {
                decide(selection, recipient, Some(reason), context, crm).await
            }
        }
    }
}

/// Discards with a reason, retries without one.
async fn decide(
    selection: Selection,
    recipient: Recipient,
    reason: Option<String>,
    context: &Context,
    mut crm: Crm,
) -> Result<()> {
    let filter =
        resolve_filter(&mut crm, selection.name.as_deref(), recipient, selection.since, context).await?;
    if selection.needs_confirmation() {
        let verb = if reason.is_some() { "Discard" } else { "Retry" };
        let total = list_deliveries(&mut crm, filter.clone(), true).await?.total;
        if total > 0 {
            confirm(&format!("{verb} {}?", counted(total, "failed delivery", "failed deliveries"))).await?;
        }
    }
    let filter = Some(filter);
    let (count, done) = if let Some(reason) = reason {
        let request = DiscardDeliveriesRequest { filter, reason };
        (crm.call(async |crm| crm.discard_deliveries(request).await).await?.deliveries, "discarded")
    } else {
        let request = RetryDeliveriesRequest { filter };
        (crm.call(async |crm| crm.retry_deliveries(request).await).await?.deliveries, "retried")
    };
    match selection.name {
        Some(lead) if count == 0 => bail!(Error::NoMatch(format!(
            "{} has no failed delivery: run `leadctl deliveries list --failed`",
            single_line(&lead)
        ))),
        _ => {
            let text = format!("{} {done}.", counted(count, "delivery", "deliveries"));
            context.output.say(&json!({ done: count }), &text)
        }
    }
}

async fn resolve_filter(
    crm: &mut Crm,
    lead: Option<&str>,
    recipient: Recipient,
    since: Option<TimePoint>,
    context: &Context,
) -> Result<DeliveryFilter, Error> {
    let lead_id = match lead {
        Some(typed) => find_lead_id(crm, typed).await?,
        None => String::new(),
    };
    let recipient = recipient.address.unwrap_or_default();
    Ok(DeliveryFilter { lead_id, recipient, since: context.timestamp(since) })
}

/// Never empty, which would select all leads. An id is not looked up, since the CRM may not have its lead.
async fn find_lead_id(crm: &mut Crm, typed: &str) -> Result<String, Error> {
    match Uuid::try_parse(typed.trim()) {
        Ok(id) => Ok(id.to_string()),
        Err(_) => Ok(submission(&crm.find_lead(typed).await?).lead_id.clone()),
    }
}

/// The least recently changed deliveries, at most 1000, and the total.
async fn list_deliveries(
    crm: &mut Crm,
    filter: DeliveryFilter,
    failed: bool,
) -> Result<ListDeliveriesResponse, Error> {
    let request = ListDeliveriesRequest { filter: Some(filter), failed };
    crm.call(async |crm| crm.list_deliveries(request).await).await
}

fn state_name(delivery: &DeliverySummary) -> String {
    delivery.state().as_str_name().trim_start_matches("DELIVERY_STATE_").to_lowercase()
}

fn lead_name(delivery: &DeliverySummary) -> String {
    single_line(if delivery.reference.is_empty() { &delivery.lead_id } else { &delivery.reference })
}

fn table(deliveries: &[DeliverySummary], output: &Output) -> String {
    let since = output.heading("SINCE", deliveries.first().and_then(|delivery| delivery.since));
    let rows = deliveries.iter().map(|delivery| {
        [
            output.minute(delivery.since),
            lead_name(delivery),
            single_line(&delivery.recipient),
            state_name(delivery),
            delivery.attempts.to_string(),
            reason_text(delivery.reason.as_ref()),
        ]
    });
    let header = [&since, "LEAD", "RECIPIENT", "STATE", "ATTEMPTS", "REASON"];
    output.table(header, &["LEAD", "RECIPIENT", "REASON"], rows)
}

fn text(delivery: &DeliverySummary, output: &Output) -> String {
    let fields = [
        ("Lead", single_line(&delivery.lead_id)),
        ("State", state_name(delivery)),
        ("Attempts", delivery.attempts.to_string()),
        ("Reason", reason_text(delivery.reason.as_ref())),
        ("Since", output.zoned(delivery.since)),
    ];
    format!("{}  {}\n\n{}", lead_name(delivery), single_line(&delivery.recipient), output.fields(fields))
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use contracts::{crm::v1::DeliveryState, leads::v1::Reason};
    use prost_types::Timestamp;

    use super::*;
    use crate::output::{NARROW, pretty_json};

    #[derive(Parser)]
    struct Only {
        #[command(subcommand)]
        command: Deliveries,
    }

    fn is_accepted(arguments: &[&str]) -> bool {
        Only::try_parse_from(["deliveries"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn selection_has_one_form() {
        for command in [&["retry"][..], &["discard", "--reason", "gone"]] {
            for which in [&["ZG-7F3K-2Q"][..], &["--all"], &["--since", "2h"]] {
                assert!(is_accepted(&[command, which].concat()), "{command:?} {which:?}");
            }
            for which in
                [&[][..], &["--all", "ZG-7F3K-2Q"], &["--all", "--since", "2h"], &["--since", "soon"]]
            {
                assert!(!is_accepted(&[command, which].concat()), "{command:?} {which:?}");
            }
        }
    }

    #[test]
    fn recipient_narrows_a_selection_and_is_not_empty() {
        for command in [&["list"][..], &["retry", "--all"], &["discard", "ZG-7F3K-2Q", "--reason", "gone"]] {
            assert!(is_accepted(&[command, &["--recipient", "visitor"]].concat()), "{command:?}");
            // An empty one would select all recipients: `--recipient "$UNSET"`.
            assert!(!is_accepted(&[command, &["--recipient", " "]].concat()), "{command:?}");
        }
        assert!(!is_accepted(&["retry", "--recipient", "visitor"]));
    }

    #[test]
    fn only_all_needs_confirmation() {
        for (arguments, asked) in [
            (&["retry", "--all"][..], true),
            (&["retry", "--all", "--yes"], false),
            (&["retry", "--since", "2h"], false),
            (&["retry", "ZG-7F3K-2Q"], false),
        ] {
            let command = Only::parse_from(["deliveries"].iter().chain(arguments)).command;
            let Deliveries::Retry { selection, .. } = command else { panic!("another command") };
            assert_eq!(selection.needs_confirmation(), asked, "{arguments:?}");
        }
    }

    #[test]
    fn discard_requires_a_reason() {
        let long = "陈".repeat(LONGEST_REASON + 1);
        for reason in [&[][..], &["--reason"], &["--reason", " "], &["--reason", &long]] {
            assert!(!is_accepted(&[&["discard", "--all"], reason].concat()), "{reason:?}");
        }
        assert!(is_accepted(&["discard", "--all", "--reason", &long[3..]]));
    }

    fn delivery(recipient: &str, attempts: u32, class: &str, detail: &str) -> DeliverySummary {
        DeliverySummary {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            recipient: recipient.to_owned(),
            state: DeliveryState::Failed.into(),
            attempts,
            reason: Some(Reason { class: class.to_owned(), detail: detail.to_owned() }),
            since: Some(Timestamp { seconds: 1_772_337_906, nanos: 0 }),
        }
    }

    fn deliveries() -> [DeliverySummary; 3] {
        let unknown = delivery("\x1b[2Jboss\u{202e}@zyon.example", 1, "x\x07", "\x1b]0;owned\u{9b}2J");
        [
            delivery("sales@zyon.example", 1, "smtp-rejected", "550 5.1.1 no such user here: 收件人不存在"),
            delivery("visitor", 7, "smtp", "451 4.7.1 greylisted, try again later"),
            DeliverySummary { reference: String::new(), ..unknown },
        ]
    }

    #[test]
    fn table_fits_eighty_columns_without_control_characters() {
        let text = table(&deliveries(), &NARROW);
        assert_eq!(text.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("list", text);
    }

    #[test]
    fn show_prints_all_fields() {
        let shown = deliveries().map(|delivery| text(&delivery, &NARROW)).join("\n\n");
        assert_eq!(shown.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("show", shown);
        insta::assert_snapshot!("show.json", pretty_json(&deliveries()[1]).unwrap());
    }
}
