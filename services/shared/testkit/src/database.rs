//! Creates an empty database per test.

use std::{fs, path::PathBuf, process::Command, thread};

use tempfile::TempDir;

use crate::{backend, unique_name};

/// A PostgreSQL role of the test server, without any rights.
pub const SERVICE_ROLE: &str = "crm_service";

/// A database that is deleted on drop.
pub struct Database {
    url: String,
    /// The name on the test server.
    name: Option<String>,
    _directory: Option<TempDir>,
}

impl Database {
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// Creates an empty SQLite database in a temporary file.
///
/// # Panics
/// When no temporary directory can be created.
pub fn sqlite() -> Database {
    let directory = TempDir::new().expect("a temporary directory");
    let url = format!(
        "sqlite://{}?mode=rwc",
        directory.path().join("crm.sqlite").display()
    );
    Database {
        url,
        name: None,
        _directory: Some(directory),
    }
}

/// Creates an empty PostgreSQL database on the test server.
///
/// # Panics
/// When the test server is not running.
pub fn postgres() -> Database {
    let server = backend("TEST_POSTGRES_URL");
    let name = unique_name();
    let role = format!(
        "DO $$ BEGIN CREATE ROLE {SERVICE_ROLE};
         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    );
    psql(&server, &[&format!("CREATE DATABASE {name}"), &role]);
    let (base, _) = server.rsplit_once('/').expect("a URL with a database");
    Database {
        url: format!("{base}/{name}"),
        name: Some(name),
        _directory: None,
    }
}

fn psql(server: &str, statements: &[&str]) {
    let mut psql = Command::new(psql_path());
    let output = psql
        .args([server, "-q"])
        .args(statements.iter().flat_map(|it| ["-c", it]))
        .output();
    let output = output.expect("psql");
    assert!(
        output.status.success(),
        "{statements:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// psql of any version. Debian's on the PATH is a script in Perl, which takes longer than the statement.
fn psql_path() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut programs = versions.map(|version| version.path().join("bin/psql"));
    programs
        .find(|program| program.is_file())
        .unwrap_or_else(|| "psql".into())
}

impl Drop for Database {
    fn drop(&mut self) {
        // A second panic would abort the test run, and the test server is discarded anyway.
        if let Some(name) = self.name.as_ref().filter(|_| !thread::panicking()) {
            psql(
                &backend("TEST_POSTGRES_URL"),
                &[&format!("DROP DATABASE {name} WITH (FORCE)")],
            );
        }
    }
}
