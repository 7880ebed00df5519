//! Dead letters: messages that a service could not decode or store, in the broker's dead-letter queues.

mod message;
mod queue;

#[cfg(test)]
pub(crate) use self::message::dead_letter;
pub(crate) use self::{
    message::Message,
    queue::{DeadLetterQueue, Service, list, open},
};
