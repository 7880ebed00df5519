use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use contracts::{
    crm::v1::{ErasePersonRequest, PossibleLead},
    leads::v1::LeadSubmitted,
};
use lead::{EmailKey, lookup_digits, text::single_line};
use serde_json::json;

use super::people::{
    FEWEST_DIGITS, FoundPerson, People, forbid_contact, format_others, no_data_error, to_strings,
};
use crate::{
    broker::{DeadLetterQueues, Message},
    context::Context,
    output::format_count,
};

/// Erase a person permanently
#[derive(Args)]
#[command(after_help = "\
leadctl lists the leads and dead letters it will erase and asks for confirmation. The command can be repeated
after any failure. It does not reach sent emails, exports, backups, or leads still in the queue crm-sync.leads:
if that queue is not empty, run the command again later.

leadctl also lists the leads of other mailboxes that may belong to the person, because they have the same phone number
or belong to the same person in the CRM, and keeps them. Anybody can enter another person's name and number: include an
address only if you know that it is the person's.

Examples:
  leadctl person erase wei@example.com
  leadctl person erase wei@example.com --with wei@office.example
  leadctl person erase wei@example.com --do-not-contact
  leadctl person erase \"+65 9123 4567\" --yes")]
pub(crate) struct Erase {
    /// Email address, or phone number that only one person has
    #[arg(value_name = "EMAIL_OR_PHONE")]
    person: String,
    /// Include the leads of this address of the person; can be repeated
    #[arg(long = "with", value_name = "ADDRESS")]
    further_emails: Vec<String>,
    /// Remember by a hash that this person must not be contacted, should they register again
    #[arg(long)]
    do_not_contact: bool,
}

struct DeadLetters {
    /// Dead letters about the person.
    theirs: Vec<Message>,
    /// Leads of other dead letters with the number of one of the person's leads.
    possible: Vec<PossibleLead>,
    /// Number of other dead letters that cannot be decoded, and may be about the person.
    unreadable: usize,
}

impl Erase {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut crm = context.crm_for_person();
        let nothing_erased = "nothing was erased, because dead letters would remain";
        let queues = DeadLetterQueues::connect(&context.config, None)
            .await
            .context(nothing_erased)?;
        let messages = queues.list().await.context(nothing_erased)?;
        let sent: Vec<_> = messages.iter().filter_map(Message::lead).collect();
        let mut found =
            FoundPerson::find(&self.person, &self.further_emails, &sent, &mut crm).await?;
        let unknown = format_unknown(&found.emails_without_data(&sent));
        let letters = DeadLetters::select(messages, &found);
        if found.leads.is_empty() && letters.theirs.is_empty() {
            bail!(no_data_error());
        }
        add_missing(&mut found.others, &letters.possible);
        eprintln!("{}{unknown}", format_found(&found, &letters));
        context.confirm("Erase all of this permanently?").await?;
        if self.do_not_contact {
            forbid_contact(&found.leads, &mut crm).await?;
        }
        // The queues may have changed before the user confirmed.
        let messages = queues.list().await.context(nothing_erased)?;
        let DeadLetters {
            theirs, unreadable, ..
        } = DeadLetters::select(messages, &found);
        // Erases in the CRM first, including leads in dead letters, to prevent a replay from storing a lead again.
        let lead_ids: BTreeSet<_> = theirs
            .iter()
            .filter_map(|message| message.lead_id.clone())
            .collect();
        let request = ErasePersonRequest {
            email: found.email.as_str().to_owned(),
            lead_ids: lead_ids.into_iter().collect(),
            further_emails: to_strings(&found.further_emails),
        };
        let erased: BTreeSet<_> = crm
            .people
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
    fn select(messages: Vec<Message>, person: &FoundPerson) -> Self {
        let mailboxes: BTreeSet<String> = person.emails().map(EmailKey::mailbox).collect();
        let is_sender = |message: &Message| {
            message
                .lead()
                .is_some_and(|lead| mailboxes.contains(&EmailKey::new(&lead.email).mailbox()))
        };
        let stored = person
            .leads
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
        let stored = person
            .leads
            .iter()
            .filter_map(|lead| lead.submission.as_ref());
        let numbers: BTreeSet<String> = stored
            .chain(theirs.iter().filter_map(Message::lead))
            .map(|lead| lookup_digits(&lead.mobile))
            .filter(|digits| digits.len() >= FEWEST_DIGITS)
            .collect();
        let possible = others
            .iter()
            .filter_map(Message::lead)
            .filter(|lead| numbers.contains(&lookup_digits(&lead.mobile)))
            .map(to_possible_lead);
        Self {
            possible: possible.collect(),
            unreadable: others
                .iter()
                .filter(|message| message.event.is_none())
                .count(),
            theirs,
        }
    }
}

/// Describes the lead of a dead letter that has the number of one of the person's leads.
fn to_possible_lead(lead: &LeadSubmitted) -> PossibleLead {
    PossibleLead {
        lead_id: lead.lead_id.clone(),
        reference: lead.reference.clone(),
        email: lead.email.clone(),
        name: lead.name.clone(),
        same_contact: false,
        same_number: true,
        corrected_email: false,
    }
}

/// Adds the leads that `others` does not contain. A lead may have several dead letters.
fn add_missing(others: &mut Vec<PossibleLead>, possible: &[PossibleLead]) {
    for lead in possible {
        if !others.iter().any(|known| known.lead_id == lead.lead_id) {
            others.push(lead.clone());
        }
    }
}

/// Formats the addresses without data, which may be mistyped, or erased by an earlier run of the command.
fn format_unknown(emails: &[&EmailKey]) -> String {
    let line = |email: &&EmailKey| format!("\nno data about {}", single_line(email.as_str()));
    emails.iter().map(line).collect()
}

/// Formats only the data that the user needs to confirm the erasure.
fn format_found(person: &FoundPerson, letters: &DeadLetters) -> String {
    let DeadLetters {
        theirs, unreadable, ..
    } = letters;
    let leads = &person.leads;
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
    lines.extend(format_others(&person.others));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use contracts::crm::v1::Lead;
    use messaging::Event;

    use super::*;
    use crate::tests::{dead_letter, full_lead, submitted};

    fn wei(leads: Vec<Lead>) -> FoundPerson {
        FoundPerson {
            email: EmailKey::new("wei@example.com"),
            further_emails: Vec::new(),
            leads,
            others: Vec::new(),
        }
    }

    #[test]
    fn text_shows_only_what_is_needed_to_confirm() {
        let mut lead = full_lead();
        lead.submission.as_mut().unwrap().name = "陈伟\n".to_owned();
        let theirs = vec![dead_letter("notifier", Some("ZG-7F3K-2Q"), "panic", "")];
        let other = PossibleLead {
            reference: "ZG-6B86-35".to_owned(),
            email: "wei@office.example\n".to_owned(),
            name: "陈伟".to_owned(),
            same_contact: true,
            same_number: true,
            ..PossibleLead::default()
        };
        let person = FoundPerson {
            others: vec![other],
            ..wei(vec![lead, full_lead()])
        };
        let letters = DeadLetters {
            theirs,
            possible: Vec::new(),
            unreadable: 1,
        };
        let shown = format_found(&person, &letters);
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
            sent("sent", " Wei+x@Example.com"),
            letter(Some("sent"), None),
            letter(Some(&submitted().lead_id), None),
            sent("other", "mei@example.com"),
            letter(Some("other"), None),
            sent("further", "wei@office.example"),
            letter(None, None),
        ];
        let person = FoundPerson {
            further_emails: vec![EmailKey::new("wei@office.example")],
            ..wei(vec![full_lead()])
        };
        let found = DeadLetters::select(messages, &person);
        let ids: Vec<_> = found
            .theirs
            .iter()
            .filter_map(|message| message.lead_id.as_deref())
            .collect();
        assert_eq!(
            ids,
            ["sent", "sent", submitted().lead_id.as_str(), "further"]
        );
        let possible: Vec<_> = found
            .possible
            .iter()
            .map(|lead| lead.email.as_str())
            .collect();
        assert_eq!(possible, ["mei@example.com"]);
        assert_eq!(found.unreadable, 2);
    }
}
