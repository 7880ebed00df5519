//! What handles events, and the verdicts by which a consumer settles them.

use crate::event::Event;

const DONE: &str = "done";
const RETURNED: &str = "returned";
const DEAD_LETTER: &str = "dead_letter";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Handled. The message is acknowledged.
    Done,
    /// The event returns to its queue immediately, with all others in progress. The handler must wait before it returns this
    /// verdict.
    Return,
    /// Failed, and may succeed later. If [`Handler::probe`] fails, the event returns unchanged to its queue, and the handler
    /// receives none until a probe succeeds. Otherwise the handler receives the event again, alone, after each of
    /// [`Settings::retry_waits`](crate::Settings::retry_waits). Then the event becomes a dead letter.
    Retry(Reason),
    /// The event can never be handled. It becomes a dead letter for an operator.
    DeadLetter(Reason),
}

impl Verdict {
    /// The values of [`Self::name`].
    pub(crate) const NAMES: [&str; 3] = [DONE, RETURNED, DEAD_LETTER];

    /// The label of a settled message. A `Retry` that is settled was the last one.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Done => DONE,
            Self::Return => RETURNED,
            Self::Retry(_) | Self::DeadLetter(_) => DEAD_LETTER,
        }
    }
}

/// The reason for a verdict. Logs and headers contain it, so it must contain no personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of error, from a small set such as `database` and `smtp`.
    pub class: &'static str,
    pub detail: String,
}

impl Reason {
    pub fn new(class: &'static str, detail: impl Into<String>) -> Self {
        Self {
            class,
            detail: detail.into(),
        }
    }
}

pub trait Handler: Send + Sync + 'static {
    /// Handles a non-empty batch and returns one verdict for each event, in order. A batch of one event is handled in the
    /// producer's trace.
    fn handle(&self, batch: &[Event]) -> impl Future<Output = Vec<Verdict>> + Send;

    /// Checks whether the dependencies are available for every valid event. Called after an event failed. During a pause,
    /// called at most two seconds after the previous call ended. Must have a time limit.
    fn probe(&self) -> impl Future<Output = Result<(), Reason>> + Send;
}

/// Limits of batches. The handler receives a batch as soon as one event is available. Batches grow if events arrive faster
/// than they are handled.
#[derive(Clone, Copy, Debug)]
pub struct Batching {
    pub size: u16,
    pub concurrency: u16,
}
