//! The plan of a system: replicas, proxies, backends, site and settings.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;

use crate::files;
use crate::packages::{NGINX, POSTGRES, Package, RABBITMQ};
use crate::ports::Ports;

use super::nginx::Limits;
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
    /// Private nodes in the stack's directory, with the production definitions.
    Private,
    /// The URL for each user.
    Url(Box<dyn Fn(&str) -> String + Send + Sync>),
}

pub struct Plan {
    /// All files are written below it.
    pub directory: PathBuf,
    /// Its lists of ports have one for each replica, and for each node of the broker.
    pub ports: Ports,
    /// The port of a proxy for a program, in place of the port that it connects to.
    pub proxies: HashMap<(&'static str, u16), u16>,
    pub broker: Broker,
    pub database: Database,
    pub storage: Storage,
    /// The loopback port of the mail server, instead of maildev, which shows emails on a web page.
    pub mail_server: Option<u16>,
    /// The directory of our programs.
    pub programs: PathBuf,
    /// The directory of the built site; none for callers that load no pages.
    pub site: Option<PathBuf>,
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
    /// Private backends, the mail catcher and no site.
    pub fn new(directory: PathBuf, ports: Ports, programs: PathBuf) -> Self {
        Self {
            directory,
            ports,
            proxies: HashMap::new(),
            broker: Broker::Private,
            database: Database::Postgres,
            storage: Storage::Lasting,
            mail_server: None,
            programs,
            site: None,
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
        self.overrides
            .push(("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.to_owned()));
        self.overrides
            .push(("OTEL_METRICS_EXPORTER", "otlp".to_owned()));
    }

    pub fn packages(&self) -> Vec<&'static Package> {
        let is_private = matches!(self.broker, Broker::Private);
        let broker = is_private.then_some(&RABBITMQ);
        let database = (self.database == Database::Postgres).then_some(&POSTGRES);
        [Some(&NGINX), broker, database]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The port at which a program reaches another port.
    pub(super) fn reach(&self, program: &str, port: u16) -> u16 {
        self.proxies.get(&(program, port)).copied().unwrap_or(port)
    }

    /// The port at which the notifier reaches the mail server.
    pub(super) fn smtp_port(&self) -> u16 {
        self.reach("notifier", self.mail_server.unwrap_or(self.ports.smtp))
    }

    /// The URLs at which a program reaches all replicas of crm-sync.
    pub(super) fn crm_urls(&self, program: &str) -> String {
        let ports = self
            .ports
            .grpc
            .iter()
            .map(|port| self.reach(program, *port));
        ports
            .map(|port| format!("http://127.0.0.1:{port}"))
            .collect::<Vec<_>>()
            .join(",")
    }

    /// The broker's URL for a program, which has a user of the same name.
    pub(super) fn amqp_url(&self, user: &str, secrets: &Secrets) -> Result<String> {
        if let Broker::Url(url) = &self.broker {
            return Ok(url(user));
        }
        let (password, port) = (
            secrets.read_secret(&format!("all/{user}-amqp"))?,
            self.reach(user, self.ports.amqp[0]),
        );
        Ok(format!("amqp://{user}:{password}@127.0.0.1:{port}/%2f"))
    }

    /// The site's URL for visitors.
    pub(super) fn site_url(&self) -> String {
        format!("http://localhost:{}", self.ports.site)
    }
}
