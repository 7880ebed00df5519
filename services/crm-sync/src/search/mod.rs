//! Finds leads: by id or reference, in pages, and as an export.

pub(crate) mod condition;
pub mod cursor;
pub(crate) mod export;
pub mod filter;
pub(crate) mod grpc;
pub mod lookup;
pub mod page;
pub mod terms;
