use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use contracts::crm::v1::{ErasePersonRequest, Lead};
use lead::{EmailKey, text::single_line};
use serde_json::json;

use super::people::{People, find_person, forbid_contact, no_data_error};
use crate::{
    broker::{DeadLetterQueues, Message},
    cli::Context,
    output::format_count,
};

/// Erase a person permanently
#[derive(Args)]
#[command(after_help = "\
leadctl lists the leads and dead letters it will erase and asks for confirmation. The command can be repeated
after any failure. It does not reach sent emails, exports, backups, or leads still in the queue crm-sync.leads:
if that queue is not empty, run the command again later.

Examples:
  leadctl person erase wei@example.com
  leadctl person erase wei@example.com --do-not-contact
  leadctl person erase \"+65 9123 4567\" --yes")]
pub(crate) struct Erase {
    /// Email address, or phone number that only one person has
    #[arg(value_name = "EMAIL_OR_PHONE")]
    person: String,
    /// Remember by a hash that this person must not be contacted, should they register again
    #[arg(long)]
    do_not_contact: bool,
}

struct DeadLetters {
    /// Dead letters about the person.
    theirs: Vec<Message>,
    /// Number of other dead letters that cannot be decoded, and may be about the person.
    unreadable: usize,
}

impl Erase {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut crm = context.crm();
        let nothing_erased = "nothing was erased, because dead letters would remain";
        let queues = DeadLetterQueues::connect(&context.config, None)
            .await
            .context(nothing_erased)?;
        let messages = queues.list().await.context(nothing_erased)?;
        let sent: Vec<_> = messages.iter().filter_map(Message::lead).collect();
        let (email, leads) = find_person(&self.person, &sent, &mut crm).await?;
        let found = DeadLetters::select(messages, &email, &leads);
        if leads.is_empty() && found.theirs.is_empty() {
            bail!(no_data_error());
        }
        eprintln!("{}", format_found(&leads, &found));
        context.confirm("Erase all of this permanently?").await?;
        if self.do_not_contact {
            forbid_contact(&leads, &mut crm).await?;
        }
        // The queues may have changed before the user confirmed.
        let DeadLetters { theirs, unreadable } =
            DeadLetters::select(queues.list().await.context(nothing_erased)?, &email, &leads);
        // Erases in the CRM first, including leads in dead letters, to prevent a replay from storing a lead again.
        let lead_ids: BTreeSet<_> = theirs
            .iter()
            .filter_map(|message| message.lead_id.clone())
            .collect();
        let request = ErasePersonRequest {
            email: email.as_str().to_owned(),
            lead_ids: lead_ids.into_iter().collect(),
        };
        let erased: BTreeSet<_> = crm
            .erase_person(request)
            .await?
            .into_inner()
            .lead_ids
            .into_iter()
            .collect();
        let deleted = queues.delete(&theirs).await.context(
            "erased in the CRM, but not in all dead-letter queues. Run the same command again; \
             the CRM does not store these leads again meanwhile",
        )?;
        let result =
            json!({ "leads": erased, "dead_letters": deleted.len(), "unreadable": unreadable });
        context.output.print(&json!({ "erased": result }), || {
            Ok(format!(
                "Erased {} in the CRM and {}.\n\
                 Not erased: sent emails, exports and backups. Delete these yourself.",
                format_count(erased.len(), "lead", "leads"),
                format_count(deleted.len(), "dead letter", "dead letters"),
            ))
        })
    }
}

impl DeadLetters {
    /// Selects the messages that contain a lead of the person or are about one of the person's leads.
    fn select(messages: Vec<Message>, email: &EmailKey, leads: &[Lead]) -> Self {
        let is_sender = |message: &Message| {
            message
                .lead()
                .is_some_and(|lead| EmailKey::new(&lead.email) == *email)
        };
        let stored = leads
            .iter()
            .filter_map(|lead| Some(lead.submission.as_ref()?.lead_id.clone()));
        let sent = messages
            .iter()
            .filter(|message| is_sender(message))
            .filter_map(|it| it.lead_id.clone());
        let lead_ids: BTreeSet<_> = stored.chain(sent).collect();
        let is_about = |message: &Message| {
            message
                .lead_id
                .as_ref()
                .is_some_and(|id| lead_ids.contains(id))
        };
        let (theirs, others): (Vec<_>, Vec<_>) = messages
            .into_iter()
            .partition(|message| is_sender(message) || is_about(message));
        Self {
            theirs,
            unreadable: others
                .iter()
                .filter(|message| message.event.is_none())
                .count(),
        }
    }
}

/// Formats only the data that the user needs to confirm the erasure.
fn format_found(leads: &[Lead], DeadLetters { theirs, unreadable }: &DeadLetters) -> String {
    let submissions = || leads.iter().filter_map(|lead| lead.submission.as_ref());
    let people: People = submissions()
        .chain(theirs.iter().filter_map(Message::lead))
        .collect();
    let mut lines = vec![
        people.format(),
        format!("{} in the CRM", format_count(leads.len(), "lead", "leads")),
    ];
    lines.extend(submissions().map(|lead| format!("  {}", single_line(&lead.reference))));
    lines.push(format_count(theirs.len(), "dead letter", "dead letters"));
    lines.extend(
        theirs
            .iter()
            .map(|message| format!("  {}  {}", message.id, message.queue)),
    );
    if *unreadable > 0 {
        let unreadable = format_count(*unreadable, "dead letter", "dead letters");
        lines.push(format!(
            "{unreadable} cannot be decoded and may concern this person: see `leadctl dead-letters list`."
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use contracts::leads::v1::LeadSubmitted;
    use messaging::Event;

    use super::*;
    use crate::tests::{dead_letter, full_lead, submitted};

    #[test]
    fn text_shows_only_what_is_needed_to_confirm() {
        let mut lead = full_lead();
        lead.submission.as_mut().unwrap().name = "陈伟\n".to_owned();
        let theirs = vec![dead_letter("notifier", Some("ZG-7F3K-2Q"), "panic", "")];
        let shown = format_found(
            &[lead, full_lead()],
            &DeadLetters {
                theirs,
                unreadable: 1,
            },
        );
        assert!(!shown.contains("9123"), "{shown}");
        insta::assert_snapshot!("person_found", shown);
    }

    #[test]
    fn selects_dead_letters_of_the_person() {
        let letter = |lead_id: Option<&str>, event| {
            let mut message = dead_letter("notifier", None, "refused", "");
            (message.lead_id, message.event) = (lead_id.map(str::to_owned), event);
            message
        };
        let sent = |id: &str, email: &str| {
            let email = email.to_owned();
            letter(
                Some(id),
                Some(Event::LeadSubmitted(LeadSubmitted {
                    email,
                    ..submitted()
                })),
            )
        };
        let messages = vec![
            sent("sent", " Wei@Example.com"),
            letter(Some("sent"), None),
            letter(Some(&submitted().lead_id), None),
            sent("other", "mei@example.com"),
            letter(Some("other"), None),
            letter(None, None),
        ];
        let found =
            DeadLetters::select(messages, &EmailKey::new("wei@example.com"), &[full_lead()]);
        let ids: Vec<_> = found
            .theirs
            .iter()
            .filter_map(|message| message.lead_id.as_deref())
            .collect();
        assert_eq!(ids, ["sent", "sent", submitted().lead_id.as_str()]);
        assert_eq!(found.unreadable, 2);
    }
}
