//! One module for each command, with the command's arguments, calls and output.

pub(crate) mod bars;
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
