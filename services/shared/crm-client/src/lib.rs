//! Calls the CRM over gRPC with a token, a deadline and failover between replicas.

mod address;
mod client;
mod former_name;
mod replica;
mod settings;

pub use address::{Address, Encryption, InvalidAddress};
pub use client::{Crm, CrmClient, connect, should_fail_over};
pub use replica::Replica;
pub use settings::{InvalidToken, Settings, Token};
