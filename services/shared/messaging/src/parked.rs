//! What was parked: listed, put back to work, or discarded by a person who looked at it.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use lapin::{
    Channel,
    options::{BasicAckOptions, ConfirmSelectOptions},
    types::{AMQPValue, FieldTable},
};
use runtime::trace::TraceParent;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::{
    connection::{self, BrokerConnection},
    error::{ConnectionError, PublishError},
    event::Event,
    hold::{hold, let_go},
    lane::{self, BATCH, Request},
    message::{ATTEMPT, ERROR_CLASS, ERROR_DETAIL, Message, PARKED_AT, REPLAYED},
    settings::Settings,
    topology::Subscription,
};

/// Error class of what the broker parked itself, because consumers died with it again and again.
pub const DELIVERY_LIMIT: &str = "delivery-limit";

/// The parked messages of one subscription. Its user needs to read `*.parked` and to write to the default exchange.
pub struct Parked {
    connection: BrokerConnection,
    subscription: Subscription,
    settings: Settings,
}

/// A message that was parked.
pub struct ParkedMessage {
    /// Tells messages apart that have no id, or the same: made of id, type and body, whichever queue they are in.
    pub fingerprint: Uuid,
    /// The lead's id; empty when the message had none.
    pub message_id: String,
    /// Its type, e.g. `lead.submitted.v1`.
    pub kind: String,
    /// How often it was tried.
    pub attempt: u32,
    /// The kind of error it was parked for, e.g. `smtp-rejected`, or [`DELIVERY_LIMIT`]; empty when nobody said.
    pub error_class: String,
    /// What happened, for a person.
    pub error_detail: String,
    /// The trace it belongs to.
    pub trace: Option<TraceParent>,
    /// When it was parked.
    pub parked_at: Option<DateTime<Utc>>,
    /// How often it was put back to work.
    pub replayed: u32,
    /// What it says, when it is an event we know.
    pub event: Option<Event>,
}

/// Which parked messages are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Those with this message id.
    Id(String),
    /// All of them.
    All,
    /// Those that were parked at this time or later, as far as that is known.
    Since(DateTime<Utc>),
    /// Exactly those of these fingerprints.
    These(HashSet<Uuid>),
}

/// Why parked messages could not be dealt with.
#[derive(Debug, thiserror::Error)]
pub enum ParkedError {
    /// The broker is away, or does not let us.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// A copy was not confirmed; what was moved before is at work, the rest is still parked.
    #[error("stopped after {moved} messages: {source}")]
    Interrupted {
        /// How many were moved.
        moved: usize,
        /// Why the next was not.
        source: PublishError,
    },
}

impl From<lapin::Error> for ParkedError {
    fn from(error: lapin::Error) -> Self {
        Self::Connection(error.into())
    }
}

impl Selection {
    fn takes(&self, message: &ParkedMessage) -> bool {
        match self {
            Self::Id(id) => message.message_id == *id,
            Self::All => true,
            Self::Since(time) => message.parked_at.is_some_and(|parked_at| parked_at >= *time),
            Self::These(fingerprints) => fingerprints.contains(&message.fingerprint),
        }
    }
}

impl Parked {
    /// Connects; declares and checks nothing.
    ///
    /// # Errors
    /// [`ConnectionError`] when the broker is away or refuses the user.
    pub async fn open(settings: Settings, subscription: Subscription) -> Result<Self, ConnectionError> {
        let connection = connection::open(&settings, "parked").await?;
        Ok(Self { connection, subscription, settings })
    }

    /// What is parked, oldest first. It stays where it is.
    ///
    /// # Errors
    /// [`ParkedError`]
    pub async fn list(&self) -> Result<Vec<ParkedMessage>, ParkedError> {
        let channel = self.connection.create_channel().await?;
        let messages = self.get(&channel, &Selection::All).await?;
        let_go(&channel).await?;
        Ok(messages.into_iter().map(|(_, parked)| parked).collect())
    }

    /// Puts messages back to work, at their first attempt, and returns them. A crash in between may leave one in both
    /// queues, where it does no harm: a lead is stored once and told once, however often it comes.
    ///
    /// # Errors
    /// [`ParkedError`]
    pub async fn replay(&self, selection: &Selection) -> Result<Vec<ParkedMessage>, ParkedError> {
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
            for ((message, parked), result) in batch.into_iter().zip(results) {
                match result {
                    Ok(()) => {
                        message.acker.ack(BasicAckOptions::default()).await?;
                        moved.push(parked);
                    }
                    Err(source) => failure = Some(source),
                }
            }
            if let Some(source) = failure {
                return Err(ParkedError::Interrupted { moved: moved.len(), source });
            }
        }
        let_go(&channel).await?;
        Ok(moved)
    }

    /// Throws messages away and returns them, so that it can be written down what they were.
    ///
    /// # Errors
    /// [`ParkedError`]
    pub async fn discard(&self, selection: &Selection) -> Result<Vec<ParkedMessage>, ParkedError> {
        let channel = self.connection.create_channel().await?;
        let mut discarded = Vec::new();
        for (message, parked) in self.get(&channel, selection).await? {
            message.acker.ack(BasicAckOptions::default()).await?;
            discarded.push(parked);
        }
        let_go(&channel).await?;
        Ok(discarded)
    }

    /// Takes all there is and keeps what is selected. Nothing is acknowledged: whatever still is not when it is let
    /// go of is parked as before. All at once, so that what is parked again meanwhile is not taken twice.
    async fn get(
        &self,
        channel: &Channel,
        selection: &Selection,
    ) -> Result<Vec<(Message, ParkedMessage)>, lapin::Error> {
        let queue = self.subscription.parked_queue();
        let with_contents = |message: Message| {
            let parked = ParkedMessage::from(&message);
            (message, parked)
        };
        let messages = hold(channel, &queue).await?.into_iter().map(with_contents);
        Ok(messages.filter(|(_, parked)| selection.takes(parked)).collect())
    }

    async fn copy_back(
        &self,
        channel: &Channel,
        batch: &[(Message, ParkedMessage)],
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

fn headers_to_replay(message: &Message) -> FieldTable {
    let mut headers = message.headers_without(&[ATTEMPT, ERROR_CLASS, ERROR_DETAIL, PARKED_AT]);
    let replayed = message.number(REPLAYED).unwrap_or(0).saturating_add(1);
    headers.insert(REPLAYED.into(), AMQPValue::LongUInt(replayed));
    headers
}

fn fingerprint(message: &Message) -> Uuid {
    let parts = [message.id.as_bytes(), message.kind.as_bytes(), message.body.as_slice()].join(&0);
    Uuid::new_v5(&Uuid::NAMESPACE_OID, &parts)
}

impl From<&Message> for ParkedMessage {
    fn from(message: &Message) -> Self {
        let text = |header| message.text(header).unwrap_or_default().to_owned();
        let parked_by_us = || message.text(PARKED_AT)?.parse().ok();
        let given_up = message.given_up_by_the_broker();
        // A reason in its headers is then that of an earlier try.
        let (error_class, error_detail) = match given_up {
            Some(_) => (DELIVERY_LIMIT.to_owned(), "delivered again and again, never settled".to_owned()),
            None => (text(ERROR_CLASS), text(ERROR_DETAIL)),
        };
        Self {
            fingerprint: fingerprint(message),
            message_id: message.id.clone(),
            kind: message.kind.clone(),
            attempt: message.attempt(),
            error_class,
            error_detail,
            trace: message.trace(),
            parked_at: given_up.or_else(parked_by_us),
            replayed: message.number(REPLAYED).unwrap_or(0),
            event: message.event().ok(),
        }
    }
}
