//! What can go wrong between here and the broker.

use std::time::Duration;

/// Why a publish was not confirmed. Unless said otherwise nobody has the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// No connection came up in time, or the one there was broke.
    #[error("the broker is away")]
    Away,
    /// The broker takes nothing because it is short of memory or disk.
    #[error("the broker is blocked by an alarm")]
    Blocked,
    /// No confirm came in time. The message is probably in the queue all the same.
    #[error("the broker did not confirm in time")]
    Unconfirmed,
    /// No queue is bound for it.
    #[error("the broker has no queue for it")]
    Unroutable,
    /// A queue is full.
    #[error("the broker refused it")]
    Refused,
    /// Too many publishes are waiting already.
    #[error("too many publishes are waiting")]
    Busy,
}

impl PublishError {
    /// Its name in metrics.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Away => "away",
            Self::Blocked => "blocked",
            Self::Unconfirmed => "unconfirmed",
            Self::Unroutable => "unroutable",
            Self::Refused => "refused",
            Self::Busy => "busy",
        }
    }
}

/// The broker's queues are not what they should be.
#[derive(Debug, thiserror::Error)]
#[error("{what} could not be {mode}: {source}")]
pub struct DeclareError {
    pub(crate) what: String,
    pub(crate) mode: &'static str,
    pub(crate) source: lapin::Error,
}

/// Why there is no connection, or no longer one.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The address is not an AMQP address.
    #[error("not an AMQP address: {0}")]
    Address(String),
    /// The broker did not answer in time.
    #[error("the broker did not answer within {0:?}")]
    Timeout(Duration),
    /// The broker, or what is between, ended it.
    #[error("the connection to the broker broke: {0}")]
    Broken(#[from] lapin::Error),
    /// Connected, but the queues are not as they should be.
    #[error(transparent)]
    Topology(#[from] DeclareError),
    /// Confirms did not come, so nothing can be said of what was published.
    #[error("the broker did not confirm in time")]
    Stalled,
    /// The broker ended the subscription, as when its queue is deleted.
    #[error("the broker ended the subscription")]
    Cancelled,
    /// A handled message could be settled nowhere.
    #[error("a message could not be settled: {0}")]
    Unsettled(#[from] PublishError),
}

/// `access-refused` and `not-allowed` of AMQP.
const REFUSALS: [u16; 2] = [403, 530];

impl ConnectionError {
    /// Whether the broker is there and does not let this user in, or do this.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        let Self::Broken(error) = self else { return false };
        matches!(error.kind(), lapin::ErrorKind::ProtocolError(error) if REFUSALS.contains(&error.get_id()))
    }
}
