//! Searching leads: one by its id or reference, pages of those that pass a filter, all of them, and new ones as they come.

pub(crate) mod condition;
pub mod cursor;
pub(crate) mod export;
pub mod filter;
pub(crate) mod grpc;
pub mod lookup;
pub mod page;
pub(crate) mod page_query;
pub mod terms;
pub mod watch;
mod window;
