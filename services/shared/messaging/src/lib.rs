//! The broker, and the only crate that knows how it is spoken to.
//!
//! [`topology`] says which queues there are, [`Publisher`] answers once the broker has confirmed and routed an
//! [`Event`], [`Consumer`] hands events to a [`Handler`] and settles each by its [`Verdict`]: done, to be tried
//! again later, or parked for a person to look at, which is done with [`parked`]. [`copies`] finds what
//! lies in any queue of those who are to be forgotten. Connections are rebuilt for as long as the process lives.

mod arrivals;
mod connection;
mod consumer;
pub mod copies;
mod declare;
mod definitions;
mod depth;
mod error;
mod event;
mod handler;
mod hold;
mod lane;
mod message;
pub mod parked;
mod publisher;
mod schedule;
mod settings;
mod settle;
mod span;
pub mod topology;
pub mod users;

pub use consumer::Consumer;
pub use declare::declare;
pub use definitions::definitions;
pub use error::{ConnectionError, PublishError};
pub use event::{DecodeError, Event};
pub use handler::{Batching, Delivery, Handler, Reason, Verdict};
pub use publisher::Publisher;
pub use runtime::trace::TraceParent;
pub use schedule::{InvalidSchedule, Schedule};
pub use settings::{Settings, TopologyMode};
