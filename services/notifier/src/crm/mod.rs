//! The notifier's calls to the CRM.

mod backlog;
pub(crate) mod ledger;
pub(crate) mod outcome;
