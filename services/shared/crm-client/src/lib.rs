//! Calls the CRM over gRPC with a token, a deadline and failover between replicas.

mod address;
mod client;
mod settings;

pub use address::{Address, Encryption, InvalidAddress};
pub use client::{Crm, CrmClient, is_about_the_replica};
pub use settings::{InvalidToken, Settings, Token};
