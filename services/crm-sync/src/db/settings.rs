//! Database settings and connection options.

use std::{
    fs::{self, OpenOptions, Permissions},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    str::FromStr,
    time::Duration,
};

use runtime::config::SECRETS;
use sea_orm::{
    ConnectOptions, DbBackend,
    sqlx::{
        self, Connection, Executor, PgConnection, Row,
        postgres::PgConnectOptions,
        sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
    },
};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::timeout;

/// Timeout of connecting to the server, and of waiting for a connection from the pool.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

const MIGRATION_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum wait for another process's write to SQLite.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// Timeout of the check before a connection is used. A statement waits for it. Not shorter, because a new connection costs
/// a slow server more than the check.
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// Timeout of the check of a returned connection. No statement waits for it.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(3);

/// PostgreSQL session parameters, mostly timeouts that prevent either side from waiting forever.
const POSTGRES_PARAMETERS: [(&str, &str); 9] = [
    // Statements must see rows committed while an earlier statement waited for a lock, whatever the server's default is.
    ("default_transaction_isolation", "read committed"),
    // Locks are normally held for milliseconds. Exceeds `deadlock_timeout`, a second by default, because a deadlock is
    // retried. Shorter than the deadline of a caller.
    ("lock_timeout", "1200ms"),
    ("statement_timeout", "3s"),
    // Releases the locks of a hung process.
    ("idle_in_transaction_session_timeout", "5s"),
    // Release the locks of a process whose machine failed.
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "15000"),
    // With a million leads, compiling a statement of the report took up to four times as long as running it.
    ("jit", "off"),
];

#[derive(Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// Database, sqlite://PATH or postgres://USER:PASSWORD@HOST:PORT/NAME
    #[arg(long, env, help_heading = SECRETS)]
    pub database_url: DatabaseUrl,
    /// Maximum number of database connections; SQLite uses one more for writing
    #[arg(long, env, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub database_connections: u32,
}

/// The address of a database, which may contain a password.
#[derive(Clone)]
pub struct DatabaseUrl {
    backend: DbBackend,
    url: SecretString,
}

impl FromStr for DatabaseUrl {
    /// Does not contain the URL.
    type Err = &'static str;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        let scheme = url.split_once(':').map(|(scheme, _)| scheme);
        let backend = match scheme {
            Some("sqlite") => {
                check_sqlite(url)?;
                DbBackend::Sqlite
            }
            Some("postgres" | "postgresql") => {
                PgConnectOptions::from_str(url).map_err(|_| MALFORMED)?;
                DbBackend::Postgres
            }
            _ => return Err("must begin with sqlite:// or postgres://"),
        };
        Ok(Self {
            backend,
            url: url.into(),
        })
    }
}

impl Settings {
    /// # Errors
    /// If the URL is invalid.
    pub fn new(url: &str, connections: u32) -> Result<Self, &'static str> {
        Ok(Self {
            database_url: url.parse()?,
            database_connections: connections,
        })
    }

    pub(crate) fn backend(&self) -> DbBackend {
        self.database_url.backend
    }

    fn url(&self) -> &str {
        self.database_url.url.expose_secret()
    }

    /// Restricts SQLite's files to their owner. Creates a missing file: SQLite copies its mode to further files.
    pub(crate) fn make_private(&self) -> io::Result<()> {
        const OWNER_ONLY: u32 = 0o600;
        if self.backend() != DbBackend::Sqlite {
            return Ok(());
        }
        let options = SqliteConnectOptions::from_str(self.url()).map_err(io::Error::other)?;
        let file = options.get_filename();
        OpenOptions::new()
            .create(true)
            .append(true)
            .mode(OWNER_ONLY)
            .open(file)?;
        for suffix in ["", "-wal", "-shm"] {
            let mut file = file.as_os_str().to_owned();
            file.push(suffix);
            match fs::set_permissions(&file, Permissions::from_mode(OWNER_ONLY)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Options of the writing pool, and of the reading pool unless reads use the writing pool.
    pub(crate) fn pools(&self) -> (ConnectOptions, Option<ConnectOptions>) {
        let options = self.options(self.database_connections);
        // SQLite allows one writer. The queue of a pool with one connection is fairer than SQLite's lock.
        if self.backend() == DbBackend::Sqlite {
            (self.options(1), Some(options))
        } else {
            (options, None)
        }
    }

    /// Whether an unavailable database may recover. A server may recover; a file that cannot be opened stays unavailable.
    pub(crate) fn may_recover(&self) -> bool {
        self.backend() == DbBackend::Postgres
    }

    /// Options for migrations, with longer timeouts.
    pub(crate) fn to_migrate(&self) -> ConnectOptions {
        let mut options = self.basics(1, MIGRATION_CONNECT_TIMEOUT);
        options.map_sqlx_postgres_opts(|options| options.application_name("crm-sync migrate"));
        options
    }

    fn options(&self, connections: u32) -> ConnectOptions {
        let mut options = self.basics(connections, CONNECT_TIMEOUT);
        options
            .test_before_acquire(false)
            .map_sqlx_postgres_opts(|options| {
                options
                    .application_name("crm-sync")
                    .options(POSTGRES_PARAMETERS)
            })
            .map_sqlx_postgres_pool_opts(|options| {
                // Without these checks, the driver would wait for broken connections until the system's timeout, which
                // would exhaust the pool.
                options
                    .before_acquire(|connection, _| Box::pin(is_alive(connection)))
                    .after_release(|connection, _| Box::pin(has_no_open_transaction(connection)))
            });
        options
    }

    fn basics(&self, connections: u32, connect_timeout: Duration) -> ConnectOptions {
        let mut options = ConnectOptions::new(self.url());
        options
            .max_connections(connections)
            .connect_timeout(connect_timeout)
            .acquire_timeout(connect_timeout)
            .sqlx_logging(false)
            .record_stmt_in_spans(false)
            .map_sqlx_sqlite_opts(|options| {
                options
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    // Syncs to disk before a lead is confirmed.
                    .synchronous(SqliteSynchronous::Full)
                    .busy_timeout(BUSY_TIMEOUT)
                    // Overwrites deleted data.
                    .pragma("secure_delete", "ON")
                    .foreign_keys(true)
            });
        options
    }
}

async fn is_alive(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    in_time(PING_TIMEOUT, connection.ping())
        .await
        .map(|()| true)
}

/// Whether a connection answers and has no open transaction. The driver does not roll back a transaction whose BEGIN
/// was cancelled. The next caller's statements would join that transaction and never be committed.
async fn has_no_open_transaction(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    // The timestamps are equal only if this statement started the transaction.
    let select = "SELECT transaction_timestamp() = statement_timestamp()";
    in_time(RELEASE_TIMEOUT, connection.fetch_one(select))
        .await?
        .try_get(0)
}

/// Fails if there is no answer within `limit`. An error makes the pool drop the connection without closing it.
async fn in_time<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    timeout(limit, answer)
        .await
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

const MALFORMED: &str =
    "is not a valid address: use sqlite://PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE";

fn check_sqlite(url: &str) -> Result<(), &'static str> {
    let options = SqliteConnectOptions::from_str(url).map_err(|_| MALFORMED)?;
    let path = options.get_filename().as_os_str().to_string_lossy();
    // The driver does not expose whether the database is in memory.
    let in_memory =
        path.is_empty() || path.starts_with("file:sqlx-in-memory") || url.contains("mode=memory");
    if in_memory {
        return Err("must name a file: a database in memory loses all leads when the process ends");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backend(url: &str) -> Result<DbBackend, &'static str> {
        url.parse::<DatabaseUrl>().map(|url| url.backend)
    }

    #[test]
    fn url_selects_the_database() {
        for url in [
            "sqlite://.local/crm.sqlite",
            "sqlite:///var/lib/crm.sqlite?mode=rwc",
        ] {
            assert_eq!(backend(url), Ok(DbBackend::Sqlite), "{url}");
        }
        for url in [
            "postgres://crm:secret@db.internal:5432/crm",
            "postgresql://crm@%2Fvar%2Frun%2Fpostgresql/crm?sslmode=disable",
        ] {
            assert_eq!(backend(url), Ok(DbBackend::Postgres), "{url}");
        }
    }

    #[test]
    fn rejects_invalid_urls() {
        for (url, expected) in [
            ("", "must begin"),
            ("mysql://x/y", "must begin"),
            ("crm.sqlite", "must begin"),
            ("postgres://host:notaport/crm", "is not a valid address"),
            (
                "sqlite://crm.sqlite?mode=sideways",
                "is not a valid address",
            ),
            ("sqlite::memory:", "must name a file"),
            ("sqlite://:memory:", "must name a file"),
            ("sqlite://crm.sqlite?mode=memory", "must name a file"),
            ("sqlite://", "must name a file"),
        ] {
            assert!(
                backend(url).is_err_and(|error| error.starts_with(expected)),
                "{url}"
            );
        }
    }
}
