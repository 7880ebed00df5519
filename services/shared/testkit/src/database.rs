//! An empty database for one test.

use std::{process::Command, thread};

use tempfile::TempDir;

use crate::{backend, unique_name};

/// A database that is gone when it is dropped.
pub struct Database {
    url: String,
    held: Held,
}

enum Held {
    File { _directory: TempDir },
    Server { name: String },
}

impl Database {
    /// Its address, for `DATABASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// An empty SQLite database in a file.
///
/// # Panics
/// When there is no room for temporary files.
#[must_use]
pub fn sqlite() -> Database {
    let directory = TempDir::new().expect("a temporary directory");
    let url = format!("sqlite://{}?mode=rwc", directory.path().join("crm.sqlite").display());
    Database { url, held: Held::File { _directory: directory } }
}

/// An empty PostgreSQL database on the server for tests.
///
/// # Panics
/// When that server is not there.
#[must_use]
pub fn postgres() -> Database {
    let server = backend("TEST_POSTGRES_URL");
    let name = unique_name();
    psql(&server, &format!("CREATE DATABASE {name}"));
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
            // A second panic would abort the whole run: the server for tests is thrown away anyway.
            Held::Server { .. } if thread::panicking() => {}
            Held::Server { name } => {
                psql(&backend("TEST_POSTGRES_URL"), &format!("DROP DATABASE {name} WITH (FORCE)"));
            }
        }
    }
}
