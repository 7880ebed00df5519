//! Starts our services with their settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;
use crate::files;
use crate::http;
use crate::process::Invocation;
use crate::stack::secrets::Secrets;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(60);
const ANSWER: Duration = Duration::from_secs(2);
/// Longer than the services' own grace period of 20 seconds.
const GRACE: Duration = Duration::from_secs(25);
/// The site's default key.
pub const ANON_KEY: &str = "zg-anon-local";
const MAIL_FROM: &str = "Zyon Grand <leads@zyongrand.example>";
const VISITOR_REPLY_TO: &str = "hello@zyongrand.example";

/// Addresses of the services' dependencies.
pub struct Wiring {
    /// The broker's URL for lead-intake.
    pub intake_amqp: String,
    /// The broker's URL for notifier.
    pub notifier_amqp: String,
    /// The broker's URL for crm-sync.
    pub crm_amqp: String,
    /// The broker's URL for the operator, if there is one.
    pub operator_amqp: Option<String>,
    /// `host:port` of every replica of crm-sync, for lead-intake.
    pub intake_crm: Vec<String>,
    /// `host:port` of every replica of crm-sync, for notifier and the desk.
    pub notifier_crm: Vec<String>,
    pub database_url: String,
    /// On loopback.
    pub smtp_port: u16,
    /// The routes file.
    pub routes: PathBuf,
    /// The site's URL for visitors.
    pub site_url: String,
    /// Settings that differ from the services' defaults.
    pub other: Vec<(&'static str, String)>,
}

/// Creates programs for lead-intake, notifier, crm-sync and the desk.
pub struct Services {
    programs: PathBuf,
    directory: PathBuf,
    logs: PathBuf,
    wiring: Wiring,
    intake_amqp: PathBuf,
    notifier_amqp: PathBuf,
    crm_amqp: PathBuf,
    database_url: PathBuf,
    session_keys: PathBuf,
    crm_tokens: PathBuf,
    suppression_key: PathBuf,
    intake_token: PathBuf,
    notifier_token: PathBuf,
    desk_token: PathBuf,
    magic_link_keys: PathBuf,
    withdrawal_keys: PathBuf,
    desk_session_keys: PathBuf,
    leadctl_token: PathBuf,
    canary_key: PathBuf,
}

/// A replica of a service, not started.
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

    /// Runs it as the last arguments of another program.
    #[must_use]
    pub fn under(mut self, program: &str, arguments: &[String]) -> Self {
        self.service.invocation = self.service.invocation.under(program, arguments);
        self
    }

    /// For starting it without a supervisor.
    pub fn invocation(&self) -> &Invocation {
        &self.service.invocation
    }

    pub fn is_ready(&self) -> bool {
        http::get(self.admin_port, "/readyz", &[], ANSWER).is_ok_and(|answer| answer.status == 200)
    }
}

impl Services {
    /// Writes the services' secrets below `directory`.
    pub fn prepare(directory: &Path, programs: &Path, logs: &Path, wiring: Wiring) -> Result<Self> {
        let secrets = Secrets::open(directory)?;
        let token = |role: &str, client: &str| -> Result<(PathBuf, String)> {
            let path = secrets.lasting(&format!("{client}-token"))?;
            let token = files::read(&path)?.trim().to_owned();
            Ok((path, format!("{role}:{client}={token}")))
        };
        let (leadctl_token, leadctl) = token("operator", "leadctl")?;
        let (intake_token, intake) = token("intake", "lead-intake")?;
        let (notifier_token, notifier) = token("notifier", "notifier")?;
        let (desk_token, desk) = token("desk", "desk")?;
        Ok(Self {
            programs: programs.to_owned(),
            directory: directory.to_owned(),
            logs: logs.to_owned(),
            intake_amqp: secrets.known("lead-intake-amqp-url", &wiring.intake_amqp)?,
            notifier_amqp: secrets.known("notifier-amqp-url", &wiring.notifier_amqp)?,
            crm_amqp: secrets.known("crm-sync-amqp-url", &wiring.crm_amqp)?,
            database_url: secrets.known("database-url", &wiring.database_url)?,
            session_keys: secrets.lasting("session-keys")?,
            canary_key: secrets.lasting("canary-key")?,
            crm_tokens: secrets.known("crm-tokens", &[leadctl, intake, notifier, desk].join(","))?,
            suppression_key: secrets.lasting("suppression-key")?,
            intake_token,
            notifier_token,
            desk_token,
            withdrawal_keys: secrets.lasting("withdrawal-keys")?,
            desk_session_keys: secrets.lasting("desk-session-keys")?,
            magic_link_keys: secrets.lasting("magic-link-keys")?,
            leadctl_token,
            wiring,
        })
    }

    /// Writes `leadctl.toml` below `directory`.
    pub fn write_leadctl(&self, directory: &Path, grpc_port: u16) -> Result<()> {
        let token = files::read(&self.leadctl_token)?;
        let mut text = format!("address = \"http://127.0.0.1:{grpc_port}\"\ntoken = \"{}\"\n", token.trim());
        if let Some(url) = &self.wiring.operator_amqp {
            text.push_str(&format!("amqp = \"{url}\"\n"));
        }
        let (site, key) = (&self.wiring.site_url, files::read(&self.canary_key)?);
        text.push_str(&format!(
            "\n[canary]\nsite = \"{site}\"\nanon_key = \"{ANON_KEY}\"\nkey = \"{}\"\n",
            key.trim()
        ));
        files::replace(&directory.join("leadctl.toml"), text.as_bytes(), files::PRIVATE)
    }

    /// Migrates the database to the current schema.
    pub fn migrate(&self) -> Invocation {
        self.crm("migrate")
    }

    pub fn crm_sync(&self, name: &str, grpc_port: u16, admin_port: u16) -> Program {
        let invocation = self.crm("serve").env("GRPC_ADDR", loopback(grpc_port));
        self.program(name, invocation, admin_port)
    }

    pub fn notifier(&self, name: &str, admin_port: u16) -> Program {
        let invocation = self
            .service("notifier", "serve")
            .env("AMQP_URL_FILE", &self.notifier_amqp)
            .env("CRM_URL", urls(&self.wiring.notifier_crm))
            .env("CRM_TOKEN_FILE", &self.notifier_token)
            .env("SMTP_HOST", "127.0.0.1")
            .env("SMTP_PORT", self.wiring.smtp_port.to_string())
            .env("SMTP_TLS", "none")
            .env("MAIL_FROM", MAIL_FROM)
            .env("VISITOR_REPLY_TO", VISITOR_REPLY_TO)
            .env("ROUTES_FILE", &self.wiring.routes)
            .env("MAGIC_LINK_KEYS_FILE", &self.magic_link_keys)
            .env("WITHDRAWAL_KEYS_FILE", &self.withdrawal_keys)
            .env("SITE_URL", &self.wiring.site_url);
        self.program(name, invocation, admin_port)
    }

    pub fn desk(&self, name: &str, http_port: u16, admin_port: u16) -> Program {
        let invocation = self
            .service("desk", "serve")
            .env("HTTP_ADDR", loopback(http_port))
            .env("CRM_URL", urls(&self.wiring.notifier_crm))
            .env("CRM_TOKEN_FILE", &self.desk_token)
            .env("ROUTES_FILE", &self.wiring.routes)
            .env("MAGIC_LINK_KEYS_FILE", &self.magic_link_keys)
            .env("DESK_SESSION_KEYS_FILE", &self.desk_session_keys)
            .env("SITE_URL", &self.wiring.site_url);
        self.program(name, invocation, admin_port)
    }

    pub fn lead_intake(&self, name: &str, http_port: u16, admin_port: u16) -> Program {
        let invocation = self
            .service("lead-intake", "serve")
            .env("HTTP_ADDR", loopback(http_port))
            .env("AMQP_URL_FILE", &self.intake_amqp)
            .env("CRM_URL", urls(&self.wiring.intake_crm))
            .env("CRM_TOKEN_FILE", &self.intake_token)
            .env("ANON_KEY", ANON_KEY)
            .env("SESSION_KEYS_FILE", &self.session_keys)
            .env("CANARY_KEY_FILE", &self.canary_key)
            .env("WITHDRAWAL_KEYS_FILE", &self.withdrawal_keys);
        self.program(name, invocation, admin_port)
    }

    fn crm(&self, command: &str) -> Invocation {
        self.service("crm-sync", command)
            .env("AMQP_URL_FILE", &self.crm_amqp)
            .env("DATABASE_URL_FILE", &self.database_url)
            .env("CRM_TOKENS_FILE", &self.crm_tokens)
            .env("SUPPRESSION_KEY_FILE", &self.suppression_key)
            .env("DESK_SESSION_KEYS_FILE", &self.desk_session_keys)
    }

    fn service(&self, program: &str, command: &str) -> Invocation {
        // A setting of the shell must not reach a service.
        let invocation = Invocation::new(self.programs.join(program), [command]).env_clear();
        let other = self.wiring.other.iter();
        other.fold(invocation.env("LOG_FORMAT", "pretty"), |invocation, (name, value)| {
            invocation.env(name, value)
        })
    }

    fn program(&self, name: &str, invocation: Invocation, admin_port: u16) -> Program {
        let mut service = Service::new(name, invocation.env("ADMIN_ADDR", loopback(admin_port)), &self.logs);
        service.grace = GRACE;
        service.pid_file = Some(pid_file(&self.directory, name));
        Program { service, admin_port }
    }
}

/// The file with the current process id of a replica.
pub fn pid_file(stack: &Path, name: &str) -> PathBuf {
    stack.join(format!("{name}.pid"))
}

fn loopback(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

fn urls(addresses: &[String]) -> String {
    addresses.iter().map(|address| format!("http://{address}")).collect::<Vec<_>>().join(",")
}
