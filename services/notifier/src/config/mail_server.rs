//! Reads the mail server's address, encryption and login.

use std::{num::NonZeroU64, time::Duration};

use runtime::{
    config::{Invalid, Vars},
    network::is_loopback,
};
use secrecy::SecretString;

use crate::smtp::{Login, Settings, TlsMode};

/// `domain` is that of the sender of all emails.
pub(super) fn read(vars: &mut Vars<'_>, domain: Option<&str>) -> Result<Settings, Invalid> {
    let host = vars.required::<String>("SMTP_HOST", "Host name of the mail server.");
    let port = vars.optional::<u16>(
        "SMTP_PORT",
        "Port of the mail server; unset: 587 with starttls, 465 with implicit, 25 with none.",
    );
    let hello = vars.optional::<String>("SMTP_HELLO", "Our name in EHLO; unset: the domain of MAIL_FROM.");
    let tls = vars.or::<TlsMode>(
        "SMTP_TLS",
        "starttls",
        "Encryption of the connection: starttls, implicit, or none (only for localhost).",
    );
    let mail_catcher = vars.optional::<String>(
        "MAIL_CATCHER_HOST",
        "Host name of the mail catcher, which shows emails without delivering them; the log and /readyz warn if it equals SMTP_HOST.",
    );
    let timeout = vars.or::<NonZeroU64>(
        "SMTP_TIMEOUT_SECONDS",
        "120",
        "Time limit in seconds for sending one email, until the server's last reply; a claim lasts a quarter longer.",
    );
    let login = read_login(vars);
    let (host, tls) = (host?, tls?);
    if tls == TlsMode::None && !is_loopback(&host) {
        return vars.reject(format!(
            "SMTP_TLS=\"none\": leads would be sent to {host} unencrypted. \
             Use starttls or implicit; none is for localhost only"
        ));
    }
    let port = port?.unwrap_or(tls.usual_port());
    let timeout = Duration::from_secs(timeout?.get());
    let delivers = mail_catcher?.as_ref() != Some(&host);
    let hello = hello?.or(domain.map(str::to_owned)).unwrap_or_default();
    Ok(Settings { host, port, hello, tls, login: login?, timeout, delivers })
}

fn read_login(vars: &mut Vars<'_>) -> Result<Option<Login>, Invalid> {
    let username =
        vars.optional::<String>("SMTP_USERNAME", "User name for the mail server; unset: no login.");
    let password = vars.optional_secret("SMTP_PASSWORD", "Password for SMTP_USERNAME.");
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
