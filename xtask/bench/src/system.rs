//! Shared by all figures: the broker, PostgreSQL and the scale of the measurements.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use testkit::management::Management;
use xtask::error::{Error, Result};
use xtask::files;
use xtask::ports::free_ports;
use xtask::session::Session;
use xtask::stack::postgres::{Postgres, Storage};
use xtask::stack::rabbitmq::RabbitMq;
use xtask::supervisor::Supervisor;

use crate::baseline::publisher::{CHANNELS, IN_FLIGHT};
use crate::database::Database;
use crate::lead::Leads;
use crate::load::Length;
use crate::measure::Plan;

#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// Duration of sending or publishing leads.
    pub(crate) length: Length,
    pub(crate) connections: usize,
    /// Concurrent publishes when only publishing is measured.
    pub(crate) publishes: usize,
    /// Age of a visit before its first lead, so that the lead does not look automatic.
    pub(crate) visit: Duration,
    pub(crate) leads: u64,
    pub(crate) mails: u64,
    /// Leads sent one at a time.
    pub(crate) singles: u64,
    /// Leads in each queue for the memory measurement.
    pub(crate) backlog: u64,
    /// Time without load before a service counts as idle.
    pub(crate) rest: Duration,
    /// Time spent working on the backlog.
    pub(crate) work: Duration,
    /// Starts per service.
    pub(crate) starts: usize,
    /// Leads a second at which the cost of each is measured.
    pub(crate) rates: &'static [u32],
    /// Numbers of stored leads at which the cost of each is measured.
    pub(crate) stored: &'static [u32],
    /// Numbers of replicas to measure; the others are compared with the first.
    pub(crate) replicas: &'static [usize],
}

impl Scale {
    /// Large enough to show differences of a few per cent.
    pub(crate) fn full() -> Self {
        Self {
            length: Length { warm_up: Duration::from_secs(2), counted: Duration::from_secs(10) },
            connections: 64,
            publishes: CHANNELS * IN_FLIGHT,
            visit: Duration::from_secs(6),
            leads: 100_000,
            mails: 5_000,
            singles: 300,
            backlog: 1_000_000,
            rest: Duration::from_secs(10),
            work: Duration::from_secs(60),
            starts: 10,
            rates: &[10, 100, 1_000, 3_000],
            stored: &[10_000, 1_000_000, 5_000_000],
            replicas: &[1, 2, 4],
        }
    }

    /// Just enough to get a number.
    pub(crate) fn small() -> Self {
        Self {
            length: Length { warm_up: Duration::from_millis(300), counted: Duration::from_secs(1) },
            connections: 16,
            publishes: CHANNELS,
            visit: Duration::ZERO,
            leads: 500,
            mails: 60,
            singles: 5,
            backlog: 2_000,
            rest: Duration::from_millis(500),
            work: Duration::from_secs(2),
            starts: 1,
            rates: &[10],
            stored: &[1_000],
            replicas: &[1, 2],
        }
    }
}

/// Long, because deleting a million messages takes time.
const MANAGEMENT_TIMEOUT: Duration = Duration::from_secs(120);

/// The running backends, and what the figures need besides.
pub(crate) struct System<'a> {
    pub(crate) session: &'a Session,
    pub(crate) scale: Scale,
    pub(crate) plan: Plan,
    pub(crate) programs: PathBuf,
    /// All files are written below it.
    pub(crate) directory: PathBuf,
    node: RabbitMq,
    pub(crate) leads: Leads,
    postgres: Postgres,
    supervisor: Supervisor,
    names: Cell<u32>,
}

impl<'a> System<'a> {
    /// The management API for a virtual host, and its AMQP URL.
    pub(crate) fn vhost(&self, name: &str) -> (Management, String) {
        let management = Management::new(&self.node.management_url(), name, MANAGEMENT_TIMEOUT);
        (management, format!("amqp://guest:guest@127.0.0.1:{}/{name}", self.node.amqp_port))
    }

    /// Starts RabbitMQ and PostgreSQL with the durability of production.
    pub(crate) fn start(
        session: &'a Session,
        directory: &Path,
        programs: PathBuf,
        scale: Scale,
        plan: Plan,
    ) -> Result<Self> {
        let Session { progress, interrupt, .. } = session;
        let logs = directory.join("logs");
        files::directory(&logs)?;
        let supervisor = Supervisor::new(progress.clone(), interrupt.clone());
        let [amqp_port, management_port, postgres_port] = ports()?;
        let node = RabbitMq {
            directory: directory.join("rabbitmq"),
            amqp_port,
            management_port,
            throw_away: false,
        };
        progress.run("start RabbitMQ", |_| node.start(&supervisor, &logs).map(drop))?;
        let postgres = progress.run("start PostgreSQL", |step| {
            let (place, log) = (directory.join("postgres"), logs.join("postgres.log"));
            let postgres = Postgres::prepare(&place, postgres_port, Storage::Fresh, &log, step, interrupt)?;
            postgres.start(&supervisor, &logs)?;
            Ok(postgres)
        })?;
        Ok(Self {
            session,
            scale,
            plan,
            programs,
            directory: directory.to_owned(),
            node,
            leads: Leads::default(),
            postgres,
            supervisor,
            names: Cell::new(0),
        })
    }

    /// A unique name, valid for virtual hosts, databases and directories.
    pub(crate) fn name(&self) -> String {
        self.names.set(self.names.get() + 1);
        format!("bench_{}", self.names.get())
    }

    /// The URL of a database on the server.
    pub(crate) fn postgres_url(&self, database: &str) -> String {
        self.postgres.url(database)
    }

    pub(crate) async fn server(&self) -> Result<Database> {
        Database::open(&self.postgres_url("postgres")).await
    }

    /// Ends the backends at once.
    pub(crate) fn end(self) -> Result<()> {
        self.supervisor.kill_all();
        self.postgres.remove()
    }
}

/// Distinct free ports.
pub(crate) fn ports<const N: usize>() -> Result<[u16; N]> {
    free_ports(N)?.try_into().map_err(|_| Error::failed("too few free ports"))
}
