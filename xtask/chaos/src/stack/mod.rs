//! The whole system: two replicas of each service, with proxies on the connections between processes.

pub(crate) mod parts;
pub(crate) mod sql;

use std::path::Path;
use std::time::Duration;

use testkit::management::Management;
use xtask::error::{Error, Result};
use xtask::files;
use xtask::ports::free_ports;
use xtask::random;
use xtask::session::Session;
use xtask::stack::nginx::{Limits, Nginx, stand_in_site};
use xtask::stack::postgres::{Postgres, Storage};
use xtask::stack::rabbitmq::{Node, RabbitMq, user_url};
use xtask::stack::secrets::Secrets;
use xtask::stack::services::{Program, Services, Wiring};
use xtask::supervisor::Supervisor;

use parts::{Link, Links, Process};
use sql::{DATABASE, Sql};

use crate::mailbox::Mailbox;

/// The recipients in sales of every lead.
pub(crate) const RECIPIENTS: [&str; 2] = ["sales@zyongrand.example", "desk@zyongrand.example"];
/// The database role of crm-sync; not a superuser, so that limits apply to it.
pub(crate) const ROLE: &str = "crm";

/// `RETRY_DELAYS` of the notifiers, shortened so that the schedule fits into a run.
const RETRY_DELAYS: &str = "1s,2s,3s,4s,5s,6s,8s,10s,12s,15s,20s,30s";

/// The running system.
pub(crate) struct Stack {
    /// Keeps the processes running.
    pub(crate) supervisor: Supervisor,
    /// The proxies on which network faults are made.
    pub(crate) links: Links,
    pub(crate) site_port: u16,
    /// Direct access to the database, without proxy.
    pub(crate) sql: Sql,
    /// Direct access to the broker, without proxy.
    pub(crate) management: Management,
    /// The broker's console.
    pub(crate) node: Node,
    pub(crate) mailbox: Mailbox,
    programs: Vec<(Process, Program)>,
    postgres: Postgres,
    amqp_port: u16,
    management_port: u16,
}

struct Ports {
    site: u16,
    smtp: u16,
    amqp: u16,
    management: u16,
    postgres: u16,
    intake: [u16; 2],
    grpc: [u16; 2],
    desk: [u16; 2],
    admin: [u16; 8],
}

impl Ports {
    fn free(smtp: u16) -> Result<Self> {
        let mut free = free_ports(18)?.into_iter();
        let mut next = || free.next().ok_or_else(|| Error::failed("too few free ports"));
        Ok(Self {
            site: next()?,
            smtp,
            amqp: next()?,
            management: next()?,
            postgres: next()?,
            intake: [next()?, next()?],
            grpc: [next()?, next()?],
            desk: [next()?, next()?],
            admin: [next()?, next()?, next()?, next()?, next()?, next()?, next()?, next()?],
        })
    }

    fn behind(&self, link: Link) -> Vec<u16> {
        match link {
            Link::NginxIntake => self.intake.to_vec(),
            Link::IntakeBroker | Link::NotifierBroker | Link::CrmBroker => vec![self.amqp],
            Link::IntakeCrm | Link::NotifierCrm => self.grpc.to_vec(),
            Link::NotifierSmtp => vec![self.smtp],
            Link::CrmDatabase => vec![self.postgres],
        }
    }
}

impl Stack {
    /// Starts everything below `directory` with the services in `programs`; returns when all of it is ready.
    pub(crate) async fn start(directory: &Path, programs: &Path, session: &Session) -> Result<Self> {
        let mailbox = Mailbox::start().await?;
        let ports = Ports::free(mailbox.port())?;
        let links = Links::start(|link| ports.behind(link))
            .await
            .map_err(|error| Error::failed(format!("cannot start the proxies: {error}")))?;
        tokio::task::block_in_place(|| start(directory, programs, session, &ports, links, mailbox))
    }

    pub(crate) fn is_ready(&self, process: Process) -> bool {
        match process {
            Process::Broker => connects(self.amqp_port) && connects(self.management_port),
            Process::Database => self.postgres.accepts(),
            Process::Nginx => connects(self.site_port),
            Process::Intake1
            | Process::Intake2
            | Process::Notifier1
            | Process::Notifier2
            | Process::Crm1
            | Process::Crm2
            | Process::Desk1
            | Process::Desk2 => {
                self.programs.iter().any(|(of, program)| *of == process && program.is_ready())
            }
        }
    }
}

fn start(
    directory: &Path,
    programs: &Path,
    session: &Session,
    ports: &Ports,
    links: Links,
    mailbox: Mailbox,
) -> Result<Stack> {
    let Session { progress, interrupt, checkout } = session;
    let logs = directory.join("logs");
    files::directory(&logs)?;
    let supervisor = Supervisor::new(progress.clone(), interrupt.clone()).quiet();

    let rabbitmq = RabbitMq {
        directory: directory.join("rabbitmq"),
        amqp_port: ports.amqp,
        management_port: ports.management,
        throw_away: false,
    };
    let secrets = Secrets::open(directory)?;
    let node = progress.run("start RabbitMQ", |_| {
        let node = rabbitmq.start(&supervisor, &logs)?;
        rabbitmq.import_definitions(&secrets)?;
        Ok(node)
    })?;

    let log = logs.join("postgres.log");
    let postgres = progress.run("start PostgreSQL", |_| {
        let place = directory.join("postgres");
        let postgres = Postgres::prepare(&place, ports.postgres, Storage::Fresh, &log, interrupt)?;
        postgres.start(&supervisor, &logs)?;
        postgres.ensure_database(DATABASE, &log, interrupt)?;
        Ok(postgres)
    })?;
    let sql = Sql::new(postgres.url("").trim_end_matches('/').to_owned());
    let password = random::secret()?;
    sql.administer(&[
        format!("CREATE ROLE {ROLE} LOGIN PASSWORD '{password}'"),
        format!("ALTER DATABASE {DATABASE} OWNER TO {ROLE}"),
    ])?;

    let amqp = |user: &str, link| -> Result<String> {
        links.ports(link).into_iter().map(|port| user_url(&secrets, user, port)).collect()
    };
    let crm = |link| links.ports(link).iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let routes = directory.join("routes.toml");
    files::replace(&routes, format!("default = {RECIPIENTS:?}\n").as_bytes(), files::PUBLIC)?;
    let wiring = Wiring {
        intake_amqp: amqp("lead-intake", Link::IntakeBroker)?,
        notifier_amqp: amqp("notifier", Link::NotifierBroker)?,
        crm_amqp: amqp("crm-sync", Link::CrmBroker)?,
        operator_amqp: Some(user_url(&secrets, "operator", ports.amqp)?),
        intake_crm: crm(Link::IntakeCrm),
        notifier_crm: crm(Link::NotifierCrm),
        database_url: links
            .ports(Link::CrmDatabase)
            .iter()
            .map(|port| format!("postgres://{ROLE}:{password}@127.0.0.1:{port}/{DATABASE}"))
            .collect(),
        smtp_port: links.ports(Link::NotifierSmtp).into_iter().sum(),
        routes,
        site_url: "http://localhost".to_owned(),
        other: [
            ("RETRY_DELAYS", RETRY_DELAYS),
            ("PENDING_GRACE_SECONDS", "5"),
            // A claim lasts a quarter longer, so claims of a killed notifier expire after 19 seconds. Only a stalled
            // server takes longer for a mail.
            ("SMTP_TIMEOUT_SECONDS", "15"),
            ("SMTP_USERNAME", "leads"),
            ("SMTP_PASSWORD", "leads"),
            // One mail per lead and recipient, as the reconciliation expects.
            ("VISITOR_CONFIRMATION", "off"),
        ]
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec(),
    };
    let services = Services::prepare(directory, programs, &logs, wiring)?;
    progress.run("migrate the database", |_| services.migrate().run(&logs.join("migrate.log"), interrupt))?;
    let [intake_1, intake_2, notifier_1, notifier_2, crm_1, crm_2, desk_1, desk_2] = ports.admin;
    let programs = [
        (Process::Crm1, services.crm_sync(Process::Crm1.name(), ports.grpc[0], crm_1)),
        (Process::Crm2, services.crm_sync(Process::Crm2.name(), ports.grpc[1], crm_2)),
        (Process::Notifier1, services.notifier(Process::Notifier1.name(), notifier_1)),
        (Process::Notifier2, services.notifier(Process::Notifier2.name(), notifier_2)),
        (Process::Intake1, services.lead_intake(Process::Intake1.name(), ports.intake[0], intake_1)),
        (Process::Intake2, services.lead_intake(Process::Intake2.name(), ports.intake[1], intake_2)),
        (Process::Desk1, services.desk(Process::Desk1.name(), ports.desk[0], desk_1)),
        (Process::Desk2, services.desk(Process::Desk2.name(), ports.desk[1], desk_2)),
    ];
    for (_, program) in &programs {
        progress.run(&format!("start {}", program.name()), |_| program.start(&supervisor))?;
    }

    let nginx = Nginx {
        source: checkout.nginx(),
        directory: directory.join("nginx"),
        port: ports.site,
        site: stand_in_site(&directory.join("site"))?,
        intake_ports: links.ports(Link::NginxIntake),
        desk_ports: ports.desk.to_vec(),
        real_ip_from: Vec::new(),
        limits: Limits::lifted(),
        edge_log: None,
    };
    progress.run("start nginx", |_| {
        nginx.prepare(&logs.join("nginx.log"), interrupt)?;
        nginx.start(&supervisor, &logs)
    })?;
    Ok(Stack {
        supervisor,
        links,
        site_port: ports.site,
        sql,
        // Long enough to read thousands of dead letters.
        management: Management::new(&rabbitmq.management_url(), "/", Duration::from_secs(60)),
        node,
        mailbox,
        programs: programs.into(),
        postgres,
        amqp_port: ports.amqp,
        management_port: ports.management,
    })
}

fn connects(port: u16) -> bool {
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
    std::net::TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok()
}
