//! The broker client. No other service or shared crate uses AMQP.
//!
//! [`topology`] names the queues. [`Publisher`] returns once the broker has confirmed and routed an [`Event`].
//! [`Consumer`] passes events to a [`Handler`] and settles each by its [`Verdict`]. Events that cannot be handled become
//! dead letters, which an operator lists, replays or discards through [`dead_letters`]. Publisher and consumer reconnect
//! automatically.

mod confirm_channels;
mod connection;
mod consume_loop;
mod consumer;
pub mod dead_letters;
mod error;
mod event;
mod handler;
mod message;
mod publisher;
mod telemetry;
pub mod topology;

pub use connection::Settings;
pub use consumer::Consumer;
pub use error::{ConnectionError, PublishError};
pub use event::{DecodeError, Event};
pub use handler::{Batching, Handler, Reason, Verdict};
pub use publisher::Publisher;
