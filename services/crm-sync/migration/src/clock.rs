//! Time, in the schema.

use sea_orm_migration::sea_orm::DbBackend;

/// The database's own clock as an SQL expression, which all processes that write to it share.
#[must_use]
pub fn database_clock(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite {
        // As the driver writes times, which leaves a zero fraction out: SQLite compares them as texts.
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'), '.000+', '+')"
    } else {
        "clock_timestamp()"
    }
}
