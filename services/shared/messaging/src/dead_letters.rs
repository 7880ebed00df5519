//! Lists, replays and discards dead letters on behalf of an operator.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use lapin::{
    Channel,
    options::{BasicAckOptions, BasicGetOptions, BasicNackOptions},
    types::{AMQPValue, FieldTable},
};
use runtime::trace::TraceParent;
use uuid::Uuid;

use crate::{
    confirm_channel::ConfirmChannel,
    connection::{self, BrokerConnection},
    error::{ConnectionError, PublishError},
    event::Event,
    message::{DEAD_LETTERED_AT, ERROR_CLASS, ERROR_DETAIL, Message, REPLAYED},
    settings::Settings,
    topology::Subscription,
};

/// Error class of messages dead-lettered by the broker because they reached the delivery limit.
pub const DELIVERY_LIMIT: &str = "delivery-limit";

/// The dead letters of one subscription. Needs permission to read its dead-letter queue and to publish with the
/// work queue's key to [`DEAD_LETTER_EXCHANGE`](crate::topology::DEAD_LETTER_EXCHANGE).
pub struct DeadLetters {
    connection: BrokerConnection,
    subscription: Subscription,
    settings: Settings,
}

/// A message in a dead-letter queue.
pub struct DeadLetter {
    /// Identifies a message by id, type and body, independent of its queue.
    pub fingerprint: Uuid,
    /// The lead's id; empty when the message has none.
    pub message_id: String,
    /// The message type, e.g. `lead.submitted.v1`.
    pub kind: String,
    /// E.g. `undecodable`, or [`DELIVERY_LIMIT`]; empty when unknown.
    pub error_class: String,
    /// Description of the error for the operator.
    pub error_detail: String,
    /// The trace that the message belongs to.
    pub trace: Option<TraceParent>,
    /// The time it became a dead letter, if known.
    pub dead_lettered_at: Option<DateTime<Utc>>,
    /// Number of replays.
    pub replayed: u32,
    /// `None` when the message cannot be decoded.
    pub event: Option<Event>,
}

/// Selects dead letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// By message id.
    Id(String),
    /// All dead letters.
    All,
    /// Dead-lettered at or after this time; excludes those with an unknown time.
    Since(DateTime<Utc>),
    /// By fingerprint.
    These(HashSet<Uuid>),
}

/// An operation on dead letters failed.
#[derive(Debug, thiserror::Error)]
pub enum DeadLettersError {
    /// The broker is unavailable or denies the operation.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// A copy was not confirmed. Messages moved before are in the work queue, the rest still in the dead-letter queue.
    #[error("replay stopped after {moved} messages: {source}; repeat it to move the rest")]
    Interrupted {
        /// Number of messages moved.
        moved: usize,
        /// Error of the next message.
        source: PublishError,
    },
}

impl From<lapin::Error> for DeadLettersError {
    fn from(error: lapin::Error) -> Self {
        Self::Connection(error.into())
    }
}

impl Selection {
    fn matches(&self, message: &DeadLetter) -> bool {
        match self {
            Self::Id(id) => message.message_id == *id,
            Self::All => true,
            Self::Since(time) => message.dead_lettered_at.is_some_and(|at| at >= *time),
            Self::These(fingerprints) => fingerprints.contains(&message.fingerprint),
        }
    }
}

impl DeadLetters {
    /// Connects without checking the topology.
    ///
    /// # Errors
    /// [`ConnectionError`] when the broker is unavailable or refuses the user.
    pub async fn connect(settings: Settings, subscription: Subscription) -> Result<Self, ConnectionError> {
        let connection = connection::connect_unchecked(&settings, "dead-letters").await?;
        Ok(Self { connection, subscription, settings })
    }

    /// All dead letters, oldest first. They stay in the queue.
    ///
    /// # Errors
    /// [`DeadLettersError`]
    pub async fn list(&self) -> Result<Vec<DeadLetter>, DeadLettersError> {
        let channel = self.connection.create_channel().await?;
        let messages = self.get(&channel, &Selection::All).await?;
        requeue_all(&channel).await?;
        Ok(messages.into_iter().map(|(_, letter)| letter).collect())
    }

    /// Moves messages to the work queue and returns them. A crash may leave a message in both queues, which is
    /// harmless: leads are stored and delivered idempotently.
    ///
    /// # Errors
    /// [`DeadLettersError`]
    pub async fn replay(&self, selection: &Selection) -> Result<Vec<DeadLetter>, DeadLettersError> {
        let channel = self.connection.create_channel().await?;
        let confirms = ConfirmChannel::open(&self.connection, self.settings.publish_timeout).await?;
        let mut moved = Vec::new();
        for (message, letter) in self.get(&channel, selection).await? {
            let copy = message.copy(self.subscription.queue(), headers_to_replay(&message));
            if let Err(source) = confirms.publish(copy).await? {
                return Err(DeadLettersError::Interrupted { moved: moved.len(), source });
            }
            message.acker.ack(BasicAckOptions::default()).await?;
            moved.push(letter);
        }
        requeue_all(&channel).await?;
        Ok(moved)
    }

    /// Deletes messages and returns them, so that the caller can record them.
    ///
    /// # Errors
    /// [`DeadLettersError`]
    pub async fn discard(&self, selection: &Selection) -> Result<Vec<DeadLetter>, DeadLettersError> {
        let channel = self.connection.create_channel().await?;
        let mut discarded = Vec::new();
        for (message, letter) in self.get(&channel, selection).await? {
            message.acker.ack(BasicAckOptions::default()).await?;
            discarded.push(letter);
        }
        requeue_all(&channel).await?;
        Ok(discarded)
    }

    /// Gets all ready messages and returns the selected ones. Acknowledges none: unacknowledged messages return to the
    /// queue when released or when the channel closes. Gets all at once, so that messages dead-lettered again meanwhile
    /// are not taken twice.
    async fn get(
        &self,
        channel: &Channel,
        selection: &Selection,
    ) -> Result<Vec<(Message, DeadLetter)>, lapin::Error> {
        let queue = self.subscription.dead_letter_queue();
        let mut selected = Vec::new();
        while let Some(got) = channel.basic_get(queue.as_str().into(), BasicGetOptions::default()).await? {
            let message = Message::from(got.delivery);
            let letter = DeadLetter::from(&message);
            if selection.matches(&letter) {
                selected.push((message, letter));
            }
        }
        Ok(selected)
    }
}

/// Requeues all unacknowledged messages of a channel and closes it. Without the explicit requeue they would reappear
/// only some time after closing.
async fn requeue_all(channel: &Channel) -> Result<(), lapin::Error> {
    const ALL: u64 = 0;
    channel.basic_nack(ALL, BasicNackOptions { multiple: true, requeue: true }).await?;
    channel.close(200, "done".into()).await
}

fn headers_to_replay(message: &Message) -> FieldTable {
    let mut headers = message.headers_without(&[ERROR_CLASS, ERROR_DETAIL, DEAD_LETTERED_AT]);
    let replayed = message.number(REPLAYED).unwrap_or(0).saturating_add(1);
    headers.insert(REPLAYED.into(), AMQPValue::LongUInt(replayed));
    headers
}

fn fingerprint(message: &Message) -> Uuid {
    let parts = [message.id.as_bytes(), message.kind.as_bytes(), message.body.as_slice()].join(&0);
    Uuid::new_v5(&Uuid::NAMESPACE_OID, &parts)
}

impl From<&Message> for DeadLetter {
    fn from(message: &Message) -> Self {
        let text = |header| message.text(header).unwrap_or_default().to_owned();
        let made_by_us = || message.text(DEAD_LETTERED_AT)?.parse().ok();
        let given_up = message.given_up_by_the_broker();
        // Any reason in the headers is then of an earlier dead-lettering.
        let (error_class, error_detail) = match given_up {
            Some(_) => {
                (DELIVERY_LIMIT.to_owned(), "delivery limit reached without an acknowledgement".to_owned())
            }
            None => (text(ERROR_CLASS), text(ERROR_DETAIL)),
        };
        Self {
            fingerprint: fingerprint(message),
            message_id: message.id.clone(),
            kind: message.kind.clone(),
            error_class,
            error_detail,
            trace: message.trace(),
            dead_lettered_at: given_up.or_else(made_by_us),
            replayed: message.number(REPLAYED).unwrap_or(0),
            event: message.event().ok(),
        }
    }
}
