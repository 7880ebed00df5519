//! Schedules deliveries: the emails and webhook calls about a lead, one for each recipient. [`ledger`] has the states and
//! the rules, [`row`] loads and saves them, and each other module serves one kind of call.
//!
//! Every change locks the lead's row first, so replicas change a lead's deliveries one after another.

pub(crate) mod brochure;
mod claim;
mod lease;
pub(crate) mod ledger;
mod limits;
mod operator;
mod parse;
mod reminder;
mod report;
pub(crate) mod request;
pub(crate) mod row;
pub(crate) mod webhook_notice;

pub(crate) use self::parse::parse_holder;
pub use self::{
    claim::{Claim, Claimed},
    lease::Lease,
    ledger::ClaimResult,
    operator::{DeliveryFilter, FailedAction, Pending},
    reminder::Reminders,
    report::{Report, Reports},
};
