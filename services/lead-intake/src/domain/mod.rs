//! What a lead is and which rules it obeys. No I/O.

pub mod lead;
pub mod registration;
pub mod rule;
pub mod session;
pub mod sign;
mod text;
