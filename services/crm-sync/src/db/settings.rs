//! Which database, and how it is connected to.

use std::{str::FromStr, time::Duration};

use sea_orm::{
    ConnectOptions,
    sqlx::{
        self, Connection, PgConnection,
        postgres::PgConnectOptions,
        sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
    },
};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::timeout;

/// How long to wait for a connection, to the server or from the pool. A caller who does not wait so long leaves the
/// line.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

const MIGRATION_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long SQLite waits for another process to finish writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a connection that is not in use may take to say that it is there.
const PING_TIMEOUT: Duration = Duration::from_millis(500);

/// What PostgreSQL is told about each connection, above all so that nothing waits without end, on either side.
const POSTGRES_PARAMETERS: [(&str, &str); 8] = [
    // Each statement sees what was committed while the one before it waited for a lock, whatever the server's default.
    ("default_transaction_isolation", "read committed"),
    // A lock is held for milliseconds, unless something is wrong.
    ("lock_timeout", "1s"),
    ("statement_timeout", "3s"),
    // A process that stands still lets go of what it holds.
    ("idle_in_transaction_session_timeout", "5s"),
    // So does one whose machine is gone.
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "15000"),
];

/// Where the leads are kept.
#[derive(Clone)]
pub struct Settings {
    pub(crate) kind: Kind,
    url: SecretString,
    connections: u32,
}

/// The two databases there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    /// OpenTelemetry's name of it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgresql",
        }
    }
}

/// An address is of no database we know. Does not repeat it: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// Neither of the two.
    #[error("must begin with sqlite:// or postgres://")]
    Scheme,
    #[error("is not a valid address: sqlite://PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    Malformed,
    #[error("must name a file: a lead in memory would be gone with the process")]
    InMemory,
}

impl Settings {
    /// The database at `url`; on PostgreSQL with at most so many connections.
    ///
    /// # Errors
    /// [`InvalidUrl`] when it can be told without connecting.
    pub fn new(url: SecretString, connections: u32) -> Result<Self, InvalidUrl> {
        let kind = match url.expose_secret().split_once(':').map(|(scheme, _)| scheme) {
            Some("sqlite") => Kind::Sqlite,
            Some("postgres" | "postgresql") => Kind::Postgres,
            _ => return Err(InvalidUrl::Scheme),
        };
        match kind {
            Kind::Sqlite => check_sqlite(url.expose_secret())?,
            Kind::Postgres => {
                PgConnectOptions::from_str(url.expose_secret()).map_err(|_| InvalidUrl::Malformed)?;
            }
        }
        Ok(Self { kind, url, connections })
    }

    /// How to connect for writing: SQLite has one writer at a time, and waiting for our own turn here is fairer than
    /// waiting for its lock.
    pub(crate) fn to_write(&self) -> ConnectOptions {
        match self.kind {
            Kind::Sqlite => self.options(1),
            Kind::Postgres => self.options(self.connections),
        }
    }

    /// How to connect for reading; none where writers and readers share.
    pub(crate) fn to_read(&self) -> Option<ConnectOptions> {
        match self.kind {
            Kind::Sqlite => Some(self.options(self.connections)),
            Kind::Postgres => None,
        }
    }

    /// How to connect for changing the schema, which takes its time.
    pub(crate) fn to_migrate(&self) -> ConnectOptions {
        let mut options = self.basics(1);
        options
            .connect_timeout(MIGRATION_CONNECT_TIMEOUT)
            .acquire_timeout(MIGRATION_CONNECT_TIMEOUT)
            .map_sqlx_postgres_opts(|options| options.application_name("crm-sync migrate"));
        options
    }

    fn options(&self, connections: u32) -> ConnectOptions {
        let mut options = self.basics(connections);
        options
            .connect_timeout(CONNECT_TIMEOUT)
            .acquire_timeout(CONNECT_TIMEOUT)
            .test_before_acquire(false)
            .map_sqlx_postgres_opts(|options| {
                options.application_name("crm-sync").options(POSTGRES_PARAMETERS)
            })
            .map_sqlx_postgres_pool_opts(|options| {
                // The driver would wait for a connection whose other end is gone until the system gives it up,
                // and so lose one place in the pool after another.
                options
                    .before_acquire(|connection, _| Box::pin(async { is_there(connection).await }))
                    .after_release(|connection, _| Box::pin(async { is_there(connection).await }))
            });
        options
    }

    fn basics(&self, connections: u32) -> ConnectOptions {
        let mut options = ConnectOptions::new(self.url.expose_secret());
        options
            .max_connections(connections)
            .sqlx_logging(false)
            .record_stmt_in_spans(false)
            .map_sqlx_sqlite_opts(|options| {
                options
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    // On the disk before anybody is told that it is stored.
                    .synchronous(SqliteSynchronous::Full)
                    .busy_timeout(BUSY_TIMEOUT)
                    // What is erased is overwritten, not just forgotten.
                    .pragma("secure_delete", "ON")
                    .foreign_keys(true)
            });
        options
    }
}

/// Ends what a caller who went away left unfinished, too.
async fn is_there(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    match timeout(PING_TIMEOUT, connection.ping()).await {
        Ok(pinged) => pinged.map(|()| true),
        // An error, so that the connection is dropped without another word.
        Err(_) => Err(sqlx::Error::PoolTimedOut),
    }
}

fn check_sqlite(url: &str) -> Result<(), InvalidUrl> {
    let options = SqliteConnectOptions::from_str(url).map_err(|_| InvalidUrl::Malformed)?;
    let path = options.get_filename().as_os_str().to_string_lossy();
    // The driver does not say whether it would keep everything in memory.
    let in_memory = path.is_empty() || path.starts_with("file:sqlx-in-memory") || url.contains("mode=memory");
    if in_memory { Err(InvalidUrl::InMemory) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(url: &str) -> Result<Kind, InvalidUrl> {
        Settings::new(url.into(), 1).map(|settings| settings.kind)
    }

    #[test]
    fn the_address_says_which_database_it_is() {
        assert_eq!(kind("sqlite://.local/crm.sqlite"), Ok(Kind::Sqlite));
        assert_eq!(kind("sqlite:///var/lib/crm.sqlite?mode=rwc"), Ok(Kind::Sqlite));
        assert_eq!(kind("postgres://crm:secret@db.internal:5432/crm"), Ok(Kind::Postgres));
        assert_eq!(
            kind("postgresql://crm@%2Fvar%2Frun%2Fpostgresql/crm?sslmode=disable"),
            Ok(Kind::Postgres)
        );
    }

    #[test]
    fn addresses_that_cannot_work_are_refused() {
        assert_eq!(kind(""), Err(InvalidUrl::Scheme));
        assert_eq!(kind("mysql://x/y"), Err(InvalidUrl::Scheme));
        assert_eq!(kind("crm.sqlite"), Err(InvalidUrl::Scheme));
        assert_eq!(kind("postgres://host:notaport/crm"), Err(InvalidUrl::Malformed));
        assert_eq!(kind("sqlite://crm.sqlite?mode=sideways"), Err(InvalidUrl::Malformed));
        for memory in ["sqlite::memory:", "sqlite://:memory:", "sqlite://crm.sqlite?mode=memory", "sqlite://"]
        {
            assert_eq!(kind(memory), Err(InvalidUrl::InMemory), "{memory}");
        }
    }
}
