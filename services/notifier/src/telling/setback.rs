//! Why a recipient was not told, or nobody learnt that they were, and what that means for the lead.

use messaging::{Reason, Verdict};

use crate::{
    mail::ComposeError,
    smtp::{Scope, SendError},
    wire::Malformed,
};

/// Why a recipient is not done with.
#[derive(Debug, thiserror::Error)]
pub(super) enum Setback {
    /// Somebody else is at it, maybe in this very process.
    #[error("another is at it")]
    Held,
    /// The lead was erased: nobody is to be told.
    #[error("the lead was erased")]
    Erased,
    /// The mail was taken, but neither road took the report.
    #[error("told, but that could not be reported")]
    Unreported,
    /// The claim would not last as long as the mail may take.
    #[error("claimed too long ago")]
    Late,
    /// The mail server is known to be away.
    #[error("the mail server is away")]
    Closed,
    /// The lead is not one.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The mail could not be written.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// The mail was not taken.
    #[error(transparent)]
    Send(#[from] SendError),
    /// A mistake of ours.
    #[error("a panic")]
    Panicked,
}

impl Setback {
    pub(super) fn verdict(&self, detail: String) -> Verdict {
        match self {
            Self::Held => Verdict::Defer(Reason::new("held", detail)),
            Self::Erased => Verdict::Done,
            Self::Late => Verdict::Defer(Reason::new("late", detail)),
            Self::Unreported => Verdict::Defer(Reason::new("report", detail)),
            Self::Closed => Verdict::Pause(Reason::new("smtp", detail)),
            Self::Malformed(_) => malformed(detail),
            Self::Compose(_) => Verdict::Park(Reason::new("compose", detail)),
            Self::Send(error) => match error.scope() {
                Scope::Server => Verdict::Pause(Reason::new("smtp", detail)),
                Scope::Mail => Verdict::Retry(Reason::new("smtp", detail)),
                Scope::ForGood => Verdict::Park(Reason::new("smtp-rejected", detail)),
            },
            Self::Panicked => Verdict::Retry(Reason::new("panic", detail)),
        }
    }
}

pub(super) fn malformed(detail: impl Into<String>) -> Verdict {
    Verdict::Park(Reason::new("malformed", detail))
}

/// What may still be done comes before what cannot, and a server that is away before everything: an event is parked
/// only when nobody is left to be told.
pub(super) fn worse(one: Verdict, other: Verdict) -> Verdict {
    if urgency(&other) > urgency(&one) { other } else { one }
}

fn urgency(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Done => 0,
        Verdict::Park(_) => 1,
        Verdict::Defer(_) => 2,
        Verdict::Retry(_) => 3,
        Verdict::Pause(_) => 4,
    }
}
