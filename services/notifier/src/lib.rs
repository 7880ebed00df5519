//! Emails leads to the sales team, and confirmations to visitors.
//!
//! Leads come from the [`sources`]: the queue, and the CRM's pending leads. [`delivery`] asks [`routes`] for the
//! recipients, claims the deliveries, has [`mail`] composed and sent over [`smtp`] and leads posted to each [`webhook`], and
//! reports the outcomes to the CRM through [`crm`]. Once a day [`daily_summary`] emails what is due.

pub mod app;
pub mod config;
mod crm;
mod daily_summary;
/// Deliveries to the sales team, visitors and webhooks.
mod delivery {
    mod attempt;
    pub(crate) mod breaker;
    pub(crate) mod deliverer;
    pub(crate) mod retry;
}
pub mod dns;
pub mod mail;
mod metrics;
pub mod preview;
pub mod routes;
pub mod smtp;
/// Where leads come from: the broker's queue, and the CRM's pending leads.
mod sources {
    pub(crate) mod pending;
    pub(crate) mod queue;
}
pub mod webhook;
