//! The notifier's calls to the CRM.

pub(crate) mod ledger;
pub(crate) mod morning;
pub(crate) mod outcome;
