//! `cargo xtask backends`: a disposable RabbitMQ and PostgreSQL for tests run by hand.

use std::path::Path;
use std::time::Duration;

use crate::checkout::Lock;
use crate::error::Result;
use crate::files;
use crate::output;
use crate::ports::{Ports, Role};
use crate::session::Session;
use crate::stack::postgres::{Postgres, Storage};
use crate::stack::rabbitmq::RabbitMq;
use crate::supervisor::Supervisor;
use crate::system::packages::{self, Package};

/// The variables by which the integration tests find a broker and a database server.
pub const BACKENDS: [&str; 3] = ["TEST_AMQP_URL", "TEST_AMQP_MANAGEMENT_URL", "TEST_POSTGRES_URL"];

/// A disposable broker and database server, stopped and removed on drop.
pub struct Backends {
    supervisor: Supervisor,
    rabbitmq: RabbitMq,
    postgres: Postgres,
}

impl Backends {
    /// Starts both; `directory` must be empty.
    pub fn start(directory: &Path, ports: &Ports, session: &Session) -> Result<Self> {
        let Session { progress, interrupt, .. } = session;
        let logs = directory.join("logs");
        files::directory(&logs)?;
        let supervisor = Supervisor::new(progress.clone(), interrupt.clone());
        let rabbitmq = RabbitMq {
            directory: directory.join("rabbitmq"),
            amqp_port: ports.get(Role::Amqp),
            management_port: ports.get(Role::AmqpManagement),
            throw_away: true,
        };
        let postgres = progress.run("start a disposable PostgreSQL", |_| {
            let port = ports.get(Role::Postgres);
            let log = logs.join("postgres.log");
            let postgres =
                Postgres::prepare(&directory.join("postgres"), port, Storage::Fast, &log, interrupt)?;
            postgres.start(&supervisor, &logs)?;
            Ok(postgres)
        })?;
        progress.run("start a disposable RabbitMQ", |_| rabbitmq.start(&supervisor, &logs).map(drop))?;
        Ok(Self { supervisor, rabbitmq, postgres })
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
        self.supervisor.stop_all();
        // Remaining data is removed at the next start.
        let _left = self.postgres.remove();
    }
}

/// Starts both, prints the exports and waits for Ctrl-C.
pub fn run() -> Result<()> {
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("backends");
    let _lock = Lock::take(&directory, "cargo xtask backends")?;
    files::empty_directory(&directory)?;
    packages::ensure(
        &[Package::RabbitMq, Package::Postgres],
        &directory.join("packages.log"),
        &session.progress,
        &session.interrupt,
    )?;
    let backends = Backends::start(&directory, &Ports::free()?, &session)?;
    for (name, value) in backends.environment() {
        output::print(&format!("export {name}='{value}'\n"))?;
    }
    session.progress.line("Running until Ctrl-C.");
    while !session.interrupt.wait_timeout(Duration::from_secs(3600)) {}
    drop(backends);
    files::remove(&directory)
}
