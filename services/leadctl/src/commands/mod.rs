//! One module for each command, with its arguments, calls, text and JSON.

pub(crate) mod canary;
pub(crate) mod dead_letters;
pub(crate) mod deliveries;
pub(crate) mod export;
pub(crate) mod list;
pub(crate) mod person;
pub(crate) mod send;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod update;
