//! Dead letters: listed, put back to work, or discarded by an operator who looked at them.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use lapin::{
    Channel,
    options::{BasicAckOptions, BasicGetOptions, BasicNackOptions, ConfirmSelectOptions},
    types::{AMQPValue, FieldTable},
};
use runtime::trace::TraceParent;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::{
    connection::{self, BrokerConnection},
    error::{ConnectionError, PublishError},
    event::Event,
    lane::{self, BATCH, Request},
    message::{DEAD_LETTERED_AT, ERROR_CLASS, ERROR_DETAIL, Message, REPLAYED},
    settings::Settings,
    topology::Subscription,
};

/// Error class of what the broker made a dead letter itself, because consumers died with it again and again.
pub const DELIVERY_LIMIT: &str = "delivery-limit";

/// The dead letters of one subscription. The user needs to read its dead-letter queue and to write to the default
/// exchange.
pub struct DeadLetters {
    connection: BrokerConnection,
    subscription: Subscription,
    settings: Settings,
}

/// A message that could not be dealt with.
pub struct DeadLetter {
    /// Tells messages apart that have no id, or the same: made of id, type and body, whichever queue they are in.
    pub fingerprint: Uuid,
    /// The lead's id; empty when the message had none.
    pub message_id: String,
    /// Its type, e.g. `lead.submitted.v1`.
    pub kind: String,
    /// The kind of error, e.g. `undecodable`, or [`DELIVERY_LIMIT`]; empty when none was given.
    pub error_class: String,
    /// What happened, for a person.
    pub error_detail: String,
    /// The trace it belongs to.
    pub trace: Option<TraceParent>,
    /// When it became a dead letter.
    pub dead_lettered_at: Option<DateTime<Utc>>,
    /// How often it was put back to work.
    pub replayed: u32,
    /// What it says, when it is an event we know.
    pub event: Option<Event>,
}

/// Which dead letters are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Those with this message id.
    Id(String),
    /// Every one.
    All,
    /// Those that became dead letters at this time or later, as far as that is known.
    Since(DateTime<Utc>),
    /// Exactly those of these fingerprints.
    These(HashSet<Uuid>),
}

/// Why dead letters could not be dealt with.
#[derive(Debug, thiserror::Error)]
pub enum DeadLettersError {
    /// The broker is away, or does not let us.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// A copy was not confirmed; what was moved before is at work, the rest is where it was.
    #[error("stopped after {moved} messages: {source}")]
    Interrupted {
        /// How many were moved.
        moved: usize,
        /// Why the next was not.
        source: PublishError,
    },
}

impl From<lapin::Error> for DeadLettersError {
    fn from(error: lapin::Error) -> Self {
        Self::Connection(error.into())
    }
}

impl Selection {
    fn takes(&self, message: &DeadLetter) -> bool {
        match self {
            Self::Id(id) => message.message_id == *id,
            Self::All => true,
            Self::Since(time) => message.dead_lettered_at.is_some_and(|at| at >= *time),
            Self::These(fingerprints) => fingerprints.contains(&message.fingerprint),
        }
    }
}

impl DeadLetters {
    /// Connects; declares and checks nothing.
    ///
    /// # Errors
    /// [`ConnectionError`] when the broker is away or refuses the user.
    pub async fn open(settings: Settings, subscription: Subscription) -> Result<Self, ConnectionError> {
        let connection = connection::open(&settings, "dead-letters").await?;
        Ok(Self { connection, subscription, settings })
    }

    /// Every dead letter, oldest first. They stay where they are.
    ///
    /// # Errors
    /// [`DeadLettersError`]
    pub async fn list(&self) -> Result<Vec<DeadLetter>, DeadLettersError> {
        let channel = self.connection.create_channel().await?;
        let messages = self.get(&channel, &Selection::All).await?;
        let_go(&channel).await?;
        Ok(messages.into_iter().map(|(_, letter)| letter).collect())
    }

    /// Puts messages back to work as if they were new, and returns them. A crash in between may leave one in both
    /// queues, where it does no harm: a lead is stored once and delivered once, however often it comes.
    ///
    /// # Errors
    /// [`DeadLettersError`]
    pub async fn replay(&self, selection: &Selection) -> Result<Vec<DeadLetter>, DeadLettersError> {
        let channel = self.connection.create_channel().await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        let mut waiting = self.get(&channel, selection).await?.into_iter();
        let mut moved = Vec::with_capacity(waiting.len());
        loop {
            let batch: Vec<_> = waiting.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let results = self.copy_back(&channel, &batch).await?;
            let mut failure = None;
            for ((message, letter), result) in batch.into_iter().zip(results) {
                match result {
                    Ok(()) => {
                        message.acker.ack(BasicAckOptions::default()).await?;
                        moved.push(letter);
                    }
                    Err(source) => failure = Some(source),
                }
            }
            if let Some(source) = failure {
                return Err(DeadLettersError::Interrupted { moved: moved.len(), source });
            }
        }
        let_go(&channel).await?;
        Ok(moved)
    }

    /// Throws messages away and returns them, so that it can be written down what they were.
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
        let_go(&channel).await?;
        Ok(discarded)
    }

    /// Takes everything that is ready and keeps what is selected. Nothing is acknowledged: whatever still is not when
    /// it is let go of, or the channel is lost, lies in the queue as before. All at once, so that what becomes a dead
    /// letter again meanwhile is not taken twice.
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
            if selection.takes(&letter) {
                selected.push((message, letter));
            }
        }
        Ok(selected)
    }

    async fn copy_back(
        &self,
        channel: &Channel,
        batch: &[(Message, DeadLetter)],
    ) -> Result<Vec<Result<(), PublishError>>, ConnectionError> {
        let (mut requests, mut answers) = (Vec::new(), Vec::new());
        for (message, _) in batch {
            let (answer, answered) = oneshot::channel();
            let message = message.copy(self.subscription.queue(), headers_to_replay(message));
            requests.push(Request { message, answer });
            answers.push(answered);
        }
        lane::publish_batch(channel, requests, self.settings.publish_timeout).await?;
        let mut results = Vec::with_capacity(answers.len());
        for answered in answers {
            results.push(answered.await.unwrap_or(Err(PublishError::Unconfirmed)));
        }
        Ok(results)
    }
}

/// Lets go of all that is held on a channel and closes it. Who looks next finds it there: what a closed channel held
/// comes back by itself, but some time later.
async fn let_go(channel: &Channel) -> Result<(), lapin::Error> {
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
        // A reason in its headers is then an earlier one.
        let (error_class, error_detail) = match given_up {
            Some(_) => (DELIVERY_LIMIT.to_owned(), "delivered again and again, never settled".to_owned()),
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
