//! A generated launch, and its storage in the CRM's database.

pub mod choices;
pub mod launch;
pub mod store;
