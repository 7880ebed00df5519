//! The broker client; no other crate speaks AMQP.
//!
//! [`topology`] lists the queues. [`Publisher`] returns once the broker has confirmed and routed an [`Event`].
//! [`Consumer`] hands events to a [`Handler`] and settles each by its [`Verdict`]. Events that cannot be handled become
//! dead letters, which an operator lists, replays or discards through [`dead_letters`]. Broken connections are always
//! re-established.

#![warn(missing_docs)]

mod arrivals;
mod connection;
mod consumer;
pub mod dead_letters;
mod declare;
mod depth;
mod error;
mod event;
mod handler;
mod lane;
mod message;
mod publisher;
mod round;
mod settings;
mod settle;
mod span;
pub mod topology;

pub use error::{ConnectionError, PublishError};
pub use event::{DecodeError, Event};
pub use handler::{Batching, Consumer, Delivery, Handler, Reason, Verdict};
pub use publisher::Publisher;
pub use runtime::trace::TraceParent;
pub use settings::{Settings, TopologyMode};
