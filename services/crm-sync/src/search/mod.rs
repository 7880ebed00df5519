//! Finds leads: by id or reference, and in pages.

pub(crate) mod condition;
pub mod filter;
pub mod lookup;
pub mod page;
