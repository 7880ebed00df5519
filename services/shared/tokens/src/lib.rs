//! Signed tokens: JWTs, magic links of the sales team, the names of people at the desk, and links by which visitors withdraw
//! their consent.

#![warn(missing_docs)]

mod jwt;
mod magic_link;
mod person;
mod team;
mod withdrawal;

pub use jwt::{SigningKeys, WeakKey};
pub use magic_link::{InvalidMagicLink, LIFETIME, MagicLink, RENEWABLE_FOR, SIGNS_IN_FOR};
pub use person::PersonToken;
pub use team::{InvalidPerson, Person, Team, UnreadableTeam};
pub use withdrawal::WithdrawalToken;
