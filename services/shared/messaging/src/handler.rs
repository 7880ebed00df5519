//! What a consumer hands over, and what it hears back.

use std::future::Future;

use runtime::trace::TraceParent;

use crate::{event::Event, topology::Subscription};

/// An event, as a handler gets it.
#[derive(Clone)]
pub struct Delivery {
    /// What happened.
    pub event: Event,
    /// The trace it belongs to.
    pub trace: Option<TraceParent>,
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was dealt with.
    Done,
    /// It goes back to the end of its queue as it came.
    Return,
    /// It failed, and it is not clear why: it is handed over again, alone, after each of
    /// [`Settings::retry_waits`](crate::Settings::retry_waits), unacknowledged meanwhile. Then it becomes a dead letter.
    Retry(Reason),
    /// What the handler depends on is away as a whole, so that no other event would fare better: the event goes
    /// back as it came, and nothing is handed over until [`Handler::probe`] succeeds.
    Pause(Reason),
    /// It can never be dealt with as it is: it becomes a dead letter, for an operator to look at.
    DeadLetter(Reason),
}

impl Verdict {
    /// What becomes of the event in the end, for spans: no retry comes after the last.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Return => "returned",
            Self::Pause(_) => "pause",
            Self::Retry(_) | Self::DeadLetter(_) => "dead_letter",
        }
    }
}

/// Why an event was not dealt with. Goes into logs and headers: nothing personal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of error, one of few: `database`, `smtp`, ...
    pub class: &'static str,
    /// What happened, for a person.
    pub detail: String,
}

impl Reason {
    /// A reason of this kind.
    pub fn new(class: &'static str, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into() }
    }
}

/// Deals with events.
pub trait Handler: Send + Sync + 'static {
    /// Deals with a batch, never empty, and says what came of each, in order.
    fn handle(&self, batch: &[Delivery]) -> impl Future<Output = Vec<Verdict>> + Send;

    /// Whether what the handler depends on is there again. Asked again and again while paused, with waits of up to
    /// two seconds in between; it has a deadline of its own.
    fn probe(&self) -> impl Future<Output = Result<(), Reason>> + Send;
}

/// How events are handed over: those that are there, as soon as there is one; more at once when they come faster than
/// they are dealt with.
#[derive(Clone, Copy, Debug)]
pub struct Batching {
    /// At most this many events at once.
    pub size: u16,
    /// How many batches are dealt with side by side.
    pub concurrency: u16,
}

/// Consumes one subscription for as long as the process lives.
pub struct Consumer<H> {
    /// What is listened to.
    pub subscription: Subscription,
    /// How events are handed over.
    pub batching: Batching,
    /// Who deals with them.
    pub handler: H,
}
