//! Starts the whole system from a plan: for `up`, browser tests, crash tests, chaos and the bench.

pub mod epmd;
pub mod nginx;
pub mod plan;
pub mod postgres;
pub mod rabbitmq;
pub mod services;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;
use parking_lot::Mutex;

use crate::process::command;
use crate::session::{Session, step};
use crate::supervisor::{Service, Supervisor};
use crate::{builds, files, http};

use nginx::Nginx;
use plan::{Broker, DATABASE, Database, Plan};
use postgres::Postgres;
use rabbitmq::RabbitMq;
use services::{Program, Secrets};

/// The folder of the mail catcher, a package of npm.
pub const MAIL_CATCHER: &str = "deploy/maildev";
const MAIL_TIMEOUT: Duration = Duration::from_secs(60);

/// A system whose backends run. Dropping it stops it.
pub struct Stack {
    pub supervisor: Supervisor,
    /// The nodes of the private broker, if the plan has one.
    pub rabbitmq: Vec<RabbitMq>,
    pub postgres: Option<Postgres>,
    /// The services in the order of their start.
    pub services: Vec<Program>,
    pub nginx: Nginx,
    pub programs: PathBuf,
    /// Migrates the database to the current schema.
    pub migrate: Mutex<Command>,
}

impl Stack {
    /// Starts private backends and the mail catcher, and migrates the database. Starts no service.
    pub fn prepare(plan: &Plan, session: &Session) -> Result<Self> {
        let logs = plan.logs();
        fs::create_dir_all(&logs)?;
        let supervisor = Supervisor::new(session.interrupt.clone());
        let secrets = Secrets::create_in(&plan.directory)?;
        let mut rabbitmq = Vec::new();
        let mut postgres = None;
        session.side_by_side(vec![
            Box::new(|| {
                rabbitmq = start_broker(plan, &secrets, &supervisor)?;
                postgres = start_database(plan, &supervisor)?;
                Ok(())
            }),
            Box::new(|| start_mail_catcher(plan, session, &supervisor)),
        ])?;

        let database_url = match (&plan.database, &postgres) {
            (Database::Url(url), _) => url.clone(),
            (_, Some(postgres)) => {
                let port = plan.reach("crm-sync", plan.ports.postgres);
                postgres.url_of(DATABASE, DATABASE, port)
            }
            _ => sqlite_url(&plan.directory.join("crm.sqlite")),
        };
        services::write_secrets(plan, &secrets, &database_url)?;
        let mut migrate = services::service_command("crm-sync", plan, &secrets)?;
        migrate.arg("migrate");
        // With SQLite, crm-sync migrates.
        if plan.database != Database::Sqlite {
            let log = logs.join("migrate.log");
            session.run_with_log("migrate the database", &mut migrate, &log)?;
        }
        let site = match &plan.site {
            Some(site) => site.clone(),
            None => nginx::write_stand_in_site(&plan.directory.join("site"))?,
        };
        let intake = plan.ports.intake.iter();
        let nginx = Nginx {
            directory: plan.directory.join("nginx"),
            port: plan.ports.site,
            site,
            intake_ports: intake.map(|port| plan.reach("nginx", *port)).collect(),
            desk_ports: plan.ports.desk.clone(),
            real_ip_from: plan.real_ip_from.clone(),
            limits: plan.limits,
            edge_log: None,
        };
        let (services, migrate) = (services::replicas(plan, &secrets)?, Mutex::new(migrate));
        let programs = plan.programs.clone();
        Ok(Self {
            supervisor,
            rabbitmq,
            postgres,
            services,
            nginx,
            programs,
            migrate,
        })
    }

    /// Prepares the plan and starts everything; returns when all of it is ready.
    pub fn start(plan: &Plan, session: &Session) -> Result<Self> {
        let stack = Self::prepare(plan, session)?;
        for program in &stack.services {
            step(&format!("start {}", program.service.name), || {
                program.start(&stack.supervisor)
            })?;
        }
        step("start nginx", || {
            stack
                .nginx
                .start(&stack.supervisor, &plan.logs(), &session.interrupt)
        })?;
        Ok(stack)
    }

    /// A service, by its name and, with several replicas, their number, such as `desk-2`.
    pub fn service(&self, name: &str) -> Option<&Program> {
        self.services
            .iter()
            .find(|program| program.service.name == name)
    }
}

fn start_broker(plan: &Plan, secrets: &Secrets, supervisor: &Supervisor) -> Result<Vec<RabbitMq>> {
    if !matches!(plan.broker, Broker::Private) {
        return Ok(Vec::new());
    }
    let nodes = RabbitMq::nodes(plan)?;
    step("start RabbitMQ", || {
        for node in &nodes {
            node.start(supervisor, &plan.logs())?;
        }
        // Last, because a queue gets its members when it is declared.
        nodes[0].import_definitions(secrets)
    })?;
    Ok(nodes)
}

fn start_database(plan: &Plan, supervisor: &Supervisor) -> Result<Option<Postgres>> {
    if plan.database != Database::Postgres {
        return Ok(None);
    }
    step("start PostgreSQL", || {
        let (directory, port) = (plan.directory.join("postgres"), plan.ports.postgres);
        let postgres = Postgres::initialise(&directory, port, plan.storage)?;
        postgres.start(supervisor, &plan.logs())?;
        postgres.ensure_database(DATABASE)?;
        Ok(Some(postgres))
    })
}

fn start_mail_catcher(plan: &Plan, session: &Session, supervisor: &Supervisor) -> Result<()> {
    if plan.mail_server.is_some() {
        return Ok(());
    }
    let source = files::path(MAIL_CATCHER);
    let directory = plan.directory.join("mail");
    builds::packages(&source, session)?;
    files::private_directory(&directory)?;
    let (web, smtp) = (plan.ports.mail.to_string(), plan.ports.smtp.to_string());
    let mut maildev = command("node");
    maildev
        .arg(source.join("node_modules/maildev/bin/maildev"))
        .args([
            "--ip",
            "127.0.0.1",
            "--web",
            &web,
            "--smtp",
            &smtp,
            "--mail-directory",
        ])
        .arg(&directory);
    let service = Service::new("maildev", maildev, &plan.logs());
    step("start the mail catcher", || {
        supervisor.start(service, MAIL_TIMEOUT, || {
            http::is_ready(plan.ports.mail, "/healthz")
        })
    })
}

/// The URL of a file, with special characters of the path escaped.
fn sqlite_url(path: &Path) -> String {
    let escapes = [('%', "%25"), ('?', "%3F"), ('#', "%23"), (' ', "%20")];
    let path = path.display().to_string();
    let path = escapes.iter().fold(path, |path, (character, escape)| {
        path.replace(*character, escape)
    });
    format!("sqlite://{path}?mode=rwc")
}
