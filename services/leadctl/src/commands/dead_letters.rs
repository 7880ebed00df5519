use std::collections::BTreeSet;

use anyhow::Result;
use clap::{Args, Subcommand};
use lead::text::single_line;
use messaging::{
    Event,
    topology::{CRM_SYNC, NOTIFIER},
};
use serde::Serialize;

use crate::{
    arguments::Selection,
    broker::{DeadLetterQueues, Message},
    context::Context,
    error::{Error, Exit},
    output::{Column, format_count},
};

const COLUMNS: [Column; 6] = [
    ("queue", 0),
    ("id", 0),
    ("reference", 0),
    ("since", 0),
    ("class", 5),
    ("detail", 10),
];

/// List, replay or delete messages that a service could not process
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl dead-letters list --queue notifier
  leadctl dead-letters replay zg-7f3k-2q
  leadctl dead-letters replay --since 2h")]
pub(crate) struct DeadLetters {
    #[command(subcommand)]
    command: Command,

    /// Only dead letters of this service
    #[arg(long, global = true, value_name = "SERVICE", value_parser = [NOTIFIER.service, CRM_SYNC.service])]
    queue: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// List dead letters
    List,
    /// Show the contents of a dead letter
    Show {
        /// Id of the dead letter, or id or reference of its lead
        #[arg(value_name = "ID")]
        name: String,
    },
    /// Return dead letters to the queue of their service
    Replay(Selection),
    /// Delete dead letters permanently
    Delete(Selection),
}

#[derive(Serialize)]
struct FullMessage<'a> {
    #[serde(flatten)]
    message: &'a Message,
    /// `None` if the message cannot be decoded.
    contents: Option<&'a Event>,
}

impl DeadLetters {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let output = &context.output;
        let queues = DeadLetterQueues::connect(&context.config, self.queue.as_deref()).await?;
        let messages = queues.list().await?;
        let (settled, done) = match self.command {
            Command::List => return output.print_rows(&messages, &COLUMNS, "No dead letters."),
            Command::Show { name } => {
                for message in find_messages(messages, &name)? {
                    let full = FullMessage {
                        message: &message,
                        contents: message.event.as_ref(),
                    };
                    output.print(&full, || {
                        Ok(output.format_pairs(output.format_fields(&full)?) + "\n")
                    })?;
                }
                return Ok(());
            }
            Command::Replay(selection) => (
                queues
                    .replay(&select(messages, &selection, "Replay", context).await?)
                    .await?,
                "replayed",
            ),
            Command::Delete(selection) => (
                queues
                    .delete(&select(messages, &selection, "Delete", context).await?)
                    .await?,
                "deleted",
            ),
        };
        output.print_rows(&settled, &COLUMNS, "No dead letters.")?;
        eprintln!(
            "{} {done}",
            format_count(settled.len(), "message", "messages")
        );
        Ok(())
    }
}

async fn select(
    messages: Vec<Message>,
    selection: &Selection,
    verb: &str,
    context: &Context,
) -> Result<Vec<Message>> {
    if let Some(name) = &selection.name {
        return Ok(find_messages(messages, name)?);
    }
    let since = selection
        .since
        .map(|time| time.start(context.output.now, context.config.time_zone));
    let is_selected =
        |it: &Message| since.is_none_or(|since| it.since.is_some_and(|time| time >= since));
    let selected: Vec<_> = messages.into_iter().filter(is_selected).collect();
    if selection.needs_confirmation() && !selected.is_empty() {
        let letters = format_count(selected.len(), "dead letter", "dead letters");
        context.confirm(&format!("{verb} {letters}?")).await?;
    }
    Ok(selected)
}

/// Returns the messages that match a name. Fails if there is none, or if they are about several leads. Both services may
/// have a dead letter about a lead.
fn find_messages(messages: Vec<Message>, name: &str) -> Result<Vec<Message>, Error> {
    let found: Vec<_> = messages
        .into_iter()
        .filter(|message| message.matches(name))
        .collect();
    let leads: BTreeSet<_> = found
        .iter()
        .map(|message| message.lead_id.as_deref())
        .collect();
    let name = single_line(name);
    match leads.len() {
        0 => Err(Exit::NoMatch.error(format!(
            "dead letter {name} does not exist: run `leadctl dead-letters list`"
        ))),
        1 => Ok(found),
        _ => {
            let ids = found
                .iter()
                .map(|message| message.id.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            Err(Exit::NoMatch.error(format!("{name} names several messages: {ids}.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        output::to_json,
        tests::{NARROW, dead_letter, delivered, submitted},
    };

    fn messages() -> [Message; 3] {
        let mut unknown = dead_letter("crm-sync", None, "undecodable", "unknown message type");
        (unknown.since, unknown.lead_id) = (None, None);
        let limit = "delivered again and again, never settled";
        [
            dead_letter(
                "notifier",
                Some("ZG-7F3K-2Q"),
                "panic",
                "index out of bounds: 收件人不存在",
            ),
            dead_letter("notifier", None, "delivery-limit", limit),
            unknown,
        ]
    }

    #[test]
    fn table_fits_eighty_columns() {
        insta::assert_snapshot!(
            "dead_letters",
            NARROW.format_rows(&messages(), &COLUMNS).unwrap()
        );
    }

    #[test]
    fn show_prints_the_contents() {
        let mut messages = messages();
        messages[0].event = Some(Event::LeadSubmitted(submitted()));
        messages[1].event = Some(Event::LeadDelivered(delivered()));
        let full = messages.each_ref().map(|it| FullMessage {
            message: it,
            contents: it.event.as_ref(),
        });
        let shown = full
            .each_ref()
            .map(|it| NARROW.format_pairs(NARROW.format_fields(it).unwrap()));
        insta::assert_snapshot!("dead_letter", shown.join("\n\n"));
        insta::assert_snapshot!("dead_letter.json", to_json(&full[1]).unwrap());
    }

    #[test]
    fn reference_of_two_leads_selects_no_dead_letter() {
        let mut messages = messages();
        (messages[1].reference, messages[1].lead_id) =
            (messages[0].reference.clone(), Some("other".to_owned()));
        assert_eq!(
            find_messages(messages.into(), "zg-7f3k-2q")
                .err()
                .unwrap()
                .exit,
            Exit::NoMatch
        );
    }
}
