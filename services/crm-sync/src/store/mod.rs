//! The database of leads, SQLite or PostgreSQL: the only place that knows how it is spoken to.

mod entity;
mod error;
mod read;
mod settings;
mod write;

pub use error::StoreError;
pub use read::Position;
pub use settings::{InvalidUrl, Settings};

use std::time::Duration;

use crm_sync_migration::{Migrator, MigratorTrait};
use sea_orm::{Database, DatabaseConnection, DbErr};
use settings::Kind;
use tokio::time::timeout;

/// How long one statement may take, waiting for a connection included.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);

/// The leads. Clones share the connections.
#[derive(Clone)]
pub struct Store {
    reader: DatabaseConnection,
    writer: DatabaseConnection,
}

impl Store {
    /// Connects, and makes sure that the schema is there: SQLite files are brought up to date, PostgreSQL is only
    /// looked at, since a running service may not be allowed to change it.
    ///
    /// # Errors
    /// [`StoreError::SchemaOutdated`] when PostgreSQL wants a `crm-sync migrate` first; others as they come.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        let store = Self::connect(settings).await?;
        match settings.kind {
            Kind::Sqlite => Migrator::up(&store.writer, None).await?,
            Kind::Postgres => {
                let pending = within(Migrator::get_pending_migrations_read_only(&store.reader)).await?;
                if !pending.is_empty() {
                    return Err(StoreError::SchemaOutdated);
                }
            }
        }
        Ok(store)
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    /// [`StoreError`]; what was not finished can be done again.
    pub async fn migrate(settings: &Settings) -> Result<(), StoreError> {
        let store = Self::connect(settings).await?;
        Ok(Migrator::up(&store.writer, None).await?)
    }

    async fn connect(settings: &Settings) -> Result<Self, StoreError> {
        let writer = Database::connect(settings.to_write()).await?;
        let reader = match settings.to_read() {
            Some(options) => Database::connect(options).await?,
            None => writer.clone(),
        };
        Ok(Self { reader, writer })
    }
}

impl Settings {
    /// Whether a database that is away may come back by itself: a server does, a file that cannot be opened does not.
    #[must_use]
    pub fn may_come_back(&self) -> bool {
        self.kind == Kind::Postgres
    }
}

/// The outcome of a statement, or that it took too long.
async fn within<T>(statement: impl Future<Output = Result<T, DbErr>>) -> Result<T, StoreError> {
    match timeout(STATEMENT_TIMEOUT, statement).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(StoreError::Unavailable(format!("no answer within {STATEMENT_TIMEOUT:?}"))),
    }
}
