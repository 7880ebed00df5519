//! The services and their settings, for every command.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;

use crate::process::{command, output};
use crate::stack::plan::Plan;
use crate::supervisor::{Service, Supervisor};
use crate::{files, http};

const TIMEOUT: Duration = Duration::from_secs(60);
const METRICS_TIMEOUT: Duration = Duration::from_secs(2);
/// Longer than the services' grace period of 20 seconds.
const GRACE: Duration = Duration::from_secs(25);
/// The site's default key.
pub const ANON_KEY: &str = "zg-anon-local";

/// A replica of a service, not started.
#[derive(Clone)]
pub struct Program {
    pub service: Service,
    admin_port: u16,
}

impl Program {
    /// Starts the program and waits until it is ready.
    pub fn start(&self, supervisor: &Supervisor) -> Result<()> {
        supervisor.start(self.service.clone(), TIMEOUT, || self.is_ready())
    }

    pub fn is_ready(&self) -> bool {
        http::is_ready(self.admin_port, "/readyz")
    }

    /// The program's metrics, in Prometheus' text format.
    pub fn read_metrics(&self) -> Result<String> {
        let response = http::request("GET", self.admin_port, "/metrics", &[], "", METRICS_TIMEOUT)?;
        Ok(response.body)
    }
}

/// Writes the secrets that depend on the plan: the URLs of the database and the broker, and `leadctl.toml`.
pub fn write_secrets(plan: &Plan, secrets: &Secrets, database_url: &str) -> Result<()> {
    secrets.replace("crm-sync/database-url", database_url)?;
    for service in ["lead-intake", "notifier", "crm-sync"] {
        let url = plan.amqp_url(service, secrets)?;
        secrets.replace(&format!("{service}/amqp-url"), &url)?;
    }
    let (amqp, site, grpc) = (
        plan.amqp_url("operator", secrets)?,
        plan.site_url(),
        plan.ports.grpc[0],
    );
    let token = secrets.read_secret("all/leadctl-token")?;
    let canary_keys = secrets.read_secret("all/canary-keys")?;
    // lead-intake accepts all of them.
    let key = canary_keys.split(',').next().unwrap_or_default();
    let mut text = format!(
        "address = \"http://127.0.0.1:{grpc}\"\ntoken = \"{token}\"\namqp = \"{amqp}\"\n\n\
         [canary]\nsite = \"{site}\"\nkey = \"{key}\"\n"
    );
    // A site publishes its key.
    if plan.site.is_none() {
        text += &format!("anon_key = \"{ANON_KEY}\"\n");
    }
    files::write_private(&plan.directory.join("leadctl.toml"), &text)
}

/// Every replica of every service, in the order of their start.
pub fn replicas(plan: &Plan, secrets: &Secrets) -> Result<Vec<Program>> {
    let ports = &plan.ports;
    let mut all = Vec::new();
    for (service, admin_ports) in &ports.admin {
        let listen = match *service {
            "crm-sync" => Some(("GRPC_ADDR", &ports.grpc)),
            "lead-intake" => Some(("HTTP_ADDR", &ports.intake)),
            "desk" => Some(("HTTP_ADDR", &ports.desk)),
            _ => None,
        };
        for (index, &admin_port) in admin_ports.iter().enumerate() {
            let address = |port: u16| format!("127.0.0.1:{port}");
            let mut command = service_command(service, plan, secrets)?;
            command.arg("serve").env("ADMIN_ADDR", address(admin_port));
            command.envs(listen.map(|(name, ports)| (name, address(ports[index]))));
            // The only replica of a service has no number.
            let is_only = admin_ports.len() == 1;
            let name = if is_only {
                (*service).to_owned()
            } else {
                format!("{service}-{}", index + 1)
            };
            let mut service = Service::new(name, command, &plan.logs());
            service.grace = GRACE;
            all.push(Program {
                service,
                admin_port,
            });
        }
    }
    Ok(all)
}

/// A service with its settings, without the environment of the shell. A service ignores the settings of other services.
pub fn service_command(service: &str, plan: &Plan, secrets: &Secrets) -> Result<Command> {
    let mut program = command(plan.programs.join(service));
    program.env_clear().envs([
        ("LOG_FORMAT", "pretty"),
        ("ANON_KEY", ANON_KEY),
        ("SMTP_HOST", "127.0.0.1"),
        ("SMTP_TLS", "none"),
        ("MAIL_FROM", "Zyon Grand <leads@zyongrand.example>"),
        ("VISITOR_REPLY_TO", "hello@zyongrand.example"),
        ("CRM_URL", &plan.crm_urls(service)),
        ("SITE_URL", &plan.site_url()),
        ("SMTP_PORT", &plan.smtp_port().to_string()),
    ]);
    program
        .env("ROUTES_FILE", &plan.routes)
        .envs(secrets.settings(service)?);
    program.envs(plan.overrides.iter().map(|(name, value)| (name, value)));
    Ok(program)
}

/// The secrets of a stack, with a directory for each service. The script that creates them also serves Compose and
/// Kubernetes.
pub struct Secrets {
    directory: PathBuf,
}

impl Secrets {
    /// Creates the missing secrets in the directory `secrets` below `stack`.
    pub fn create_in(stack: &Path) -> Result<Self> {
        let directory = stack.join("secrets");
        files::private_directory(&directory)?;
        let mut script = command(files::path("deploy/secrets"));
        script
            .env("SECRETS", &directory)
            .env("ANON_KEY", ANON_KEY)
            .env("LEADCTL_USERS", "");
        output(script.env(
            "DEFINITIONS",
            files::path("deploy/rabbitmq/definitions.json"),
        ))?;
        Ok(Self { directory })
    }

    pub fn read_secret(&self, name: &str) -> Result<String> {
        Ok(fs::read_to_string(self.directory.join(name))?
            .trim()
            .to_owned())
    }

    /// Replaces a secret by a value that depends on the stack, such as a URL with a port.
    pub fn replace(&self, name: &str, value: &str) -> Result<()> {
        files::write_private(&self.directory.join(name), value)
    }

    /// The settings that name the files of a service's secrets, such as `AMQP_URL_FILE`. Certificates, which have an
    /// extension, are not used on loopback.
    pub fn settings(&self, service: &str) -> Result<Vec<(String, PathBuf)>> {
        let files = fs::read_dir(self.directory.join(service))?
            .flatten()
            .map(|entry| entry.path());
        let secrets = files.filter(|path| path.is_file() && path.extension().is_none());
        let setting = |path: &PathBuf| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .to_uppercase()
        };
        Ok(secrets
            .map(|path| (format!("{}_FILE", setting(&path).replace('-', "_")), path))
            .collect())
    }
}
