//! Tracks deliveries: the emails about a lead, one for each recipient. The table `delivery` is the only schedule.
//! ARCHITECTURE.md shows the states of a delivery.
//!
//! Every change locks the lead's row first, so replicas change a lead's deliveries one after another.

pub(crate) mod brochure;
pub mod claim;
pub mod delivery;
pub(crate) mod erasure_notice;
pub mod lease;
pub mod report;
pub(crate) mod request;
pub mod unfinished;
mod visitor;
