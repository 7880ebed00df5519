//! Stores leads with their person, timeline and progress.

pub(crate) mod conflict;
pub(crate) mod contact;
mod correction;
pub mod do_not_contact;
pub mod keys;
pub(crate) mod lead;
pub(crate) mod lock;
pub mod progress;
pub mod record;
pub(crate) mod related;
pub(crate) mod timeline;
