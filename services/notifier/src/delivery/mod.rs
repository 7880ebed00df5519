//! Delivering leads: the one way for sales, visitor and digest, whichever source brought the lead.
//!
//! ```text
//! deliver ── claim ─┬─ granted: compose, send, all recipients side by side ─┬─ report ── done
//!                   ├─ no: nothing to do, the CRM knows what follows         │
//!                   └─ no answer: mail the sales team all the same ──────────┘
//!            nobody takes the report, or a mail has to wait and nobody could be told: again, after a wait
//! ```

mod breaker;
mod context;
pub(crate) mod deliverer;
mod digest;
pub(crate) mod error;
mod sent;
mod throttle;

pub(crate) use self::context::{DigestItem, Source};
