//! Dead letters: messages that a service could not decode or store, in the broker's dead-letter queues.

pub(crate) mod broker;
pub(crate) mod message;
pub(crate) mod queue;
