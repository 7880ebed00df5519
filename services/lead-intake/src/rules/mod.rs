//! The rules of the form, and the normalisation of texts and of a visit's origin. No I/O.

pub mod attribution;
pub mod registration;
pub mod rule;
mod spam_signal;
