//! Connects to the database of leads, SQLite or PostgreSQL.

pub(crate) mod audit;
pub mod error;
mod health;
pub mod settings;
pub(crate) mod transaction;

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use crm_sync_migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use tokio::time::timeout;

use self::{
    error::StoreError,
    settings::{Kind, Settings},
};
use crate::leads::suppression::SuppressionKey;

/// Limit of one statement or transaction, including the wait for a connection. Longer than PostgreSQL's own limits, so
/// it applies only when the server does not answer.
const TIME_LIMIT: Duration = Duration::from_secs(4);

/// Access to the database of leads. Clones share the connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) kind: Kind,
    pub(crate) reader: DatabaseConnection,
    pub(crate) writer: DatabaseConnection,
    pub(crate) suppression: SuppressionKey,
    /// Whether SQLite's log may hold erased data.
    erased: Arc<AtomicBool>,
}

impl Store {
    /// Connects and checks the schema. SQLite files are migrated; PostgreSQL must be up to date.
    ///
    /// # Errors
    /// [`StoreError::SchemaOutdated`] when PostgreSQL needs `crm-sync migrate` first; others when the database fails.
    pub async fn open(settings: &Settings, suppression: SuppressionKey) -> Result<Self, StoreError> {
        settings.make_private()?;
        let writer = Database::connect(settings.to_write()).await?;
        let reader = match settings.to_read() {
            Some(options) => Database::connect(options).await?,
            None => writer.clone(),
        };
        // A process may have crashed between erasing and truncating the log.
        let erased = Arc::new(AtomicBool::new(true));
        let store = Self { kind: settings.kind, reader, writer, suppression, erased };
        store.check_schema().await?;
        Ok(store)
    }

    /// Migrates the schema to this version, deletes old rows of the audit, which a service cannot, and grants a PostgreSQL role what a service needs.
    pub async fn migrate(settings: &Settings, service_role: Option<&str>) -> Result<(), StoreError> {
        settings.make_private()?;
        let connection = Database::connect(settings.to_migrate()).await?;
        Migrator::up(&connection, None).await?;
        audit::delete_old(&connection).await?;
        if let Some(role) = service_role.filter(|_| settings.kind == Kind::Postgres) {
            let role = role.replace('"', "\"\"");
            let grants = format!(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \"{role}\";
                 REVOKE UPDATE, DELETE ON audit FROM \"{role}\";
                 GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \"{role}\""
            );
            connection.execute_unprepared(&grants).await?;
        }
        Ok(())
    }
}

impl Settings {
    /// Whether an unavailable database may recover: a server may, a file that cannot be opened does not.
    #[must_use]
    pub fn may_come_back(&self) -> bool {
        self.kind == Kind::Postgres
    }
}

/// Runs a statement or transaction for at most [`TIME_LIMIT`].
pub(crate) async fn with_timeout<T, E: Into<StoreError>>(
    statement: impl Future<Output = Result<T, E>>,
) -> Result<T, StoreError> {
    match timeout(TIME_LIMIT, statement).await {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(StoreError::Unavailable(format!("no answer within {TIME_LIMIT:?}"))),
    }
}
