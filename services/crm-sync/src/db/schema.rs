//! Which steps of the schema the database has taken.

use std::collections::BTreeSet;

use crm_sync_migration::{Migrator, MigratorTrait, applied};
use sea_orm::DatabaseConnection;

use super::{Store, error::StoreError, settings::Kind, within};

impl Store {
    /// Makes sure that the schema is there: SQLite files are brought up to date, PostgreSQL is only looked at, since
    /// a running service may not be allowed to change it. One that is newer will do: it belongs to a version that
    /// is about to replace this one, and has what this one needs.
    pub(crate) async fn check_schema(&self) -> Result<(), StoreError> {
        if is_up_to_date(&self.reader).await? {
            return Ok(());
        }
        match self.kind {
            Kind::Sqlite => Ok(Migrator::up(&self.writer, None).await?),
            Kind::Postgres => Err(StoreError::SchemaOutdated),
        }
    }
}

async fn is_up_to_date(connection: &DatabaseConnection) -> Result<bool, StoreError> {
    let applied: BTreeSet<String> = within(applied(connection)).await?.into_iter().collect();
    Ok(Migrator::migrations().iter().all(|step| applied.contains(step.name())))
}
