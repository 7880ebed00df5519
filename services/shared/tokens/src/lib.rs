//! Signed tokens: the JWTs that all of them are, and the magic links of the sales team.

#![warn(missing_docs)]

mod jwt;
mod magic_link;
mod team;

pub use jwt::{SigningKeys, WeakKey};
pub use magic_link::{InvalidMagicLink, LIFETIME, MagicLink, RENEWABLE_FOR, SIGNS_IN_FOR};
pub use team::{InvalidPerson, Person, Team, UnreadableTeam};
