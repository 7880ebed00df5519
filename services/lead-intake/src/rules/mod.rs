//! The rules of the form, and the normalisation of its texts. No I/O.

pub mod registration;
pub mod rule;
mod spam_signal;
