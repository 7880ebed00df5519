//! `cargo xtask backends`: a disposable RabbitMQ and PostgreSQL for tests run by hand.

use std::path::Path;

use anyhow::Result;
use fs_err as fs;
use tempfile::TempDir;

use crate::cli::InstallOptions;
use crate::files;
use crate::packages::{self, POSTGRES, RABBITMQ};
use crate::ports::free_ports;
use crate::session::{Session, line, print, step};
use crate::stack::plan::Storage;
use crate::stack::postgres::Postgres;
use crate::stack::rabbitmq::RabbitMq;
use crate::supervisor::Supervisor;

/// The variables by which the integration tests find a broker and a database server.
pub const BACKENDS: [&str; 3] = [
    "TEST_AMQP_URL",
    "TEST_AMQP_MANAGEMENT_URL",
    "TEST_POSTGRES_URL",
];

/// A disposable broker and database server, stopped and removed on drop.
pub struct Backends {
    supervisor: Supervisor,
    pub rabbitmq: RabbitMq,
    pub postgres: Postgres,
    /// The data of PostgreSQL, if they are in memory.
    _memory: Option<TempDir>,
}

impl Backends {
    /// Starts both on free ports; `directory` must be empty. With [`Storage::Fast`], the data of PostgreSQL are in memory if
    /// there is room: on ext4, the files of a new database for each test take a seventh of the tests' processor time.
    pub fn start(directory: &Path, storage: Storage, session: &Session) -> Result<Self> {
        let logs = directory.join("logs");
        fs::create_dir_all(&logs)?;
        let ports = free_ports(3)?;
        let supervisor = Supervisor::new(session.interrupt.clone());
        let memory = match storage {
            Storage::Fast => files::directory_in_memory(),
            Storage::Lasting | Storage::Fresh => None,
        };
        let on_disk = directory.join("postgres");
        let data = memory.as_ref().map_or(on_disk.as_path(), TempDir::path);
        let postgres = Postgres::initialise(data, ports[0], storage)?;
        let rabbitmq = RabbitMq::new(directory.join("rabbitmq"), ports[1], ports[2], storage)?;
        // Before the first start, so that a failed second one stops the first before its data are removed.
        let backends = Self {
            supervisor,
            rabbitmq,
            postgres,
            _memory: memory,
        };
        let Self {
            supervisor,
            rabbitmq,
            postgres,
            ..
        } = &backends;
        step("start PostgreSQL", || postgres.start(supervisor, &logs))?;
        step("start RabbitMQ", || rabbitmq.start(supervisor, &logs))?;
        Ok(backends)
    }

    /// Environment variables for the integration tests.
    pub fn environment(&self) -> [(&'static str, String); 3] {
        let [amqp, management, postgres] = BACKENDS;
        [
            (amqp, self.rabbitmq.amqp_url()),
            (management, self.rabbitmq.management_url()),
            (postgres, self.postgres.url("postgres")),
        ]
    }
}

impl Drop for Backends {
    fn drop(&mut self) {
        self.supervisor.kill_all();
        // Remaining data is removed at the next start.
        let _left = self.postgres.remove();
    }
}

/// Starts both, prints the exports and waits for Ctrl-C.
pub fn run(options: &InstallOptions) -> Result<()> {
    let session = Session::begin("backends")?;
    let directory = files::scratch("backends")?;
    packages::ensure(&[&RABBITMQ, &POSTGRES], options, &session)?;
    let backends = Backends::start(&directory, Storage::Fast, &session)?;
    for (name, value) in backends.environment() {
        print(&format!("export {name}='{value}'\n"))?;
    }
    line("Running until Ctrl-C.");
    session.wait_for_interrupt();
    drop(backends);
    files::remove(&directory)
}
