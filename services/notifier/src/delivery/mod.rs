//! Delivers leads to sales, visitors and digests. Both sources, queue and pending leads, share this path.
//!
//! ```text
//! deliver ── claim ─┬─ granted: compose and send to all recipients concurrently ──┬─ report ── post ── report
//!                   ├─ refused: nothing to do, the CRM schedules the rest         │
//!                   └─ no answer: mail the sales team without a claim ────────────┘
//!            report not accepted, or an unclaimed mail must wait: repeat after a wait
//! ```

mod breaker;
mod context;
pub(crate) mod deliverer;
mod digest;
pub(crate) mod error;
mod sent;
mod throttle;

pub(crate) use self::context::{DigestItem, Source};
