//! Database errors, classified by cause.

use std::io;

use sea_orm::{
    DbErr, RuntimeErr,
    prelude::Uuid,
    sqlx::{self, error::DatabaseError},
};

/// An error of a database operation. Contains codes and messages of the operating system. Omits messages of the
/// database, because they quote values.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is unreachable, full, read-only, out of connections or not responding. All operations fail now;
    /// later ones may succeed.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    #[error("conflict with a concurrent transaction ({0})")]
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
    /// The lead is not stored, erased or a canary.
    #[error("there is no lead {0}")]
    NoSuchLead(Uuid),
    #[error("lead {0} was erased")]
    Erased(Uuid),
    #[error("the lead has changed since it was read: read it again and repeat the change")]
    Changed,
    #[error(
        "the visitor withdrew consent: add a note that says when and how the visitor agreed again"
    )]
    NoConsentNote,
    #[error("the leads belong to several people: use leads of one person")]
    SeveralPeople,
}

impl StoreError {
    /// Whether repeating the operation may succeed later, for some errors only after an operator has repaired the database.
    pub fn is_temporary(&self) -> bool {
        !self.is_refusal() && !matches!(self, Self::Unreadable(_) | Self::Failed(_))
    }

    /// Whether the request caused the error.
    pub fn is_refusal(&self) -> bool {
        use StoreError::{Changed, Erased, NoConsentNote, NoSuchLead, Refused, SeveralPeople};
        matches!(
            self,
            Refused(_) | NoSuchLead(_) | Erased(_) | Changed | NoConsentNote | SeveralPeople
        )
    }
}

/// An error of the SQLite file.
impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<DbErr> for StoreError {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other errors are one failure"
    )]
    fn from(error: DbErr) -> Self {
        match error {
            DbErr::ConnectionAcquire(cause) => Self::Unavailable(cause.to_string()),
            // The connection broke during the handshake.
            DbErr::Conn(RuntimeErr::SqlxError(cause))
                if matches!(*cause, sqlx::Error::Protocol(_)) =>
            {
                Self::Unavailable("connection broke".to_owned())
            }
            DbErr::Conn(RuntimeErr::SqlxError(cause))
            | DbErr::Exec(RuntimeErr::SqlxError(cause))
            | DbErr::Query(RuntimeErr::SqlxError(cause)) => from_driver(&cause),
            DbErr::Type(_) | DbErr::Json(_) => Self::Unreadable("of a row"),
            DbErr::Custom(message) | DbErr::Migration(message) => Self::Failed(message),
            _ => Self::Failed("cannot build a statement or read its rows".to_owned()),
        }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other errors are one failure"
)]
fn from_driver(error: &sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::Database(error) => from_database(error.as_ref()),
        sqlx::Error::Io(error) => StoreError::Unavailable(error.to_string()),
        sqlx::Error::Tls(error) => StoreError::Unavailable(error.to_string()),
        // The driver cannot send the statement, for example because it has too many parameters. A broken connection is an
        // I/O error.
        sqlx::Error::Protocol(_) => {
            StoreError::Failed("statement does not fit the protocol".to_owned())
        }
        sqlx::Error::PoolTimedOut => {
            StoreError::Unavailable("timed out waiting for a connection".to_owned())
        }
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
    let is_postgres = error
        .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
        .is_some();
    if is_postgres {
        from_postgres(code)
    } else {
        from_sqlite(code)
    }
}

/// Classifies by SQLSTATE: PostgreSQL's documentation, appendix A.
fn from_postgres(code: String) -> StoreError {
    match (code.get(..2), code.as_str()) {
        // Lock timeout, statement timeout.
        (_, "55P03" | "57014") => StoreError::Slow(code),
        // Deadlock, serialization.
        (Some("40"), _) => StoreError::Contended(format!("code {code}")),
        // Missing tables or columns.
        (_, "42P01" | "42703") => StoreError::SchemaOutdated,
        // Connection, invalid state (read-only), resources, operator, system.
        (Some("08" | "25" | "53" | "57" | "58"), _) => {
            StoreError::Unavailable(format!("code {code}"))
        }
        // Missing grants.
        (Some("28" | "3D"), _) | (_, "42501") => StoreError::NotAdmitted(code),
        (_, "XX001" | "XX002") => StoreError::Damaged(code),
        // Data, integrity, limits.
        (Some("22" | "23" | "54"), _) => StoreError::Refused(code),
        _ => StoreError::Failed(format!("code {code}")),
    }
}

/// Classifies by primary result code, the low byte: sqlite.org/rescode.html.
fn from_sqlite(code: String) -> StoreError {
    match code.parse::<u32>().map(|code| code & 0xff) {
        // BUSY, LOCKED.
        Ok(5 | 6) => StoreError::Contended(format!("code {code}")),
        // NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL.
        Ok(7 | 8 | 10 | 13 | 14 | 15) => StoreError::Unavailable(format!("code {code}")),
        // CORRUPT, NOTADB.
        Ok(11 | 26) => StoreError::Damaged(code),
        // TOOBIG, CONSTRAINT, MISMATCH, RANGE.
        Ok(18 | 19 | 20 | 25) => StoreError::Refused(code),
        Ok(_) | Err(_) => StoreError::Failed(format!("code {code}")),
    }
}

#[cfg(test)]
mod tests {
    use std::mem::discriminant;

    use super::*;

    /// The consumer would pause for an unavailable database, and then get the same message again.
    #[test]
    fn error_about_too_many_parameters_is_not_a_broken_connection() {
        let protocol = || {
            let text = "too many arguments for query: 65536".to_owned();
            RuntimeErr::SqlxError(sqlx::Error::Protocol(text).into())
        };
        for error in [DbErr::Exec(protocol()), DbErr::Query(protocol())] {
            assert!(matches!(StoreError::from(error), StoreError::Failed(_)));
        }
        let handshake = StoreError::from(DbErr::Conn(protocol()));
        assert!(matches!(handshake, StoreError::Unavailable(_)));
    }

    #[test]
    fn classifies_codes_of_both_databases() {
        use StoreError::{
            Contended, Damaged, Failed, NotAdmitted, Refused, SchemaOutdated, Slow, Unavailable,
        };
        let same = |one: &StoreError, other: &StoreError| discriminant(one) == discriminant(other);
        let kind = |of: fn(String) -> StoreError| of(String::new());
        for (codes, expected) in [
            (&["57P01", "53100", "25006", "53300"][..], kind(Unavailable)),
            (&["40P01", "40001"], kind(Contended)),
            (&["55P03", "57014"], kind(Slow)),
            (&["28P01", "3D000", "42501"], kind(NotAdmitted)),
            (&["23514", "22021"], kind(Refused)),
            (&["42P01"], SchemaOutdated),
            (&["XX001"], kind(Damaged)),
            (&["XX000", ""], kind(Failed)),
        ] {
            assert!(
                codes
                    .iter()
                    .all(|code| same(&from_postgres((*code).to_owned()), &expected)),
                "{codes:?}"
            );
        }
        for (codes, expected) in [
            (&["5", "261"][..], kind(Contended)),
            (&["8", "13", "1032"], kind(Unavailable)),
            (&["275"], kind(Refused)),
            (&["11", "26"], kind(Damaged)),
            (&["1", ""], kind(Failed)),
        ] {
            assert!(
                codes
                    .iter()
                    .all(|code| same(&from_sqlite((*code).to_owned()), &expected)),
                "{codes:?}"
            );
        }
    }
}
