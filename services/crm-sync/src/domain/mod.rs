//! What the CRM is about, without I/O.

pub mod filter;
pub mod lead;
pub mod ledger;
pub mod notification;
pub mod page;
pub mod reference;
pub mod road;
pub mod timeline;
