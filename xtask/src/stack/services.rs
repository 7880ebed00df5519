//! The services with their settings: the one table for every command.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;

use crate::files;
use crate::http;
use crate::process::Invocation;
use crate::stack::plan::{Link, Plan};
use crate::stack::secrets::Secrets;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(60);
/// Longer than the services' grace period of 20 seconds.
const GRACE: Duration = Duration::from_secs(25);
/// The site's default key.
pub const ANON_KEY: &str = "zg-anon-local";
const MAIL_FROM: &str = "Zyon Grand <leads@zyongrand.example>";
const VISITOR_REPLY_TO: &str = "hello@zyongrand.example";
/// Role and name of the CRM's clients.
const CRM_CLIENTS: [(&str, &str); 4] =
    [("operator", "leadctl"), ("intake", "lead-intake"), ("notifier", "notifier"), ("desk", "desk")];
const BROKER_LINKS: [(&str, Link); 3] =
    [("lead-intake", Link::IntakeBroker), ("notifier", Link::NotifierBroker), ("crm-sync", Link::CrmBroker)];
/// The services in the order of their start, with the settings that are secret.
const SERVICES: [(&str, &[&str]); 4] = [
    ("crm-sync", &["AMQP_URL", "DATABASE_URL", "CRM_TOKENS", "SUPPRESSION_KEY", "DESK_SESSION_KEYS"]),
    ("notifier", &["AMQP_URL", "CRM_TOKEN", "MAGIC_LINK_KEYS", "WITHDRAWAL_KEYS"]),
    ("lead-intake", &["AMQP_URL", "CRM_TOKEN", "SESSION_KEYS", "CANARY_KEY", "WITHDRAWAL_KEYS"]),
    ("desk", &["CRM_TOKEN", "MAGIC_LINK_KEYS", "DESK_SESSION_KEYS"]),
];

/// A replica of a service, not started.
#[derive(Clone)]
pub struct Program {
    service: Service,
    admin_port: u16,
}

impl Program {
    /// The name used by the supervisor.
    pub fn name(&self) -> &str {
        &self.service.name
    }

    /// Starts the program and waits until it is ready.
    pub fn start(&self, supervisor: &Supervisor) -> Result<()> {
        supervisor.start(self.service.clone(), TIMEOUT, || self.is_ready())
    }

    /// For starting it without a supervisor.
    pub fn invocation(&self) -> &Invocation {
        &self.service.invocation
    }

    pub fn log(&self) -> &Path {
        &self.service.log
    }

    pub fn is_ready(&self) -> bool {
        http::is_ready(self.admin_port, "/readyz", &[])
    }
}

/// Creates programs for lead-intake, notifier, crm-sync and the desk.
pub struct Services<'a> {
    plan: &'a Plan,
    secrets: &'a Secrets,
    programs: &'a Path,
}

impl<'a> Services<'a> {
    /// Writes the services' secrets.
    pub fn new(plan: &'a Plan, secrets: &'a Secrets, programs: &'a Path, database_url: &str) -> Result<Self> {
        let mut tokens = Vec::new();
        for (role, client) in CRM_CLIENTS {
            tokens.push(format!("{role}:{client}={}", secrets.generate(&secret_file(client, "CRM_TOKEN"))?));
        }
        secrets.store("crm-tokens", &tokens.join(","))?;
        secrets.store("database-url", database_url)?;
        for (service, link) in BROKER_LINKS {
            let url = plan.amqp_url(service, Some(link), secrets)?;
            secrets.store(&secret_file(service, "AMQP_URL"), &url)?;
        }
        // The keys, which are all that remain.
        for (service, settings) in SERVICES {
            for setting in settings {
                secrets.generate(&secret_file(service, setting))?;
            }
        }
        Ok(Self { plan, secrets, programs })
    }

    /// Writes `leadctl.toml` below the stack's directory.
    pub fn write_leadctl(&self) -> Result<()> {
        let Self { plan, secrets, .. } = self;
        let (amqp, site, grpc) =
            (plan.amqp_url("operator", None, secrets)?, plan.site_url(), plan.ports.grpc()[0]);
        let (token, key) = (secrets.generate("leadctl-crm-token")?, secrets.generate("canary-key")?);
        let text = format!(
            "address = \"http://127.0.0.1:{grpc}\"\ntoken = \"{token}\"\namqp = \"{amqp}\"\n\n\
             [canary]\nsite = \"{site}\"\nanon_key = \"{ANON_KEY}\"\nkey = \"{key}\"\n"
        );
        files::replace(&plan.directory.join("leadctl.toml"), text.as_bytes(), files::PRIVATE)
    }

    pub fn migrate(&self) -> Invocation {
        self.invocation("crm-sync", "migrate")
    }

    /// Every replica of every service in the order of their start.
    pub fn programs(&self) -> Vec<Program> {
        let replicas = &self.plan.ports.replicas;
        let mut programs = Vec::new();
        for (service, _) in SERVICES {
            for (number, ports) in (1_u32..).zip(replicas) {
                let (listen, admin_port) = match service {
                    "crm-sync" => (Some(("GRPC_ADDR", ports.grpc)), ports.crm_sync_admin),
                    "lead-intake" => (Some(("HTTP_ADDR", ports.intake)), ports.intake_admin),
                    "desk" => (Some(("HTTP_ADDR", ports.desk)), ports.desk_admin),
                    _ => (None, ports.notifier_admin),
                };
                let listen = listen.into_iter().chain([("ADMIN_ADDR", admin_port)]);
                let invocation = listen
                    .fold(self.invocation(service, "serve"), |invocation, (name, port)| {
                        invocation.env(name, loopback(port))
                    });
                // The only replica of a service has no number.
                let name =
                    if replicas.len() == 1 { service.to_owned() } else { format!("{service}-{number}") };
                let mut service = Service::new(name, invocation, &self.plan.logs());
                service.grace = GRACE;
                service.pid_file = Some(pid_file(&self.plan.directory, &service.name));
                programs.push(Program { service, admin_port });
            }
        }
        programs
    }

    /// A program with its settings and without those of the shell.
    fn invocation(&self, service: &str, command: &str) -> Invocation {
        let plan = self.plan;
        let (routes, site_url) = (plan.routes.display().to_string(), plan.site_url());
        let smtp_port = plan.smtp_link_port().to_string();
        let link = if service == "lead-intake" { Link::IntakeCrm } else { Link::NotifierCrm };
        let crm_url = plan.crm_urls(link);
        let settings: &[(&str, &str)] = match service {
            "lead-intake" => &[("CRM_URL", &crm_url), ("ANON_KEY", ANON_KEY)],
            "notifier" => &[
                ("CRM_URL", &crm_url),
                ("ROUTES_FILE", &routes),
                ("SITE_URL", &site_url),
                ("SMTP_HOST", "127.0.0.1"),
                ("SMTP_PORT", &smtp_port),
                ("SMTP_TLS", "none"),
                ("MAIL_FROM", MAIL_FROM),
                ("VISITOR_REPLY_TO", VISITOR_REPLY_TO),
            ],
            "desk" => &[("CRM_URL", &crm_url), ("ROUTES_FILE", &routes), ("SITE_URL", &site_url)],
            _ => &[],
        };
        let secrets = SERVICES.iter().filter(|(name, _)| *name == service).flat_map(|(_, secrets)| *secrets);
        let program = Invocation::new(self.programs.join(service), [command]).env_clear();
        let program = program.env("LOG_FORMAT", "pretty").envs(settings.iter().copied());
        secrets
            .fold(program, |program, setting| {
                let path = self.secrets.path(&secret_file(service, setting));
                program.env(&format!("{setting}_FILE"), path)
            })
            .envs(plan.overrides.iter().map(|(name, value)| (*name, value.as_str())))
    }
}

/// The name of the file with a secret. Every service has its own URL of the broker and token for the CRM.
fn secret_file(service: &str, setting: &str) -> String {
    let name = setting.to_lowercase().replace('_', "-");
    if ["AMQP_URL", "CRM_TOKEN"].contains(&setting) { format!("{service}-{name}") } else { name }
}

/// The file with the current process id of a replica.
pub fn pid_file(stack: &Path, name: &str) -> PathBuf {
    stack.join(format!("{name}.pid"))
}

fn loopback(port: u16) -> String {
    format!("127.0.0.1:{port}")
}
