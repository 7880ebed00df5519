//! Database errors, classified by cause.

use std::io;

use sea_orm::{
    DbErr, RuntimeErr,
    sqlx::{self, error::DatabaseError},
};

/// Why a database operation failed. Holds codes and the operating system's messages, never the database's: they quote
/// values.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Unreachable, full, read-only, out of connections or silent. Every other operation would fail now; a later one
    /// may succeed.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    #[error("conflict with a concurrent transaction (code {0})")]
    Contended(String),
    #[error("lock or statement timeout (code {0})")]
    Slow(String),
    #[error(
        "database access denied (code {0}): check user, password and database in DATABASE_URL, and run \
         `crm-sync migrate` to renew the user's grants"
    )]
    NotAdmitted(String),
    #[error("database corrupt (code {0}): stop crm-sync and restore a backup")]
    Damaged(String),
    #[error("database schema missing or outdated: run `crm-sync migrate`")]
    SchemaOutdated,
    #[error("database rejected a value (code {0})")]
    Refused(String),
    #[error("column {0} has a value that this version does not support")]
    Unreadable(&'static str),
    #[error("database error: {0}")]
    Failed(String),
}

/// Of the database's file.
impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<DbErr> for StoreError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "what we do not tell apart is a failure of its own")]
    fn from(error: DbErr) -> Self {
        match error {
            DbErr::ConnectionAcquire(cause) => Self::Unavailable(cause.to_string()),
            DbErr::Conn(RuntimeErr::SqlxError(cause))
            | DbErr::Exec(RuntimeErr::SqlxError(cause))
            | DbErr::Query(RuntimeErr::SqlxError(cause)) => from_driver(&cause),
            DbErr::Custom(message) | DbErr::Migration(message) => Self::Failed(message),
            _ => Self::Failed("cannot build a statement or read its rows".to_owned()),
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what we do not tell apart is a failure of its own")]
fn from_driver(error: &sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::Database(error) => from_database(error.as_ref()),
        sqlx::Error::Io(error) => StoreError::Unavailable(error.to_string()),
        sqlx::Error::Tls(error) => StoreError::Unavailable(error.to_string()),
        // For example, the connection broke during the handshake.
        sqlx::Error::Protocol(_) => StoreError::Unavailable("connection broke".to_owned()),
        sqlx::Error::PoolTimedOut => StoreError::Unavailable("timed out waiting for a connection".to_owned()),
        sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => {
            StoreError::Unavailable("connection closed".to_owned())
        }
        sqlx::Error::Configuration(_) => StoreError::Failed("DATABASE_URL is invalid".to_owned()),
        sqlx::Error::Encode(_) => StoreError::Refused("value cannot be encoded".to_owned()),
        _ => StoreError::Failed("unexpected response from the database".to_owned()),
    }
}

fn from_database(error: &dyn DatabaseError) -> StoreError {
    let code = error.code().unwrap_or_default().into_owned();
    let is_postgres = error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some();
    match if is_postgres { postgres_kind(&code) } else { sqlite_kind(&code) } {
        Kind::Unavailable => StoreError::Unavailable(format!("code {code}")),
        Kind::Contended => StoreError::Contended(code),
        Kind::Slow => StoreError::Slow(code),
        Kind::NotAdmitted => StoreError::NotAdmitted(code),
        Kind::Damaged => StoreError::Damaged(code),
        Kind::SchemaOutdated => StoreError::SchemaOutdated,
        Kind::Refused => StoreError::Refused(code),
        Kind::Failed => StoreError::Failed(format!("code {code}")),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Unavailable,
    Contended,
    Slow,
    NotAdmitted,
    Damaged,
    SchemaOutdated,
    Refused,
    Failed,
}

/// Classifies by SQLSTATE: PostgreSQL's documentation, appendix A.
fn postgres_kind(code: &str) -> Kind {
    match (code.get(..2), code) {
        // Lock timeout, statement timeout.
        (_, "55P03" | "57014") => Kind::Slow,
        // Deadlock, serialization.
        (Some("40"), _) => Kind::Contended,
        // Missing tables or columns.
        (_, "42P01" | "42703") => Kind::SchemaOutdated,
        // Connection, invalid state (read-only), resources, operator, system.
        (Some("08" | "25" | "53" | "57" | "58"), _) => Kind::Unavailable,
        // Missing grants.
        (Some("28" | "3D"), _) | (_, "42501") => Kind::NotAdmitted,
        (_, "XX001" | "XX002") => Kind::Damaged,
        // Data, integrity, limits.
        (Some("22" | "23" | "54"), _) => Kind::Refused,
        _ => Kind::Failed,
    }
}

/// Classifies by primary result code, the low byte: sqlite.org/rescode.html.
fn sqlite_kind(code: &str) -> Kind {
    match code.parse::<u32>().map(|code| code & 0xff) {
        // BUSY, LOCKED.
        Ok(5 | 6) => Kind::Contended,
        // NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL.
        Ok(7 | 8 | 10 | 13 | 14 | 15) => Kind::Unavailable,
        // CORRUPT, NOTADB.
        Ok(11 | 26) => Kind::Damaged,
        // TOOBIG, CONSTRAINT, MISMATCH, RANGE.
        Ok(18 | 19 | 20 | 25) => Kind::Refused,
        Ok(_) | Err(_) => Kind::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_work_later_is_told_from_what_never_will() {
        for (code, kind) in [
            ("57P01", Kind::Unavailable),
            ("53100", Kind::Unavailable),
            ("25006", Kind::Unavailable),
            ("53300", Kind::Unavailable),
            ("40P01", Kind::Contended),
            ("40001", Kind::Contended),
            ("55P03", Kind::Slow),
            ("57014", Kind::Slow),
            ("28P01", Kind::NotAdmitted),
            ("3D000", Kind::NotAdmitted),
            ("23514", Kind::Refused),
            ("22021", Kind::Refused),
            ("42P01", Kind::SchemaOutdated),
            ("42501", Kind::NotAdmitted),
            ("XX001", Kind::Damaged),
            ("XX000", Kind::Failed),
            ("", Kind::Failed),
        ] {
            assert_eq!(postgres_kind(code), kind, "{code}");
        }
        for (code, kind) in [
            ("5", Kind::Contended),
            ("261", Kind::Contended),
            ("8", Kind::Unavailable),
            ("13", Kind::Unavailable),
            ("1032", Kind::Unavailable),
            ("275", Kind::Refused),
            ("11", Kind::Damaged),
            ("26", Kind::Damaged),
            ("1", Kind::Failed),
            ("", Kind::Failed),
        ] {
            assert_eq!(sqlite_kind(code), kind, "{code}");
        }
    }
}
