//! The database of leads, SQLite or PostgreSQL: the only place that knows how it is spoken to.

pub(crate) mod audit;
mod checkpoint;
pub(crate) mod chunks;
mod connections;
pub mod error;
pub(crate) mod lock;
mod schema;
pub mod settings;
pub(crate) mod transaction;
mod write_check;

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use crm_sync_migration::{Migrator, MigratorTrait};
use sea_orm::{Database, DatabaseConnection};
use tokio::time::timeout;

use self::{
    error::StoreError,
    settings::{Kind, Settings},
};

/// How long one statement or transaction may take, waiting for a connection included. Longer than the limits that
/// PostgreSQL is told: past this it does not answer at all.
const TIME_LIMIT: Duration = Duration::from_secs(4);

/// The leads. Clones share the connections.
#[derive(Clone)]
pub struct Store {
    kind: Kind,
    pub(crate) reader: DatabaseConnection,
    pub(crate) writer: DatabaseConnection,
    /// Whether something was erased that SQLite's log may still hold.
    erased: Arc<AtomicBool>,
}

impl Store {
    /// Connects, and makes sure that the schema is there: SQLite files are brought up to date, PostgreSQL must have
    /// been.
    ///
    /// # Errors
    /// [`StoreError::SchemaOutdated`] when PostgreSQL wants a `crm-sync migrate` first; others as they come.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        let writer = Database::connect(settings.to_write()).await?;
        let reader = match settings.to_read() {
            Some(options) => Database::connect(options).await?,
            None => writer.clone(),
        };
        // A process may have died between erasing and emptying the log.
        let erased = Arc::new(AtomicBool::new(true));
        let store = Self { kind: settings.kind, reader, writer, erased };
        store.check_schema().await?;
        Ok(store)
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    /// [`StoreError`]; what was not finished can be done again.
    pub async fn migrate(settings: &Settings) -> Result<(), StoreError> {
        let connection = Database::connect(settings.to_migrate()).await?;
        Ok(Migrator::up(&connection, None).await?)
    }
}

impl Settings {
    /// Whether a database that is away may come back by itself: a server does, a file that cannot be opened does not.
    #[must_use]
    pub fn may_come_back(&self) -> bool {
        self.kind == Kind::Postgres
    }
}

/// The outcome of a statement or a transaction, or that it took too long.
pub(crate) async fn within<T, E: Into<StoreError>>(
    statement: impl Future<Output = Result<T, E>>,
) -> Result<T, StoreError> {
    match timeout(TIME_LIMIT, statement).await {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(StoreError::Unavailable(format!("no answer within {TIME_LIMIT:?}"))),
    }
}
