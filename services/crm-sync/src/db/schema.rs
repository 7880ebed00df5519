//! Checks the schema.

use std::collections::BTreeSet;

use crm_sync_migration::{Migrator, MigratorTrait, applied};
use sea_orm::DatabaseConnection;

use super::{Store, error::StoreError, settings::Kind, within};

impl Store {
    /// Migrates SQLite; only checks PostgreSQL, which a running service may not be allowed to change. A newer schema is
    /// accepted: it belongs to a version that is replacing this one, and contains all that this one needs.
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
