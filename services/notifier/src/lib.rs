//! Emails leads to the sales team, and confirmations to visitors.
//!
//! Leads come from the [`sources`]: the queue, and the CRM's pending leads. [`routes`] determines the recipients.
//! [`delivery`] claims the deliveries, sends each [`mail`] over [`smtp`], posts leads to each [`webhook`], and reports the
//! outcomes to the CRM through [`crm`]. Once a day, [`daily_summary`] emails due follow-ups and uncontacted leads.
//! [`reminders`] requests a reminder of each lead that waits for its first contact too long.

pub mod app;
pub mod config;
mod crm;
mod daily_summary;
mod delivery {
    pub(crate) mod breaker;
    pub(crate) mod delays;
    pub(crate) mod deliverer;
    mod policy;
    pub(crate) mod retry;
    pub(crate) mod sender;
}
pub mod dns;
pub mod mail;
mod metrics;
pub mod preview;
mod reminder_times;
mod reminders;
pub mod routes;
pub mod smtp;
mod sources {
    pub(crate) mod pending;
    pub(crate) mod queue;
}
pub mod webhook;
