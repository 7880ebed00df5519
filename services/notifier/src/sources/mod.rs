//! The sources of leads: the broker's queue, and the CRM's pending leads.

pub(crate) mod pending;
pub(crate) mod queue;
