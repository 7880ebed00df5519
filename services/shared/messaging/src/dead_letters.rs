//! Lists, replays and discards dead letters on behalf of an operator.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use lapin::{
    options::{BasicAckOptions, BasicGetOptions, BasicNackOptions},
    types::{AMQPValue, FieldTable},
};
use runtime::trace;
use tokio::time::timeout;
use uuid::Uuid;

use crate::{
    confirm_channels::ConfirmChannels,
    connection::{Settings, connect_unchecked},
    error::{ConnectionError, PublishError},
    event::Event,
    message::{DEAD_LETTERED_AT, ERROR_CLASS, ERROR_DETAIL, REPLAYED, ReceivedMessage},
    topology::Subscription,
};

/// Error class of messages that reached the delivery limit, which the broker dead-letters.
pub const DELIVERY_LIMIT: &str = "delivery-limit";

/// The delivery tag for all unacknowledged messages of a channel.
const ALL: u64 = 0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    List,
    Replay,
    Discard,
}

/// The dead letters of one subscription. Requires permission to read the dead-letter queue, and to publish to
/// [`DEAD_LETTER_EXCHANGE`](crate::topology::DEAD_LETTER_EXCHANGE) with the name of the work queue as key.
pub struct DeadLetters {
    channels: ConfirmChannels,
    subscription: Subscription,
    settings: Settings,
}

pub struct DeadLetter {
    /// Identifies a message by its id, type and body, in any queue.
    pub fingerprint: Uuid,
    /// The lead's id; empty if the message has none.
    pub message_id: String,
    /// The message type, e.g. `lead.submitted.v1`.
    pub kind: String,
    /// E.g. `undecodable`, or [`DELIVERY_LIMIT`]; empty if unknown.
    pub error_class: String,
    pub error_detail: String,
    pub trace_id: Option<String>,
    pub dead_lettered_at: Option<DateTime<Utc>>,
    pub replayed: u32,
    /// `None` if the message cannot be decoded.
    pub event: Option<Event>,
}

#[derive(Debug, thiserror::Error)]
pub enum DeadLettersError {
    /// The broker is unavailable or denies the operation.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The broker did not confirm a copy. Messages moved before are in the work queue, the rest in the dead-letter queue.
    #[error("replay stopped after {moved} messages: {source}; repeat it to move the rest")]
    Interrupted { moved: usize, source: PublishError },
}

impl From<lapin::Error> for DeadLettersError {
    fn from(error: lapin::Error) -> Self {
        Self::Connection(error.into())
    }
}

impl DeadLetters {
    /// # Errors
    /// [`ConnectionError`] if the broker is unavailable or refuses the user.
    pub async fn connect(
        settings: Settings,
        subscription: Subscription,
    ) -> Result<Self, ConnectionError> {
        let channels = ConfirmChannels::new(connect_unchecked(&settings, "dead-letters").await?);
        Ok(Self {
            channels,
            subscription,
            settings,
        })
    }

    /// Lists all dead letters, oldest first, and leaves them in the queue.
    pub async fn list(&self) -> Result<Vec<DeadLetter>, DeadLettersError> {
        self.apply(Operation::List, |_| true).await
    }

    /// Moves the messages with these fingerprints to the work queue, and returns them. A crash may leave a message in both
    /// queues. This is harmless, because leads are stored and delivered idempotently.
    pub async fn replay(
        &self,
        selected: &HashSet<Uuid>,
    ) -> Result<Vec<DeadLetter>, DeadLettersError> {
        self.apply(Operation::Replay, |letter| {
            selected.contains(&letter.fingerprint)
        })
        .await
    }

    /// Deletes the messages with these fingerprints, and returns them for the caller's audit.
    pub async fn discard(
        &self,
        selected: &HashSet<Uuid>,
    ) -> Result<Vec<DeadLetter>, DeadLettersError> {
        self.apply(Operation::Discard, |letter| {
            selected.contains(&letter.fingerprint)
        })
        .await
    }

    async fn apply(
        &self,
        operation: Operation,
        is_selected: impl Fn(&DeadLetter) -> bool,
    ) -> Result<Vec<DeadLetter>, DeadLettersError> {
        let channel = self.channels.connection.create_channel().await?;
        // Gets all messages first, because a moved message may become a dead letter again and would be moved twice.
        let (queue, mut selected) = (self.subscription.dead_letter_queue, Vec::new());
        while let Some(got) = channel
            .basic_get(queue.into(), BasicGetOptions::default())
            .await?
        {
            let message = ReceivedMessage::from(got.delivery);
            let letter = DeadLetter::from(&message);
            if is_selected(&letter) {
                selected.push((message, letter));
            }
        }
        let mut letters = Vec::new();
        for (message, letter) in selected {
            if operation == Operation::Replay {
                let copy = message.copy(self.subscription.queue, replay_headers(&message));
                let publishing =
                    timeout(self.settings.publish_timeout, self.channels.publish(copy));
                let published = publishing.await.map_err(|_| ConnectionError::Stalled)??;
                let moved = letters.len();
                published.map_err(|source| DeadLettersError::Interrupted { moved, source })?;
            }
            if operation != Operation::List {
                message.acker.ack(BasicAckOptions::default()).await?;
            }
            letters.push(letter);
        }
        // Requeues the rest immediately. After the close of a channel, messages return with a delay.
        channel
            .basic_nack(
                ALL,
                BasicNackOptions {
                    multiple: true,
                    requeue: true,
                },
            )
            .await?;
        channel.close(200, "done".into()).await?;
        Ok(letters)
    }
}

fn replay_headers(message: &ReceivedMessage) -> FieldTable {
    let mut headers = message.headers_without(&[ERROR_CLASS, ERROR_DETAIL, DEAD_LETTERED_AT]);
    let replayed = message
        .number_header(REPLAYED)
        .unwrap_or(0)
        .saturating_add(1);
    headers.insert(REPLAYED.into(), AMQPValue::LongUInt(replayed));
    headers
}

impl From<&ReceivedMessage> for DeadLetter {
    fn from(message: &ReceivedMessage) -> Self {
        let text = |header| message.text_header(header).unwrap_or_default().to_owned();
        let recorded_at = || message.text_header(DEAD_LETTERED_AT)?.parse().ok();
        let limit_reached_at = message.broker_dead_lettered_at();
        // At the delivery limit, a reason in the headers is from an earlier dead-lettering.
        let (error_class, error_detail) = match limit_reached_at {
            Some(_) => (
                DELIVERY_LIMIT.to_owned(),
                "delivery limit reached without an acknowledgement".to_owned(),
            ),
            None => (text(ERROR_CLASS), text(ERROR_DETAIL)),
        };
        let identity = [
            message.id.as_bytes(),
            message.kind.as_bytes(),
            message.body.as_slice(),
        ]
        .join(&0);
        Self {
            fingerprint: Uuid::new_v5(&Uuid::NAMESPACE_OID, &identity),
            message_id: message.id.clone(),
            kind: message.kind.clone(),
            error_class,
            error_detail,
            trace_id: trace::trace_id(&message.context).map(|id| id.to_string()),
            dead_lettered_at: limit_reached_at.or_else(recorded_at),
            replayed: message.number_header(REPLAYED).unwrap_or(0),
            event: message.event().ok(),
        }
    }
}
