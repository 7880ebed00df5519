//! A private RabbitMQ node with a dedicated epmd on loopback and all its files in one directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fs_err as fs;

use crate::process::{command, output};
use crate::stack::plan::Storage;
use crate::stack::services::Secrets;
use crate::supervisor::{Service, Supervisor};
use crate::{files, http, packages, ports};

const TIMEOUT: Duration = Duration::from_secs(90);
const NODE: &str = "zyon-grand@localhost";
const ADVANCED: &str = include_str!("../../../deploy/rabbitmq/advanced.config");
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
    /// A node, not started. With [`Storage::Fast`], it has no grace period and updates its statistics more often.
    pub fn new(
        directory: PathBuf,
        amqp_port: u16,
        management_port: u16,
        storage: Storage,
    ) -> Result<Self> {
        let free = ports::free_ports(2)?;
        let (epmd_port, distribution_port) = (free[0], free[1]);
        Ok(Self {
            directory,
            amqp_port,
            management_port,
            epmd_port,
            distribution_port,
            storage,
        })
    }

    pub fn amqp_url(&self) -> String {
        format!("amqp://guest:guest@127.0.0.1:{}/%2f", self.amqp_port)
    }

    /// The management API, with credentials.
    pub fn management_url(&self) -> String {
        format!("http://guest:guest@127.0.0.1:{}", self.management_port)
    }

    /// Starts the node, with epmd, and waits until it accepts AMQP connections.
    pub fn start(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        files::private_directory(&self.home())?;
        let mut epmd = command(packages::find("epmd")?);
        epmd.args([
            "-address",
            "127.0.0.1",
            "-port",
            &self.epmd_port.to_string(),
        ]);
        let is_up = || http::connects(self.epmd_port);
        supervisor.start(Service::new("epmd", epmd, logs), TIMEOUT, is_up)?;
        let mut service = Service::new("rabbitmq", self.server()?, logs);
        let is_fast = self.storage == Storage::Fast;
        service.grace = if is_fast {
            Duration::ZERO
        } else {
            Duration::from_secs(20)
        };
        supervisor.start(service, TIMEOUT, || self.accepts())
    }

    /// Imports the production definitions: queues, and users with permissions.
    pub fn import_definitions(&self, secrets: &Secrets) -> Result<()> {
        let headers = [CREDENTIALS, "Content-Type: application/json"];
        let body = secrets.read_secret("rabbitmq/definitions.json")?;
        let port = self.management_port;
        let response = http::request("POST", port, "/api/definitions", &headers, &body, TIMEOUT)
            .context("cannot import RabbitMQ's definitions")?;
        let is_accepted = (200..300).contains(&response.status);
        ensure!(
            is_accepted,
            "RabbitMQ rejected its definitions: {} {}",
            response.status,
            response.body
        );
        Ok(())
    }

    /// Evaluates an Erlang expression on the node.
    pub fn evaluate(&self, expression: &str) -> Result<()> {
        let mut control = self.command("rabbitmqctl")?;
        output(control.args(["--node", NODE, "eval", expression])).map(drop)
    }

    /// Whether the node accepts connections. It opens its AMQP port last.
    pub fn accepts(&self) -> bool {
        http::connects(self.amqp_port) && http::connects(self.management_port)
    }

    fn home(&self) -> PathBuf {
        self.directory.join("home")
    }

    fn server(&self) -> Result<Command> {
        let file = |name: &str| self.directory.join(name);
        let configuration = format!(
            "listeners.tcp.1 = 127.0.0.1:{}\n\
             management.tcp.ip = 127.0.0.1\n\
             management.tcp.port = {}\n\
             collect_statistics_interval = {}\n",
            self.amqp_port,
            self.management_port,
            if self.storage == Storage::Fast {
                500
            } else {
                1000
            }
        );
        for (name, content) in [
            ("rabbitmq.conf", configuration.as_str()),
            ("advanced.config", ADVANCED),
            ("enabled_plugins", "[rabbitmq_management].\n"),
            // Empty, to prevent RabbitMQ from reading the machine's file.
            ("environment", ""),
        ] {
            fs::write(file(name), content)?;
        }
        let mut server = self.command("rabbitmq-server")?;
        server
            .env("RABBITMQ_DIST_PORT", self.distribution_port.to_string())
            .env("RABBITMQ_NODE_PORT", self.amqp_port.to_string())
            .env("RABBITMQ_CONFIG_FILE", file("rabbitmq.conf"))
            .env("RABBITMQ_CONFIG_FILES", file("conf.d"))
            .env("RABBITMQ_ADVANCED_CONFIG_FILE", file("advanced.config"))
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", file("enabled_plugins"))
            .env("RABBITMQ_MNESIA_BASE", file("data"))
            .env("RABBITMQ_LOG_BASE", file("log"))
            .env("RABBITMQ_LOGS", "-")
            // One scheduler online: beside a busy process, every message between two waits for a time slice, and a
            // confirm takes seconds.
            .env(
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false +S :1",
            )
            // The script then replaces itself by the node, so the process id is the node's.
            .env("RUNNING_UNDER_SYSTEMD", "true")
            .env_remove("NOTIFY_SOCKET");
        Ok(server)
    }

    /// The node or one of its tools, with their common settings.
    fn command(&self, program: &str) -> Result<Command> {
        let mut command = command(packages::find(program)?);
        command
            .current_dir(&self.directory)
            .env("HOME", self.home())
            .env("ERL_EPMD_PORT", self.epmd_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODENAME", NODE)
            .env("RABBITMQ_CONF_ENV_FILE", self.directory.join("environment"));
        Ok(command)
    }
}
