//! The copies of messages that lie in any queue: to be worked on, waiting for another try, parked. They are held while
//! somebody finds out which of them must not come round any more; those are dropped, the others go on as if nothing
//! had been.

use lapin::{Channel, options::BasicAckOptions, protocol::AMQPSoftError};

use crate::{
    connection::{self, BrokerConnection},
    error::ConnectionError,
    event::Event,
    hold::{hold, let_go},
    message::Message,
    settings::Settings,
    topology,
};

/// What was held is looked for again, since a consumer may have moved a message meanwhile to where was looked before.
/// New leads may come for ever, so that it ends sometime.
const ROUNDS: usize = 4;

/// A message that lies in a queue.
pub struct Copy {
    /// The queue.
    pub queue: String,
    /// The lead's id; empty when the message has none.
    pub message_id: String,
    /// What it says, when it is an event we know.
    pub event: Option<Event>,
}

/// All that lay in the queues, in hand until this value ends: nobody else gets it, and no wait for another try ends
/// meanwhile, though each is counted from when it began. Its user needs to read every queue; each message in a queue
/// that is worked on counts as delivered once more. What a consumer has in hand is not among them.
pub struct HeldCopies {
    queues: Vec<HeldQueue>,
    // After the channels: they are closed on it.
    _connection: BrokerConnection,
}

struct HeldQueue {
    name: String,
    channel: Channel,
    held: Vec<(Message, Copy)>,
}

impl HeldCopies {
    /// Connects and takes what lies in the queues of every service, with the retry queues of the settings' schedule.
    /// Queues that are not there hold nothing.
    ///
    /// # Errors
    /// [`ConnectionError`] when the broker is away, or refuses the user; nothing is held then.
    pub async fn take(settings: &Settings) -> Result<Self, ConnectionError> {
        let connection = connection::open(settings, "copies").await?;
        let mut queues = Vec::new();
        for queue in topology::queues(&settings.retry_after) {
            let mut queue =
                HeldQueue { name: queue.name, channel: connection.create_channel().await?, held: Vec::new() };
            match queue.take_more().await {
                Ok(_) => queues.push(queue),
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut copies = Self { queues, _connection: connection };
        for _ in 1..ROUNDS {
            if copies.take_more().await? == 0 {
                break;
            }
        }
        Ok(copies)
    }

    /// What is held, queue by queue, each from its beginning.
    pub fn iter(&self) -> impl Iterator<Item = &Copy> {
        self.queues.iter().flat_map(|queue| &queue.held).map(|(_, copy)| copy)
    }

    /// Drops those that are doomed, for good, and returns how many; lets the others go.
    ///
    /// # Errors
    /// [`ConnectionError`] when the broker went away; some may be dropped then, and the others lie where they lay.
    pub async fn drop_those(self, is_doomed: impl Fn(&Copy) -> bool) -> Result<usize, ConnectionError> {
        let mut dropped = 0;
        for queue in &self.queues {
            for (message, _) in queue.held.iter().filter(|(_, copy)| is_doomed(copy)) {
                message.acker.ack(BasicAckOptions::default()).await?;
                dropped += 1;
            }
        }
        self.release().await?;
        Ok(dropped)
    }

    /// Lets all of them go.
    ///
    /// # Errors
    /// [`ConnectionError`] when the broker went away; it has let them go itself then.
    pub async fn release(self) -> Result<(), ConnectionError> {
        for queue in &self.queues {
            let_go(&queue.channel).await?;
        }
        Ok(())
    }

    async fn take_more(&mut self) -> Result<usize, lapin::Error> {
        let mut found = 0;
        for queue in &mut self.queues {
            found += queue.take_more().await?;
        }
        Ok(found)
    }
}

impl HeldQueue {
    async fn take_more(&mut self) -> Result<usize, lapin::Error> {
        let messages = hold(&self.channel, &self.name).await?;
        let found = messages.len();
        self.held.extend(messages.into_iter().map(|message| {
            let copy = Copy {
                queue: self.name.clone(),
                message_id: message.id.clone(),
                event: message.event().ok(),
            };
            (message, copy)
        }));
        Ok(found)
    }
}

fn is_absent(error: &lapin::Error) -> bool {
    let lapin::ErrorKind::ProtocolError(error) = error.kind() else { return false };
    error.get_id() == AMQPSoftError::NOTFOUND.get_id()
}
