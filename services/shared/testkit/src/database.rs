//! Creates an empty database per test.

use std::{process::Command, thread};

use tempfile::TempDir;

use crate::{backend, unique_name};

/// A PostgreSQL role of the test server, without any rights.
pub const SERVICE_ROLE: &str = "crm_service";

/// A database that is deleted on drop.
pub struct Database {
    url: String,
    held: Held,
}

enum Held {
    File { _directory: TempDir },
    Server { name: String },
}

impl Database {
    /// The value for `DATABASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// Creates an empty SQLite database in a temporary file.
///
/// # Panics
/// When no temporary directory can be created.
#[must_use]
pub fn sqlite() -> Database {
    let directory = TempDir::new().expect("a temporary directory");
    let url = format!("sqlite://{}?mode=rwc", directory.path().join("crm.sqlite").display());
    Database { url, held: Held::File { _directory: directory } }
}

/// Creates an empty PostgreSQL database on the test server.
///
/// # Panics
/// When the test server is not running.
#[must_use]
pub fn postgres() -> Database {
    let server = backend("TEST_POSTGRES_URL");
    let name = unique_name();
    psql(&server, &format!("CREATE DATABASE {name}"));
    psql(
        &server,
        &format!(
            "DO $$ BEGIN CREATE ROLE {SERVICE_ROLE};
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        ),
    );
    let (base, _) = server.rsplit_once('/').expect("a URL with a database");
    Database { url: format!("{base}/{name}"), held: Held::Server { name } }
}

fn psql(server: &str, statement: &str) {
    let output = Command::new("psql").args([server, "-qc", statement]).output().expect("psql");
    assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Drop for Database {
    fn drop(&mut self) {
        match &self.held {
            Held::File { .. } => {}
            // A second panic would abort the test run, and the test server is discarded anyway.
            Held::Server { .. } if thread::panicking() => {}
            Held::Server { name } => {
                psql(&backend("TEST_POSTGRES_URL"), &format!("DROP DATABASE {name} WITH (FORCE)"));
            }
        }
    }
}
