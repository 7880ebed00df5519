//! Dead letters: messages that a service could not decode or store, listed, replayed and discarded.

mod broker;
mod message;

pub(crate) use broker::{DeadLetterQueue, open};
pub(crate) use message::{Contents, Message, Report};

use std::collections::BTreeSet;

use runtime::clock::Clock;
use uuid::Uuid;

use crate::{
    cli::{MessagesCommand, Queue, Selection},
    config::Config,
    confirm::confirm,
    error::Error,
    output::{Output, counted, one_line},
};

/// Carries a command out, on the dead letters of one service or of all.
pub(crate) async fn run(
    command: MessagesCommand,
    queue: Option<Queue>,
    config: &Config,
    clock: &impl Clock,
    output: &mut Output,
) -> Result<(), Error> {
    let queues = open(config, queue).await?;
    let messages = list(&queues).await?;
    match command {
        MessagesCommand::List => output.dead_letters(&messages),
        MessagesCommand::Show { name } => output.dead_letters_in_full(&called(messages, &name)?),
        MessagesCommand::Replay(selection) => {
            let wanted = selected(messages, &selection, "Replay", config, clock).await?;
            decide(&queues, DeadLetterQueue::replay, &wanted, "replayed", output).await
        }
        MessagesCommand::Discard(selection) => {
            let wanted = selected(messages, &selection, "Discard", config, clock).await?;
            decide(&queues, DeadLetterQueue::discard, &wanted, "discarded", output).await
        }
    }
}

/// What lies in the queues, queue by queue, each from the oldest on.
pub(crate) async fn list(queues: &[DeadLetterQueue]) -> Result<Vec<Message>, Error> {
    let mut all = Vec::new();
    for queue in queues {
        all.extend(queue.list().await?);
    }
    Ok(all)
}

async fn selected(
    messages: Vec<Message>,
    selection: &Selection,
    what: &str,
    config: &Config,
    clock: &impl Clock,
) -> Result<Vec<Message>, Error> {
    if let Some(name) = selection.name() {
        return called(messages, name);
    }
    let since = selection.since().map(|when| when.begins(clock.now(), config.time_zone));
    let is_meant = |message: &Message| since.is_none_or(|since| message.since.is_some_and(|it| it >= since));
    let wanted: Vec<_> = messages.into_iter().filter(is_meant).collect();
    if selection.is_to_be_confirmed() && !wanted.is_empty() {
        confirm(&format!("{what} {}?", counted(wanted.len() as u64, "dead letter", "dead letters"))).await?;
    }
    Ok(wanted)
}

/// All that one name stands for: both services may have a dead letter about the same lead.
fn called(messages: Vec<Message>, name: &str) -> Result<Vec<Message>, Error> {
    let found: Vec<_> = messages.into_iter().filter(|message| message.is_called(name)).collect();
    let subjects: BTreeSet<_> = found.iter().map(Message::subject).collect();
    match subjects.len() {
        0 => Err(Error::NoDeadLetter(one_line(name))),
        1 => Ok(found),
        _ => {
            let ids: Vec<_> = subjects.iter().map(Uuid::to_string).collect();
            Err(Error::Ambiguous(format!("{name} names several messages: {}.", ids.join(", "))))
        }
    }
}

/// Shows what was done before a failure, too.
async fn decide(
    queues: &[DeadLetterQueue],
    decide: impl AsyncFn(&DeadLetterQueue, &[Message]) -> Result<Vec<Message>, Error>,
    wanted: &[Message],
    done: &str,
    output: &mut Output,
) -> Result<(), Error> {
    let (mut decided, mut failure) = (Vec::new(), None);
    for queue in queues {
        match decide(queue, wanted).await {
            Ok(messages) => decided.extend(messages),
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    output.decided_letters(&decided, done)?;
    failure.map_or(Ok(()), Err)
}
