use std::collections::BTreeSet;

use clap::{Arg, Args, Subcommand};
use contracts::leads::v1::{DeliveryReport, LeadSubmitted, delivery_report::Outcome};
use messaging::Event;
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::{
    arguments::Selection,
    context::Context,
    dead_letters::{self, DeadLetterQueue, Message, Service},
    error::Error,
    leads::{form, form_json},
    terminal::{Field, GAP, Render, View, confirm, counted, fields, json, single_line, table},
};

const MESSAGE: &str = "Id or reference of the lead, or the name that `leadctl dead-letters list` prints";

/// List, replay or delete messages that a service could not process
#[derive(Args)]
pub(crate) struct DeadLetters {
    #[command(subcommand)]
    command: MessagesCommand,

    /// Only dead letters of this service
    #[arg(long, global = true, value_name = "SERVICE")]
    queue: Option<Service>,
}

#[derive(Subcommand)]
enum MessagesCommand {
    /// List dead letters
    #[command(after_help = "\
Example:
  leadctl dead-letters list --queue notifier")]
    List,
    /// Show the contents of a dead letter
    #[command(after_help = "\
Example:
  leadctl dead-letters show m-9bfbab74")]
    Show {
        #[arg(value_name = "ID", help = MESSAGE)]
        name: String,
    },
    /// Return dead letters to the queue of their service
    #[command(
        after_help = "\
Examples:
  leadctl dead-letters replay zg-7f3k-2q
  leadctl dead-letters replay --since 2h
  leadctl dead-letters replay --all --queue notifier",
        mut_arg("name", named)
    )]
    Replay(Selection),
    /// Delete dead letters permanently
    #[command(
        after_help = "\
Example:
  leadctl dead-letters delete m-9bfbab74",
        mut_arg("name", named)
    )]
    Delete(Selection),
}

#[derive(Serialize)]
struct Contents<'a> {
    #[serde(flatten, serialize_with = "submission")]
    lead: Option<&'a LeadSubmitted>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reports: Vec<Report<'a>>,
}

/// The outcome of one delivery.
#[derive(Serialize)]
struct Report<'a> {
    recipient: &'a str,
    outcome: &'static str,
    /// The mail server's reply, or the reason for not mailing.
    detail: &'a str,
}

impl DeadLetters {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let queues = dead_letters::open(&context.config, self.queue).await?;
        let messages = dead_letters::list(&queues).await?;
        match self.command {
            MessagesCommand::List => context.terminal.rows(&messages, "No dead letters.", rows),
            MessagesCommand::Show { name } => context.terminal.show(&called(messages, &name)?[..]),
            MessagesCommand::Replay(selection) => {
                let selected = select(messages, &selection, "Replay", context).await?;
                decide(&queues, DeadLetterQueue::replay, &selected, "replayed", context).await
            }
            MessagesCommand::Delete(selection) => {
                let selected = select(messages, &selection, "Delete", context).await?;
                decide(&queues, DeadLetterQueue::discard, &selected, "deleted", context).await
            }
        }
    }
}

async fn select(
    messages: Vec<Message>,
    selection: &Selection,
    what: &str,
    context: &Context,
) -> Result<Vec<Message>, Error> {
    if let Some(name) = &selection.name {
        return called(messages, name);
    }
    let since = selection.since.map(|when| context.begin(when));
    let is_selected = |it: &Message| since.is_none_or(|since| it.since.is_some_and(|time| time >= since));
    let selected: Vec<_> = messages.into_iter().filter(is_selected).collect();
    if selection.needs_confirmation() && !selected.is_empty() {
        confirm(&format!("{what} {}?", counted(selected.len() as u64, "dead letter", "dead letters")))
            .await?;
    }
    Ok(selected)
}

/// The messages of one name; an error when there is none, or they are about several leads. Both services may have a
/// dead letter about a lead.
fn called(messages: Vec<Message>, name: &str) -> Result<Vec<Message>, Error> {
    let found: Vec<_> = messages.into_iter().filter(|message| message.is_called(name)).collect();
    let subjects: BTreeSet<_> = found.iter().map(Message::subject).collect();
    match subjects.len() {
        0 => Err(Error::NoDeadLetter(single_line(name))),
        1 => Ok(found),
        _ => {
            let ids: Vec<_> = subjects.iter().map(Uuid::to_string).collect();
            Err(Error::Ambiguous(format!("{name} names several messages: {}.", ids.join(", "))))
        }
    }
}

/// Shows what was done even when a later queue fails.
async fn decide(
    queues: &[DeadLetterQueue],
    decide: impl AsyncFn(&DeadLetterQueue, &[Message]) -> Result<Vec<Message>, Error>,
    selected: &[Message],
    done: &str,
    context: &Context,
) -> Result<(), Error> {
    let mut messages = Vec::new();
    let mut outcome = Ok(());
    for queue in queues {
        match decide(queue, selected).await {
            Ok(decided) => messages.extend(decided),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    if !messages.is_empty() {
        context.terminal.rows(&messages, "", rows)?;
    }
    if !context.terminal.is_json {
        let count = counted(messages.len() as u64, "message", "messages");
        context.terminal.print(&format!("\n{count} {done}."))?;
    }
    outcome
}

impl<'a> Contents<'a> {
    /// `None` when the message cannot be decoded.
    fn of(message: &'a Message) -> Option<Self> {
        let reports = match message.event.as_ref()? {
            Event::LeadSubmitted(_) | Event::LeadWithdrawn(_) => Vec::new(),
            Event::LeadDelivered(it) => it.reports.iter().map(report).collect(),
        };
        Some(Self { lead: message.lead(), reports })
    }
}

fn report(report: &DeliveryReport) -> Report<'_> {
    let (outcome, reason) = match &report.outcome {
        Some(Outcome::Delivered(it)) => {
            return Report { recipient: &report.recipient, outcome: "delivered", detail: &it.server_reply };
        }
        Some(Outcome::Retry(it)) => ("retry", &it.reason),
        Some(Outcome::Failed(it)) => ("failed", &it.reason),
        Some(Outcome::Cancelled(it)) => ("cancelled", &it.reason),
        None => ("unknown", &None),
    };
    let detail = reason.as_ref().map_or("", |reason| &reason.detail);
    Report { recipient: &report.recipient, outcome, detail }
}

fn submission<S: Serializer>(lead: &Option<&LeadSubmitted>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(lead) = lead else { return serializer.serialize_none() };
    serializer.collect_map(form_json(lead))
}

fn rows(messages: &[Message], view: &View) -> String {
    let (queue, name, since, class) = (8, 10, 16, 14);
    let detail = view.width - queue - name - since - class - 4 * GAP;
    let since_heading = view.heading("SINCE", messages.iter().find_map(|message| message.since));
    let row = |it: &Message| {
        let since = it.since.map_or_else(|| "-".to_owned(), |time| view.minute(time));
        [it.queue.to_owned(), single_line(&it.name), since, single_line(&it.class), single_line(&it.detail)]
    };
    let header = ["QUEUE", "MESSAGE", &since_heading, "CLASS", "DETAIL"];
    table(header, messages.iter().map(row), [queue, name, since, class, detail])
}

impl Render for Message {
    fn text(&self, view: &View) -> String {
        let replayed = if self.replayed == 0 { String::new() } else { self.replayed.to_string() };
        let mut all: Vec<Field> = vec![
            ("Message", single_line(&self.message_id)),
            ("Lead", self.lead_id.map(|id| id.to_string()).unwrap_or_default()),
            ("Type", single_line(&self.kind)),
            ("Since", self.since.map(|time| view.zoned(time)).unwrap_or_default()),
            ("Replayed", replayed),
            ("Class", single_line(&self.class)),
            ("Detail", single_line(&self.detail)),
            ("Trace", self.trace_id.clone().unwrap_or_default()),
        ];
        match Contents::of(self) {
            Some(Contents { lead, reports }) => {
                all.extend(lead.into_iter().flat_map(form));
                all.extend(reports.into_iter().map(|Report { recipient, outcome, detail }| {
                    ("Report", format!("{outcome}: {}, {}", single_line(recipient), single_line(detail)))
                }));
            }
            None => all.push(("Contents", "cannot be read".to_owned())),
        }
        format!("{}  {}\n\n{}", self.queue, single_line(&self.name), fields(all, view))
    }

    fn json(&self) -> String {
        #[derive(Serialize)]
        struct Full<'a> {
            #[serde(flatten)]
            message: &'a Message,
            contents: Option<Contents<'a>>,
        }
        json::pretty(&Full { message: self, contents: Contents::of(self) })
    }
}

fn named(message: Arg) -> Arg {
    message.help(MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dead_letters::dead_letter,
        leads::{delivered, submission},
        terminal::NARROW,
    };

    fn messages() -> Vec<Message> {
        let mut unknown = dead_letter("crm-sync", "m-feed0000", "undecodable", "unknown message type");
        unknown.since = None;
        let limit = "delivered again and again, never settled";
        vec![
            dead_letter("notifier", "ZG-7F3K-2Q", "panic", "index out of bounds: 收件人不存在"),
            dead_letter("notifier", "6f9619ff", "delivery-limit", limit),
            unknown,
        ]
    }

    #[test]
    fn the_table_fits_eighty_columns() {
        insta::assert_snapshot!("dead_letters", rows(&messages(), &NARROW));
    }

    #[test]
    fn one_is_shown_with_what_it_says() {
        let mut lead = messages().remove(0);
        lead.event = Some(Event::LeadSubmitted(submission()));
        let mut report = messages().remove(1);
        report.kind = "lead.delivered.v1".to_owned();
        report.event = Some(Event::LeadDelivered(delivered()));
        let unknown = messages().remove(2);
        let shown = [&lead, &report, &unknown].map(|message| message.text(&NARROW)).join("\n\n");
        insta::assert_snapshot!("dead_letter", shown);
        insta::assert_snapshot!("dead_letter.json", [&lead, &report].map(Render::json).join("\n"));
    }
}
