//! The trait that handles a queue's events, and the verdicts it returns.

use std::future::Future;

use crate::{event::Event, topology::Subscription};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Handled; the message is acknowledged.
    Done,
    /// The event returns to its queue, at once: the handler waits before it answers so.
    Return,
    /// Failed for an unclear reason. The event is handed over again, alone, after each of
    /// [`Settings::retry_waits`](crate::Settings::retry_waits), unacknowledged meanwhile; then it becomes a dead
    /// letter.
    Retry(Reason),
    /// A dependency is unavailable, so any other event would fail too. The event returns unchanged to its queue, and
    /// none is handed over until [`Handler::probe`] succeeds.
    Pause(Reason),
    /// The event can never be handled: it becomes a dead letter for an operator.
    DeadLetter(Reason),
}

impl Verdict {
    /// The final outcome for spans, where a `Retry` is the last one.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Return => "returned",
            Self::Pause(_) => "pause",
            Self::Retry(_) | Self::DeadLetter(_) => "dead_letter",
        }
    }
}

/// The reason of a verdict. Written to logs and headers, so it must contain nothing personal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of error, from a small set: `database`, `smtp`, ...
    pub class: &'static str,
    pub detail: String,
}

impl Reason {
    pub fn new(class: &'static str, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into() }
    }
}

pub trait Handler: Send + Sync + 'static {
    /// Handles a non-empty batch and returns one verdict per event, in order. A batch of one event is handled in the
    /// producer's trace.
    fn handle(&self, batch: &[Event]) -> impl Future<Output = Vec<Verdict>> + Send;

    /// Checks whether the dependencies are available again. Called repeatedly while paused, at most two seconds apart;
    /// must apply its own time limit.
    fn probe(&self) -> impl Future<Output = Result<(), Reason>> + Send;
}

/// Limits batches. A batch is handed over as soon as one event is available and grows when events arrive faster than
/// they are handled.
#[derive(Clone, Copy, Debug)]
pub struct Batching {
    pub size: u16,
    pub concurrency: u16,
}

/// Consumes one subscription for the life of the process.
pub struct Consumer<H> {
    pub subscription: Subscription,
    pub batching: Batching,
    pub handler: H,
}
