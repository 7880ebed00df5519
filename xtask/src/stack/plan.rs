//! The plan of a system: replicas, links, backends, site and settings.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::builds;
use crate::checkout;
use crate::error::Result;
use crate::files;
use crate::http;
use crate::packages::{NGINX, POSTGRES, Package, RABBITMQ};
use crate::ports::Ports;
use crate::process::Invocation;
use crate::session::{Session, step};
use crate::supervisor::{Service, Supervisor};

use super::nginx::Limits;
use super::postgres::Postgres;
use super::rabbitmq::{self, RabbitMq};
use super::secrets::Secrets;
use super::services::Wiring;

/// The database of leads, and the role that crm-sync has in PostgreSQL.
pub const DATABASE: &str = "crm";
const MAIL_TIMEOUT: Duration = Duration::from_secs(60);

/// Lifetime and durability of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Kept between runs, durable.
    Lasting,
    /// Recreated, durable.
    Fresh,
    /// Recreated, not durable: a crash may lose committed data.
    Fast,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// A file in the stack's directory.
    Sqlite,
    /// A private PostgreSQL in the stack's directory.
    Postgres,
    Url(String),
}

pub enum Broker {
    /// A private node in the stack's directory, with the production definitions.
    Private,
    /// The URL for each user.
    Url(Box<dyn Fn(&str) -> String + Send + Sync>),
}

/// The origin of our programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Built when the stack is prepared.
    Build { release: bool },
    /// Already built, in this directory.
    Built(PathBuf),
}

/// The receiver of the notifier's emails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mail {
    /// maildev, which shows emails on a web page.
    Catcher,
    /// An SMTP server on this loopback port.
    Port(u16),
}

/// The documents that nginx serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    Build,
    /// For callers that load no pages.
    StandIn,
}

/// A connection between two kinds of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Link {
    NginxIntake,
    IntakeBroker,
    IntakeCrm,
    NotifierBroker,
    NotifierCrm,
    NotifierSmtp,
    CrmBroker,
    CrmDatabase,
}

/// How the processes reach each other.
#[derive(Clone, Debug, Default)]
pub enum Links {
    #[default]
    Direct,
    /// Through a proxy's port in place of each port behind a link.
    Proxied(HashMap<(Link, u16), u16>),
}

impl Links {
    pub(super) fn port(&self, link: Link, port: u16) -> u16 {
        match self {
            Self::Direct => port,
            Self::Proxied(proxies) => proxies.get(&(link, port)).copied().unwrap_or(port),
        }
    }
}

pub struct Plan {
    /// All files are written below it.
    pub directory: PathBuf,
    /// Decides the number of replicas.
    pub ports: Ports,
    pub links: Links,
    pub broker: Broker,
    pub database: Database,
    pub storage: Storage,
    pub mail: Mail,
    pub programs: Programs,
    pub site: Site,
    /// Rate limits of nginx.
    pub limits: Limits,
    /// Networks of proxies whose X-Forwarded-For nginx trusts.
    pub real_ip_from: Vec<String>,
    /// The notifier's file of routes.
    pub routes: PathBuf,
    /// Settings of the services that differ from the usual.
    pub overrides: Vec<(&'static str, String)>,
}

impl Plan {
    /// One replica of each service with private backends, the built site and the mail catcher.
    pub fn new(directory: PathBuf, ports: Ports) -> Self {
        Self {
            directory,
            ports,
            links: Links::Direct,
            broker: Broker::Private,
            database: Database::Postgres,
            storage: Storage::Lasting,
            mail: Mail::Catcher,
            programs: Programs::Build { release: false },
            site: Site::Build,
            limits: Limits::default(),
            real_ip_from: Vec::new(),
            routes: checkout::path("deploy/notifier/routes.toml"),
            overrides: Vec::new(),
        }
    }

    pub fn logs(&self) -> PathBuf {
        self.directory.join("logs")
    }

    /// Sends the services' spans and metrics to an OTLP endpoint.
    pub fn collect(&mut self, endpoint: &str) {
        self.overrides.push(("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.to_owned()));
        self.overrides.push(("OTEL_METRICS_EXPORTER", "otlp".to_owned()));
    }

    pub fn packages(&self) -> Vec<&'static Package> {
        let is_private = matches!(self.broker, Broker::Private);
        let broker = is_private.then_some(&RABBITMQ);
        let database = (self.database == Database::Postgres).then_some(&POSTGRES);
        [Some(&NGINX), broker, database].into_iter().flatten().collect()
    }

    /// The ports behind a link.
    pub fn behind(&self, link: Link) -> Vec<u16> {
        match link {
            Link::NginxIntake => self.ports.intake(),
            Link::IntakeBroker | Link::NotifierBroker | Link::CrmBroker => vec![self.ports.amqp],
            Link::IntakeCrm | Link::NotifierCrm => self.ports.grpc(),
            Link::NotifierSmtp => vec![self.smtp_port()],
            Link::CrmDatabase => vec![self.ports.postgres],
        }
    }

    fn smtp_port(&self) -> u16 {
        match self.mail {
            Mail::Catcher => self.ports.smtp,
            Mail::Port(port) => port,
        }
    }

    pub(super) fn wiring(&self, secrets: &Secrets, database_url: String) -> Result<Wiring> {
        let amqp = |user: &str, link: Option<Link>| match &self.broker {
            Broker::Url(url) => Ok(url(user)),
            Broker::Private => {
                let port = link.map_or(self.ports.amqp, |link| self.links.port(link, self.ports.amqp));
                rabbitmq::user_url(secrets, user, port)
            }
        };
        let crm = |link| self.ports.grpc().into_iter().map(|port| self.links.port(link, port)).collect();
        Ok(Wiring {
            intake_amqp: amqp("lead-intake", Some(Link::IntakeBroker))?,
            notifier_amqp: amqp("notifier", Some(Link::NotifierBroker))?,
            crm_amqp: amqp("crm-sync", Some(Link::CrmBroker))?,
            operator_amqp: amqp("operator", None)?,
            intake_crm: crm(Link::IntakeCrm),
            notifier_crm: crm(Link::NotifierCrm),
            database_url,
            smtp_port: self.links.port(Link::NotifierSmtp, self.smtp_port()),
            routes: self.routes.clone(),
            site_url: format!("http://localhost:{}", self.ports.site),
            overrides: self.overrides.clone(),
        })
    }

    pub(super) fn start_broker(
        &self,
        secrets: &Secrets,
        supervisor: &Supervisor,
    ) -> Result<Option<RabbitMq>> {
        if !matches!(self.broker, Broker::Private) {
            return Ok(None);
        }
        let directory = self.directory.join("rabbitmq");
        let rabbitmq = RabbitMq::new(directory, self.ports.amqp, self.ports.management, self.storage)?;
        step("start RabbitMQ", || {
            rabbitmq.start(supervisor, &self.logs())?;
            rabbitmq.import_definitions(secrets)
        })?;
        Ok(Some(rabbitmq))
    }

    pub(super) fn start_database(&self, supervisor: &Supervisor) -> Result<Option<Postgres>> {
        if self.database != Database::Postgres {
            return Ok(None);
        }
        step("start PostgreSQL", || {
            let (directory, port) = (self.directory.join("postgres"), self.ports.postgres);
            let postgres = Postgres::initialise(&directory, port, self.storage)?;
            postgres.start(supervisor, &self.logs())?;
            postgres.ensure_database(DATABASE)?;
            Ok(Some(postgres))
        })
    }

    pub(super) fn start_mail_catcher(&self, session: &Session, supervisor: &Supervisor) -> Result<()> {
        if self.mail != Mail::Catcher {
            return Ok(());
        }
        let (source, directory) = (checkout::path("deploy/maildev"), self.directory.join("mail"));
        builds::packages(&source, session)?;
        files::private_directory(&directory)?;
        let script = source.join("node_modules/maildev/bin/maildev");
        let (web, smtp) = (self.ports.mail.to_string(), self.ports.smtp.to_string());
        let maildev = Invocation::new("node", [script.as_os_str()])
            .arguments(["--ip", "127.0.0.1", "--web", &web, "--smtp", &smtp, "--mail-directory"])
            .argument(&directory);
        let service = Service::new("maildev", maildev, &self.logs());
        step("start the mail catcher", || {
            supervisor.start(service, MAIL_TIMEOUT, || http::is_ready(self.ports.mail, "/healthz", &[]))
        })
    }
}
