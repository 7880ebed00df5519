mod message;
mod queues;

use std::collections::BTreeSet;

use anyhow::Result;
use clap::{Args, Subcommand};
use contracts::leads::v1::{DeliveryReport, delivery_report::Outcome};
use lead::{field::timestamp, text::single_line};
use messaging::Event;
use serde::Serialize;

#[cfg(test)]
pub(crate) use self::message::dead_letter;
use self::queues::Service;
pub(crate) use self::{message::Message, queues::DeadLetterQueues};
use crate::{
    arguments::Selection,
    cli::Context,
    error::Error,
    leads::{form_fields, or_dash, reason_text},
    output::{Field, Output, confirm, counted},
};

const MESSAGE: &str = "Id or reference of the lead, or the name that `leadctl dead-letters list` prints";

/// List, replay or delete messages that a service could not process
#[derive(Args)]
pub(crate) struct DeadLetters {
    #[command(subcommand)]
    command: Command,

    /// Only dead letters of this service
    #[arg(long, global = true, value_name = "SERVICE")]
    queue: Option<Service>,
}

#[derive(Subcommand)]
enum Command {
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
        mut_arg("name", |name| name.help(MESSAGE))
    )]
    Replay(Selection),
    /// Delete dead letters permanently
    #[command(
        after_help = "\
Example:
  leadctl dead-letters delete m-9bfbab74",
        mut_arg("name", |name| name.help(MESSAGE))
    )]
    Delete(Selection),
}

#[derive(Serialize)]
struct FullMessage<'a> {
    #[serde(flatten)]
    message: &'a Message,
    /// `None` when it cannot be decoded.
    contents: Option<&'a Event>,
}

impl<'a> From<&'a Message> for FullMessage<'a> {
    fn from(message: &'a Message) -> Self {
        Self { message, contents: message.event.as_ref() }
    }
}

impl DeadLetters {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let output = &context.output;
        let queues = DeadLetterQueues::open(&context.config, self.queue).await?;
        let messages = queues.list().await?;
        match self.command {
            Command::List => output.rows(&messages, "No dead letters.", |messages| table(messages, output)),
            Command::Show { name } => {
                let messages = find_by_name(messages, &name)?;
                let messages: Vec<_> = messages.iter().map(FullMessage::from).collect();
                output.show_all(&messages, |full| text(full.message, output))
            }
            Command::Replay(selection) => {
                let selected = select(messages, &selection, "Replay", context).await?;
                report(queues.replay(&selected).await, "replayed", output)
            }
            Command::Delete(selection) => {
                let selected = select(messages, &selection, "Delete", context).await?;
                report(queues.delete(&selected).await, "deleted", output)
            }
        }
    }
}

async fn select(
    messages: Vec<Message>,
    selection: &Selection,
    verb: &str,
    context: &Context,
) -> Result<Vec<Message>> {
    if let Some(name) = &selection.name {
        return Ok(find_by_name(messages, name)?);
    }
    let since = selection.since.map(|time| context.start(time));
    let is_selected = |it: &Message| since.is_none_or(|since| it.since.is_some_and(|time| time >= since));
    let selected: Vec<_> = messages.into_iter().filter(is_selected).collect();
    if selection.needs_confirmation() && !selected.is_empty() {
        confirm(&format!("{verb} {}?", counted(selected.len(), "dead letter", "dead letters"))).await?;
    }
    Ok(selected)
}

/// The messages of one name; an error when there is none, or they are about several leads. Both services may have a
/// dead letter about a lead.
fn find_by_name(messages: Vec<Message>, name: &str) -> Result<Vec<Message>, Error> {
    let found: Vec<_> = messages.into_iter().filter(|message| message.matches_name(name)).collect();
    let subjects: BTreeSet<_> = found.iter().map(Message::subject).collect();
    let (name, run) = (single_line(name), "run `leadctl dead-letters list`");
    match subjects.len() {
        0 => Err(Error::NoMatch(format!("dead letter {name} does not exist: {run}"))),
        1 => Ok(found),
        _ => {
            let ids = Vec::from_iter(subjects).join(", ");
            Err(Error::NoMatch(format!("{name} names several messages: {ids}.")))
        }
    }
}

/// Shows what was done even when a later queue failed.
fn report((messages, outcome): (Vec<Message>, Result<(), Error>), done: &str, output: &Output) -> Result<()> {
    let count = format!("{} {done}.", counted(messages.len(), "message", "messages"));
    if output.is_json {
        output.rows(&messages, "", |_| String::new())?;
    } else if messages.is_empty() {
        output.print(&count)?;
    } else {
        output.print(&format!("{}\n\n{count}", table(&messages, output)))?;
    }
    Ok(outcome?)
}

fn table(messages: &[Message], output: &Output) -> String {
    let first = messages.iter().find_map(|message| message.since);
    let since = output.heading("SINCE", first.map(timestamp));
    let rows = messages.iter().map(|message| {
        [
            message.queue.to_owned(),
            single_line(&message.name),
            or_dash(output.minute(message.since.map(timestamp))),
            single_line(&message.class),
            single_line(&message.detail),
        ]
    });
    output.table(["QUEUE", "MESSAGE", &since, "CLASS", "DETAIL"], &["CLASS", "DETAIL"], rows)
}

fn text(message: &Message, output: &Output) -> String {
    let replayed = if message.replayed == 0 { String::new() } else { message.replayed.to_string() };
    let mut fields: Vec<Field> = vec![
        ("Message", single_line(&message.message_id)),
        ("Lead", message.lead_id.clone().unwrap_or_default()),
        ("Type", single_line(&message.kind)),
        ("Since", output.zoned(message.since.map(timestamp))),
        ("Replayed", replayed),
        ("Class", single_line(&message.class)),
        ("Detail", single_line(&message.detail)),
        ("Trace", message.trace_id.clone().unwrap_or_default()),
    ];
    fields.extend(message.lead().into_iter().flat_map(form_fields));
    match &message.event {
        Some(Event::LeadSubmitted(_)) => {}
        Some(Event::LeadWithdrawn(it)) => fields.push(("Withdrawn", output.zoned(it.withdrawn_at))),
        Some(Event::LeadDelivered(it)) => {
            fields.extend(it.reports.iter().map(|report| ("Report", report_text(report))));
        }
        None => fields.push(("Contents", "cannot be read".to_owned())),
    }
    format!("{}  {}\n\n{}", message.queue, single_line(&message.name), output.fields(fields))
}

fn report_text(report: &DeliveryReport) -> String {
    let (outcome, detail) = match &report.outcome {
        Some(Outcome::Delivered(it)) => ("delivered", single_line(&it.server_reply)),
        Some(Outcome::Retry(it)) => ("retry", reason_text(it.reason.as_ref())),
        Some(Outcome::Failed(it)) => ("failed", reason_text(it.reason.as_ref())),
        Some(Outcome::Cancelled(it)) => ("cancelled", reason_text(it.reason.as_ref())),
        None => ("unknown", String::new()),
    };
    format!("{outcome}: {}, {detail}", single_line(&report.recipient))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        leads::{delivered, submitted},
        output::{NARROW, pretty_json},
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
    fn table_fits_eighty_columns() {
        insta::assert_snapshot!("dead_letters", table(&messages(), &NARROW));
    }

    #[test]
    fn show_prints_the_contents() {
        let mut lead = messages().remove(0);
        lead.event = Some(Event::LeadSubmitted(submitted()));
        let mut report = messages().remove(1);
        report.kind = "lead.delivered.v1".to_owned();
        report.event = Some(Event::LeadDelivered(delivered()));
        let unknown = messages().remove(2);
        let shown = [&lead, &report, &unknown].map(|message| text(message, &NARROW)).join("\n\n");
        insta::assert_snapshot!("dead_letter", shown);
        let json =
            [&lead, &report].map(|message| pretty_json(&FullMessage::from(message)).unwrap()).join("\n");
        insta::assert_snapshot!("dead_letter.json", json);
    }
}
