//! Signed tokens: JWTs, magic links of the sales team, the names of people at the desk, and links by which visitors withdraw
//! their consent.

mod jwt;
mod links;
mod team;

pub use jwt::{InvalidToken, SigningKeys, WeakKey};
pub use links::{
    InvalidMagicLink, LIFETIME, LOGS_IN_FOR, Login, MagicLink, RENEWABLE_FOR, REQUESTED_LOGS_IN_FOR,
    WithdrawalToken,
};
pub use team::{InvalidPerson, Person, PersonToken, Team, UnreadableTeam};
