//! The CRM's database schema, step by step, the same on SQLite and PostgreSQL.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::*;

mod applied;
mod clock;
mod m0001_leads;
mod m0002_deliveries;
mod m0003_contacts;

pub use applied::applied;
pub use clock::database_clock;

/// All steps, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_leads::Migration),
            Box::new(m0002_deliveries::Migration),
            Box::new(m0003_contacts::Migration),
        ]
    }
}
