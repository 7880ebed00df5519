//! Our own services, with the settings of one machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;
use crate::files;
use crate::http;
use crate::ports::{Ports, Role};
use crate::process::Invocation;
use crate::stack::secrets::Secrets;
use crate::supervisor::{Service, Supervisor};

const PATIENCE: Duration = Duration::from_secs(60);
const ANSWER: Duration = Duration::from_secs(2);
/// The site is built with this key by default.
const ANON_KEY: &str = "zg-anon-local";
const MAIL_FROM: &str = "Zyon Grand <leads@zyongrand.example>";
/// One recipient, so that one lead is one mail.
const SALES_RECIPIENTS: &str = "sales@zyongrand.example";

/// Settings that the services understand, which must not leak in from the shell.
const SETTINGS: [&str; 20] = [
    "ADMIN_ADDR",
    "AMQP_URL",
    "ANON_KEY",
    "CRM_TOKENS",
    "CRM_TOKENS_FILE",
    "DATABASE_URL",
    "GRPC_ADDR",
    "HTTP_ADDR",
    "LOG_FILTER",
    "LOG_FORMAT",
    "MAIL_FROM",
    "SALES_RECIPIENTS",
    "SESSION_KEYS",
    "SESSION_KEYS_FILE",
    "SMTP_HOST",
    "SMTP_PASSWORD",
    "SMTP_PASSWORD_FILE",
    "SMTP_PORT",
    "SMTP_TLS",
    "SMTP_USERNAME",
];

/// lead-intake, notifier and crm-sync, and leadctl's configuration.
pub struct Services {
    programs: PathBuf,
    ports: Ports,
    amqp_url: PathBuf,
    database_url: PathBuf,
    session_keys: PathBuf,
    crm_tokens: PathBuf,
}

impl Services {
    /// Settles their settings below a stack's directory, and writes `leadctl.toml` there.
    pub fn prepare(
        directory: &Path,
        programs: &Path,
        ports: &Ports,
        amqp_url: &str,
        database_url: &str,
    ) -> Result<Self> {
        let secrets = Secrets::open(directory)?;
        let token = files::read(&secrets.lasting("leadctl-token")?)?;
        let leadctl = format!(
            "address = \"http://127.0.0.1:{}\"\ntoken = \"{}\"\n",
            ports.get(Role::Grpc),
            token.trim()
        );
        files::replace(&directory.join("leadctl.toml"), leadctl.as_bytes(), files::PRIVATE)?;
        Ok(Self {
            programs: programs.to_owned(),
            ports: ports.clone(),
            amqp_url: secrets.known("amqp-url", amqp_url)?,
            database_url: secrets.known("database-url", database_url)?,
            session_keys: secrets.lasting("session-keys")?,
            crm_tokens: secrets.known("crm-tokens", &format!("leadctl={}", token.trim()))?,
        })
    }

    /// How the database is brought to the present schema.
    pub fn migrate(&self) -> Invocation {
        self.crm_sync("migrate")
    }

    /// Starts crm-sync and waits until it is ready.
    pub fn start_crm_sync(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        self.start("crm-sync", self.crm_sync("serve"), Role::CrmSyncAdmin, supervisor, logs)
    }

    /// Starts notifier and waits until it is ready.
    pub fn start_notifier(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        let invocation = self
            .service("notifier", "serve", Role::NotifierAdmin)
            .env("AMQP_URL_FILE", &self.amqp_url)
            .env("SMTP_HOST", "127.0.0.1")
            .env("SMTP_PORT", self.ports.get(Role::Smtp).to_string())
            .env("SMTP_TLS", "none")
            .env("MAIL_FROM", MAIL_FROM)
            .env("SALES_RECIPIENTS", SALES_RECIPIENTS);
        self.start("notifier", invocation, Role::NotifierAdmin, supervisor, logs)
    }

    /// Starts lead-intake and waits until it is ready.
    pub fn start_lead_intake(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        let invocation = self
            .service("lead-intake", "serve", Role::IntakeAdmin)
            .env("HTTP_ADDR", self.loopback(Role::Intake))
            .env("AMQP_URL_FILE", &self.amqp_url)
            .env("ANON_KEY", ANON_KEY)
            .env("SESSION_KEYS_FILE", &self.session_keys);
        self.start("lead-intake", invocation, Role::IntakeAdmin, supervisor, logs)
    }

    fn crm_sync(&self, command: &str) -> Invocation {
        self.service("crm-sync", command, Role::CrmSyncAdmin)
            .env("GRPC_ADDR", self.loopback(Role::Grpc))
            .env("AMQP_URL_FILE", &self.amqp_url)
            .env("DATABASE_URL_FILE", &self.database_url)
            .env("CRM_TOKENS_FILE", &self.crm_tokens)
    }

    fn service(&self, name: &str, command: &str, admin: Role) -> Invocation {
        let invocation = Invocation::new(self.programs.join(name), [command]);
        SETTINGS
            .iter()
            .fold(invocation, |invocation, setting| invocation.env_remove(setting))
            .env("ADMIN_ADDR", self.loopback(admin))
            .env("LOG_FORMAT", "pretty")
    }

    fn start(
        &self,
        name: &'static str,
        invocation: Invocation,
        admin: Role,
        supervisor: &Supervisor,
        logs: &Path,
    ) -> Result<()> {
        let port = self.ports.get(admin);
        supervisor.start(Service::new(name, invocation, logs), PATIENCE, || {
            http::get(port, "/readyz", &[], ANSWER).is_ok_and(|answer| answer.status == 200)
        })
    }

    fn loopback(&self, role: Role) -> String {
        format!("127.0.0.1:{}", self.ports.get(role))
    }
}
