//! The environment of one measurement: its own queues and database, and services with production settings.

use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use messaging::topology::{CRM_SYNC, NOTIFIER};
use testkit::management::Management;
use xtask::error::{Error, Result};
use xtask::files;
use xtask::process::Invocation;
use xtask::progress::Step;
use xtask::stack::nginx::{Limits, Nginx, stand_in_site};
use xtask::stack::services::{ANON_KEY, Program, Services, Wiring};
use xtask::supervisor::{Service, Supervisor};

use crate::baseline::publisher::Publisher;
use crate::database::{self, Database, Engine};
use crate::measure::Who;
use crate::system::{System, ports};
use crate::{BASELINE_INTAKE, peer, this_program};

const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum replicas of a service.
const REPLICAS: usize = 4;
/// A port without a listener.
const NO_MAIL_SERVER: u16 = 9;
/// Differences from the services' defaults.
const SETTINGS: [(&str, &str); 4] = [
    ("LOG_FORMAT", "json"),
    // So that each lead gives one mail.
    ("VISITOR_CONFIRMATION", "off"),
    ("DIGEST_ABOVE", "0"),
    // So that a backlog is delivered from the queue, however long it takes.
    ("PENDING_GRACE_SECONDS", "86400"),
];

/// Services with their queues and database. Dropping it ends the processes; [`Environment::end`] also deletes the rest.
pub(crate) struct Environment<'a> {
    pub(crate) amqp_url: String,
    pub(crate) database: Option<Database>,
    pub(crate) ports: Ports,
    system: &'a System<'a>,
    name: String,
    directory: PathBuf,
    database_url: String,
    smtp_port: u16,
    services: Services,
    supervisor: Supervisor,
    queues: Option<Management>,
}

/// The ports of the processes.
pub(crate) struct Ports {
    pub(crate) intake: u16,
    /// nginx in front of lead-intake.
    pub(crate) site: u16,
    pub(crate) baseline_intake: u16,
    /// nginx in front of the baseline handler.
    pub(crate) baseline_site: u16,
    pub(crate) peer_intake: u16,
    /// nginx in front of the peer.
    pub(crate) peer_site: u16,
    intake_admin: u16,
    grpc: [u16; REPLICAS],
    crm_admin: [u16; REPLICAS],
    notifier_admin: [u16; REPLICAS],
}

impl Ports {
    fn free() -> Result<Self> {
        let [
            intake,
            site,
            baseline_intake,
            baseline_site,
            peer_intake,
            peer_site,
            intake_admin,
            replicas @ ..,
        ] = ports::<{ 7 + 3 * REPLICAS }>()?;
        let part = |number: usize| -> [u16; REPLICAS] {
            std::array::from_fn(|index| replicas[number * REPLICAS + index])
        };
        let (grpc, crm_admin, notifier_admin) = (part(0), part(1), part(2));
        Ok(Self {
            intake,
            site,
            baseline_intake,
            baseline_site,
            peer_intake,
            peer_site,
            intake_admin,
            grpc,
            crm_admin,
            notifier_admin,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Intake,
    Crm,
    Notifier,
}

impl Part {
    pub(crate) const ALL: [Self; 3] = [Self::Intake, Self::Crm, Self::Notifier];

    /// The name of the service and its program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intake => "lead-intake",
            Self::Crm => "crm-sync",
            Self::Notifier => "notifier",
        }
    }
}

/// What the peer does in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerRole {
    Intake,
    Store,
    Mail,
}

impl PeerRole {
    /// The role on the peer's command line, and the name of the process.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intake => "intake",
            Self::Store => "store",
            Self::Mail => "mail",
        }
    }
}

impl<'a> Environment<'a> {
    /// Creates empty queues and, with an engine, a migrated database. Starts no process.
    pub(crate) async fn begin(
        system: &'a System<'a>,
        _line: &'a Step,
        engine: Option<Engine>,
        smtp_port: Option<u16>,
    ) -> Result<Self> {
        let name = system.name();
        let (queues, amqp_url) = system.vhost(&name);
        queues.create_vhost().await.map_err(Error::of)?;
        let kinds = ["exchanges", "queues", "bindings"];
        queues.import_here(&messaging::definitions(), &kinds).await.map_err(Error::of)?;
        Self::make(system, name, Some((queues, amqp_url)), engine, smtp_port).await
    }

    /// Creates a migrated database without queues.
    pub(crate) async fn of_database(system: &'a System<'a>, _line: &'a Step, engine: Engine) -> Result<Self> {
        Self::make(system, system.name(), None, Some(engine), None).await
    }

    async fn make(
        system: &'a System<'a>,
        name: String,
        broker: Option<(Management, String)>,
        engine: Option<Engine>,
        smtp_port: Option<u16>,
    ) -> Result<Self> {
        system.session.interrupt.check()?;
        let directory = system.directory.join(&name);
        let logs = directory.join("logs");
        files::directory(&logs)?;
        let (queues, amqp_url) = broker.unzip();
        let amqp_url = amqp_url.unwrap_or_default();
        files::replace(&directory.join("amqp-url"), amqp_url.as_bytes(), files::PRIVATE)?;
        let database_url = match engine {
            Some(Engine::Postgres) => {
                let server = system.server().await?;
                server.run(&format!("CREATE DATABASE {name}")).await?;
                server.close().await?;
                system.postgres_url(&name)
            }
            // Without an engine no service that opens the database is started.
            Some(Engine::Sqlite) | None => database::sqlite(&directory),
        };
        let (ports, smtp_port) = (Ports::free()?, smtp_port.unwrap_or(NO_MAIL_SERVER));
        let crm = vec![format!("127.0.0.1:{}", ports.grpc[0])];
        let wiring = Wiring {
            intake_amqp: amqp_url.clone(),
            notifier_amqp: amqp_url.clone(),
            crm_amqp: amqp_url.clone(),
            operator_amqp: None,
            intake_crm: crm.clone(),
            notifier_crm: crm,
            database_url: database_url.clone(),
            smtp_port,
            routes: system.session.checkout.routes(),
            site_url: "http://localhost".to_owned(),
            other: SETTINGS.map(|(name, value)| (name, value.to_owned())).to_vec(),
        };
        let services = Services::prepare(&directory, &system.programs, &logs, wiring)?;
        let database = match engine {
            Some(_) => {
                let (log, interrupt) = (logs.join("migrate.log"), &system.session.interrupt);
                tokio::task::block_in_place(|| services.migrate().run(&log, interrupt))?;
                Some(Database::open(&database_url).await?)
            }
            None => None,
        };
        let (progress, interrupt) = (system.session.progress.clone(), system.session.interrupt.clone());
        let supervisor = Supervisor::new(progress, interrupt);
        Ok(Self {
            amqp_url,
            database,
            ports,
            system,
            name,
            directory,
            database_url,
            smtp_port,
            services,
            supervisor,
            queues,
        })
    }

    pub(crate) fn database(&self) -> Result<&Database> {
        self.database.as_ref().ok_or_else(|| Error::failed("this environment has no database"))
    }

    /// A replica of a service, not started; `number` counts from 0.
    pub(crate) fn program(&self, part: Part, number: usize) -> Program {
        let name = replica(part, number);
        let Self { services, ports, .. } = self;
        match part {
            Part::Intake => services.lead_intake(&name, ports.intake, ports.intake_admin),
            Part::Crm => services.crm_sync(&name, ports.grpc[number], ports.crm_admin[number]),
            Part::Notifier => services.notifier(&name, ports.notifier_admin[number]),
        }
    }

    /// The database's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The admin port of the first replica.
    pub(crate) fn admin_port(&self, part: Part) -> u16 {
        match part {
            Part::Intake => self.ports.intake_admin,
            Part::Crm => self.ports.crm_admin[0],
            Part::Notifier => self.ports.notifier_admin[0],
        }
    }

    /// Starts a replica of a service and returns when it is ready.
    pub(crate) fn start(&self, part: Part, number: usize) -> Result<()> {
        let program = self.program(part, number);
        tokio::task::block_in_place(|| program.start(&self.supervisor))
    }

    pub(crate) fn start_baseline_intake(&self) -> Result<()> {
        self.start_baseline(self.baseline_intake()?)
    }

    fn baseline_intake(&self) -> Result<Invocation> {
        Ok(Invocation::new(this_program()?, [BASELINE_INTAKE])
            .argument(self.ports.baseline_intake.to_string())
            .argument(self.directory.join("amqp-url")))
    }

    /// Starts who acknowledges leads as the last arguments of another program.
    pub(crate) fn start_intake_under(&self, who: Who, program: &str, arguments: &[String]) -> Result<u16> {
        if who == Who::Ours {
            let intake = self.program(Part::Intake, 0).under(program, arguments);
            tokio::task::block_in_place(|| intake.start(&self.supervisor))?;
            return Ok(self.ports.intake);
        }
        self.start_baseline(self.baseline_intake()?.under(program, arguments))?;
        Ok(self.ports.baseline_intake)
    }

    /// Ends the processes in order.
    pub(crate) fn stop(&self) {
        tokio::task::block_in_place(|| self.supervisor.stop_all());
    }

    fn start_baseline(&self, invocation: Invocation) -> Result<()> {
        let port = self.ports.baseline_intake;
        let service = Service::new(BASELINE_INTAKE, invocation, &self.logs());
        tokio::task::block_in_place(|| self.supervisor.start(service, TIMEOUT, || connects(port)))
    }

    /// Starts the peer in one of its roles; to store, in a schema of its own.
    pub(crate) async fn start_peer(&self, role: PeerRole) -> Result<()> {
        if role == PeerRole::Store {
            self.database()?.run(include_str!("../peer/schema.sql")).await?;
        }
        let invocation = Invocation::new("node", [peer(&self.system.session.checkout).join("peer.mjs")])
            .argument(role.name())
            .env("AMQP_URL", &self.amqp_url)
            .env("ANON_KEY", ANON_KEY)
            .env("NODE_ENV", "production")
            .env("PORT", self.ports.peer_intake.to_string())
            .env("DATABASE_URL", &self.database_url)
            .env("SMTP_PORT", self.smtp_port.to_string());
        let service = Service::new(role.name(), invocation, &self.logs());
        let port = self.ports.peer_intake;
        let is_ready = || role != PeerRole::Intake || connects(port);
        tokio::task::block_in_place(|| self.supervisor.start(service, TIMEOUT, is_ready))
    }

    /// Starts nginx with the production configuration on `port`, in front of `intake_port`.
    pub(crate) fn start_nginx(&self, port: u16, intake_port: u16) -> Result<()> {
        let directory = self.directory.join(format!("nginx-{port}"));
        files::directory(&directory)?;
        let nginx = Nginx {
            source: self.system.session.checkout.nginx(),
            site: stand_in_site(&directory.join("site"))?,
            port,
            intake_ports: vec![intake_port],
            desk_port: None,
            // So that each lead may come from an address of its own, as one has only so many connections.
            real_ip_from: vec!["127.0.0.0/8".to_owned()],
            limits: Limits::lifted(),
            edge_log: None,
            directory: directory.clone(),
        };
        tokio::task::block_in_place(|| {
            let log = directory.join("check.log");
            nginx.prepare(&log, &self.system.session.interrupt)?;
            nginx.start(&self.supervisor, &directory)
        })
    }

    /// The process id of a service's first replica; an error when it does not run.
    pub(crate) fn pid(&self, part: Part) -> Result<u32> {
        self.pid_of(&replica(part, 0))
    }

    /// The process id of who acknowledges leads.
    pub(crate) fn pid_of_intake(&self, who: Who) -> Result<u32> {
        match who {
            Who::Ours => self.pid(Part::Intake),
            Who::Ceiling => self.pid_of(BASELINE_INTAKE),
            Who::Peer => self.pid_of(PeerRole::Intake.name()),
        }
    }

    /// The process id of a running process, by its name.
    pub(crate) fn pid_of(&self, name: &str) -> Result<u32> {
        self.supervisor.pid(name).ok_or_else(|| Error::failed(format!("{name} is not running")))
    }

    /// Publishes `count` leads to both queues, as ours or the peer's; `tell` receives the progress.
    pub(crate) async fn fill(&self, whose: Who, count: u64, tell: impl Fn(u64)) -> Result<()> {
        let publisher = Publisher::connect(&self.amqp_url).await?;
        publisher.fill(whose, count, &self.system.leads, tell).await
    }

    /// Deletes all messages of both queues.
    pub(crate) async fn purge(&self) -> Result<()> {
        for queue in [CRM_SYNC, NOTIFIER].map(|service| service.queue()) {
            if let Some(queues) = &self.queues {
                queues.purge(&queue).await.map_err(Error::of)?;
            }
        }
        Ok(())
    }

    /// Ends the processes and deletes queues, database and files.
    pub(crate) async fn end(self) -> Result<()> {
        tokio::task::block_in_place(|| self.supervisor.kill_all());
        let is_on_server =
            self.database.as_ref().is_some_and(|database| database.engine() == Engine::Postgres);
        if let Some(database) = self.database {
            database.close().await?;
        }
        if is_on_server {
            let server = self.system.server().await?;
            server.run(&format!("DROP DATABASE {} WITH (FORCE)", self.name)).await?;
            server.close().await?;
        }
        if let Some(queues) = self.queues {
            queues.delete_vhost().await.map_err(Error::of)?;
        }
        files::remove(&self.directory)
    }

    /// A file that goes with the environment.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn logs(&self) -> PathBuf {
        self.directory.join("logs")
    }
}

/// The name of a replica's process.
pub(crate) fn replica(part: Part, number: usize) -> String {
    format!("{}-{}", part.name(), number + 1)
}

fn connects(port: u16) -> bool {
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
    TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok()
}
