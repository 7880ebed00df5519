//! The backends of all measurements: RabbitMQ, PostgreSQL and a mail server. Also creates the services, not started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use testkit::management::Management;
use testkit::smtp::SmtpServer;
use tokio::task::block_in_place;
use xtask::backends::Backends;
use xtask::cli::BenchOptions;
use xtask::ports::Ports;
use xtask::process;
use xtask::session::Session;
use xtask::stack;
use xtask::stack::nginx::Limits;
use xtask::stack::plan::{Broker, Database, Plan, Storage};

use crate::measure::Who;
use crate::observe::{LeadTable, Mailbox};

/// Long enough to delete a hundred thousand messages.
const MANAGEMENT_TIMEOUT: Duration = Duration::from_secs(120);
const VHOST: &str = "bench";
const DEFINITIONS: &str = include_str!("../../../deploy/rabbitmq/definitions.json");
/// Settings that differ from the usual.
const OVERRIDES: [(&str, &str); 3] = [
    ("LOG_FORMAT", "json"),
    // Each lead causes one email.
    ("VISITOR_CONFIRMATION", "off"),
    // notifier delivers even a long backlog from the queue.
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
    pub(crate) leads: LeadTable,
    pub(crate) mailbox: Mailbox,
    pub(crate) mail_server: SmtpServer,
    pub(crate) ports: Ports,
    /// The services and nginx under test.
    pub(crate) system: stack::Stack,
    management: Management,
    _backends: Backends,
}

impl<'a> Stack<'a> {
    /// Starts RabbitMQ and PostgreSQL with the durability of production.
    pub(crate) async fn start(
        session: &'a Session,
        directory: &Path,
        options: &BenchOptions,
    ) -> Result<Self> {
        let backends = block_in_place(|| Backends::start(directory, Storage::Fresh, session))?;
        // As in production: all schedulers.
        let all = "erlang:system_flag(schedulers_online, erlang:system_info(schedulers)).";
        block_in_place(|| backends.rabbitmq.evaluate(all))?;
        let management = Management::new(
            &backends.rabbitmq.management_url(),
            VHOST,
            MANAGEMENT_TIMEOUT,
        );
        management.create_vhost().await?;
        let amqp_url = backends.rabbitmq.amqp_url().replace("%2f", VHOST);
        let database_url = backends.postgres.url("postgres");
        let (leads, mailbox) = (LeadTable::connect(&database_url).await?, Mailbox::default());
        let inbox = mailbox.clone();
        let mail_server = SmtpServer::start_with(move |_| {
            inbox.record();
            Ok(())
        })
        .await?;

        let this_program = std::env::current_exe()?;
        let programs = this_program.parent().unwrap_or(&this_program).to_owned();
        let mut plan = Plan::new(directory.to_owned(), Ports::free(1, 1)?, programs);
        let url = amqp_url.clone();
        plan.broker = Broker::Url(Box::new(move |_| url.clone()));
        plan.database = Database::Url(database_url.clone());
        plan.mail_server = Some(mail_server.address().port());
        plan.limits = Limits::lifted();
        plan.real_ip_from = vec!["127.0.0.0/8".to_owned()];
        plan.overrides = OVERRIDES
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec();
        let system = block_in_place(|| stack::Stack::prepare(&plan, session))?;
        Ok(Self {
            session,
            rounds: if options.small { 1 } else { options.rounds },
            load_seconds: if options.small { 1 } else { 10 },
            directory: directory.to_owned(),
            amqp_url,
            database_url,
            leads,
            mailbox,
            mail_server,
            ports: plan.ports,
            system,
            management,
            _backends: backends,
        })
    }

    /// The port of the process that accepts leads.
    pub(crate) fn intake_port(&self) -> u16 {
        self.ports.intake[0]
    }

    /// Kills the programs and empties queues, database and mail server.
    pub(crate) async fn reset(&self, who: Who) -> Result<()> {
        self.session.interrupt.check()?;
        self.system.supervisor.kill_all();
        self.mailbox.clear();
        self.management.delete_vhost().await?;
        self.management.create_vhost().await?;
        let definitions = serde_json::from_str(DEFINITIONS)?;
        self.management
            .import_here(&definitions, &["exchanges", "queues", "bindings"])
            .await?;
        // Deletes the previous schema and creates the schema of the Express app.
        self.leads.run(include_str!("../peer/schema.sql")).await?;
        if who == Who::Ours {
            self.leads.run("DROP TABLE lead").await?;
            let log = self.directory.join("migrate.log");
            process::run(
                &mut self.system.migrate.lock(),
                &log,
                &self.session.interrupt,
            )?;
        }
        Ok(())
    }
}
