//! Types and expressions that differ between the databases.

use sea_orm_migration::sea_orm::DbBackend;

use crate::database_clock;

/// Replaces the names in braces. For SQLite, uses the type names that the driver maps.
pub(crate) fn with_types(statements: &str, backend: DbBackend) -> String {
    let is_sqlite = backend == DbBackend::Sqlite;
    let names = [
        ("{json}", "json_text", "jsonb"),
        // Bytewise collation allows an index to serve prefix searches.
        ("{key}", "text", "text COLLATE \"C\""),
        ("{now}", database_clock(backend), database_clock(backend)),
        (
            "{serial}",
            "integer PRIMARY KEY AUTOINCREMENT",
            "bigserial PRIMARY KEY",
        ),
        (
            "{timestamp}",
            "timestamp_with_timezone_text",
            "timestamp with time zone",
        ),
        ("{uuid}", "uuid_text", "uuid"),
        ("{uuids}", "json_text", "uuid[]"),
        ("{no_uuids}", "[]", "{}"),
        (
            "{audited_lead}",
            // SQLite stores an id as a blob, which JSON cannot contain.
            "json_array(lower(printf('%s-%s-%s-%s-%s',
                substr(hex(lead_id), 1, 8), substr(hex(lead_id), 9, 4), substr(hex(lead_id), 13, 4),
                substr(hex(lead_id), 17, 4), substr(hex(lead_id), 21))))",
            "ARRAY[lead_id]",
        ),
        (
            "{submitted_mobile}",
            "json_object('mobile', json_array(submitted_mobile))",
            "jsonb_build_object('mobile', jsonb_build_array(submitted_mobile))",
        ),
    ];
    names.into_iter().fold(
        statements.to_owned(),
        |statements, (name, sqlite, postgres)| {
            statements.replace(name, if is_sqlite { sqlite } else { postgres })
        },
    )
}
