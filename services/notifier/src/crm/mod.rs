//! What the notifier asks the CRM, and what it reports.

pub(crate) mod ledger;
pub(crate) mod morning;
pub(crate) mod outcome;
