//! Finds leads: by id or reference, and in pages.

pub mod filter;
pub mod lookup;
