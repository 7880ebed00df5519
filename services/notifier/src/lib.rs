//! Emails leads to the sales team, and confirmations to visitors.
//!
//! Leads come from the [`sources`]: the queue, and the CRM's pending leads. [`delivery`] asks [`routes`] for the
//! recipients, claims the deliveries, has [`mail`] composed and sent over [`smtp`] and leads posted to each [`webhook`], and
//! reports the outcomes to the CRM through [`crm`]. Once a day [`daily_summary`] emails what is due.

pub mod app;
pub mod config;
/// Calls to the CRM.
mod crm {
    mod backlog;
    pub(crate) mod ledger;
    pub(crate) mod outcome;
}
mod daily_summary;
mod delivery;
pub mod dns;
pub mod mail;
mod metrics;
pub mod preview;
pub mod recipients;
pub mod routes;
pub mod smtp;
/// Where leads come from: the broker's queue, and the CRM's pending leads.
mod sources {
    pub(crate) mod pending;
    pub(crate) mod queue;
}
pub mod webhook;
