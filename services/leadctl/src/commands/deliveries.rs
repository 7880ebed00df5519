use anyhow::{Result, bail};
use clap::{Args, Subcommand, builder::NonEmptyStringValueParser};
use contracts::crm::v1::{
    DeliveryFilter, DiscardDeliveriesRequest, ListDeliveriesRequest, ListDeliveriesResponse,
    RetryDeliveriesRequest,
};
use lead::text::single_line;
use serde_json::json;

use crate::{
    arguments::Selection,
    context::Context,
    crm::find_lead_id,
    error::Exit,
    output::{Column, format_count},
    time::TimePoint,
};

const COLUMNS: [Column; 7] = [
    ("since", 0),
    ("reference", 10),
    ("recipient", 10),
    ("state", 0),
    ("until", 0),
    ("reason.class", 13),
    ("reason.detail", 15),
];

/// List deliveries, retry or discard failed ones
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl deliveries list --failed --recipient sales@zyon.example --since 1d
  leadctl deliveries retry zg-7f3k-2q
  leadctl deliveries retry zg-7f3k-2q --recipient visitor
  leadctl deliveries discard --all --recipient gone@zyon.example --reason \"has left the company\"")]
pub(crate) struct Deliveries {
    #[command(subcommand)]
    command: Command,

    /// Only deliveries to this address of the routes, or to `visitor`
    // An empty recipient, as in `--recipient "$UNSET"`, would select all recipients.
    #[arg(long, global = true, value_name = "ADDRESS", value_parser = NonEmptyStringValueParser::new())]
    recipient: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// List unfinished deliveries
    List {
        /// Only failed deliveries
        #[arg(long)]
        failed: bool,
        /// Only deliveries that changed since then: 30m, 2h, 1d, today, a date, or a date and time
        #[arg(long, value_name = "TIME")]
        since: Option<TimePoint>,
    },
    /// Retry failed deliveries from the first attempt
    #[command(after_help = "\
With a lead and --recipient visitor, leadctl also retries an email that ended because of the address, and lifts the
suppression of the mailbox.")]
    Retry(Selection),
    /// Cancel failed deliveries; the timeline of each lead keeps the reason
    Discard {
        #[command(flatten)]
        selection: Selection,
        /// Why the email is no longer needed
        #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
        reason: String,
    },
}

impl Deliveries {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let filter = DeliveryFilter {
            recipient: self.recipient.unwrap_or_default(),
            ..Default::default()
        };
        match self.command {
            Command::List { failed, since } => {
                list(
                    DeliveryFilter {
                        since: context.to_timestamp(since),
                        ..filter
                    },
                    failed,
                    context,
                )
                .await
            }
            Command::Retry(selection) => decide(filter, &selection, None, context).await,
            Command::Discard { selection, reason } => {
                decide(filter, &selection, Some(reason), context).await
            }
        }
    }
}

/// Prints the least recently changed deliveries, at most 1000.
async fn list(filter: DeliveryFilter, failed: bool, context: &Context) -> Result<()> {
    let request = ListDeliveriesRequest {
        filter: Some(filter),
        failed,
    };
    let ListDeliveriesResponse { deliveries, total } = context
        .crm()
        .deliveries
        .list_deliveries(request)
        .await?
        .into_inner();
    let none = if failed {
        "No failed deliveries."
    } else {
        "No unfinished deliveries."
    };
    context.output.print_rows(&deliveries, &COLUMNS, none)?;
    if total > deliveries.len() as u64 {
        eprintln!("{} of {total} deliveries listed.", deliveries.len());
    }
    Ok(())
}

/// Discards failed deliveries if there is a reason, or else retries them.
async fn decide(
    mut filter: DeliveryFilter,
    selection: &Selection,
    reason: Option<String>,
    context: &Context,
) -> Result<()> {
    let mut crm = context.crm();
    let (verb, done) = if reason.is_some() {
        ("Discard", "discarded")
    } else {
        ("Retry", "retried")
    };
    filter.since = context.to_timestamp(selection.since);
    if let Some(lead) = &selection.name {
        filter.lead_id = find_lead_id(lead, &mut crm).await?;
    }
    if selection.needs_confirmation() {
        let request = ListDeliveriesRequest {
            filter: Some(filter.clone()),
            failed: true,
        };
        let total = crm
            .deliveries
            .list_deliveries(request)
            .await?
            .into_inner()
            .total;
        if total > 0 {
            let deliveries = format_count(total, "failed delivery", "failed deliveries");
            context.confirm(&format!("{verb} {deliveries}?")).await?;
        }
    }
    let filter = Some(filter);
    let count = match reason {
        None => {
            crm.deliveries
                .retry_deliveries(RetryDeliveriesRequest { filter })
                .await?
                .into_inner()
                .deliveries
        }
        Some(reason) => {
            let request = DiscardDeliveriesRequest { filter, reason };
            crm.deliveries
                .discard_deliveries(request)
                .await?
                .into_inner()
                .deliveries
        }
    };
    if let Some(lead) = selection.name.as_ref().filter(|_| count == 0) {
        bail!(Exit::NoMatch.error(format!(
            "{} has no failed delivery: run `leadctl deliveries list --failed`",
            single_line(lead)
        )));
    }
    let text = format!("{} {done}.", format_count(count, "delivery", "deliveries"));
    context.output.print(&json!({ done: count }), || Ok(text))
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use contracts::{
        crm::v1::{DeliveryState, DeliverySummary},
        leads::v1::Reason,
    };
    use prost_types::Timestamp;

    use super::*;
    use crate::tests::NARROW;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        deliveries: Deliveries,
    }

    fn is_accepted(arguments: &[&str]) -> bool {
        Only::try_parse_from(["deliveries"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn retry_and_discard_select_by_one_of_name_time_or_all() {
        for command in [&["retry"][..], &["discard", "--reason", "gone"]] {
            for which in [&["ZG-7F3K-2Q"][..], &["--all"], &["--since", "2h"]] {
                assert!(
                    is_accepted(&[command, which].concat()),
                    "{command:?} {which:?}"
                );
            }
            for which in [
                &[][..],
                &["--all", "ZG-7F3K-2Q"],
                &["--all", "--since", "2h"],
                &["--since", "soon"],
            ] {
                assert!(
                    !is_accepted(&[command, which].concat()),
                    "{command:?} {which:?}"
                );
            }
        }
    }

    #[test]
    fn recipient_narrows_a_selection_and_is_not_empty() {
        for command in [
            &["list"][..],
            &["retry", "--all"],
            &["discard", "ZG-7F3K-2Q", "--reason", "gone"],
        ] {
            assert!(
                is_accepted(&[command, &["--recipient", "visitor"]].concat()),
                "{command:?}"
            );
            // An empty recipient, as in `--recipient "$UNSET"`, would select all recipients.
            assert!(
                !is_accepted(&[command, &["--recipient", ""]].concat()),
                "{command:?}"
            );
        }
        assert!(!is_accepted(&["retry", "--recipient", "visitor"]));
    }

    #[test]
    fn retry_of_several_deliveries_needs_a_confirmation() {
        for (arguments, asked) in [
            (&["retry", "--all"][..], true),
            (&["retry", "--since", "2h"], true),
            (&["retry", "ZG-7F3K-2Q"], false),
        ] {
            let only = Only::parse_from(["deliveries"].iter().chain(arguments));
            let Command::Retry(selection) = only.deliveries.command else {
                panic!("expected retry")
            };
            assert_eq!(selection.needs_confirmation(), asked, "{arguments:?}");
        }
    }

    #[test]
    fn discard_requires_a_reason() {
        for reason in [&[][..], &["--reason"], &["--reason", ""]] {
            assert!(
                !is_accepted(&[&["discard", "--all"], reason].concat()),
                "{reason:?}"
            );
        }
    }

    fn delivery(recipient: &str, attempts: u32, class: &str, detail: &str) -> DeliverySummary {
        DeliverySummary {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            recipient: recipient.to_owned(),
            state: DeliveryState::Failed.into(),
            attempts,
            reason: Some(Reason {
                class: class.to_owned(),
                detail: detail.to_owned(),
            }),
            since: Some(Timestamp {
                seconds: 1_772_337_906,
                nanos: 0,
            }),
            until: None,
        }
    }

    fn deliveries() -> [DeliverySummary; 3] {
        let unknown = delivery(
            "\x1b[2Jboss\u{202e}@zyon.example",
            1,
            "x\x07",
            "\x1b]0;owned\u{9b}2J",
        );
        [
            delivery(
                "sales@zyon.example",
                1,
                "smtp-rejected",
                "550 5.1.1 no such user here: 收件人不存在",
            ),
            delivery(
                "visitor",
                7,
                "smtp",
                "451 4.7.1 greylisted, try again later",
            ),
            DeliverySummary {
                reference: unknown.lead_id.clone(),
                ..unknown
            },
        ]
    }

    #[test]
    fn table_fits_eighty_columns_without_control_characters() {
        let text = NARROW.format_rows(&deliveries(), &COLUMNS).unwrap();
        assert_eq!(text.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("list", text);
    }
}
