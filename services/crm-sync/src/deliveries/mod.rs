//! Tracks deliveries, one lead's mail to one recipient each. The table `delivery` is their only schedule.
//!
//! ```text
//!              claim                    report: delivered
//! pending ───────────────▶ held ─────────────────────────▶ delivered
//!    ▲  ▲                  │ │ │  report: failed                     discard
//!    │  └──────────────────┘ │ └──────────────────▶ failed ─────────────────▶ cancelled
//!    │    the claim expires  │ report: again          │                        ▲
//!    │                       ▼                        │ retry                  │ not named by the claim any more,
//!    └────────────────── deferred      pending ◀──────┘                        │ or no address to mail to
//!         its time has come                            any but delivered ──────┘
//! ```
//!
//! Every change locks the lead's row first, so that replicas change a lead's deliveries one after the other.

pub(crate) mod brochure;
pub mod claim;
pub mod delivery;
pub mod failed;
pub mod lease;
pub mod pending;
pub mod report;
pub(crate) mod request;
mod visitor;
