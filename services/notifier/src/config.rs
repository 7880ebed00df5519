//! What `notifier serve` is told by its environment.

use std::{num::NonZeroU64, time::Duration};

use lettre::message::Mailbox;
use messaging::Settings;
use runtime::config::{Invalid, Vars};
use secrecy::SecretString;

use crate::{
    recipients::Recipients,
    smtp::{self, Login, TlsMode},
};

/// Everything the notifier is told.
pub struct Config {
    /// The broker.
    pub broker: Settings,
    /// The mail server.
    pub smtp: smtp::Settings,
    /// Whom mails are from.
    pub sender: Mailbox,
    /// Whom they are for.
    pub recipients: Recipients,
    /// The CRM, which keeps the ledger of who was told.
    pub crm: crm_client::Settings,
    /// When to look for leads that nobody was told of.
    pub reconciliation: Reconciliation,
}

/// When leads are fetched from the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Reconciliation {
    /// How long a stored lead may stay untold.
    pub untold_after: Duration,
    /// How often to look, give or take a half.
    pub interval: Duration,
    /// How long a claim lasts, and how long a lead that was fetched is ours: longer than the mail server is waited
    /// for.
    pub lease: Duration,
}

impl Reconciliation {
    /// Often enough that nobody notices a lead that comes this way, seldom enough for the database not to.
    const INTERVAL: Duration = Duration::from_secs(2);

    /// The usual [`Reconciliation::lease`].
    pub const LEASE: Duration = Duration::from_secs(60);
}

impl Config {
    /// Reads it.
    ///
    /// # Errors
    /// [`Invalid`] when anything is missing or wrong.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let broker = Settings::read(vars);
        let smtp = read_smtp(vars);
        let sender = read_sender(vars);
        let recipients = vars.required(
            "SALES_RECIPIENTS",
            "Who is told of every lead: e-mail addresses, separated by commas.",
        );
        let crm = crm_client::Settings::read(vars);
        let untold_after = vars.or::<u64>(
            "UNTOLD_AFTER_SECONDS",
            "30",
            "How long a stored lead may stay untold before it is fetched from the CRM.",
        );
        let claim = vars.or::<NonZeroU64>(
            "CLAIM_SECONDS",
            "60",
            "How long a mail may take before another notifier may send it instead.",
        );
        Ok(Self {
            broker: broker?,
            smtp: smtp?,
            sender: sender?,
            recipients: recipients?,
            crm: crm?,
            reconciliation: Reconciliation {
                untold_after: Duration::from_secs(untold_after?),
                interval: Reconciliation::INTERVAL,
                lease: Duration::from_secs(claim?.get()),
            },
        })
    }
}

fn read_smtp(vars: &mut Vars<'_>) -> Result<smtp::Settings, Invalid> {
    let host = vars.required::<String>("SMTP_HOST", "The mail server.");
    let port = vars.optional::<u16>(
        "SMTP_PORT",
        "Its port; by default 587 with starttls, 465 with implicit, 25 with none.",
    );
    let tls = vars.or::<TlsMode>(
        "SMTP_TLS",
        "starttls",
        "How the connection is encrypted: starttls, implicit, or none (only to this machine itself).",
    );
    let login = read_login(vars);
    let (host, tls) = (host?, tls?);
    if tls == TlsMode::None && !smtp::is_loopback(&host) {
        return vars.reject(format!(
            "SMTP_TLS=\"none\": leads would cross the network to {host} unencrypted. \
             Use starttls or implicit; none is for localhost only"
        ));
    }
    let port = port?.unwrap_or(tls.usual_port());
    Ok(smtp::Settings { host, port, tls, login: login?, patience: smtp::PATIENCE })
}

fn read_login(vars: &mut Vars<'_>) -> Result<Option<Login>, Invalid> {
    let username = vars.optional::<String>("SMTP_USERNAME", "Who logs in at the mail server, if anybody.");
    let password = vars.optional_secret("SMTP_PASSWORD", "The password for SMTP_USERNAME.");
    login(username?, password?).or_else(|message| vars.reject(message))
}

fn login(username: Option<String>, password: Option<SecretString>) -> Result<Option<Login>, &'static str> {
    match (username, password) {
        (None, None) => Ok(None),
        (Some(username), Some(password)) => Ok(Some(Login { username, password })),
        (Some(_), None) => Err("SMTP_USERNAME is set and SMTP_PASSWORD is not: set both or neither"),
        (None, Some(_)) => Err("SMTP_PASSWORD is set and SMTP_USERNAME is not: set both or neither"),
    }
}

fn read_sender(vars: &mut Vars<'_>) -> Result<Mailbox, Invalid> {
    let sender =
        vars.required::<Mailbox>("MAIL_FROM", "Whom mails are from: an e-mail address, or Name <address>.")?;
    if sender.email.to_string().is_ascii() {
        return Ok(sender);
    }
    vars.reject("MAIL_FROM: the address must be written in ASCII, its domain as xn--...")
}
