//! Forgetting a person: in the CRM, whose tombstones keep out what comes later, and in the dead-letter queues.

use std::collections::BTreeSet;

use serde::Serialize;
use uuid::Uuid;

use super::Person;
use crate::{
    client::Client,
    config::Config,
    confirm::confirm,
    dead_letters::{self, DeadLetterQueue, Message},
    error::Error,
    lead::FullLead,
    output::Output,
};

/// What there is of a person.
pub(crate) struct Found {
    pub(crate) leads: Vec<FullLead>,
    /// Nothing when the queues are left aside.
    pub(crate) letters: Option<DeadLetters>,
}

/// The dead letters about a person, and the queues they lie in.
pub(crate) struct DeadLetters {
    pub(crate) queues: Vec<DeadLetterQueue>,
    pub(crate) theirs: Vec<Message>,
    /// How many dead letters of whomever cannot be decoded.
    pub(crate) unreadable: usize,
}

/// What was erased.
#[derive(Serialize)]
pub(crate) struct Erased {
    /// All leads of the person that are erased, those of earlier runs that were found again among them.
    pub(crate) leads: BTreeSet<Uuid>,
    /// How many; nothing when the queues were left aside.
    pub(crate) dead_letters: Option<usize>,
    /// How many dead letters of whomever cannot be decoded.
    pub(crate) unreadable: usize,
}

/// Looks, asks, and erases.
pub(super) async fn run(
    person: &Person,
    yes: bool,
    without_queues: bool,
    config: &Config,
    output: &mut Output,
) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let leads = client.export_person(person).await?;
    let known = leads.iter().map(|full| full.lead.submission.id).collect();
    let look = async || DeadLetters::of(person, &known, config).await;
    let found = Found { leads, letters: if without_queues { None } else { Some(look().await?) } };
    if found.is_empty() {
        return Err(Error::NobodyKnown);
    }
    output.found(&found)?;
    if !yes {
        confirm("Erase all of it, for good?").await?;
    }
    let erased = if without_queues {
        Erased { leads: client.erase_person(person, []).await?, dead_letters: None, unreadable: 0 }
    } else {
        // Looked for again: agreeing may have taken a while.
        look().await?.erase(person, &mut client).await?
    };
    output.erased(&erased)
}

impl Found {
    fn is_empty(&self) -> bool {
        self.leads.is_empty() && self.letters.as_ref().is_none_or(|letters| letters.theirs.is_empty())
    }
}

impl DeadLetters {
    /// About leads that are known to be the person's, and with leads that the CRM may not have.
    async fn of(person: &Person, known: &BTreeSet<Uuid>, config: &Config) -> Result<Self, Error> {
        let look = async {
            let queues = dead_letters::open(config, None).await?;
            let messages = dead_letters::list(&queues).await?;
            Ok((queues, messages))
        };
        let (queues, messages) =
            look.await.map_err(|cause: Error| Error::QueuesUnreachable { cause: Box::new(cause) })?;
        let is_own = |message: &Message| message.lead().is_some_and(|lead| person.sent(lead));
        let own = messages.iter().filter(|it| is_own(it)).filter_map(|it| it.lead_id);
        let leads: BTreeSet<_> = own.chain(known.iter().copied()).collect();
        let is_theirs = |it: &Message| is_own(it) || it.lead_id.is_some_and(|id| leads.contains(&id));
        let (theirs, others): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_theirs);
        let unreadable = others.iter().filter(|message| message.event.is_none()).count();
        Ok(Self { queues, theirs, unreadable })
    }

    /// Erases in the CRM first, their leads included: then nothing can be stored again, whoever replays it.
    async fn erase(self, person: &Person, client: &mut Client) -> Result<Erased, Error> {
        let leads = client.erase_person(person, self.theirs.iter().filter_map(|it| it.lead_id)).await?;
        let mut discarded = 0;
        for queue in &self.queues {
            let gone = queue.discard(&self.theirs).await;
            discarded += gone.map_err(|cause| Error::HalfErased { cause: Box::new(cause) })?.len();
        }
        Ok(Erased { leads, dead_letters: Some(discarded), unreadable: self.unreadable })
    }
}
