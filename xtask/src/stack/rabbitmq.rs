//! A private RabbitMQ node with its own epmd on loopback, with all its files in one directory.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::files;
use crate::http;
use crate::ports;
use crate::process::Invocation;
use crate::stack::secrets::Secrets;
use crate::supervisor::{Service, Supervisor};
use crate::system::tools;

const TIMEOUT: Duration = Duration::from_secs(90);
const ANSWER: Duration = Duration::from_secs(2);
const NODE: &str = "zyon-grand@localhost";
const DEFINITIONS: &str = include_str!("../../../deploy/rabbitmq/definitions.json");
const ADVANCED: &[u8] = include_bytes!("../../../deploy/rabbitmq/advanced.config");
/// `guest:guest`, which RabbitMQ accepts from loopback only.
const CREDENTIALS: &str = "Authorization: Basic Z3Vlc3Q6Z3Vlc3Q=";

/// A node to start.
pub struct RabbitMq {
    /// Data, configuration and cookie.
    pub directory: PathBuf,
    /// AMQP 0.9.1.
    pub amqp_port: u16,
    /// Management page and API.
    pub management_port: u16,
    /// For tests: statistics are updated more often, and there is no grace period.
    pub throw_away: bool,
}

impl RabbitMq {
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
    pub fn start(&self, supervisor: &Supervisor, logs: &Path) -> Result<Node> {
        let home = self.directory.join("home");
        files::private_directory(&home)?;
        let [epmd_port, distribution_port] = [0, 1].map({
            let free = ports::free_ports(2)?;
            move |index: usize| free[index]
        });

        let epmd =
            Invocation::new(tools::epmd()?, ["-address", "127.0.0.1", "-port", &epmd_port.to_string()]);
        supervisor.start(Service::new("epmd", epmd, logs), TIMEOUT, || {
            TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, epmd_port)), ANSWER).is_ok()
        })?;

        let node = self.invocation(&home, epmd_port, distribution_port)?;
        let mut service = Service::new("rabbitmq", node, logs);
        service.pid_file = Some(self.pid_file());
        service.grace = if self.throw_away { Duration::ZERO } else { Duration::from_secs(20) };
        supervisor.start(service, TIMEOUT, || amqp_answers(self.amqp_port) && self.management_answers())?;
        let control = Invocation::new::<&str>(tools::rabbitmqctl()?, ["--node", NODE]);
        Ok(Node { control: self.environment(control, &home, epmd_port) })
    }

    /// Imports the production definitions: queues, and users with permissions. Passwords come from `secrets`.
    pub fn import_definitions(&self, secrets: &Secrets) -> Result<()> {
        let mut definitions: Value = serde_json::from_str(DEFINITIONS)
            .map_err(|error| Error::failed(format!("deploy/rabbitmq/definitions.json: {error}")))?;
        let mut users = Vec::new();
        for right in definitions["permissions"].as_array().into_iter().flatten() {
            let name = right["user"].as_str().unwrap_or_default();
            users.push(json!({ "name": name, "password": password(secrets, name)?, "tags": "" }));
        }
        definitions["users"] = users.into();
        let path = "/api/definitions";
        let answer =
            http::post(self.management_port, path, &[CREDENTIALS], &definitions.to_string(), TIMEOUT)
                .map_err(|error| Error::failed(format!("cannot post to RabbitMQ at {path}: {error}")))?;
        if (200..300).contains(&answer.status) {
            Ok(())
        } else {
            Err(Error::failed(format!(
                "RabbitMQ returned status {} for {path}: {}",
                answer.status,
                answer.text()
            )))
        }
    }

    fn invocation(&self, home: &Path, epmd_port: u16, distribution_port: u16) -> Result<Invocation> {
        let file = |name: &str| self.directory.join(name);
        let configuration = format!(
            "listeners.tcp.1 = 127.0.0.1:{}\n\
             management.tcp.ip = 127.0.0.1\n\
             management.tcp.port = {}\n\
             collect_statistics_interval = {}\n",
            self.amqp_port,
            self.management_port,
            if self.throw_away { 500 } else { 1000 }
        );
        files::replace(&file("rabbitmq.conf"), configuration.as_bytes(), files::PUBLIC)?;
        files::replace(&file("advanced.config"), ADVANCED, files::PUBLIC)?;
        files::replace(&file("enabled_plugins"), b"[rabbitmq_management].\n", files::PUBLIC)?;
        // Empty, to prevent reading the machine's own file.
        files::replace(&file("environment"), b"", files::PUBLIC)?;
        let server = Invocation::new::<&str>(tools::rabbitmq_server()?, []);
        Ok(self
            .environment(server, home, epmd_port)
            .env("RABBITMQ_DIST_PORT", distribution_port.to_string())
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
    fn environment(&self, invocation: Invocation, home: &Path, epmd_port: u16) -> Invocation {
        invocation
            .directory(&self.directory)
            .env("HOME", home)
            .env("ERL_EPMD_PORT", epmd_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODENAME", NODE)
            .env("RABBITMQ_CONF_ENV_FILE", self.directory.join("environment"))
    }

    fn management_answers(&self) -> bool {
        http::get(self.management_port, "/api/overview", &[CREDENTIALS], ANSWER)
            .is_ok_and(|answer| answer.status == 200)
    }
}

/// The AMQP URL for a production user on a loopback port.
pub fn user_url(secrets: &Secrets, user: &str, port: u16) -> Result<String> {
    Ok(format!("amqp://{user}:{}@127.0.0.1:{port}/%2f", password(secrets, user)?))
}

fn password(secrets: &Secrets, user: &str) -> Result<String> {
    Ok(files::read(&secrets.lasting(&format!("{user}-amqp"))?)?.trim().to_owned())
}

/// Access to a running node.
pub struct Node {
    control: Invocation,
}

impl Node {
    /// Evaluates an Erlang expression on the node.
    pub fn evaluate(&self, expression: &str) -> Result<()> {
        if self.control.clone().argument("eval").argument(expression).quiet_success() {
            Ok(())
        } else {
            Err(Error::failed(format!("rabbitmqctl cannot evaluate {expression}")))
        }
    }
}

/// Whether a broker on this loopback port answers the AMQP 0.9.1 handshake.
fn amqp_answers(port: u16) -> bool {
    const METHOD_FRAME: u8 = 1;
    let greet = || -> std::io::Result<u8> {
        let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), ANSWER)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(b"AMQP\x00\x00\x09\x01")?;
        let mut first = [0];
        stream.read_exact(&mut first)?;
        Ok(first[0])
    };
    greet().is_ok_and(|first| first == METHOD_FRAME)
}
