use anyhow::{Result, bail};
use clap::{Args, Subcommand, builder::NonEmptyStringValueParser};
use contracts::crm::v1::{
    DeliveryFilter, DeliverySummary, DiscardDeliveriesRequest, ListDeliveriesRequest, ListDeliveriesResponse,
    RetryDeliveriesRequest,
};
use crm_client::Crm;
use lead::text::single_line;
use serde_json::json;
use tonic::Status;

use crate::{
    Exit,
    arguments::Selection,
    cli::Context,
    crm::find_lead_id,
    output::{Column, confirm, format_count},
    time::TimePoint,
};

const COLUMNS: [Column; 6] = [
    ("since", 0),
    ("reference", 10),
    ("recipient", 10),
    ("state", 0),
    ("reason.class", 13),
    ("reason.detail", 15),
];

/// List deliveries, retry or discard failed ones
#[derive(Subcommand)]
#[command(after_help = "\
Examples:
  leadctl deliveries list --failed --recipient sales@zyon.example --since 1d
  leadctl deliveries retry zg-7f3k-2q
  leadctl deliveries discard --all --recipient gone@zyon.example --reason \"has left the company\"")]
pub(crate) enum Deliveries {
    /// List unfinished deliveries
    List {
        /// Only failed deliveries
        #[arg(long)]
        failed: bool,
        /// Only deliveries to this address of the routes, or to `visitor`
        #[arg(long, value_name = "ADDRESS", value_parser = NonEmptyStringValueParser::new())]
        recipient: Option<String>,
        /// Only deliveries that changed since then: 30m, 2h, 1d, today, a date, or a date and time
        #[arg(long, value_name = "TIME")]
        since: Option<TimePoint>,
    },
    /// Show the unfinished deliveries of one lead
    Show {
        /// Id or reference of the lead
        lead: String,
    },
    /// Retry failed deliveries from the first attempt
    Retry(Failed),
    /// Cancel failed deliveries; the timeline of each lead keeps the reason
    Discard {
        #[command(flatten)]
        failed: Failed,
        /// Why the email is no longer needed
        #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
        reason: String,
    },
}

/// Which failed deliveries.
#[derive(Args)]
pub(crate) struct Failed {
    #[command(flatten)]
    selection: Selection,
    /// Only deliveries to this address of the routes, or to `visitor`
    // An empty one would select all recipients: `--recipient "$UNSET"`.
    #[arg(long, value_name = "ADDRESS", value_parser = NonEmptyStringValueParser::new())]
    recipient: Option<String>,
}

impl Deliveries {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let (mut crm, output) = (context.crm(), &context.output);
        match self {
            Self::List { failed, recipient, since } => {
                let (recipient, since) = (recipient.unwrap_or_default(), context.to_timestamp(since));
                let filter = DeliveryFilter { lead_id: String::new(), recipient, since };
                let ListDeliveriesResponse { mut deliveries, total } =
                    list_deliveries(filter, failed, &mut crm).await?;
                if !output.is_json {
                    deliveries.iter_mut().for_each(add_reference);
                }
                let none = if failed { "No failed deliveries." } else { "No unfinished deliveries." };
                output.print_rows(&deliveries, &COLUMNS, none)?;
                if total > deliveries.len() as u64 {
                    eprintln!("leadctl: {} of {total} deliveries listed.", deliveries.len());
                }
                Ok(())
            }
            Self::Show { lead } => {
                let lead_id = find_lead_id(&lead, &mut crm).await?;
                let filter = DeliveryFilter { lead_id, ..DeliveryFilter::default() };
                let deliveries = list_deliveries(filter, false, &mut crm).await?.deliveries;
                if deliveries.is_empty() {
                    let lead = single_line(&lead);
                    bail!(Exit::NoMatch.error(format!(
                        "{lead} has no unfinished delivery: run `leadctl show {lead}` for its timeline"
                    )));
                }
                output.print_fields(&deliveries)
            }
            Self::Retry(failed) => {
                let filter = failed.confirm("Retry", &mut crm, context).await?;
                let request = RetryDeliveriesRequest { filter: Some(filter) };
                failed.report(
                    crm.retry_deliveries(request).await?.into_inner().deliveries,
                    "retried",
                    context,
                )
            }
            Self::Discard { failed, reason } => {
                let filter = failed.confirm("Discard", &mut crm, context).await?;
                let request = DiscardDeliveriesRequest { filter: Some(filter), reason };
                failed.report(
                    crm.discard_deliveries(request).await?.into_inner().deliveries,
                    "discarded",
                    context,
                )
            }
        }
    }
}

impl Failed {
    /// The filter for the CRM; asks first where that is required.
    async fn confirm(&self, verb: &str, crm: &mut Crm, context: &Context) -> Result<DeliveryFilter> {
        let lead_id = match &self.selection.name {
            Some(typed) => find_lead_id(typed, crm).await?,
            None => String::new(),
        };
        let recipient = self.recipient.clone().unwrap_or_default();
        let filter = DeliveryFilter { lead_id, recipient, since: context.to_timestamp(self.selection.since) };
        if self.selection.needs_confirmation() {
            let total = list_deliveries(filter.clone(), true, crm).await?.total;
            if total > 0 {
                confirm(&format!("{verb} {}?", format_count(total, "failed delivery", "failed deliveries")))
                    .await?;
            }
        }
        Ok(filter)
    }

    fn report(&self, count: u64, done: &str, context: &Context) -> Result<()> {
        if let Some(lead) = self.selection.name.as_ref().filter(|_| count == 0) {
            bail!(Exit::NoMatch.error(format!(
                "{} has no failed delivery: run `leadctl deliveries list --failed`",
                single_line(lead)
            )));
        }
        let text = format!("{} {done}.", format_count(count, "delivery", "deliveries"));
        context.output.print(&json!({ done: count }), || Ok(text))
    }
}

/// The least recently changed deliveries, at most 1000, and the total.
async fn list_deliveries(
    filter: DeliveryFilter,
    failed: bool,
    crm: &mut Crm,
) -> Result<ListDeliveriesResponse, Status> {
    let request = ListDeliveriesRequest { filter: Some(filter), failed };
    Ok(crm.list_deliveries(request).await?.into_inner())
}

/// A lead that is not stored has only its id.
fn add_reference(delivery: &mut DeliverySummary) {
    if delivery.reference.is_empty() {
        delivery.reference.clone_from(&delivery.lead_id);
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use contracts::{crm::v1::DeliveryState, leads::v1::Reason};
    use prost_types::Timestamp;

    use super::*;
    use crate::output::{NARROW, to_json};

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
            assert!(!is_accepted(&[command, &["--recipient", ""]].concat()), "{command:?}");
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
            let Deliveries::Retry(failed) = command else { panic!("another command") };
            assert_eq!(failed.selection.needs_confirmation(), asked, "{arguments:?}");
        }
    }

    #[test]
    fn discard_requires_a_reason() {
        for reason in [&[][..], &["--reason"], &["--reason", ""]] {
            assert!(!is_accepted(&[&["discard", "--all"], reason].concat()), "{reason:?}");
        }
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
        let mut deliveries = deliveries();
        deliveries.iter_mut().for_each(add_reference);
        let text = NARROW.format_rows(&deliveries, &COLUMNS).unwrap();
        assert_eq!(text.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("list", text);
    }

    #[test]
    fn show_prints_all_fields() {
        let shown =
            deliveries().map(|delivery| NARROW.format_pairs(NARROW.format_fields(&delivery).unwrap()));
        let shown = shown.join("\n\n");
        assert_eq!(shown.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("show", shown);
        insta::assert_snapshot!("show.json", to_json(&deliveries()[1]).unwrap());
    }
}
