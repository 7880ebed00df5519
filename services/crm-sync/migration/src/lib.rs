//! The CRM's database schema, step by step, the same on SQLite and PostgreSQL.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::*;

mod m0001_leads;

/// All steps, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m0001_leads::Migration)]
    }
}
