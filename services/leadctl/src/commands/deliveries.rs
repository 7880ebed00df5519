use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use contracts::crm::v1::{
    self as crm, DeliveryFilter, DiscardDeliveriesRequest, ListDeliveriesRequest, ListDeliveriesResponse,
    RetryDeliveriesRequest,
};
use serde::Serialize;
use serde_json::json;
use strum::IntoStaticStr;
use uuid::Uuid;

use crate::{
    arguments::{Selection, bounded},
    context::Context,
    crm::Crm,
    error::Error,
    leads::{FullLead, Reason, all, time},
    terminal::{GAP, Render, View, confirm, counted, fields, single_line, table},
    when::When,
};

/// Longest e-mail address, in characters.
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
        since: Option<When>,
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
        #[arg(long, value_name = "TEXT", value_parser = |text: &str| bounded(text, LONGEST_REASON))]
        reason: String,
    },
}

#[derive(Args)]
pub(crate) struct Recipient {
    /// Only deliveries to this address of the routes, or to `visitor`
    #[arg(long = "recipient", value_name = "ADDRESS", value_parser = |text: &str| bounded(text, LONGEST_ADDRESS))]
    address: Option<String>,
}

#[derive(Serialize)]
struct DeliverySummary {
    lead_id: String,
    /// Empty when the CRM does not have the lead.
    reference: String,
    recipient: String,
    state: State,
    attempts: u32,
    reason: Reason,
    since: DateTime<Utc>,
}

#[derive(Clone, Copy, IntoStaticStr, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", const_into_str)]
enum State {
    Pending,
    Claimed,
    Deferred,
    Failed,
    /// Sent by a newer CRM.
    Unknown,
}

impl From<crm::DeliveryState> for State {
    fn from(state: crm::DeliveryState) -> Self {
        match state {
            crm::DeliveryState::Unspecified => Self::Unknown,
            crm::DeliveryState::Pending => Self::Pending,
            crm::DeliveryState::Claimed => Self::Claimed,
            crm::DeliveryState::Deferred => Self::Deferred,
            crm::DeliveryState::Failed => Self::Failed,
        }
    }
}

impl Deliveries {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        match self {
            Self::List { failed, lead, recipient, since } => {
                let mut crm = context.crm().await?;
                let filter = filter(&mut crm, lead.as_deref(), recipient, since, context).await?;
                let (deliveries, total) = list(&mut crm, filter, failed).await?;
                let none = if failed { "No failed deliveries." } else { "No unfinished deliveries." };
                context.terminal.rows(&deliveries, none, rows)?;
                let shown = deliveries.len() as u64;
                if total > shown {
                    context.terminal.remark(&format!("{shown} of {total} deliveries listed."))?;
                }
                Ok(())
            }
            Self::Show { lead } => {
                let mut crm = context.crm().await?;
                let lead_id = lead_id(&mut crm, &lead).await?;
                let filter = DeliveryFilter { lead_id, ..DeliveryFilter::default() };
                let (deliveries, _) = list(&mut crm, filter, false).await?;
                if deliveries.is_empty() {
                    return Err(Error::NoUnfinishedDelivery(single_line(&lead)));
                }
                context.terminal.show(&deliveries[..])
            }
            Self::Retry { selection, recipient } => decide(selection, recipient, None, context).await,
            Self::Discard { selection, recipient, reason } => {
                decide(selection, recipient, Some(reason), context).await
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
) -> Result<(), Error> {
    let mut crm = context.crm().await?;
    let filter = filter(&mut crm, selection.name.as_deref(), recipient, selection.since, context).await?;
    if selection.needs_confirmation() {
        let what = if reason.is_some() { "Discard" } else { "Retry" };
        let (_, total) = list(&mut crm, filter.clone(), true).await?;
        if total > 0 {
            confirm(&format!("{what} {}?", counted(total, "failed delivery", "failed deliveries"))).await?;
        }
    }
    let filter = Some(filter);
    let (count, done) = match reason {
        Some(reason) => {
            let request = DiscardDeliveriesRequest { filter, reason };
            (crm.call(async |crm| crm.discard_deliveries(request).await).await?.deliveries, "discarded")
        }
        None => {
            let request = RetryDeliveriesRequest { filter };
            (crm.call(async |crm| crm.retry_deliveries(request).await).await?.deliveries, "retried")
        }
    };
    match selection.name {
        Some(lead) if count == 0 => Err(Error::NoFailedDelivery(single_line(&lead))),
        _ => {
            let text = format!("{} {done}.", counted(count, "delivery", "deliveries"));
            context.terminal.say(&text, &json!({ done: count }))
        }
    }
}

async fn filter(
    crm: &mut Crm,
    lead: Option<&str>,
    recipient: Recipient,
    since: Option<When>,
    context: &Context,
) -> Result<DeliveryFilter, Error> {
    let lead_id = match lead {
        Some(typed) => lead_id(crm, typed).await?,
        None => String::new(),
    };
    let recipient = recipient.address.unwrap_or_default();
    Ok(DeliveryFilter { lead_id, recipient, since: context.since(since) })
}

/// Never empty, which would select all leads. An id is not looked up, since the CRM may not have its lead.
async fn lead_id(crm: &mut Crm, typed: &str) -> Result<String, Error> {
    let id = match Uuid::try_parse(typed.trim()) {
        Ok(id) => id,
        Err(_) => FullLead::find(crm, typed).await?.lead.submission.id,
    };
    Ok(id.to_string())
}

/// The least recently changed unfinished deliveries, at most 1000, and the total.
async fn list(
    crm: &mut Crm,
    filter: DeliveryFilter,
    failed: bool,
) -> Result<(Vec<DeliverySummary>, u64), Error> {
    let request = ListDeliveriesRequest { filter: Some(filter), failed };
    let ListDeliveriesResponse { deliveries, total } =
        crm.call(async |crm| crm.list_deliveries(request).await).await?;
    Ok((all(deliveries, DeliverySummary::read)?, total))
}

impl DeliverySummary {
    fn read(delivery: crm::DeliverySummary) -> Result<Self, Error> {
        Ok(Self {
            state: delivery.state().into(),
            lead_id: delivery.lead_id,
            reference: delivery.reference,
            recipient: delivery.recipient,
            attempts: delivery.attempts,
            reason: delivery.reason.into(),
            since: time(delivery.since)?,
        })
    }

    fn name(&self) -> String {
        single_line(if self.reference.is_empty() { &self.lead_id } else { &self.reference })
    }
}

fn rows(deliveries: &[DeliverySummary], view: &View) -> String {
    let (since, lead, state, attempts) = (16, 10, 8, 8);
    let left = view.width - since - lead - state - attempts - 5 * GAP;
    let recipient = (left / 2).min(30);
    let since_heading = view.heading("SINCE", deliveries.first().map(|it| it.since));
    let row = |it: &DeliverySummary| {
        let (recipient, attempts) = (single_line(&it.recipient), it.attempts.to_string());
        [
            view.minute(it.since),
            it.name(),
            recipient,
            it.state.into_str().to_owned(),
            attempts,
            it.reason.text(),
        ]
    };
    let header = [&since_heading, "LEAD", "RECIPIENT", "STATE", "ATTEMPTS", "REASON"];
    table(header, deliveries.iter().map(row), [since, lead, recipient, state, attempts, left - recipient])
}

impl Render for DeliverySummary {
    fn text(&self, view: &View) -> String {
        let all = [
            ("Lead", single_line(&self.lead_id)),
            ("State", self.state.into_str().to_owned()),
            ("Attempts", self.attempts.to_string()),
            ("Reason", self.reason.text()),
            ("Since", view.zoned(self.since)),
        ];
        format!("{}  {}\n\n{}", self.name(), single_line(&self.recipient), fields(all, view))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use contracts::leads::v1 as leads;

    use super::*;
    use crate::terminal::NARROW;

    #[derive(Parser)]
    struct Only {
        #[command(subcommand)]
        command: Deliveries,
    }

    fn is_accepted(arguments: &[&str]) -> bool {
        Only::try_parse_from(["deliveries"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn which_are_meant_is_said_in_one_way() {
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
    fn a_recipient_is_one_condition_more_and_never_empty() {
        for command in [&["list"][..], &["retry", "--all"], &["discard", "ZG-7F3K-2Q", "--reason", "gone"]] {
            assert!(is_accepted(&[command, &["--recipient", "visitor"]].concat()), "{command:?}");
            // An empty one would select all recipients: `--recipient "$UNSET"`.
            assert!(!is_accepted(&[command, &["--recipient", " "]].concat()), "{command:?}");
        }
        assert!(!is_accepted(&["retry", "--recipient", "visitor"]));
    }

    #[test]
    fn only_all_of_them_are_asked_about() {
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
    fn no_delivery_is_discarded_without_a_reason() {
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
            state: State::Failed,
            attempts,
            reason: Some(leads::Reason { class: class.to_owned(), detail: detail.to_owned() }).into(),
            since: DateTime::from_timestamp(1_772_337_906, 0).unwrap(),
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
    fn the_table_fits_eighty_columns_and_nothing_steers_the_terminal() {
        let text = rows(&deliveries(), &NARROW);
        assert_eq!(text.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("list", text);
    }

    #[test]
    fn one_is_shown_with_all_that_is_known_of_it() {
        let shown = deliveries()[..].text(&NARROW);
        assert_eq!(shown.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("show", shown);
        insta::assert_snapshot!("show.json", deliveries()[1].json());
    }
}
