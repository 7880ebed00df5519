//! Leads as commands show them, and as they stand in JSON.

pub(crate) mod contract;
pub(crate) mod lead;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod timeline;
