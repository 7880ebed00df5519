use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use contracts::crm::v1::{ErasePersonRequest, Lead, UpdateLeadRequest};
use lead::text::single_line;
use serde::Serialize;
use serde_json::{Value, json};

use super::key::{Choice, People, PersonKey, no_data};
use crate::{
    cli::Context,
    commands::dead_letters::{DeadLetterQueues, Message},
    crm::Crm,
    error::Error,
    leads::submission,
    output::{Output, confirm, counted},
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
  leadctl person erase \"+65 9123 4567\" --email wei@example.com --yes")]
pub(crate) struct Erase {
    /// Email address or phone number
    #[arg(value_name = "EMAIL_OR_PHONE")]
    person: String,
    #[command(flatten)]
    choice: Choice,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    /// Remember by a hash that this person must not be contacted, should they register again
    #[arg(long)]
    do_not_contact: bool,
    /// Erase the CRM data only and keep dead letters
    #[arg(long)]
    without_queues: bool,
}

struct Found {
    people: People,
    leads: Vec<Lead>,
    /// `None` with `--without-queues`.
    dead_letters: Option<DeadLetters>,
}

struct DeadLetters {
    /// Those about the person.
    theirs: Vec<Message>,
    /// Number of those that cannot be decoded, about any person.
    unreadable: usize,
}

#[derive(Serialize)]
struct Erased {
    /// All erased leads of the person, those of earlier runs included.
    leads: BTreeSet<String>,
    /// `None` with `--without-queues`.
    dead_letters: Option<usize>,
    /// Dead letters that cannot be decoded, about any person.
    unreadable: usize,
}

impl Erase {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut person: PersonKey = self.person.parse()?;
        let (mut crm, output) = (context.crm().await?, &context.output);
        let found = self.find(&mut person, &mut crm, context).await?;
        let lead_ids = collect_ids(&found.leads);
        output.announce(&found.json(), &found.text(output))?;
        if !self.yes {
            confirm("Erase all of this permanently?").await?;
        }
        if self.do_not_contact {
            forbid_contact(&found.leads, &mut crm).await?;
        }
        let erased = if self.without_queues {
            let leads = erase_leads(&person, &lead_ids, &[], &mut crm).await?;
            Erased { leads, dead_letters: None, unreadable: 0 }
        } else {
            // The queues may have changed while the user was asked.
            let (queues, dead_letters) = find_dead_letters(&person, &lead_ids, context).await?;
            // In the CRM first, with the leads of the dead letters, so that no replay can store one again.
            let leads = erase_leads(&person, &lead_ids, &dead_letters.theirs, &mut crm).await?;
            let (deleted, outcome) = queues.delete(&dead_letters.theirs).await;
            outcome.context(
                "erased in the CRM, but not in all dead-letter queues. Run the same command again; \
                 the CRM does not store these leads again meanwhile",
            )?;
            Erased { leads, dead_letters: Some(deleted.len()), unreadable: dead_letters.unreadable }
        };
        output.say(&json!({ "erased": erased }), &erased.text())
    }

    /// Finds the leads and dead letters of the chosen people.
    async fn find(&self, person: &mut PersonKey, crm: &mut Crm, context: &Context) -> Result<Found> {
        let mut leads = person.find_leads(crm).await?;
        let mut dead_letters = match self.without_queues {
            true => None,
            false => Some(find_dead_letters(person, &collect_ids(&leads), context).await?.1),
        };
        let messages = dead_letters.iter().flat_map(|letters| &letters.theirs).filter_map(Message::lead);
        let mut people: People = leads.iter().map(submission).chain(messages).collect();
        if leads.is_empty() && dead_letters.as_ref().is_none_or(|letters| letters.theirs.is_empty()) {
            bail!(no_data());
        }
        person.choose(&self.choice, &mut people)?;
        leads.retain(|lead| person.is_chosen(&submission(lead).email));
        if let Some(letters) = &mut dead_letters {
            let lead_ids = collect_ids(&leads);
            letters.theirs.retain(|message| is_theirs(message, person, &lead_ids));
        }
        Ok(Found { people, leads, dead_letters })
    }
}

fn collect_ids(leads: &[Lead]) -> BTreeSet<String> {
    leads.iter().map(|lead| submission(lead).lead_id.clone()).collect()
}

/// Whether a message contains a lead of the person, or is about one of these leads.
fn is_theirs(message: &Message, person: &PersonKey, lead_ids: &BTreeSet<String>) -> bool {
    message.lead().is_some_and(|lead| person.is_sender(lead))
        || message.lead_id.as_ref().is_some_and(|id| lead_ids.contains(id))
}

/// Finds the dead letters that contain a lead of the person, or are about one of their leads.
async fn find_dead_letters(
    person: &PersonKey,
    lead_ids: &BTreeSet<String>,
    context: &Context,
) -> Result<(DeadLetterQueues, DeadLetters)> {
    let look = async {
        let queues = DeadLetterQueues::open(&context.config, None).await?;
        let messages = queues.list().await?;
        Ok::<_, Error>((queues, messages))
    };
    let (queues, messages) = look.await.context(
        "nothing was erased, because dead letters would remain (--without-queues erases the CRM data only)",
    )?;
    let is_sender = |message: &Message| message.lead().is_some_and(|lead| person.is_sender(lead));
    let sent = messages.iter().filter(|message| is_sender(message)).filter_map(|it| it.lead_id.clone());
    let lead_ids: BTreeSet<_> = sent.chain(lead_ids.iter().cloned()).collect();
    let (theirs, others): (Vec<_>, Vec<_>) =
        messages.into_iter().partition(|message| is_theirs(message, person, &lead_ids));
    let unreadable = others.iter().filter(|message| message.event.is_none()).count();
    Ok((queues, DeadLetters { theirs, unreadable }))
}

/// Marks the people of these leads as not to be contacted, which outlives the leads.
async fn forbid_contact(leads: &[Lead], crm: &mut Crm) -> Result<()> {
    if leads.is_empty() {
        bail!(Error::NoMatch(
            "nothing was erased: the CRM has no lead of this person, so --do-not-contact has nothing to remember"
                .to_owned()
        ));
    }
    let mut people = BTreeSet::new();
    for lead in leads.iter().filter(|lead| people.insert(&lead.contact_id)) {
        let request = UpdateLeadRequest {
            lead_id: submission(lead).lead_id.clone(),
            do_not_contact: Some(true),
            ..UpdateLeadRequest::default()
        };
        crm.call(async |crm| crm.update_lead(request).await).await?;
    }
    Ok(())
}

/// Erases in the CRM: by address all leads of the person, by number these leads; and the leads of these messages, whether
/// they are stored or not. Returns the ids of all erased leads.
async fn erase_leads(
    person: &PersonKey,
    lead_ids: &BTreeSet<String>,
    messages: &[Message],
    crm: &mut Crm,
) -> Result<BTreeSet<String>, Error> {
    let mut named: BTreeSet<_> = messages.iter().filter_map(|message| message.lead_id.clone()).collect();
    let mut email = String::new();
    if person.is_email() {
        email.push_str(person.as_str());
    } else {
        named.extend(lead_ids.iter().cloned());
    }
    let request = ErasePersonRequest { email, lead_ids: named.into_iter().collect() };
    let erased = crm.call(async |crm| crm.erase_person(request).await).await?;
    Ok(erased.lead_ids.into_iter().collect())
}

/// Shows only what is needed to confirm.
impl Found {
    fn text(&self, output: &Output) -> String {
        let leads = counted(self.leads.len(), "lead", "leads");
        let mut text = format!("{}\n{leads} in the CRM", self.people.text());
        for lead in self.leads.iter().map(submission) {
            let at = output.minute(lead.submitted_at);
            text.push_str(&format!("\n  {}  {at}", single_line(&lead.reference)));
        }
        if let Some(DeadLetters { theirs, unreadable }) = &self.dead_letters {
            text.push_str(&format!("\n{}", counted(theirs.len(), "dead letter", "dead letters")));
            for message in theirs {
                text.push_str(&format!("\n  {}  {}", single_line(&message.name), message.queue));
            }
            text.push_str(&unreadable_text(*unreadable));
        }
        text
    }

    fn json(&self) -> Value {
        let dead_letters = self.dead_letters.as_ref();
        json!({ "found": {
            "people": self.people.json(),
            "leads": collect_ids(&self.leads),
            "dead_letters": dead_letters.map(|letters| &letters.theirs),
            "unreadable": dead_letters.map(|letters| letters.unreadable),
        }})
    }
}

impl Erased {
    fn text(&self) -> String {
        let leads = counted(self.leads.len(), "lead", "leads");
        let dead_letters = match self.dead_letters {
            Some(count) => format!(" and {}", counted(count, "dead letter", "dead letters")),
            None => " (dead letters kept; the CRM does not store these leads again)".to_owned(),
        };
        let unreadable = unreadable_text(self.unreadable);
        format!(
            "Erased {leads} in the CRM{dead_letters}.{unreadable}\n\
             Not erased: sent emails, exports and backups. Delete these yourself."
        )
    }
}

fn unreadable_text(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!(
            "\n{} cannot be decoded and may concern this person: see `leadctl dead-letters list`.",
            counted(count, "dead letter", "dead letters")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        commands::dead_letters::dead_letter,
        leads::{full_lead, submitted},
        output::NARROW,
    };

    #[test]
    fn text_shows_only_what_is_needed_to_confirm() {
        let sender = |name: &str, email: &str| {
            let mut lead = submitted();
            (lead.name, lead.email) = (name.to_owned(), email.to_owned());
            lead
        };
        let theirs = vec![dead_letter("notifier", "ZG-7F3K-2Q", "panic", "")];
        let (wei, again) = (sender("陈伟\n", " Wei@Example.com"), sender("Wei Chen", "wei@example.com"));
        let all = Found {
            people: [&wei, &again].into_iter().collect(),
            leads: vec![full_lead(), full_lead()],
            dead_letters: Some(DeadLetters { theirs, unreadable: 1 }),
        };
        let people = [&sender("Lim Mei", "mei@example.com")].into_iter().collect();
        let crm = Found { people, leads: vec![full_lead()], dead_letters: None };
        let shown = [all.text(&NARROW), crm.text(&NARROW)].join("\n\n");
        assert!(!shown.contains("9123"), "{shown}");
        insta::assert_snapshot!("person_found", shown);
        let leads = BTreeSet::from([submitted().lead_id]);
        let both = [
            Erased { leads: leads.clone(), dead_letters: Some(13), unreadable: 2 },
            Erased { leads, dead_letters: None, unreadable: 0 },
        ];
        insta::assert_snapshot!("person_erased", both.map(|it| it.text()).join("\n\n"));
    }
}
