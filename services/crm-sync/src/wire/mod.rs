//! From the contracts' messages to what they mean, and back. Shared by queue and gRPC.

mod decode;
mod encode;
mod person;
mod progress;
mod statistics;
mod task;
mod timeline;

use crate::domain::statistics::NotInOrder;
use ::lead::FieldError;
pub use decode::{filter, submission};
pub(crate) use encode::other_lead;
pub use encode::{lead, progress};
pub use person::{Erasure, erasure, person};
pub use progress::change;
pub use statistics::{spans, statistics};
pub use task::{claim_task, finish_task};
pub(crate) use timeline::reason;
pub use timeline::{lead_with_history, lead_with_others};

/// Why a message could never have been sent by one of ours. Names fields, repeats none of their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// A field is not what the contract says.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Neither an address nor a number.
    #[error("person is neither an e-mail address nor a telephone number: give one as it was typed")]
    NotPerson,
    /// A visitor among the recipients, and no limit.
    #[error("visitor_daily_limit must be positive when the visitor is a recipient")]
    NoVisitorLimit,
    /// Spans of time in no order.
    #[error(transparent)]
    Spans(#[from] NotInOrder),
}
