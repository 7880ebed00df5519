//! The key that a mail's link to the desk carries: for one person of the routes and one lead.

#![warn(missing_docs)]

mod magic_link;
mod team;

pub use magic_link::{InvalidMagicLink, LIFETIME, MagicLink, RENEWABLE_FOR, SIGNS_IN_FOR};
pub use team::{InvalidPerson, Person, Team, UnreadableTeam};
