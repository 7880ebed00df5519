//! A private RabbitMQ node with a dedicated epmd on loopback, with all its files in one directory.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};

use crate::files;
use crate::http;
use crate::packages;
use crate::ports;
use crate::process::Invocation;
use crate::stack::plan::Storage;
use crate::stack::secrets::Secrets;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(90);
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(2);
const NODE: &str = "zyon-grand@localhost";
const DEFINITIONS: &str = include_str!("../../../deploy/rabbitmq/definitions.json");
const ADVANCED: &[u8] = include_bytes!("../../../deploy/rabbitmq/advanced.config");
/// `guest:guest`, which RabbitMQ accepts from loopback only.
const CREDENTIALS: &str = "Authorization: Basic Z3Vlc3Q6Z3Vlc3Q=";

pub struct RabbitMq {
    /// Data, configuration and cookie.
    directory: PathBuf,
    amqp_port: u16,
    management_port: u16,
    epmd_port: u16,
    /// Between node and tools.
    distribution_port: u16,
    storage: Storage,
}

impl RabbitMq {
    /// A node to start. With [`Storage::Fast`] it has no grace period and updates its statistics more often.
    pub fn new(directory: PathBuf, amqp_port: u16, management_port: u16, storage: Storage) -> Result<Self> {
        let free = ports::free_ports(2)?;
        let (epmd_port, distribution_port) = (free[0], free[1]);
        Ok(Self { directory, amqp_port, management_port, epmd_port, distribution_port, storage })
    }

    pub fn amqp_url(&self) -> String {
        format!("amqp://guest:guest@127.0.0.1:{}/%2f", self.amqp_port)
    }

    /// The management API, with credentials.
    pub fn management_url(&self) -> String {
        format!("http://guest:guest@127.0.0.1:{}", self.management_port)
    }

    /// The file with the node's current process id.
    pub fn pid_file(&self) -> PathBuf {
        self.directory.join("pid")
    }

    /// Starts the node, with epmd, and waits until AMQP and the management API answer.
    pub fn start(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        files::private_directory(&self.home())?;
        let port = self.epmd_port.to_string();
        let epmd = Invocation::new(packages::find("epmd")?, ["-address", "127.0.0.1", "-port", &port]);
        let is_up = || http::connects(self.epmd_port);
        supervisor.start(Service::new("epmd", epmd, logs), TIMEOUT, is_up)?;
        let mut service = Service::new("rabbitmq", self.server()?, logs);
        service.pid_file = Some(self.pid_file());
        let is_fast = self.storage == Storage::Fast;
        service.grace = if is_fast { Duration::ZERO } else { Duration::from_secs(20) };
        supervisor.start(service, TIMEOUT, || {
            self.greets() && http::is_ready(self.management_port, "/api/overview", &[CREDENTIALS])
        })
    }

    /// Imports the production definitions: queues, and users with permissions. Passwords come from `secrets`.
    pub fn import_definitions(&self, secrets: &Secrets) -> Result<()> {
        let mut definitions: Value = serde_json::from_str(DEFINITIONS)?;
        let mut users = Vec::new();
        for right in definitions["permissions"].as_array().into_iter().flatten() {
            let name = right["user"].as_str().unwrap_or_default();
            users.push(json!({ "name": name, "password": password(secrets, name)?, "tags": "" }));
        }
        definitions["users"] = users.into();
        let headers = [CREDENTIALS, "Content-Type: application/json"];
        let body = definitions.to_string();
        let response =
            http::request("POST", self.management_port, "/api/definitions", &headers, &body, TIMEOUT)
                .context("cannot import RabbitMQ's definitions")?;
        match response.status {
            200..300 => Ok(()),
            status => {
                Err(anyhow!("RabbitMQ rejected its definitions with status {status}: {}", response.text()))
            }
        }
    }

    /// Evaluates an Erlang expression on the node.
    pub fn evaluate(&self, expression: &str) -> Result<()> {
        let control = Invocation::new(packages::find("rabbitmqctl")?, ["--node", NODE, "eval", expression]);
        self.with_environment(control).output().map(drop)
    }

    pub fn accepts(&self) -> bool {
        http::connects(self.amqp_port) && http::connects(self.management_port)
    }

    fn home(&self) -> PathBuf {
        self.directory.join("home")
    }

    fn server(&self) -> Result<Invocation> {
        let file = |name: &str| self.directory.join(name);
        let configuration = format!(
            "listeners.tcp.1 = 127.0.0.1:{}\n\
             management.tcp.ip = 127.0.0.1\n\
             management.tcp.port = {}\n\
             collect_statistics_interval = {}\n",
            self.amqp_port,
            self.management_port,
            if self.storage == Storage::Fast { 500 } else { 1000 }
        );
        files::replace(&file("rabbitmq.conf"), configuration.as_bytes(), files::PUBLIC)?;
        files::replace(&file("advanced.config"), ADVANCED, files::PUBLIC)?;
        files::replace(&file("enabled_plugins"), b"[rabbitmq_management].\n", files::PUBLIC)?;
        // Empty, to prevent reading the machine's file.
        files::replace(&file("environment"), b"", files::PUBLIC)?;
        let server = Invocation::new::<&str>(packages::find("rabbitmq-server")?, []);
        Ok(self
            .with_environment(server)
            .env("RABBITMQ_DIST_PORT", self.distribution_port.to_string())
            .env("RABBITMQ_NODE_PORT", self.amqp_port.to_string())
            .env("RABBITMQ_CONFIG_FILE", file("rabbitmq.conf"))
            .env("RABBITMQ_CONFIG_FILES", file("conf.d"))
            .env("RABBITMQ_ADVANCED_CONFIG_FILE", file("advanced.config"))
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", file("enabled_plugins"))
            .env("RABBITMQ_MNESIA_BASE", file("data"))
            .env("RABBITMQ_LOG_BASE", file("log"))
            .env("RABBITMQ_GENERATED_CONFIG_DIR", file("generated"))
            .env("RABBITMQ_FEATURE_FLAGS_FILE", file("feature_flags"))
            .env("RABBITMQ_LOGS", "-")
            .env(
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false",
            )
            // The script then executes the node instead of starting a child, so the pid is the node's.
            .env("RUNNING_UNDER_SYSTEMD", "true")
            .env_remove("RABBITMQ_PID_FILE")
            .env_remove("RABBITMQ_ALLOW_INPUT")
            .env_remove("NOTIFY_SOCKET"))
    }

    /// The settings common to the node and its tools.
    fn with_environment(&self, invocation: Invocation) -> Invocation {
        invocation
            .directory(&self.directory)
            .env("HOME", self.home())
            .env("ERL_EPMD_PORT", self.epmd_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODENAME", NODE)
            .env("RABBITMQ_CONF_ENV_FILE", self.directory.join("environment"))
    }

    /// Whether the broker answers the AMQP 0.9.1 handshake.
    fn greets(&self) -> bool {
        const METHOD_FRAME: u8 = 1;
        let greet = || -> std::io::Result<u8> {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.amqp_port));
            let mut stream = TcpStream::connect_timeout(&address, HANDSHAKE_TIMEOUT)?;
            stream.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
            stream.write_all(b"AMQP\x00\x00\x09\x01")?;
            let mut first = [0];
            stream.read_exact(&mut first)?;
            Ok(first[0])
        };
        greet().is_ok_and(|first| first == METHOD_FRAME)
    }
}

/// The AMQP URL for a production user on a loopback port.
pub fn user_url(secrets: &Secrets, user: &str, port: u16) -> Result<String> {
    Ok(format!("amqp://{user}:{}@127.0.0.1:{port}/%2f", password(secrets, user)?))
}

fn password(secrets: &Secrets, user: &str) -> Result<String> {
    secrets.generate(&format!("{user}-amqp"))
}
