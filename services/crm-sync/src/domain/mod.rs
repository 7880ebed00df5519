//! What the CRM is about, without I/O.

pub mod contact;
pub mod filter;
pub mod lead;
pub mod page;
pub mod person;
pub mod progress;
pub mod search;
pub mod source;
pub mod statistics;
pub mod task;
pub mod timeline;
