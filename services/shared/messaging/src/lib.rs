//! The broker, and the only crate that knows how it is spoken to.
//!
//! [`topology`] says which queues there are, [`Publisher`] answers once the broker has confirmed and routed an
//! [`Event`], [`Consumer`] hands events to a [`Handler`] and settles each by its [`Verdict`]. What cannot be dealt with
//! becomes a dead letter, which an operator lists, replays or discards by [`dead_letters`]. Connections are rebuilt for
//! as long as the process lives.

#![warn(missing_docs)]

mod arrivals;
mod connection;
mod consumer;
pub mod dead_letters;
mod declare;
mod definitions;
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
pub mod users;

pub use connection::declare;
pub use definitions::definitions;
pub use error::{ConnectionError, PublishError};
pub use event::{DecodeError, Event};
pub use handler::{Batching, Consumer, Delivery, Handler, Reason, Verdict};
pub use publisher::Publisher;
pub use runtime::trace::TraceParent;
pub use settings::{Settings, TopologyMode};
