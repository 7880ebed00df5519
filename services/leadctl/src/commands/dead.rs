use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use contracts::crm::v1::{
    self as crm, DeadFilter, DiscardDeadRequest, ListDeadRequest, ListDeadResponse, ReplayDeadRequest,
};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::dead_messages::DeadMessages;
use crate::{
    arguments::{Selection, bounded},
    context::Context,
    crm::Crm,
    error::Error,
    leads::{FullLead, Reason, all, time},
    terminal::{GAP, Render, View, confirm, counted, fields, one_line, table},
    when::When,
};

/// Longest e-mail address, in characters.
const LONGEST_ADDRESS: usize = 320;

/// Longest reason that the CRM accepts, in UTF-16 code units.
const LONGEST_REASON: usize = 500;

/// Mails that could not be delivered, and messages that could not be dealt with: an operator has to decide.
#[derive(Subcommand)]
pub(crate) enum Dead {
    /// Dead deliveries, the oldest first, and why they are dead.
    #[command(after_help = "\
Examples:
  leadctl dead list
  leadctl dead list --recipient sales@zyon.example --since 1d
  leadctl dead list --json | jq -r .lead_id")]
    List {
        /// Of this lead: its id or reference.
        #[arg(long, value_name = "ID-or-reference")]
        lead: Option<String>,
        #[command(flatten)]
        recipient: Recipient,
        /// Dead since then: 30m, 2h or 1d ago, today, a date, or a time.
        #[arg(long, value_name = "T")]
        since: Option<When>,
    },
    /// All dead deliveries of one lead.
    Show {
        /// The lead's id or reference.
        #[arg(value_name = "ID-or-reference")]
        lead: String,
    },
    /// Have mails tried again, from the first attempt.
    #[command(after_help = "\
Examples:
  leadctl dead replay zg-7f3k-2q
  leadctl dead replay --since 2h
  leadctl dead replay --all --recipient sales@zyon.example")]
    Replay {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        recipient: Recipient,
    },
    /// Settle deliveries without a mail, with a reason that stays in the lead's timeline.
    #[command(after_help = "\
Examples:
  leadctl dead discard zg-7f3k-2q --why \"a test of ours\"
  leadctl dead discard --all --recipient gone@zyon.example --why \"has left\"")]
    Discard {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        recipient: Recipient,
        /// The reason.
        #[arg(long, value_name = "TEXT", value_parser = |text: &str| bounded(text, LONGEST_REASON))]
        why: String,
    },
    Messages(DeadMessages),
}

#[derive(Args)]
pub(crate) struct Recipient {
    /// Of these only what goes to this address, as it stands in the routes, or to `visitor`.
    #[arg(long = "recipient", value_name = "ADDRESS", value_parser = |text: &str| bounded(text, LONGEST_ADDRESS))]
    address: Option<String>,
}

#[derive(Serialize)]
struct DeadDelivery {
    lead_id: String,
    /// Empty when the CRM does not have the lead.
    reference: String,
    recipient: String,
    attempts: u32,
    reason: Reason,
    since: DateTime<Utc>,
}

impl Dead {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        match self {
            Self::List { lead, recipient, since } => {
                let mut crm = context.crm().await?;
                let filter = filter(&mut crm, lead.as_deref(), recipient, since, context).await?;
                let (deliveries, total) = list(&mut crm, filter).await?;
                context.terminal.rows(&deliveries, "No delivery is dead.", rows)?;
                let shown = deliveries.len() as u64;
                let is_cut = total > shown;
                if is_cut { context.terminal.remark(&format!("{shown} of {total} shown.")) } else { Ok(()) }
            }
            Self::Show { lead } => {
                let mut crm = context.crm().await?;
                let lead_id = lead_id(&mut crm, &lead).await?;
                let (dead, _) = list(&mut crm, DeadFilter { lead_id, ..DeadFilter::default() }).await?;
                if dead.is_empty() { Err(not_dead(&lead)) } else { context.terminal.show(&dead[..]) }
            }
            Self::Replay { selection, recipient } => decide(selection, recipient, None, context).await,
            Self::Discard { selection, recipient, why } => {
                decide(selection, recipient, Some(why), context).await
            }
            Self::Messages(messages) => messages.run(context).await,
        }
    }
}

/// Discards with a reason, replays without one.
async fn decide(
    selection: Selection,
    recipient: Recipient,
    reason: Option<String>,
    context: &Context,
) -> Result<(), Error> {
    let mut crm = context.crm().await?;
    let filter = filter(&mut crm, selection.name.as_deref(), recipient, selection.since, context).await?;
    if selection.needs_confirmation() {
        let what = if reason.is_some() { "Discard" } else { "Replay" };
        let (_, total) = list(&mut crm, filter.clone()).await?;
        if total > 0 {
            confirm(&format!("{what} {}?", counted(total, "dead delivery", "dead deliveries"))).await?;
        }
    }
    let filter = Some(filter);
    let (count, done) = match reason {
        Some(why) => {
            let request = DiscardDeadRequest { filter, why };
            (crm.call(async |crm| crm.discard_dead(request).await).await?.deliveries, "discarded")
        }
        None => {
            let request = ReplayDeadRequest { filter };
            (crm.call(async |crm| crm.replay_dead(request).await).await?.deliveries, "replayed")
        }
    };
    match selection.name {
        Some(lead) if count == 0 => Err(not_dead(&lead)),
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
) -> Result<DeadFilter, Error> {
    let lead_id = match lead {
        Some(typed) => lead_id(crm, typed).await?,
        None => String::new(),
    };
    let recipient = recipient.address.unwrap_or_default();
    Ok(DeadFilter { lead_id, recipient, since: context.since(since) })
}

/// Never empty, which would select all leads. An id is not looked up, since the CRM may not have its lead.
async fn lead_id(crm: &mut Crm, typed: &str) -> Result<String, Error> {
    let id = match Uuid::try_parse(typed.trim()) {
        Ok(id) => id,
        Err(_) => FullLead::find(crm, typed).await?.lead.submission.id,
    };
    Ok(id.to_string())
}

/// The oldest dead deliveries, at most 1000, and the total.
async fn list(crm: &mut Crm, filter: DeadFilter) -> Result<(Vec<DeadDelivery>, u64), Error> {
    let request = ListDeadRequest { filter: Some(filter) };
    let ListDeadResponse { deliveries, total } = crm.call(async |crm| crm.list_dead(request).await).await?;
    Ok((all(deliveries, DeadDelivery::read)?, total))
}

fn not_dead(lead: &str) -> Error {
    Error::NotDead(one_line(lead))
}

impl DeadDelivery {
    fn read(dead: crm::DeadDelivery) -> Result<Self, Error> {
        Ok(Self {
            lead_id: dead.lead_id,
            reference: dead.reference,
            recipient: dead.recipient,
            attempts: dead.attempts,
            reason: dead.reason.into(),
            since: time(dead.since)?,
        })
    }

    fn name(&self) -> String {
        one_line(if self.reference.is_empty() { &self.lead_id } else { &self.reference })
    }
}

fn rows(deliveries: &[DeadDelivery], view: &View) -> String {
    let (since, lead, tries) = (16, 10, 5);
    let left = view.width - since - lead - tries - 4 * GAP;
    let recipient = (left / 2).min(30);
    let since_heading = view.heading("SINCE", deliveries.first().map(|it| it.since));
    let row = |it: &DeadDelivery| {
        let (recipient, attempts) = (one_line(&it.recipient), it.attempts.to_string());
        [view.minute(it.since), it.name(), recipient, attempts, it.reason.text()]
    };
    let header = [&since_heading, "LEAD", "RECIPIENT", "TRIES", "WHY"];
    table(header, deliveries.iter().map(row), [since, lead, recipient, tries, left - recipient])
}

impl Render for DeadDelivery {
    fn text(&self, view: &View) -> String {
        let all = [
            ("Lead", one_line(&self.lead_id)),
            ("Attempts", self.attempts.to_string()),
            ("Reason", self.reason.text()),
            ("Since", view.zoned(self.since)),
        ];
        format!("{}  {}\n\n{}", self.name(), one_line(&self.recipient), fields(all, view))
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
        command: Dead,
    }

    fn is_accepted(arguments: &[&str]) -> bool {
        Only::try_parse_from(["dead"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn which_are_meant_is_said_in_one_way() {
        for command in [&["replay"][..], &["discard", "--why", "gone"], &["messages", "replay"]] {
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
        for command in [&["list"][..], &["replay", "--all"], &["discard", "ZG-7F3K-2Q", "--why", "gone"]] {
            assert!(is_accepted(&[command, &["--recipient", "visitor"]].concat()), "{command:?}");
            // An empty one would select all recipients: `--recipient "$UNSET"`.
            assert!(!is_accepted(&[command, &["--recipient", " "]].concat()), "{command:?}");
        }
        assert!(!is_accepted(&["replay", "--recipient", "visitor"]));
        assert!(!is_accepted(&["messages", "replay", "--all", "--recipient", "visitor"]));
    }

    #[test]
    fn only_all_of_them_are_asked_about() {
        for (arguments, asked) in [
            (&["replay", "--all"][..], true),
            (&["replay", "--all", "--yes"], false),
            (&["replay", "--since", "2h"], false),
            (&["replay", "ZG-7F3K-2Q"], false),
        ] {
            let command = Only::parse_from(["dead"].iter().chain(arguments)).command;
            let Dead::Replay { selection, .. } = command else { panic!("another command") };
            assert_eq!(selection.needs_confirmation(), asked, "{arguments:?}");
        }
    }

    #[test]
    fn no_delivery_is_discarded_without_a_reason() {
        let long = "陈".repeat(LONGEST_REASON + 1);
        for why in [&[][..], &["--why"], &["--why", " "], &["--why", &long]] {
            assert!(!is_accepted(&[&["discard", "--all"], why].concat()), "{why:?}");
        }
        assert!(is_accepted(&["discard", "--all", "--why", &long[3..]]));
        assert!(is_accepted(&["messages", "discard", "--all"]));
    }

    fn delivery(recipient: &str, attempts: u32, class: &str, detail: &str) -> DeadDelivery {
        DeadDelivery {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            recipient: recipient.to_owned(),
            attempts,
            reason: Some(leads::Reason { class: class.to_owned(), detail: detail.to_owned() }).into(),
            since: DateTime::from_timestamp(1_772_337_906, 0).unwrap(),
        }
    }

    fn deliveries() -> [DeadDelivery; 3] {
        let unknown = delivery("\x1b[2Jboss\u{202e}@zyon.example", 1, "x\x07", "\x1b]0;owned\u{9b}2J");
        [
            delivery("sales@zyon.example", 1, "smtp-rejected", "550 5.1.1 no such user here: 收件人不存在"),
            delivery("visitor", 7, "smtp", "451 4.7.1 greylisted, try again later"),
            DeadDelivery { reference: String::new(), ..unknown },
        ]
    }

    #[test]
    fn the_table_fits_eighty_columns_and_nothing_steers_the_terminal() {
        let text = rows(&deliveries(), &NARROW);
        assert_eq!(text.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("dead", text);
    }

    #[test]
    fn one_is_shown_with_all_that_is_known_of_it() {
        let shown = deliveries()[..].text(&NARROW);
        assert_eq!(shown.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("dead_show", shown);
        insta::assert_snapshot!("dead_show.json", deliveries()[1].json());
    }
}
