//! Creates an empty database per test.

use std::{fs, io, path::PathBuf, process::Command, thread};

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
    let output = psql_command(server, statements).output().expect("psql");
    assert!(
        output.status.success(),
        "{statements:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn psql_command(server: &str, statements: &[&str]) -> Command {
    let mut psql = Command::new(psql_path());
    psql.args([server, "-q"])
        .args(statements.iter().flat_map(|it| ["-c", it]));
    psql
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
        let Some(name) = &self.name else {
            return;
        };
        if let Err(error) = start_dropping(name) {
            // A second panic would abort the test run, and the test server is usually discarded, too.
            eprintln!("cannot drop the database {name}: {error}");
        }
    }
}

/// Starts to drop a database, and does not wait for the end. The server first waits for every connection that is still
/// authenticating, and such a connection may belong to the runtime that runs this test and would be blocked.
fn start_dropping(name: &str) -> io::Result<()> {
    let statement = format!("DROP DATABASE {name} WITH (FORCE)");
    let mut psql = psql_command(&backend("TEST_POSTGRES_URL"), &[&statement]).spawn()?;
    // psql continues if this process ends before.
    thread::spawn(move || psql.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    use super::*;

    /// Opens a connection that never answers the server's request for a password.
    fn stop_while_authenticating(server: &str) -> TcpStream {
        let (_, address) = server.rsplit_once('@').expect("a URL with a user");
        let (address, _) = address.split_once('/').expect("a URL with a database");
        let mut stream = TcpStream::connect(address).expect("a connection");
        let parameters = b"\0\x03\0\0user\0postgres\0database\0postgres\0\0";
        let length = u32::try_from(parameters.len() + 4).expect("a short packet");
        stream.write_all(&length.to_be_bytes()).expect("a packet");
        stream.write_all(parameters).expect("a packet");
        stream.read_exact(&mut [0; 9]).expect("a request");
        stream
    }

    #[test]
    fn drop_does_not_wait_for_connections_that_authenticate() {
        let database = postgres();
        let stopped = stop_while_authenticating(&backend("TEST_POSTGRES_URL"));
        let started = Instant::now();
        drop(database);
        assert!(started.elapsed() < Duration::from_secs(5));
        drop(stopped);
    }
}
