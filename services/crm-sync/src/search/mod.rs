//! Finds leads: by id or reference, in pages, as an export, and as they are recorded.

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
