//! Calls the CRM over gRPC, with a token, within a deadline, on whichever replica answers.

mod client;
mod settings;
mod token;

pub use client::{Crm, CrmClient};
pub use settings::{InvalidSettings, Settings};
pub use token::{InvalidToken, Token};
