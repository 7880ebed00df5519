//! Direct access to the CRM's database: measures crm-sync's progress and makes baseline inserts of the same rows.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr,
    QueryResult, Statement, TransactionTrait, Value,
};
use tokio::time::sleep;
use uuid::Uuid;
use xtask::error::{Error, Result};

/// Columns of `lead` that the database fills when it stores a lead.
const DEFAULTS: [&str; 6] = ["recorded_at", "open", "leased_until", "leases", "brochure", "erased_at"];

const CONTACT_KEY: [&str; 3] = ["kind", "value", "contact_id"];

/// Rare enough not to affect the measurement.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
const TIMEOUT: Duration = Duration::from_secs(900);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// The rows of one lead as stored by crm-sync.
#[derive(Clone)]
pub(crate) struct Rows {
    columns: Arc<[String]>,
    lead: Vec<Value>,
    keys: Vec<Vec<Value>>,
}

/// A database with the CRM's schema.
pub(crate) struct Database {
    connection: DatabaseConnection,
}

impl Database {
    /// Opens one connection, for SQLite with the settings of crm-sync's writer.
    pub(crate) async fn open(url: &str) -> Result<Self> {
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).test_before_acquire(false).sqlx_logging(false).map_sqlx_sqlite_opts(
            |options| {
                options
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .pragma("secure_delete", "ON")
                    .foreign_keys(true)
            },
        );
        Ok(Self { connection: Connector::connect(options).await.map_err(failed)? })
    }

    /// Runs a statement without a result.
    pub(crate) async fn run(&self, statement: &str) -> Result<()> {
        self.connection.execute_unprepared(statement).await.map_err(failed).map(drop)
    }

    pub(crate) async fn text(&self, query: &str) -> Result<String> {
        self.one(query, Vec::new()).await?.try_get_by_index(0).map_err(failed)
    }

    pub(crate) async fn has(&self, lead: Uuid) -> Result<bool> {
        let mark = placeholder(self.backend(), 1);
        let query = format!("SELECT count(*) FROM lead WHERE id = {mark}");
        let count: i64 = self.one(&query, vec![lead.into()]).await?.try_get_by_index(0).map_err(failed)?;
        Ok(count > 0)
    }

    /// Waits until `leads` leads are stored; `tell` receives each count. Fails after [`TIMEOUT`].
    pub(crate) async fn wait_for(&self, leads: u64, tell: impl Fn(u64)) -> Result<()> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let row = self.one("SELECT count(*) FROM lead", Vec::new()).await?;
            let count = u64::try_from(row.try_get_by_index::<i64>(0).map_err(failed)?).unwrap_or_default();
            tell(count);
            if count >= leads {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Error::failed(format!("only {count} of {leads} leads were stored in time")));
            }
            sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Leads stored per second, between the first and the last `recorded_at`.
    pub(crate) async fn per_second(&self) -> Result<f64> {
        let seconds = match self.engine() {
            Engine::Sqlite => "(julianday(max(recorded_at)) - julianday(min(recorded_at))) * 86400.0",
            Engine::Postgres => "extract(epoch FROM max(recorded_at) - min(recorded_at))::float8",
        };
        let row = self.one(&format!("SELECT count(*), {seconds} FROM lead"), Vec::new()).await?;
        let count: i64 = row.try_get_by_index(0).map_err(failed)?;
        let seconds: f64 = row.try_get_by_index(1).map_err(failed)?;
        if seconds <= 0.0 {
            return Err(Error::failed("all leads were stored at the same time: too few leads for a rate"));
        }
        Ok((count - 1) as f64 / seconds)
    }

    /// The rows of every lead in the order of storage.
    pub(crate) async fn rows(&self) -> Result<Vec<Rows>> {
        let query = format!("SELECT {} FROM contact_key", CONTACT_KEY.join(", "));
        let mut keys: HashMap<Uuid, Vec<Vec<Value>>> = HashMap::new();
        for row in self.all(&query).await? {
            let contact: Uuid = row.try_get("", "contact_id").map_err(failed)?;
            keys.entry(contact).or_default().push(values(&row, &CONTACT_KEY)?);
        }
        let leads = self.all("SELECT * FROM lead ORDER BY recorded_at, id").await?;
        let columns = leads.first().map(QueryResult::column_names).unwrap_or_default();
        let columns: Arc<[_]> =
            columns.into_iter().filter(|column| !DEFAULTS.contains(&column.as_str())).collect();
        let rows = leads.iter().map(|row| {
            // Each lead has its own contact, with the lead's id.
            let id: Uuid = row.try_get("", "id").map_err(failed)?;
            let keys = keys.remove(&id).unwrap_or_default();
            Ok(Rows { columns: columns.clone(), lead: values(row, &columns)?, keys })
        });
        rows.collect()
    }

    /// Inserts rows with `batch` leads per transaction; returns the duration of each transaction.
    pub(crate) async fn insert(&self, rows: &[Rows], batch: usize) -> Result<Vec<Duration>> {
        let mut took = Vec::with_capacity(rows.len().div_ceil(batch));
        for rows in rows.chunks(batch) {
            let began = Instant::now();
            let transaction = self.connection.begin().await.map_err(failed)?;
            let leads = rows.iter().map(|row| row.lead.as_slice());
            let keys = rows.iter().flat_map(|row| row.keys.iter().map(Vec::as_slice));
            let columns = rows.first().map(|row| row.columns.as_ref()).unwrap_or_default();
            let inserts = [
                insert(self.backend(), "lead", columns, leads.collect()),
                insert(self.backend(), "contact_key", &CONTACT_KEY, keys.collect()),
            ];
            for statement in inserts.into_iter().flatten() {
                transaction.execute_raw(statement).await.map_err(failed)?;
            }
            transaction.commit().await.map_err(failed)?;
            took.push(began.elapsed());
        }
        Ok(took)
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.connection.close().await.map_err(failed)
    }

    pub(crate) fn engine(&self) -> Engine {
        if self.backend() == DbBackend::Sqlite { Engine::Sqlite } else { Engine::Postgres }
    }

    fn backend(&self) -> DbBackend {
        self.connection.get_database_backend()
    }

    async fn one(&self, query: &str, values: Vec<Value>) -> Result<QueryResult> {
        let statement = Statement::from_sql_and_values(self.backend(), query, values);
        let row = self.connection.query_one_raw(statement).await.map_err(failed)?;
        row.ok_or_else(|| Error::failed(format!("{query} returned no row")))
    }

    async fn all(&self, query: &str) -> Result<Vec<QueryResult>> {
        let statement = Statement::from_string(self.backend(), query);
        self.connection.query_all_raw(statement).await.map_err(failed)
    }
}

/// The URL of a SQLite database in a directory.
pub(crate) fn sqlite(directory: &Path) -> String {
    format!("sqlite://{}?mode=rwc", directory.join("crm.sqlite").display())
}

fn failed(error: DbErr) -> Error {
    Error::failed(format!("database error: {error}"))
}

/// A column's name tells its type, in both databases: `..._at` is a time, `id` and `..._id` an id, others are text.
fn values(row: &QueryResult, columns: &[impl AsRef<str>]) -> Result<Vec<Value>> {
    let value = |name: &str| match name.rsplit('_').next() {
        Some("id") => row.try_get::<Option<Uuid>>("", name).map(Value::from),
        Some("at") => row.try_get::<Option<DateTime<Utc>>>("", name).map(Value::from),
        Some(_) | None => row.try_get::<Option<String>>("", name).map(Value::from),
    };
    columns.iter().map(|name| value(name.as_ref())).collect::<std::result::Result<_, _>>().map_err(failed)
}

fn placeholder(backend: DbBackend, number: usize) -> String {
    if backend == DbBackend::Sqlite { "?".to_owned() } else { format!("${number}") }
}

/// One statement for all rows; `None` without rows.
fn insert(
    backend: DbBackend,
    table: &str,
    columns: &[impl AsRef<str>],
    rows: Vec<&[Value]>,
) -> Option<Statement> {
    if rows.is_empty() {
        return None;
    }
    let mut numbers = 1..;
    let tuple = |_: &&[Value]| {
        let marks: Vec<_> =
            numbers.by_ref().take(columns.len()).map(|number| placeholder(backend, number)).collect();
        format!("({})", marks.join(","))
    };
    let tuples: Vec<_> = rows.iter().map(tuple).collect();
    let names: Vec<_> = columns.iter().map(AsRef::as_ref).collect();
    let sql = format!("INSERT INTO {table} ({}) VALUES {}", names.join(", "), tuples.join(","));
    Some(Statement::from_sql_and_values(backend, sql, rows.into_iter().flatten().cloned()))
}

/// The batch size with the highest rate in leads per second.
pub(crate) fn best(rates: &[(usize, f64)]) -> Option<(usize, f64)> {
    rates.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))
}
