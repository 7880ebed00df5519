//! Signed tokens: of the sales team's magic links, of the person behind a call of the desk, and of the withdrawal and
//! consent links of visitors. Also reads the sales team from the routes file.

mod jwt;
mod links;
mod team;

pub use jwt::{InvalidToken, SigningKeys, WeakKey, check_key};
pub use links::{
    ConsentToken, InvalidMagicLink, LINK_LIFETIME, LOGIN_WINDOW, Login, MagicLink, RENEWAL_WINDOW,
    REQUESTED_LOGIN_WINDOW, WithdrawalToken,
};
pub use team::{InvalidPerson, LoadTeamError, Person, PersonToken, ReminderMinutes, Team};
