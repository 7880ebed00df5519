//! The services with their settings: the one table for every command.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;

use crate::files;
use crate::http;
use crate::process::{command, output};
use crate::stack::plan::Plan;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(60);
/// Longer than the services' grace period of 20 seconds.
const GRACE: Duration = Duration::from_secs(25);
/// The site's default key.
pub const ANON_KEY: &str = "zg-anon-local";
/// In the order of their start.
const SERVICES: [&str; 4] = ["crm-sync", "notifier", "lead-intake", "desk"];

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
        http::is_ready(self.admin_port, "/readyz", &[])
    }
}

/// Writes the secrets that depend on the plan: the URLs of the database and the broker, and `leadctl.toml`.
pub fn write_secrets(plan: &Plan, secrets: &Secrets, database_url: &str) -> Result<()> {
    secrets.replace("crm-sync/database-url", database_url)?;
    for service in ["lead-intake", "notifier", "crm-sync"] {
        let url = plan.amqp_url(service, secrets)?;
        secrets.replace(&format!("{service}/amqp-url"), &url)?;
    }
    let (amqp, site, grpc) = (plan.amqp_url("operator", secrets)?, plan.site_url(), plan.ports.grpc()[0]);
    let (token, key) = (secrets.read_secret("all/leadctl-token")?, secrets.read_secret("all/canary-key")?);
    let text = format!(
        "address = \"http://127.0.0.1:{grpc}\"\ntoken = \"{token}\"\namqp = \"{amqp}\"\n\n\
         [canary]\nsite = \"{site}\"\nanon_key = \"{ANON_KEY}\"\nkey = \"{key}\"\n"
    );
    files::replace(&plan.directory.join("leadctl.toml"), text.as_bytes(), files::PRIVATE)
}

/// Every replica of every service in the order of their start.
pub fn replicas(plan: &Plan, secrets: &Secrets, programs: &Path) -> Result<Vec<Program>> {
    let replicas = &plan.ports.replicas;
    let mut all = Vec::new();
    for service in SERVICES {
        for (number, ports) in (1_u32..).zip(replicas) {
            let (listen, admin_port) = match service {
                "crm-sync" => (Some(("GRPC_ADDR", ports.grpc)), ports.crm_sync_admin),
                "lead-intake" => (Some(("HTTP_ADDR", ports.intake)), ports.intake_admin),
                "desk" => (Some(("HTTP_ADDR", ports.desk)), ports.desk_admin),
                _ => (None, ports.notifier_admin),
            };
            let listen = listen.into_iter().chain([("ADMIN_ADDR", admin_port)]);
            let mut command = service_command(service, plan, secrets, programs)?;
            command.arg("serve").envs(listen.map(|(name, port)| (name, format!("127.0.0.1:{port}"))));
            // The only replica of a service has no number.
            let name = if replicas.len() == 1 { service.to_owned() } else { format!("{service}-{number}") };
            let mut service = Service::new(name, command, &plan.logs());
            service.grace = GRACE;
            all.push(Program { service, admin_port });
        }
    }
    Ok(all)
}

/// A service with its settings and without those of the shell. It ignores settings of other services.
pub fn service_command(service: &str, plan: &Plan, secrets: &Secrets, programs: &Path) -> Result<Command> {
    let mut program = command(programs.join(service));
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
    program.env("ROUTES_FILE", &plan.routes).envs(secrets.settings(service)?);
    program.envs(plan.overrides.iter().map(|(name, value)| (name, value)));
    Ok(program)
}

/// The secrets of a stack, made by the script that Compose and Kubernetes use: a directory for each service.
pub struct Secrets {
    directory: PathBuf,
}

impl Secrets {
    /// Creates what is missing in the directory `secrets` below `stack`.
    pub fn create_in(stack: &Path) -> Result<Self> {
        let directory = stack.join("secrets");
        files::private_directory(&directory)?;
        let mut script = command(files::path("deploy/secrets"));
        script.env("SECRETS", &directory).env("ANON_KEY", ANON_KEY).env("LEADCTL_USERS", "");
        output(script.env("DEFINITIONS", files::path("deploy/rabbitmq/definitions.json")))?;
        Ok(Self { directory })
    }

    pub fn read_secret(&self, name: &str) -> Result<String> {
        Ok(fs::read_to_string(self.directory.join(name))?.trim().to_owned())
    }

    /// Replaces a secret by a value that depends on the stack, such as a URL with a port.
    pub fn replace(&self, name: &str, value: &str) -> Result<()> {
        files::replace(&self.directory.join(name), value.as_bytes(), files::PRIVATE)
    }

    /// The settings of a service that name files, such as `AMQP_URL_FILE`, with the files. Certificates have an extension
    /// and are not used on loopback.
    pub fn settings(&self, service: &str) -> Result<Vec<(String, PathBuf)>> {
        let files = fs::read_dir(self.directory.join(service))?.flatten().map(|entry| entry.path());
        let secrets = files.filter(|path| path.is_file() && path.extension().is_none());
        let setting = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        Ok(secrets.map(|path| (format!("{}_FILE", setting(&path).replace('-', "_")), path)).collect())
    }
}
