//! The baseline: the same work done with the libraries alone.

pub(crate) mod intake;
pub(crate) mod mail;
pub(crate) mod publisher;
