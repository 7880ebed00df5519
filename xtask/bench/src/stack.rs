//! The backends of all measurements: RabbitMQ, PostgreSQL and a mail server. Also creates the services, not started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use testkit::management::Management;
use testkit::smtp::SmtpServer;
use xtask::cli::BenchOptions;
use xtask::error::{Error, Result};
use xtask::ports::free_ports;
use xtask::session::Session;
use xtask::stack::postgres::{Postgres, Storage};
use xtask::stack::rabbitmq::RabbitMq;
use xtask::stack::services::{Services, Wiring};
use xtask::supervisor::Supervisor;

use crate::measure::Who;
use crate::observe::{Database, Mailbox};

/// Long, because deleting a hundred thousand messages takes time.
const MANAGEMENT_TIMEOUT: Duration = Duration::from_secs(120);
const VHOST: &str = "bench";
const DEFINITIONS: &str = include_str!("../../../deploy/rabbitmq/definitions.json");
/// Settings that differ from the services' defaults.
const SETTINGS: [(&str, &str); 3] = [
    ("LOG_FORMAT", "json"),
    // Each lead causes one email.
    ("VISITOR_CONFIRMATION", "off"),
    // notifier delivers a backlog from the queue, however long that takes.
    ("PENDING_GRACE_SECONDS", "86400"),
];

pub(crate) struct Stack<'a> {
    pub(crate) session: &'a Session,
    pub(crate) rounds: usize,
    /// The duration of full load.
    pub(crate) load_seconds: u64,
    /// The parent of all files that the bench writes.
    pub(crate) directory: PathBuf,
    pub(crate) amqp_url: String,
    pub(crate) database_url: String,
    pub(crate) database: Database,
    pub(crate) mailbox: Mailbox,
    pub(crate) mail_server: SmtpServer,
    pub(crate) services: Services,
    /// The port of the process that accepts leads.
    pub(crate) port: u16,
    pub(crate) nginx_port: u16,
    pub(crate) grpc_port: u16,
    pub(crate) admin_ports: [u16; 3],
    /// The programs under test.
    pub(crate) programs: Supervisor,
    management: Management,
    postgres: Postgres,
    backends: Supervisor,
}

impl<'a> Stack<'a> {
    /// Starts RabbitMQ and PostgreSQL with the durability of production.
    pub(crate) async fn start(
        session: &'a Session,
        directory: &Path,
        options: &BenchOptions,
    ) -> Result<Self> {
        let Session { progress, interrupt, checkout } = session;
        let backends = Supervisor::new(progress.clone(), interrupt.clone());
        let ports: [u16; 9] = free_ports(9)?.try_into().map_err(|_| Error::failed("too few ports"))?;
        let [amqp_port, management_port, postgres_port, port, nginx_port, grpc_port, admin_ports @ ..] =
            ports;
        let broker = directory.join("rabbitmq");
        let broker = RabbitMq { directory: broker, amqp_port, management_port, throw_away: false };
        broker.start(&backends, directory)?;
        let management = Management::new(&broker.management_url(), VHOST, MANAGEMENT_TIMEOUT);
        management.create_vhost().await.map_err(Error::of)?;
        let amqp_url = format!("amqp://guest:guest@127.0.0.1:{amqp_port}/{VHOST}");

        let (data, log) = (directory.join("postgres"), directory.join("initdb.log"));
        let postgres = Postgres::prepare(&data, postgres_port, Storage::Fresh, &log, interrupt)?;
        postgres.start(&backends, directory)?;
        let database_url = postgres.url("postgres");
        let (database, mailbox) = (Database::open(&database_url).await?, Mailbox::default());
        let mail_server = SmtpServer::start_on(([127, 0, 0, 1], 0).into(), mailbox.clone()).await;
        let mail_server = mail_server.map_err(Error::of)?;
        let crm = vec![format!("127.0.0.1:{grpc_port}")];
        let wiring = Wiring {
            intake_amqp: amqp_url.clone(),
            notifier_amqp: amqp_url.clone(),
            crm_amqp: amqp_url.clone(),
            operator_amqp: None,
            intake_crm: crm.clone(),
            notifier_crm: crm,
            database_url: database_url.clone(),
            smtp_port: mail_server.address().port(),
            routes: checkout.routes(),
            site_url: "http://localhost".to_owned(),
            other: SETTINGS.map(|(name, value)| (name, value.to_owned())).to_vec(),
        };
        let this_program = std::env::current_exe().map_err(Error::of)?;
        let built = this_program.parent().unwrap_or(&this_program);
        Ok(Self {
            services: Services::prepare(directory, built, directory, wiring)?,
            programs: Supervisor::new(progress.clone(), interrupt.clone()),
            directory: directory.to_owned(),
            session,
            rounds: if options.small { 1 } else { options.rounds },
            load_seconds: if options.small { 1 } else { 10 },
            amqp_url,
            database_url,
            database,
            mailbox,
            mail_server,
            port,
            nginx_port,
            grpc_port,
            admin_ports,
            management,
            postgres,
            backends,
        })
    }

    /// Kills the programs and empties queues, database and mail server.
    pub(crate) async fn reset(&self, who: Who) -> Result<()> {
        self.session.interrupt.check()?;
        self.programs.kill_all();
        self.mailbox.clear();
        self.management.delete_vhost().await.map_err(Error::of)?;
        self.management.create_vhost().await.map_err(Error::of)?;
        let definitions = serde_json::from_str(DEFINITIONS).map_err(Error::of)?;
        self.management
            .import_here(&definitions, &["exchanges", "queues", "bindings"])
            .await
            .map_err(Error::of)?;
        // The schema of the Express app, which first deletes the previous schema.
        self.database.run(include_str!("../peer/schema.sql")).await?;
        if who == Who::Ours {
            self.database.run("DROP TABLE lead").await?;
            let log = self.directory.join("migrate.log");
            self.services.migrate().run(&log, &self.session.interrupt)?;
        }
        Ok(())
    }

    /// Kills all processes and deletes the databases.
    pub(crate) fn end(self) -> Result<()> {
        self.programs.kill_all();
        self.backends.kill_all();
        self.postgres.remove()
    }
}
