//! What leads and people are found by, each in one spelling, the same for whoever writes it down or looks it up.

mod email;
mod reference;
mod telephone;

pub use email::EmailKey;
pub use reference::{InvalidReference, Reference};
pub use telephone::{Telephone, digits};
