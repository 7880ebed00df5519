//! Errors of connections and publishes.

use std::time::Duration;

/// A publish was not confirmed. The broker does not have the message, except possibly after `Unconfirmed`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum PublishError {
    /// There was no connection within the time limit, or the connection broke.
    #[error("broker unavailable")]
    Unavailable,
    #[error("broker blocked by a memory or disk alarm")]
    Blocked,
    /// The message is probably in the queue.
    #[error("broker did not confirm in time")]
    Unconfirmed,
    #[error("no queue is bound to the routing key")]
    Unroutable,
    /// A queue is full.
    #[error("broker rejected the message")]
    Refused,
}

impl PublishError {
    pub(crate) fn label(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error("invalid AMQP address: {0}")]
    Address(String),
    #[error("broker did not answer within {0:?}")]
    Timeout(Duration),
    #[error("broker connection failed: {0}")]
    Broken(#[from] lapin::Error),
    #[error("cannot use {name}: {source}; import deploy/rabbitmq/definitions.json into the broker")]
    Topology {
        /// E.g. `queue notifier.leads`.
        name: String,
        source: lapin::Error,
    },
    /// The results of the publishes are unknown.
    #[error("broker did not confirm in time")]
    Stalled,
    /// For example, because the queue was deleted.
    #[error("broker ended the subscription")]
    Cancelled,
}

/// AMQP's `access-refused` and `not-allowed`.
const REFUSALS: [u16; 2] = [403, 530];

impl ConnectionError {
    /// Whether the broker is available and refuses the user or the operation.
    pub fn is_refusal(&self) -> bool {
        let Self::Broken(error) = self else {
            return false;
        };
        matches!(error.kind(), lapin::ErrorKind::ProtocolError(error) if REFUSALS.contains(&error.get_id()))
    }
}
