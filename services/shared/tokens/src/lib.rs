//! Signed tokens: JWTs, magic links of the sales team, and links by which visitors withdraw their consent.

#![warn(missing_docs)]

mod jwt;
mod magic_link;
mod team;
mod withdrawal;

pub use jwt::{SigningKeys, WeakKey};
pub use magic_link::{InvalidMagicLink, LIFETIME, MagicLink, RENEWABLE_FOR, SIGNS_IN_FOR};
pub use team::{InvalidPerson, Person, Team, UnreadableTeam};
pub use withdrawal::WithdrawalToken;
