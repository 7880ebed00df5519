//! The rules of the form, and how text and the visit's origin are kept. No I/O.

pub mod attribution;
pub mod registration;
pub mod rule;
mod spam_signal;
pub mod text;
