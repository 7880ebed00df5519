//! Tracks deliveries: the emails about a lead, one for each recipient. The table `delivery` is the only schedule.
//! ARCHITECTURE.md shows the states of a delivery.
//!
//! Every change locks the lead's row first, so replicas change a lead's deliveries one after another.

pub(crate) mod brochure;
mod claim;
pub(crate) mod delivery;
mod lease;
mod report;
mod unfinished;
pub(crate) mod visitor;
pub(crate) mod webhook_notice;

pub use ::lead::recipient::{BROCHURE, VISITOR};

pub use self::{
    claim::{Answer, Claim, Claimed},
    lease::Lease,
    report::{Outcome, Report, Reports},
    unfinished::{Decision, DeliveryFilter, Pending},
};
