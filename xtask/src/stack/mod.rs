//! Starts the whole system in order; each part has its own file.

pub mod maildev;
pub mod nginx;
pub mod postgres;
pub mod rabbitmq;
pub mod secrets;
pub mod services;

use std::path::{Path, PathBuf};

use crate::builds::Builds;
use crate::error::Result;
use crate::files;
use crate::ports::{Ports, Role};
use crate::session::Session;
use crate::supervisor::Supervisor;
use crate::system::packages::Package;

use maildev::Maildev;
use nginx::{Limits, Nginx};
use postgres::{Postgres, Storage};
use rabbitmq::RabbitMq;
use secrets::Secrets;
use services::{Services, Wiring};

/// The database of leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// A file in the stack's directory.
    Sqlite,
    /// A private PostgreSQL in the stack's directory.
    Postgres,
    Url(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broker {
    /// A private node in the stack's directory.
    Private,
    Url(String),
}

/// The origin of our programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Built at start.
    Debug,
    /// Built at start with optimisation.
    Release,
    /// Already built, in this directory.
    Built(PathBuf),
}

#[derive(Clone, Debug)]
pub struct Plan {
    /// All files are written below it.
    pub directory: PathBuf,
    pub ports: Ports,
    pub database: Database,
    pub broker: Broker,
    pub programs: Programs,
    pub limits: Limits,
    /// For tests: stored data need not be durable.
    pub throw_away: bool,
    /// The OTLP endpoint for spans and metrics, if any.
    pub collector: Option<String>,
}

impl Plan {
    pub fn logs(&self) -> PathBuf {
        self.directory.join("logs")
    }

    pub fn packages(&self) -> Vec<Package> {
        let mut packages = vec![Package::Nginx];
        packages.extend((self.broker == Broker::Private).then_some(Package::RabbitMq));
        packages.extend((self.database == Database::Postgres).then_some(Package::Postgres));
        packages
    }

    /// The roles whose ports are needed.
    pub fn roles(&self) -> Vec<Role> {
        let broker = [Role::Amqp, Role::AmqpManagement];
        let needed = |role: &Role| {
            (self.broker == Broker::Private || !broker.contains(role))
                && (self.database == Database::Postgres || *role != Role::Postgres)
        };
        Role::ALL.into_iter().filter(needed).collect()
    }

    /// The private broker, if any.
    pub fn rabbitmq(&self) -> Option<RabbitMq> {
        (self.broker == Broker::Private).then(|| RabbitMq {
            directory: self.directory.join("rabbitmq"),
            amqp_port: self.ports.get(Role::Amqp),
            management_port: self.ports.get(Role::AmqpManagement),
            throw_away: self.throw_away,
        })
    }
}

/// The running system. Dropping it stops it.
pub struct Stack {
    supervisor: Supervisor,
    pub programs: PathBuf,
}

impl Stack {
    /// Builds outdated programs and starts everything; returns when all of it is ready.
    pub fn start(plan: &Plan, session: &Session) -> Result<Self> {
        let logs = plan.logs();
        files::directory(&logs)?;
        let supervisor = Supervisor::new(session.progress.clone(), session.interrupt.clone());
        let builds = Builds::new(session, &logs);
        let progress = &session.progress;

        let secrets = Secrets::open(&plan.directory)?;
        let (mut programs, mut site, mut database_url) = (PathBuf::new(), PathBuf::new(), String::new());
        session.side_by_side(vec![
            Box::new(|| {
                programs = match &plan.programs {
                    Programs::Debug => builds.services(false)?,
                    Programs::Release => builds.services(true)?,
                    Programs::Built(directory) => directory.clone(),
                };
                Ok(())
            }),
            Box::new(|| builds.site().map(|built| site = built)),
            Box::new(|| {
                if let Some(rabbitmq) = plan.rabbitmq() {
                    progress.run("start RabbitMQ", |_| {
                        rabbitmq.start(&supervisor, &logs)?;
                        rabbitmq.import_definitions(&secrets)
                    })?;
                }
                start_database(plan, session, &supervisor, &logs).map(|url| database_url = url)
            }),
            Box::new(|| {
                let maildev = Maildev {
                    source: session.checkout.maildev(),
                    directory: plan.directory.join("mail"),
                    web_port: plan.ports.get(Role::Mail),
                    smtp_port: plan.ports.get(Role::Smtp),
                };
                builds.packages("install the mail catcher", &maildev.source)?;
                progress.run("start the mail catcher", |_| maildev.start(&supervisor, &logs))
            }),
        ])?;

        let amqp_url = |user: &str| match &plan.broker {
            Broker::Url(url) => Ok(url.clone()),
            Broker::Private => rabbitmq::user_url(&secrets, user, plan.ports.get(Role::Amqp)),
        };
        let grpc_port = plan.ports.get(Role::Grpc);
        let crm = vec![format!("127.0.0.1:{grpc_port}")];
        let wiring = Wiring {
            intake_amqp: amqp_url("lead-intake")?,
            notifier_amqp: amqp_url("notifier")?,
            crm_amqp: amqp_url("crm-sync")?,
            operator_amqp: (plan.broker == Broker::Private).then(|| amqp_url("operator")).transpose()?,
            intake_crm: crm.clone(),
            notifier_crm: crm,
            database_url,
            smtp_port: plan.ports.get(Role::Smtp),
            routes: session.checkout.routes(),
            site_url: format!("http://localhost:{}", plan.ports.get(Role::Site)),
            other: plan.collector.as_deref().into_iter().flat_map(collected).collect(),
        };
        let services = Services::prepare(&plan.directory, &programs, &logs, wiring)?;
        services.write_leadctl(&plan.directory, grpc_port)?;
        if plan.database != Database::Sqlite {
            progress.run("migrate the database", |_| {
                services.migrate().run(&logs.join("crm-sync.log"), &session.interrupt)
            })?;
        }
        let port = |role| plan.ports.get(role);
        for program in [
            services.crm_sync("crm-sync", grpc_port, port(Role::CrmSyncAdmin)),
            services.notifier("notifier", port(Role::NotifierAdmin)),
            services.lead_intake("lead-intake", port(Role::Intake), port(Role::IntakeAdmin)),
            services.desk("desk", port(Role::Desk), port(Role::DeskAdmin)),
        ] {
            progress.run(&format!("start {}", program.name()), |_| program.start(&supervisor))?;
        }

        let nginx = Nginx {
            source: session.checkout.nginx(),
            directory: plan.directory.join("nginx"),
            port: plan.ports.get(Role::Site),
            site,
            intake_ports: vec![plan.ports.get(Role::Intake)],
            desk_ports: vec![plan.ports.get(Role::Desk)],
            real_ip_from: Vec::new(),
            limits: plan.limits.clone(),
            edge_log: None,
        };
        progress.run("start nginx", |_| {
            nginx.prepare(&logs.join("nginx.log"), &session.interrupt)?;
            nginx.start(&supervisor, &logs)
        })?;
        Ok(Self { supervisor, programs })
    }

    /// Stops everything in reverse order.
    pub fn stop(self) {
        self.supervisor.stop_all();
    }
}

/// The services' settings for [`Plan::collector`].
fn collected(url: &str) -> [(&'static str, String); 2] {
    [("OTEL_EXPORTER_OTLP_ENDPOINT", url.to_owned()), ("OTEL_METRICS_EXPORTER", "otlp".to_owned())]
}

/// The URL of the database; starts a private PostgreSQL if chosen.
fn start_database(plan: &Plan, session: &Session, supervisor: &Supervisor, logs: &Path) -> Result<String> {
    const NAME: &str = "crm";
    match &plan.database {
        Database::Url(url) => Ok(url.clone()),
        Database::Sqlite => Ok(sqlite_url(&plan.directory.join("crm.sqlite"))),
        Database::Postgres => session.progress.run("start PostgreSQL", |_| {
            let (log, port) = (logs.join("postgres.log"), plan.ports.get(Role::Postgres));
            let directory = plan.directory.join("postgres");
            let storage = if plan.throw_away { Storage::Fast } else { Storage::Lasting };
            let postgres = Postgres::prepare(&directory, port, storage, &log, &session.interrupt)?;
            postgres.start(supervisor, logs)?;
            postgres.ensure_database(NAME, &log, &session.interrupt)?;
            Ok(postgres.url(NAME))
        }),
    }
}

/// The URL of a file, with special characters of the path escaped.
fn sqlite_url(path: &Path) -> String {
    let path = path
        .display()
        .to_string()
        .replace('%', "%25")
        .replace('?', "%3F")
        .replace('#', "%23")
        .replace(' ', "%20");
    format!("sqlite://{path}?mode=rwc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_odd_characters_stays_one_path() {
        assert_eq!(sqlite_url(Path::new("/a b/50%?#.sqlite")), "sqlite:///a%20b/50%25%3F%23.sqlite?mode=rwc");
    }

    #[test]
    fn what_is_not_ours_needs_neither_ports_nor_packages() {
        let mut plan = Plan {
            directory: PathBuf::new(),
            ports: Ports::standard(0),
            database: Database::Sqlite,
            broker: Broker::Url("amqp://broker".to_owned()),
            programs: Programs::Debug,
            limits: Limits::default(),
            throw_away: false,
            collector: None,
        };
        assert_eq!(plan.packages(), [Package::Nginx]);
        for role in [Role::Amqp, Role::AmqpManagement, Role::Postgres] {
            assert!(!plan.roles().contains(&role), "{role:?}");
        }
        plan.broker = Broker::Private;
        plan.database = Database::Postgres;
        assert_eq!(plan.packages(), [Package::Nginx, Package::RabbitMq, Package::Postgres]);
        assert_eq!(plan.roles(), Role::ALL);
    }
}
