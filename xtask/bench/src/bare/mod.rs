//! The ceilings: the same done with the bare libraries, and nothing else.

pub(crate) mod intake;
pub(crate) mod mail;
pub(crate) mod publisher;
