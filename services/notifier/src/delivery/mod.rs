//! Delivers leads to the sales team, visitors and webhooks. Both sources, queue and pending leads, share this path.
//!
//! ```text
//! deliver ── claim ─┬─ granted: compose and send to all recipients concurrently ──┬─ report ── post ── report
//!                   ├─ refused: nothing to do, the CRM schedules the rest         │
//!                   └─ no answer: email the sales team without a claim ────────────┘
//!            report not accepted, or an unclaimed email must wait: repeat after a wait
//! ```

mod attempt;
mod breaker;
pub(crate) mod deliverer;
pub(crate) mod retry;
mod state;

pub(crate) use self::{breaker::CircuitBreaker, state::SentMails};
