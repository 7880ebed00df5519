//! The whole system: two replicas of each service, with proxies on the connections between processes.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use testkit::management::Management;
use testkit::proxy::{Mode, Proxy};
use tokio::runtime::Handle;
use xtask::http::connects;
use xtask::ports::Ports;
use xtask::process;
use xtask::session::{Interrupt, Session};
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
/// The broker's processes in a cluster.
pub(crate) const NODES: [Process; 3] = ["rabbitmq-1", "rabbitmq-2", "rabbitmq-3"];
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

/// The processes that answer calls to the CRM.
pub(crate) const CRM: [Process; 3] = ["crm-sync-1", "crm-sync-2", DATABASE_SERVER];

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

pub(crate) fn services() -> impl Iterator<Item = Process> {
    let processes = KINDS.into_iter().flatten().copied();
    processes.filter(|process| is_service(process))
}

pub(crate) fn is_service(process: &str) -> bool {
    !process.starts_with(BROKER) && ![DATABASE_SERVER, NGINX].contains(&process)
}

/// Settings of the services that differ from production.
const OVERRIDES: [(&str, &str); 6] = [
    // Shortened so that the schedule fits into a run.
    ("RETRY_DELAYS", "1s,2s,3s,4s,5s,6s,8s,10s,12s,15s,20s,30s"),
    ("PENDING_GRACE_SECONDS", "7"),
    // A claim lasts a quarter longer, so claims of a killed notifier expire after 19 seconds. Only a stalled server needs
    // longer for an email.
    ("SMTP_TIMEOUT_SECONDS", "15"),
    ("SMTP_USERNAME", "leads"),
    ("SMTP_PASSWORD", "leads"),
    // One email per lead and recipient, as the checks expect.
    ("VISITOR_CONFIRMATION", "off"),
];

pub(crate) struct System {
    /// The broker's processes: [`BROKER`] or [`NODES`].
    pub(crate) broker: &'static [Process],
    /// The proxies that inject network faults.
    proxies: HashMap<Link, Vec<Proxy>>,
    pub(crate) site_port: u16,
    /// Direct access to the broker, without proxy.
    pub(crate) management: Management,
    pub(crate) mailbox: Mailbox,
    runtime: Handle,
    /// A link to the directory with the services that a start or restart runs.
    programs: PathBuf,
    migration_log: PathBuf,
    stack: Stack,
}

impl System {
    /// Starts everything below `directory` with the services in `programs`; returns when all of it is ready.
    pub(crate) fn start(
        directory: &Path,
        programs: &Path,
        broker: &'static [Process],
        session: &Session,
        runtime: &Handle,
    ) -> Result<Self> {
        let mailbox = runtime.block_on(Mailbox::start())?;
        let link = directory.join("programs");
        symlink(programs, &link)?;
        let mut plan = Plan::new(
            directory.to_owned(),
            Ports::free(2, broker.len())?,
            link.clone(),
        );
        plan.storage = Storage::Fresh;
        let mail_port = mailbox.port();
        plan.mail_server = Some(mail_port);
        plan.limits = Limits::lifted();
        plan.routes = directory.join("routes.toml");
        // A reminder would be an email that the checks do not expect.
        fs::write(
            &plan.routes,
            format!("default = {RECIPIENTS:?}\nreminder_minutes = 0\n"),
        )?;
        plan.overrides = OVERRIDES
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec();

        let (mut proxies, mut ports) = (HashMap::new(), HashMap::new());
        let mut start_proxy = |link: Link, behind: &[u16]| {
            let targets = behind.iter().map(|port| format!("127.0.0.1:{port}"));
            let proxy = runtime.block_on(Proxy::start_balanced(targets.collect()))?;
            ports.insert((link.0, behind[0]), proxy.address().port());
            proxies.entry(link).or_insert_with(Vec::new).push(proxy);
            anyhow::Ok(())
        };
        for link in LINKS {
            let behind = match link.1 {
                "lead-intake" => plan.ports.intake.chunks(1),
                "crm-sync" => plan.ports.grpc.chunks(1),
                // One address for all nodes, as in Kubernetes.
                BROKER => plan.ports.amqp.chunks(NODES.len()),
                DATABASE_SERVER => from_ref(&plan.ports.postgres).chunks(1),
                _ => from_ref(&mail_port).chunks(1),
            };
            for ports in behind {
                start_proxy(link, ports)?;
            }
        }
        for client in broker {
            for (server, port) in broker.iter().zip(&plan.ports.distribution) {
                if client != server {
                    start_proxy((client, server), from_ref(port))?;
                }
            }
        }
        plan.proxies = ports;
        let stack = Stack::start(&plan, session)?;
        // Long enough to read thousands of dead letters.
        let url = stack
            .rabbitmq
            .first()
            .map(RabbitMq::management_url)
            .unwrap_or_default();
        let management = Management::new(&url, "/", Duration::from_secs(60));
        Ok(Self {
            broker,
            proxies,
            site_port: plan.ports.site,
            management,
            mailbox,
            runtime: runtime.clone(),
            programs: link,
            migration_log: plan.logs().join("migrate.log"),
            stack,
        })
    }

    /// Makes the next start of every service run the programs in another directory, and migrates the database with them.
    pub(crate) fn deploy(&self, programs: &Path, interrupt: &Interrupt) -> Result<()> {
        let next = self.programs.with_extension("next");
        symlink(programs, &next)?;
        fs::rename(next, &self.programs)?;
        let mut migrate = self.stack.migrate.lock();
        process::run(&mut migrate, &self.migration_log, interrupt)
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

    /// Sets the mode for all connections between a node of the broker and the other nodes.
    pub(crate) fn set_peers(&self, node: Process, mode: Mode) {
        for ((client, server), proxies) in &self.proxies {
            if [*client, *server].contains(&node) {
                proxies.iter().for_each(|proxy| proxy.set(mode));
            }
        }
    }

    /// Ends the network faults of all connections.
    pub(crate) fn pass_all(&self) {
        for proxy in self.proxies.values().flatten() {
            proxy.set(Mode::Pass);
        }
    }

    pub(crate) fn processes(&self) -> impl Iterator<Item = Process> {
        let others = [DATABASE_SERVER, NGINX].into_iter();
        services().chain(others).chain(self.broker.iter().copied())
    }

    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.stack.supervisor
    }

    /// The first node of the broker.
    pub(crate) fn rabbitmq(&self) -> &RabbitMq {
        self.stack
            .rabbitmq
            .first()
            .expect("the plan has a private broker")
    }

    fn node(&self, name: &str) -> Option<&RabbitMq> {
        self.stack.rabbitmq.iter().find(|node| node.name == name)
    }

    /// Asks a node of the broker which node leads a queue. Fails unless a majority of the queue's members, which the asked
    /// node can reach, confirms the answer.
    pub(crate) fn find_leader(&self, asked: Process, queue: &str) -> Result<Process> {
        let node = self.node(asked).context("not in the cluster")?;
        let leader = node.evaluate(&format!(
            "{{ok, _, {{_, Leader}}}} = \
             ra:consistent_query({{'%2F_{queue}', node()}}, fun(_) -> ok end, 2000), Leader."
        ))?;
        let named = NODES.into_iter().find(|name| leader.contains(name));
        named.with_context(|| format!("{leader} is no node of the cluster"))
    }

    /// Number of leads that the broker has confirmed to the running replicas of lead-intake.
    pub(crate) fn count_confirmed(&self) -> Result<u64> {
        let mut confirmed = 0;
        for process in services().filter(|process| process.starts_with("lead-intake")) {
            let program = self.stack.service(process).context("not in the plan")?;
            let metrics = program.read_metrics()?;
            let lines = metrics.lines().filter(|line| {
                line.starts_with("leads_accepted_total{") && line.contains("path=\"primary\"")
            });
            let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
            confirmed += values.sum::<u64>();
        }
        Ok(confirmed)
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
            broker if broker.starts_with(BROKER) => {
                self.node(broker).is_some_and(RabbitMq::accepts)
            }
            DATABASE_SERVER => self.postgres().accepts(),
            NGINX => connects(self.site_port),
            service => self
                .stack
                .service(service)
                .is_some_and(xtask::stack::services::Program::is_ready),
        }
    }
}
