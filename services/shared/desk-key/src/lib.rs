//! The key that a mail's link to the desk carries: for one person of the routes and one lead.

#![warn(missing_docs)]

mod key;
mod team;

pub use key::{InvalidKey, Key, LIFETIME};
pub use team::{InvalidPerson, Person, Team, UnreadableTeam};
