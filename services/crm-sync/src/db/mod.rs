//! Connects to the database of leads, SQLite or PostgreSQL.

pub mod error;
mod health;
pub mod settings;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod transaction;

use std::time::Duration;

use chrono::TimeDelta;
use crm_sync_migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement, Value, prelude::Uuid};
use tokio::time::timeout;

use self::{error::StoreError, settings::Settings, transaction::database_time};
use crate::leads::do_not_contact::SuppressionKey;

/// What modules with statements use.
pub(crate) mod prelude {
    pub(crate) use sea_orm::{
        Condition, FromQueryResult, IntoActiveModel, Iterable, NotSet, QueryOrder, QuerySelect, QueryTrait,
        Set,
        entity::prelude::*,
        sea_query::{IntoCondition, LockType, OnConflict, Order, Query},
    };

    pub(crate) use super::{
        Relation, Result, Store,
        error::StoreError,
        sql,
        transaction::{Transaction, chunks},
        with_timeout,
    };
}

/// The relations that sea-orm requires of each entity: statements join tables themselves.
#[derive(Clone, Copy, Debug, sea_orm::EnumIter, sea_orm::DeriveRelation)]
pub(crate) enum Relation {}

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Limit of one statement or transaction, including the wait for a connection. Longer than PostgreSQL's own limits, so
/// it applies only when the server does not answer.
const TIME_LIMIT: Duration = Duration::from_secs(4);

/// How long a row of the audit is kept.
const AUDIT_KEPT: TimeDelta = TimeDelta::days(3 * 365);

/// Access to the database of leads. Clones share the connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) backend: DbBackend,
    pub(crate) reader: DatabaseConnection,
    pub(crate) writer: DatabaseConnection,
    pub(crate) suppression: SuppressionKey,
}

impl Store {
    /// Connects and checks the schema. SQLite files are migrated; PostgreSQL must be up to date.
    ///
    /// # Errors
    /// [`StoreError::SchemaOutdated`] when PostgreSQL needs `crm-sync migrate` first; others when the database fails.
    pub async fn connect(settings: &Settings, suppression: SuppressionKey) -> Result<Self> {
        settings.make_private()?;
        let (to_write, to_read) = settings.pools();
        let writer = Database::connect(to_write).await?;
        let reader = match to_read {
            Some(options) => Database::connect(options).await?,
            None => writer.clone(),
        };
        let store = Self { backend: settings.backend, reader, writer, suppression };
        store.check_schema().await?;
        Ok(store)
    }

    /// Migrates the schema to this version, deletes old rows of the audit, which a service cannot, and grants a PostgreSQL
    /// role what a service needs.
    pub async fn migrate(settings: &Settings, service_role: Option<&str>) -> Result<()> {
        settings.make_private()?;
        let connection = Database::connect(settings.to_migrate()).await?;
        Migrator::up(&connection, None).await?;
        let before = database_time(&connection).await? - AUDIT_KEPT;
        connection.execute_raw(sql(&connection, "DELETE FROM audit WHERE at < $1", [before.into()])).await?;
        if let Some(role) = service_role.filter(|_| settings.backend == DbBackend::Postgres) {
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

/// Records in the audit that `client` read, changed, exported or erased the personal data of `leads` leads, or of the one
/// with the id. Neither text may contain a visitor's data.
pub(crate) async fn audit(
    connection: &impl ConnectionTrait,
    client: &str,
    action: &str,
    leads: u64,
    lead_id: Option<Uuid>,
) -> Result<()> {
    let leads = i64::try_from(leads).unwrap_or(i64::MAX);
    let insert = "INSERT INTO audit (client, action, leads, lead_id) VALUES ($1, $2, $3, $4)";
    let values = [client.into(), action.into(), leads.into(), lead_id.into()];
    connection.execute_raw(sql(connection, insert, values)).await?;
    Ok(())
}

/// A statement with values for `$1`, `$2` and so on, in SQL that both databases support.
pub(crate) fn sql(
    connection: &impl ConnectionTrait,
    text: impl Into<String>,
    values: impl IntoIterator<Item = Value>,
) -> Statement {
    Statement::from_sql_and_values(connection.get_database_backend(), text, values)
}

/// Runs a statement or transaction for at most [`TIME_LIMIT`].
pub(crate) async fn with_timeout<T, E: Into<StoreError>>(
    statement: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    match timeout(TIME_LIMIT, statement).await {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(StoreError::Unavailable(format!("no answer within {TIME_LIMIT:?}"))),
    }
}
