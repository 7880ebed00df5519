//! Connects to the database of leads, SQLite or PostgreSQL, and checks it.

pub(crate) mod audit;
pub mod error;
pub mod settings;
pub mod suppression_key;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod transaction;

use std::time::Duration;

use chrono::TimeDelta;
use crm_sync_migration::{Migrator, MigratorTrait, applied, database_clock};
use sea_orm::{
    ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr, Statement, Value,
    prelude::DateTimeUtc,
};
use tokio::time::timeout;
use tracing::info;

use self::{error::StoreError, settings::Settings, suppression_key::SuppressionKey};

/// sea-orm requires relations for each entity. There are none, because statements define their joins.
#[derive(Clone, Copy, Debug, sea_orm::EnumIter, sea_orm::DeriveRelation)]
pub(crate) enum Relation {}

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Timeout of a statement or transaction, including the wait for a connection. Exceeds PostgreSQL's timeouts, so it
/// applies only when the server does not respond.
const TIME_LIMIT: Duration = Duration::from_secs(4);

/// Timeout of a transaction that may read and change all leads of a person. Somebody who sends many leads with a visitor's
/// address must not prevent the visitor from withdrawing consent. PostgreSQL's timeouts still end each statement.
const PERSON_TIME_LIMIT: Duration = Duration::from_mins(5);

const AUDIT_KEPT: TimeDelta = TimeDelta::days(3 * 365);

/// The tables that events of the queue are stored in, each with a column.
const EVENT_TABLES: [(&str, &str); 6] = [
    ("lead", "id"),
    ("conflict", "lead_id"),
    ("contact_key", "value"),
    ("delivery", "lead_id"),
    ("timeline", "lead_id"),
    ("suppression", "hash"),
];

/// Bytes per write check. Large enough to allocate new pages, because a full database may have room in existing ones.
const FILLER: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    pub used: u64,
    pub idle: u64,
}

/// Access to the database of leads. Clones share the connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) backend: DbBackend,
    pub(crate) reader: DatabaseConnection,
    pub(crate) writer: DatabaseConnection,
    pub(crate) suppression: SuppressionKey,
}

impl Store {
    /// Connects and checks the schema.
    pub async fn connect(settings: &Settings, suppression: SuppressionKey) -> Result<Self> {
        settings.make_private()?;
        let (to_write, to_read) = settings.pools();
        let writer = Database::connect(to_write).await?;
        let reader = match to_read {
            Some(options) => Database::connect(options).await?,
            None => writer.clone(),
        };
        let store = Self {
            backend: settings.backend(),
            reader,
            writer,
            suppression,
        };
        store.check_schema().await?;
        Ok(store)
    }

    /// Migrates the schema, deletes audit rows older than three years, and grants the PostgreSQL role of the service
    /// its privileges. That role may not delete audit rows.
    pub async fn migrate(settings: &Settings, service_role: Option<&str>) -> Result<()> {
        settings.make_private()?;
        let connection = Database::connect(settings.to_migrate()).await?;
        // The library fails on a newer schema, which a rollback meets.
        if !is_migrated(&applied(&connection).await?) {
            Migrator::up(&connection, None).await?;
        }
        let before = database_time(&connection).await? - AUDIT_KEPT;
        connection
            .execute_raw(sql(
                &connection,
                "DELETE FROM audit WHERE at < $1",
                [before.into()],
            ))
            .await?;
        if let Some(role) = service_role.filter(|_| settings.backend() == DbBackend::Postgres) {
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

    /// Migrates SQLite. Only checks PostgreSQL, because the service's role may not change the schema.
    pub(crate) async fn check_schema(&self) -> Result<()> {
        if is_migrated(&with_timeout(applied(&self.reader)).await?) {
            return Ok(());
        }
        if self.backend != DbBackend::Sqlite {
            return Err(StoreError::SchemaOutdated);
        }
        Ok(Migrator::up(&self.writer, None).await?)
    }

    /// Inserts and deletes a large row. Fails with the error that storing any event would return, for example because a
    /// table is locked or a grant is missing.
    pub async fn check_write(&self) -> Result<()> {
        self.write("check write", |tx| async move {
            for (table, column) in EVENT_TABLES {
                // Inserts no row, but requires the lock and the grant of an insert.
                let insert = format!(
                    "INSERT INTO {table} ({column}) SELECT {column} FROM {table} WHERE FALSE"
                );
                tx.db.execute_unprepared(&insert).await?;
            }
            let filler = "x".repeat(FILLER);
            let insert = sql(
                &tx.db,
                "INSERT INTO write_check (filler) VALUES ($1)",
                [filler.into()],
            );
            tx.db.execute_raw(insert).await?;
            tx.db.execute_unprepared("DELETE FROM write_check").await?;
            Ok(())
        })
        .await
    }

    pub fn connections(&self) -> Connections {
        let (size, idle) = if self.backend == DbBackend::Sqlite {
            let pools = [&self.reader, &self.writer].map(|it| it.get_sqlite_connection_pool());
            (
                pools.map(|it| it.size()).iter().sum(),
                pools.map(|it| it.num_idle()).iter().sum(),
            )
        } else {
            // Readers use the writer's pool.
            let pool = self.writer.get_postgres_connection_pool();
            (pool.size(), pool.num_idle())
        };
        Connections {
            used: u64::from(size).saturating_sub(idle as u64),
            idle: idle as u64,
        }
    }

    /// Truncates SQLite's write-ahead log, which may still contain erased data. Returns `false` if readers blocked the
    /// truncation; call it again then. Does nothing on PostgreSQL.
    pub async fn checkpoint(&self) -> Result<bool> {
        if self.backend != DbBackend::Sqlite {
            return Ok(true);
        }
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let row =
            with_timeout(self.writer.query_one_raw(sql(&self.writer, checkpoint, []))).await?;
        // The first column is 1 if another connection blocked the checkpoint.
        let blocking: Option<i64> = row.map(|row| row.try_get_by_index(0)).transpose()?;
        Ok(blocking == Some(0))
    }
}

/// Whether all migrations of this version are applied. Accepts and logs a newer schema: in an upgrade the new version
/// migrates first, a rollback keeps its schema, and each schema stays compatible with the previous version.
fn is_migrated(applied: &[String]) -> bool {
    let ours = Migrator::migrations();
    let is_ours = |name: &String| ours.iter().any(|step| step.name() == name);
    let newer: Vec<_> = applied.iter().filter(|name| !is_ours(name)).collect();
    if !newer.is_empty() {
        info!(?newer, "the schema is newer than this version");
    }
    ours.iter()
        .all(|step| applied.iter().any(|name| name == step.name()))
}

/// A statement with values for `$1`, `$2` and so on, in SQL that both databases support.
pub(crate) fn sql(
    connection: &impl ConnectionTrait,
    text: impl Into<String>,
    values: impl IntoIterator<Item = Value>,
) -> Statement {
    Statement::from_sql_and_values(connection.get_database_backend(), text, values)
}

/// The current time by the database's clock.
pub(crate) async fn database_time(connection: &impl ConnectionTrait) -> Result<DateTimeUtc> {
    let backend = connection.get_database_backend();
    let select = format!("SELECT {} AS now", database_clock(backend));
    let row = connection
        .query_one_raw(Statement::from_string(backend, select))
        .await?;
    let none = || DbErr::RecordNotFound("no time".to_owned());
    Ok(row.ok_or_else(none)?.try_get("", "now")?)
}

/// Runs a statement for at most [`TIME_LIMIT`].
pub(crate) async fn with_timeout<T, E: Into<StoreError>>(
    statement: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    within(TIME_LIMIT, statement).await
}

/// Runs a statement or transaction for at most `limit`.
async fn within<T, E: Into<StoreError>>(
    limit: Duration,
    statement: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    match timeout(limit, statement).await {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(StoreError::Unavailable(format!(
            "no answer within {limit:?}"
        ))),
    }
}
