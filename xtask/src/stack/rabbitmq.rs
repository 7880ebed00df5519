//! Private RabbitMQ nodes on loopback, each with a dedicated epmd and all its files in one directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fs_err as fs;
use parking_lot::Mutex;

use crate::process::{command, output};
use crate::stack::epmd::{self, Registration};
use crate::stack::plan::{Plan, Storage};
use crate::stack::services::Secrets;
use crate::supervisor::{Service, Supervisor};
use crate::{files, http, packages, ports};

const TIMEOUT: Duration = Duration::from_secs(90);
/// The only node's name in Erlang, before the host.
const ONLY: &str = "zyon-grand";
const ADVANCED: &str = include_str!("../../../deploy/rabbitmq/advanced.config");
/// `guest:guest`, which RabbitMQ accepts from loopback only.
const CREDENTIALS: &str = "Authorization: Basic Z3Vlc3Q6Z3Vlc3Q=";
/// The settings of production for several nodes. The first is a default of RabbitMQ's operator for Kubernetes.
const CLUSTER: &str =
    "cluster_partition_handling = pause_minority\nqueue_leader_locator = balanced\n";

/// A node of a cluster, as seen by another node.
struct Peer {
    /// Its name in Erlang, before the host.
    name: String,
    /// The port at which the other node reaches its distribution port, possibly through a proxy.
    port: u16,
}

pub struct RabbitMq {
    /// The name at the supervisor: `rabbitmq`, or `rabbitmq-2` in a cluster.
    pub name: String,
    /// The name in Erlang, before the host.
    erlang_name: String,
    /// Data and configuration.
    directory: PathBuf,
    /// The directory of the cookie, which the nodes of a cluster share.
    home: PathBuf,
    amqp_port: u16,
    management_port: u16,
    epmd_port: u16,
    /// Between node and tools, and between the nodes of a cluster.
    distribution_port: u16,
    storage: Storage,
    /// The other nodes of the cluster, registered at this node's epmd.
    peers: Vec<Peer>,
    registrations: Mutex<Vec<Registration>>,
}

impl RabbitMq {
    /// A single node, not started. With [`Storage::Fast`], it has no grace period and updates its statistics more often.
    pub fn new(
        directory: PathBuf,
        amqp_port: u16,
        management_port: u16,
        storage: Storage,
    ) -> Result<Self> {
        let free = ports::free_ports(2)?;
        Ok(Self {
            name: "rabbitmq".to_owned(),
            erlang_name: ONLY.to_owned(),
            home: directory.join("home"),
            directory,
            amqp_port,
            management_port,
            epmd_port: free[0],
            distribution_port: free[1],
            storage,
            peers: Vec::new(),
            registrations: Mutex::default(),
        })
    }

    /// All nodes of a plan, not started. Several nodes form a cluster when they start.
    pub fn nodes(plan: &Plan) -> Result<Vec<Self>> {
        let directory = plan.directory.join("rabbitmq");
        let ports = &plan.ports;
        if let ([amqp_port], [management_port]) = (&*ports.amqp, &*ports.management) {
            let only = Self::new(directory, *amqp_port, *management_port, plan.storage)?;
            return Ok(vec![only]);
        }
        let names: Vec<String> = (1..=ports.amqp.len())
            .map(|number| format!("rabbitmq-{number}"))
            .collect();
        let mut nodes = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let node = Self::new(
                directory.join(name),
                ports.amqp[index],
                ports.management[index],
                plan.storage,
            )?;
            let others = names.iter().zip(&ports.distribution);
            let peers = others
                .filter(|(other, _)| *other != name)
                .map(|(other, port)| Peer {
                    name: other.clone(),
                    port: plan.reach(name, *port),
                });
            nodes.push(Self {
                name: name.clone(),
                erlang_name: name.clone(),
                home: directory.join("home"),
                distribution_port: ports.distribution[index],
                peers: peers.collect(),
                ..node
            });
        }
        Ok(nodes)
    }

    pub fn amqp_url(&self) -> String {
        format!("amqp://guest:guest@127.0.0.1:{}/%2f", self.amqp_port)
    }

    /// The management API, with credentials.
    pub fn management_url(&self) -> String {
        format!("http://guest:guest@127.0.0.1:{}", self.management_port)
    }

    /// Starts the node, with epmd, and waits until it accepts AMQP connections. A new node joins its peers that run.
    pub fn start(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        files::private_directory(&self.directory)?;
        files::private_directory(&self.home)?;
        let mut epmd = command(packages::find("epmd")?);
        epmd.args([
            "-address",
            "127.0.0.1",
            "-port",
            &self.epmd_port.to_string(),
        ]);
        let is_up = || http::connects(self.epmd_port);
        let epmd = Service::new(self.name.replace("rabbitmq", "epmd"), epmd, logs);
        supervisor.start(epmd, TIMEOUT, is_up)?;
        for peer in &self.peers {
            let registration = epmd::register(self.epmd_port, &peer.name, peer.port)?;
            self.registrations.lock().push(registration);
        }
        let mut service = Service::new(&*self.name, self.server()?, logs);
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

    /// Evaluates an Erlang expression on the node, and returns its printed value.
    pub fn evaluate(&self, expression: &str) -> Result<String> {
        let mut control = self.command("rabbitmqctl")?;
        let node = full_name(&self.erlang_name);
        output(control.args(["--node", &node, "eval", expression]))
    }

    /// Whether the node accepts connections. It opens its AMQP port last.
    pub fn accepts(&self) -> bool {
        http::connects(self.amqp_port) && http::connects(self.management_port)
    }

    fn server(&self) -> Result<Command> {
        let file = |name: &str| self.directory.join(name);
        let mut configuration = format!(
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
        if !self.peers.is_empty() {
            configuration += CLUSTER;
            let peers = self.peers.iter().map(|peer| &peer.name);
            for (number, name) in (1..).zip(peers.chain([&self.erlang_name])) {
                let node = full_name(name);
                configuration +=
                    &format!("cluster_formation.classic_config.nodes.{number} = {node}\n");
            }
        }
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
            .env("HOME", &self.home)
            .env("ERL_EPMD_PORT", self.epmd_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODENAME", full_name(&self.erlang_name))
            .env("RABBITMQ_CONF_ENV_FILE", self.directory.join("environment"));
        Ok(command)
    }
}

/// A node's name in Erlang, with the host.
fn full_name(name: &str) -> String {
    format!("{name}@localhost")
}
