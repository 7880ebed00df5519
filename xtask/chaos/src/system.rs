//! The whole system: two replicas of each service, with proxies on the connections between processes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};
use testkit::management::Management;
use testkit::proxy::{Mode, Proxy};
use tokio::runtime::Handle;
use xtask::http::connects;
use xtask::ports::Ports;
use xtask::session::Session;
use xtask::stack::Stack;
use xtask::stack::nginx::Limits;
use xtask::stack::plan::{DATABASE, Plan, Storage};
use xtask::stack::postgres::Postgres;
use xtask::stack::rabbitmq::RabbitMq;
use xtask::supervisor::Supervisor;

use crate::mailbox::Mailbox;

/// The recipients in sales of every lead.
pub(crate) const RECIPIENTS: [&str; 2] = ["sales@zyongrand.example", "desk@zyongrand.example"];

pub(crate) const BROKER: Process = "rabbitmq";
pub(crate) const DATABASE_SERVER: Process = "postgres";
pub(crate) const NGINX: Process = "nginx";

/// A process that can be killed, frozen or restarted, by its name at the supervisor.
pub(crate) type Process = &'static str;

/// The replicas of each kind of process.
pub(crate) const KINDS: [&[Process]; 7] = [
    &["lead-intake-1", "lead-intake-2"],
    &["notifier-1", "notifier-2"],
    &["crm-sync-1", "crm-sync-2"],
    &["desk-1", "desk-2"],
    &[BROKER],
    &[DATABASE_SERVER],
    &[NGINX],
];

/// A connection between two kinds of processes: the client and the server.
pub(crate) type Link = (&'static str, &'static str);

pub(crate) const LINKS: [Link; 9] = [
    (NGINX, "lead-intake"),
    ("lead-intake", BROKER),
    ("lead-intake", "crm-sync"),
    ("notifier", BROKER),
    ("notifier", "crm-sync"),
    ("notifier", "mail"),
    ("crm-sync", BROKER),
    ("crm-sync", DATABASE_SERVER),
    ("desk", "crm-sync"),
];

pub(crate) fn processes() -> impl Iterator<Item = Process> {
    KINDS.into_iter().flatten().copied()
}

pub(crate) fn services() -> impl Iterator<Item = Process> {
    processes().filter(|process| is_service(process))
}

pub(crate) fn is_service(process: &str) -> bool {
    ![BROKER, DATABASE_SERVER, NGINX].contains(&process)
}

/// Settings of the services that differ from production.
const OVERRIDES: [(&str, &str); 6] = [
    // Shortened so that the schedule fits into a run.
    ("RETRY_DELAYS", "1s,2s,3s,4s,5s,6s,8s,10s,12s,15s,20s,30s"),
    ("PENDING_GRACE_SECONDS", "5"),
    // A claim lasts a quarter longer, so claims of a killed notifier expire after 19 seconds. Only a stalled server needs
    // longer for an email.
    ("SMTP_TIMEOUT_SECONDS", "15"),
    ("SMTP_USERNAME", "leads"),
    ("SMTP_PASSWORD", "leads"),
    // One email per lead and recipient, as the checks expect.
    ("VISITOR_CONFIRMATION", "off"),
];

pub(crate) struct System {
    /// The proxies that inject network faults.
    proxies: HashMap<Link, Vec<Proxy>>,
    pub(crate) site_port: u16,
    /// Direct access to the broker, without proxy.
    pub(crate) management: Management,
    pub(crate) mailbox: Mailbox,
    runtime: Handle,
    stack: Stack,
}

impl System {
    /// Starts everything below `directory` with the services in `programs`; returns when all of it is ready.
    pub(crate) fn start(
        directory: &Path,
        programs: PathBuf,
        session: &Session,
        runtime: &Handle,
    ) -> Result<Self> {
        let mailbox = runtime.block_on(Mailbox::start())?;
        let mut plan = Plan::new(directory.to_owned(), Ports::free(2)?, programs);
        plan.storage = Storage::Fresh;
        plan.mail_server = Some(mailbox.port());
        plan.limits = Limits::lifted();
        plan.routes = directory.join("routes.toml");
        std::fs::write(&plan.routes, format!("default = {RECIPIENTS:?}\n"))?;
        plan.overrides = OVERRIDES
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec();

        let (mut proxies, mut ports) = (HashMap::new(), HashMap::new());
        for link @ (client, server) in LINKS {
            let behind = match server {
                "lead-intake" => plan.ports.intake.clone(),
                "crm-sync" => plan.ports.grpc.clone(),
                BROKER => vec![plan.ports.amqp],
                DATABASE_SERVER => vec![plan.ports.postgres],
                _ => vec![mailbox.port()],
            };
            for port in behind {
                let proxy = runtime.block_on(Proxy::start(format!("127.0.0.1:{port}")))?;
                ports.insert((client, port), proxy.address().port());
                proxies.entry(link).or_insert_with(Vec::new).push(proxy);
            }
        }
        plan.proxies = ports;
        let stack = Stack::start(&plan, session)?;
        // Long enough to read thousands of dead letters.
        let url = stack
            .rabbitmq
            .as_ref()
            .map(RabbitMq::management_url)
            .unwrap_or_default();
        let management = Management::new(&url, "/", Duration::from_secs(60));
        Ok(Self {
            proxies,
            site_port: plan.ports.site,
            management,
            mailbox,
            runtime: runtime.clone(),
            stack,
        })
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Sets the mode for all connections of a link.
    pub(crate) fn set(&self, link: Link, mode: Mode) {
        self.proxies
            .get(&link)
            .into_iter()
            .flatten()
            .for_each(|proxy| proxy.set(mode));
    }

    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.stack.supervisor
    }

    pub(crate) fn rabbitmq(&self) -> &RabbitMq {
        self.stack
            .rabbitmq
            .as_ref()
            .expect("the plan has a private broker")
    }

    fn postgres(&self) -> &Postgres {
        self.stack
            .postgres
            .as_ref()
            .expect("the plan has a private database")
    }

    /// Runs statements in the leads' database as superuser, without proxy, so that it works during network faults.
    pub(crate) fn sql(&self, statements: &str) -> Result<String> {
        self.postgres().sql(DATABASE, statements)
    }

    pub(crate) fn number(&self, query: &str) -> Result<usize> {
        let text = self.sql(query)?;
        text.trim()
            .parse()
            .map_err(|_| anyhow!("{query} returned {text}, which is not a number"))
    }

    /// Makes the database read-only with `on`, and writable with `off`.
    pub(crate) fn set_read_only(&self, value: &str) -> Result<()> {
        // Two calls, because ALTER SYSTEM must not be in a transaction.
        self.sql(&format!(
            "ALTER SYSTEM SET default_transaction_read_only = {value}"
        ))?;
        self.sql("SELECT pg_reload_conf()").map(drop)
    }

    pub(crate) fn is_ready(&self, process: Process) -> bool {
        match process {
            BROKER => self.rabbitmq().accepts(),
            DATABASE_SERVER => self.postgres().accepts(),
            NGINX => connects(self.site_port),
            service => self
                .stack
                .service(service)
                .is_some_and(xtask::stack::services::Program::is_ready),
        }
    }
}
