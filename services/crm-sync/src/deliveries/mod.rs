//! Tracks deliveries, one lead's email to one recipient each. The table `delivery` is their only schedule. ARCHITECTURE.md
//! shows the states of a delivery.
//!
//! Every change locks the lead's row first, so that replicas change a lead's deliveries one after the other.

pub(crate) mod brochure;
pub mod claim;
pub mod delivery;
pub(crate) mod erasure_notice;
pub mod lease;
pub mod report;
pub(crate) mod request;
pub mod unfinished;
mod visitor;
