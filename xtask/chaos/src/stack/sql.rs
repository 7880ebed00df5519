//! Runs SQL as PostgreSQL's superuser, without proxy, so that it works during network faults.

use std::process::{Command, Stdio};

use xtask::error::{Error, Result};
use xtask::system::tools;

pub(crate) const DATABASE: &str = "crm";

#[derive(Clone)]
pub(crate) struct Sql {
    server: String,
}

impl Sql {
    /// `server` is the URL without a database.
    pub(crate) fn new(server: String) -> Self {
        Self { server }
    }

    /// Runs statements in the leads' database; returns one line per row with tab-separated columns.
    pub(crate) fn run(&self, statements: &str) -> Result<String> {
        self.run_in(DATABASE, &["-c", statements])
    }

    /// Runs statements outside the leads' database, each in its own transaction.
    pub(crate) fn administer(&self, statements: &[String]) -> Result<()> {
        let arguments: Vec<&str> = statements.iter().flat_map(|statement| ["-c", statement]).collect();
        self.run_in("postgres", &arguments).map(drop)
    }

    pub(crate) fn number(&self, query: &str) -> Result<u64> {
        let text = self.run(query)?;
        text.trim()
            .parse()
            .map_err(|_| Error::failed(format!("{query} returned {text}, which is not a number")))
    }

    fn run_in(&self, database: &str, arguments: &[&str]) -> Result<String> {
        let output = Command::new(tools::psql()?)
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator=\t"])
            .args(["--set=ON_ERROR_STOP=1", "--dbname", &format!("{}/{database}", self.server)])
            .args(arguments)
            .env("PGOPTIONS", "-c default_transaction_read_only=off")
            .env("PGCONNECT_TIMEOUT", "5")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Error::failed(format!("cannot start psql: {error}")))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(Error::failed(format!("psql: {}", String::from_utf8_lossy(&output.stderr).trim())))
    }
}
