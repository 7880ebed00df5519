//! Where leads come from: the broker's queue, and the database's pending leads.

pub(crate) mod pending;
pub(crate) mod queue;
