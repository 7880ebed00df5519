//! Calls the CRM over gRPC with a token, a deadline and failover between replicas.

#![warn(missing_docs)]

mod client;
mod settings;
mod span;
mod token;

pub use client::{Crm, CrmClient, is_about_the_replica};
pub use settings::{InvalidSettings, Settings};
pub use token::{InvalidToken, Token};
