//! The plan of a system: replicas, proxies, backends, site and settings.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;

use crate::files;
use crate::packages::{NGINX, POSTGRES, Package, RABBITMQ};
use crate::ports::Ports;

use super::nginx::Limits;
use super::rabbitmq;
use super::services::Secrets;

/// The database of leads, and the role that crm-sync has in PostgreSQL.
pub const DATABASE: &str = "crm";

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::VariantArray)]
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

pub struct Plan {
    /// All files are written below it.
    pub directory: PathBuf,
    /// Decides the number of replicas.
    pub ports: Ports,
    /// The port of a proxy in place of a port behind a link. Without a proxy, processes reach each other directly.
    pub proxies: HashMap<(Link, u16), u16>,
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
            proxies: HashMap::new(),
            broker: Broker::Private,
            database: Database::Postgres,
            storage: Storage::Lasting,
            mail: Mail::Catcher,
            programs: Programs::Build { release: false },
            site: Site::Build,
            limits: Limits::default(),
            real_ip_from: Vec::new(),
            routes: files::path("deploy/notifier/routes.toml"),
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

    /// The port at which the process at one end of a link reaches a port behind it.
    pub(super) fn reach(&self, link: Link, port: u16) -> u16 {
        self.proxies.get(&(link, port)).copied().unwrap_or(port)
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

    /// The port at which the notifier reaches the mail server.
    pub(super) fn smtp_link_port(&self) -> u16 {
        self.reach(Link::NotifierSmtp, self.smtp_port())
    }

    /// The URLs of all replicas of crm-sync, for the client at the other end of the link.
    pub(super) fn crm_urls(&self, link: Link) -> String {
        let ports = self.ports.grpc().into_iter().map(|port| self.reach(link, port));
        ports.map(|port| format!("http://127.0.0.1:{port}")).collect::<Vec<_>>().join(",")
    }

    /// The broker's URL for a user, through a link or directly.
    pub(super) fn amqp_url(&self, user: &str, link: Option<Link>, secrets: &Secrets) -> Result<String> {
        match &self.broker {
            Broker::Url(url) => Ok(url(user)),
            Broker::Private => {
                let port = link.map_or(self.ports.amqp, |link| self.reach(link, self.ports.amqp));
                rabbitmq::user_url(secrets, user, port)
            }
        }
    }

    /// The site's URL for visitors.
    pub(super) fn site_url(&self) -> String {
        format!("http://localhost:{}", self.ports.site)
    }
}
