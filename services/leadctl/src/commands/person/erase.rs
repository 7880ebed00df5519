use std::collections::BTreeSet;

use clap::Args;
use contracts::crm::v1::{ErasePersonRequest, UpdateLeadRequest};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    choice::{Choice, People},
    key::PersonKey,
};
use crate::{
    context::Context,
    crm::Crm,
    dead_letters::{self, DeadLetterQueue, Message},
    error::Error,
    leads::FullLead,
    terminal::{View, confirm, counted, json, single_line},
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
    leads: Vec<FullLead>,
    /// `None` with `--without-queues`.
    letters: Option<DeadLetters>,
}

struct DeadLetters {
    queues: Vec<DeadLetterQueue>,
    /// Those about the person.
    theirs: Vec<Message>,
    /// Those that cannot be decoded, about any person.
    unreadable: usize,
}

#[derive(Serialize)]
struct Erased {
    /// All erased leads of the person, those of earlier runs included.
    leads: BTreeSet<Uuid>,
    /// `None` with `--without-queues`.
    dead_letters: Option<usize>,
    /// Dead letters that cannot be decoded, about any person.
    unreadable: usize,
}

impl Erase {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let mut person: PersonKey = self.person.parse()?;
        let mut crm = context.crm().await?;
        let mut leads = person.leads(&mut crm).await?;
        let mut letters = match self.without_queues {
            true => None,
            false => Some(DeadLetters::of(&person, &ids(&leads), context).await?),
        };
        if leads.is_empty() && letters.as_ref().is_none_or(|letters| letters.theirs.is_empty()) {
            return Err(Error::NobodyKnown);
        }
        let mut people = People::default();
        leads.iter().map(|it| &it.lead.submission).for_each(|it| people.add(&it.name, &it.email));
        let messages = letters.iter().flat_map(|it| &it.theirs).filter_map(Message::lead);
        messages.for_each(|it| people.add(&it.name, &it.email));
        let chosen = self.choice.of(&person, &people)?;
        people.retain(&chosen);
        if !person.is_email() {
            person.choose(chosen);
        }
        leads.retain(|it| person.is_chosen(&it.lead.submission.email));
        let known = ids(&leads);
        if let Some(letters) = &mut letters {
            letters.theirs.retain(|it| is_theirs(it, &person, &known));
        }
        let (found, terminal) = (Found { people, leads, letters }, &context.terminal);
        if terminal.is_json {
            terminal.print(&json::line(&found.json()))?;
        } else {
            // On standard error, as is the question.
            terminal.note(&found.text(&terminal.view))?;
        }
        if !self.yes {
            confirm("Erase all of this permanently?").await?;
        }
        if self.do_not_contact {
            suppress(&found.leads, &mut crm).await?;
        }
        let erased = if self.without_queues {
            let leads = erase(&person, &known, &[], &mut crm).await?;
            Erased { leads, dead_letters: None, unreadable: 0 }
        } else {
            // The queues may have changed while the user was asked.
            DeadLetters::of(&person, &known, context).await?.erase(&person, &known, &mut crm).await?
        };
        terminal.say(&erased.text(), &json!({ "erased": erased }))
    }
}

fn ids(leads: &[FullLead]) -> BTreeSet<Uuid> {
    leads.iter().map(|full| full.lead.submission.id).collect()
}

/// Marks the people of these leads as not to be contacted, which outlives the leads.
async fn suppress(leads: &[FullLead], crm: &mut Crm) -> Result<(), Error> {
    if leads.is_empty() {
        return Err(Error::NobodyToSuppress);
    }
    let mut people = BTreeSet::new();
    for lead in leads.iter().filter(|it| people.insert(&it.lead.contact_id)) {
        let request = UpdateLeadRequest {
            lead_id: lead.lead.submission.id.to_string(),
            do_not_contact: Some(true),
            ..UpdateLeadRequest::default()
        };
        crm.call(async |crm| crm.update_lead(request).await).await?;
    }
    Ok(())
}

/// A message with the person's lead, or about one of these leads.
fn is_theirs(message: &Message, person: &PersonKey, leads: &BTreeSet<Uuid>) -> bool {
    message.lead().is_some_and(|lead| person.sent(lead))
        || message.lead_id.is_some_and(|id| leads.contains(&id))
}

/// Erases in the CRM: by address all leads of the person, by number these leads; and the leads of these messages, whether
/// they are stored or not. Returns the ids of all erased leads.
async fn erase(
    person: &PersonKey,
    leads: &BTreeSet<Uuid>,
    messages: &[Message],
    crm: &mut Crm,
) -> Result<BTreeSet<Uuid>, Error> {
    let mut named: BTreeSet<Uuid> = messages.iter().filter_map(|it| it.lead_id).collect();
    let address = if person.is_email() { person.as_str() } else { "" };
    if address.is_empty() {
        named.extend(leads);
    }
    let lead_ids = named.iter().map(Uuid::to_string).collect();
    let request = ErasePersonRequest { email: address.to_owned(), lead_ids };
    let ids = crm.call(async |crm| crm.erase_person(request).await).await?.lead_ids.into_iter();
    ids.map(|id| id.parse().map_err(|_| Error::Failed("the response contains an invalid id".to_owned())))
        .collect()
}

impl DeadLetters {
    /// Finds the dead letters that contain a lead of the person, or are about one of their leads.
    async fn of(person: &PersonKey, known: &BTreeSet<Uuid>, context: &Context) -> Result<Self, Error> {
        let look = async {
            let queues = dead_letters::open(&context.config, None).await?;
            let messages = dead_letters::list(&queues).await?;
            Ok((queues, messages))
        };
        let (queues, messages) =
            look.await.map_err(|cause: Error| Error::QueuesUnreachable { cause: Box::new(cause) })?;
        let is_own = |message: &Message| message.lead().is_some_and(|lead| person.sent(lead));
        let own = messages.iter().filter(|it| is_own(it)).filter_map(|it| it.lead_id);
        let leads: BTreeSet<_> = own.chain(known.iter().copied()).collect();
        let (theirs, rest): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|it| is_theirs(it, person, &leads));
        let unreadable = rest.iter().filter(|message| message.event.is_none()).count();
        Ok(Self { queues, theirs, unreadable })
    }

    /// Erases in the CRM first, with the leads of the dead letters, so that no replay can store one again.
    async fn erase(self, person: &PersonKey, known: &BTreeSet<Uuid>, crm: &mut Crm) -> Result<Erased, Error> {
        let leads = erase(person, known, &self.theirs, crm).await?;
        let mut discarded = 0;
        for queue in &self.queues {
            let gone = queue.discard(&self.theirs).await;
            discarded += gone.map_err(|cause| Error::HalfErased { cause: Box::new(cause) })?.len();
        }
        Ok(Erased { leads, dead_letters: Some(discarded), unreadable: self.unreadable })
    }
}

/// Shows only what is needed to confirm.
impl Found {
    fn text(&self, view: &View) -> String {
        let mut text = format!(
            "{}\n{} in the CRM",
            self.people.text(),
            counted(self.leads.len() as u64, "lead", "leads")
        );
        for full in &self.leads {
            let submission = &full.lead.submission;
            text.push_str(&format!("\n  {}  {}", submission.reference, view.minute(submission.submitted_at)));
        }
        if let Some(DeadLetters { theirs, unreadable: count, .. }) = &self.letters {
            text.push_str(&format!("\n{}", counted(theirs.len() as u64, "dead letter", "dead letters")));
            for message in theirs {
                text.push_str(&format!("\n  {}  {}", single_line(&message.name), message.queue));
            }
            text.push_str(&unreadable(*count));
        }
        text
    }

    fn json(&self) -> Value {
        let leads: Vec<_> = self.leads.iter().map(|full| full.lead.submission.id).collect();
        let letters = self.letters.as_ref();
        json!({ "found": {
            "people": self.people.json(),
            "leads": leads,
            "dead_letters": letters.map(|it| &it.theirs),
            "unreadable": letters.map(|it| it.unreadable),
        }})
    }
}

impl Erased {
    fn text(&self) -> String {
        let leads = counted(self.leads.len() as u64, "lead", "leads");
        let letters = match self.dead_letters {
            Some(count) => format!(" and {}", counted(count as u64, "dead letter", "dead letters")),
            None => " (dead letters kept; the CRM does not store these leads again)".to_owned(),
        };
        let unreadable = unreadable(self.unreadable);
        format!(
            "Erased {leads} in the CRM{letters}.{unreadable}\n\
             Not erased: sent emails, exports and backups. Delete these yourself."
        )
    }
}

fn unreadable(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!(
            "\n{} cannot be decoded and may concern this person: see `leadctl dead-letters list`.",
            counted(count as u64, "dead letter", "dead letters")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dead_letters::dead_letter, leads::full_lead, terminal::NARROW};

    #[test]
    fn nothing_is_shown_that_one_does_not_need() {
        let theirs = dead_letter("notifier", "ZG-7F3K-2Q", "panic", "");
        let letters = DeadLetters { queues: Vec::new(), theirs: vec![theirs], unreadable: 1 };
        let mut people = People::default();
        people.add("陈伟\n", " Wei@Example.com");
        people.add("Wei Chen", "wei@example.com");
        let all = Found { people, leads: vec![full_lead(), full_lead()], letters: Some(letters) };
        let mut people = People::default();
        people.add("Lim Mei", "mei@example.com");
        let crm = Found { people, leads: vec![full_lead()], letters: None };
        let shown = [all.text(&NARROW), crm.text(&NARROW)].join("\n\n");
        assert!(!shown.contains("9123"), "{shown}");
        insta::assert_snapshot!("person_found", shown);
        let leads = BTreeSet::from([Uuid::from_u128(1)]);
        let both = [
            Erased { leads: leads.clone(), dead_letters: Some(13), unreadable: 2 },
            Erased { leads, dead_letters: None, unreadable: 0 },
        ];
        insta::assert_snapshot!("person_erased", both.map(|it| it.text()).join("\n\n"));
    }
}
