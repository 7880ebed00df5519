//! Messages that a service could not deal with: looked at, put back, thrown away.

mod broker;
mod message;
mod notes;

pub(crate) use message::{Contents, Message};

use std::collections::BTreeSet;

use contracts::crm::v1::Action;
use runtime::clock::Clock;
use uuid::Uuid;

use self::{broker::ParkedQueue, notes::Notes};
use crate::{
    cli::{Confirmation, ParkedCommand, Queue, Selection},
    config::Config,
    confirm::confirm,
    error::Error,
    output::Output,
};

/// Carries a command out, on what one service parked or on all.
pub(crate) async fn run(
    command: ParkedCommand,
    queue: Option<Queue>,
    config: &Config,
    clock: &impl Clock,
    output: &mut Output,
) -> Result<(), Error> {
    let queues = broker::open(config, queue).await?;
    let parked = list(&queues).await?;
    match command {
        ParkedCommand::List => output.parked(&parked),
        ParkedCommand::Show { name } => output.parked_in_full(&called(parked, &name)?),
        ParkedCommand::Replay { selection, confirmation } => {
            let wanted = selected(parked, &selection, config, clock)?;
            agree("Put back", wanted.len(), &selection, &confirmation)?;
            replay(&queues, &wanted, &mut Notes::new(config), output).await
        }
        ParkedCommand::Discard { selection, confirmation, why } => {
            let wanted = selected(parked, &selection, config, clock)?;
            agree("Throw away", wanted.len(), &selection, &confirmation)?;
            discard(&queues, wanted, &why, &mut Notes::new(config), output).await
        }
    }
}

async fn list(queues: &[ParkedQueue]) -> Result<Vec<Message>, Error> {
    let mut all = Vec::new();
    for queue in queues {
        all.extend(queue.list().await?);
    }
    Ok(all)
}

fn selected(
    parked: Vec<Message>,
    selection: &Selection,
    config: &Config,
    clock: &impl Clock,
) -> Result<Vec<Message>, Error> {
    if let Some(name) = &selection.name {
        return called(parked, name);
    }
    let Some(since) = selection.since else { return Ok(parked) };
    let since = since.begins(clock.now(), config.time_zone);
    let is_meant = |message: &Message| message.parked_at.is_some_and(|parked_at| parked_at >= since);
    Ok(parked.into_iter().filter(is_meant).collect())
}

/// All that one name stands for: the same lead may be parked by both services.
fn called(parked: Vec<Message>, name: &str) -> Result<Vec<Message>, Error> {
    let found: Vec<_> = parked.into_iter().filter(|message| message.is_called(name)).collect();
    let subjects: BTreeSet<_> = found.iter().map(Message::subject).collect();
    match subjects.len() {
        0 => Err(Error::NotParked(crate::output::one_line(name))),
        1 => Ok(found),
        _ => {
            let ids: Vec<_> = subjects.iter().map(Uuid::to_string).collect();
            Err(Error::Ambiguous(format!("{name} names several messages: {}.", ids.join(", "))))
        }
    }
}

fn agree(what: &str, count: usize, selection: &Selection, given: &Confirmation) -> Result<(), Error> {
    if !selection.all || given.yes || count == 0 {
        return Ok(());
    }
    let messages = if count == 1 { "message" } else { "messages" };
    confirm(&format!("{what} {count} parked {messages}?"))
}

/// Gives messages back first: a CRM that is away is no reason to keep leads waiting.
async fn replay(
    queues: &[ParkedQueue],
    wanted: &[Message],
    notes: &mut Notes<'_>,
    output: &mut Output,
) -> Result<(), Error> {
    let (mut moved, mut failure) = (Vec::new(), None);
    for queue in queues {
        match queue.replay(wanted).await {
            Ok(messages) => moved.extend(messages),
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    output.moved(&moved, "Put back")?;
    let leads: BTreeSet<_> = moved.iter().filter_map(|message| message.lead_id).collect();
    for lead_id in leads {
        if let Err(error) = notes.add(lead_id, Action::Replayed, "").await {
            output.remark(&format!("not noted in the timelines of the leads put back: {error}"))?;
            break;
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Notes the reason first: once a message is gone there is nothing left to hang it on.
async fn discard(
    queues: &[ParkedQueue],
    wanted: Vec<Message>,
    why: &str,
    notes: &mut Notes<'_>,
    output: &mut Output,
) -> Result<(), Error> {
    let (mut noted, mut failure) = (BTreeSet::new(), None);
    let leads: BTreeSet<_> = wanted.iter().filter_map(|message| message.lead_id).collect();
    for lead_id in leads {
        match notes.add(lead_id, Action::Discarded, why).await {
            Ok(()) => noted.insert(lead_id),
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
    }
    let may_go =
        |message: &Message| message.lead_id.map_or(failure.is_none(), |lead_id| noted.contains(&lead_id));
    let (doomed, kept): (Vec<_>, Vec<_>) = wanted.into_iter().partition(may_go);
    let mut moved = Vec::new();
    for queue in queues {
        match queue.discard(&doomed).await {
            Ok(messages) => moved.extend(messages),
            Err(error) => {
                output.moved(&moved, "Thrown away")?;
                return Err(error);
            }
        }
    }
    let no_leads = moved.iter().filter(|message| message.lead_id.is_none()).count();
    if failure.is_none() || !moved.is_empty() {
        output.moved(&moved, "Thrown away")?;
    }
    if no_leads > 0 {
        output.remark(&format!("{no_leads} of them about no lead, so that the reason is noted nowhere."))?;
    }
    match failure {
        None => Ok(()),
        Some(cause) => Err(Error::NotNoted { kept: kept.len(), cause: Box::new(cause) }),
    }
}
