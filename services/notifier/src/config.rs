//! The notifier's settings.

use std::{fmt, num::NonZeroU32, path::Path, sync::Arc, time::Duration};

use chrono::NaiveTime;
use clap::{
    ArgAction,
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use runtime::{network::is_loopback, reload::Reloaded};

use crate::{
    delivery::retry::RetryDelays,
    mail::MailContext,
    routes::Routes,
    smtp::{self, TlsMode},
};

/// Time between polls for pending leads: short enough for a delay that is not noticed, long enough not to load the
/// database.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

const DAILY_SUMMARY_INTERVAL: Duration = Duration::from_secs(20);

/// Options that are valid together.
pub struct Config(pub Options);

#[derive(clap::Args)]
#[group(skip)]
pub struct Options {
    #[command(flatten)]
    pub mail_context: MailContext,
    /// TOML file with the recipients of leads; read again when it changes and is valid
    #[arg(long, value_parser = |path: &str| Reloaded::load(Path::new(path), Routes::load).map(Arc::new))]
    pub routes_file: Arc<Reloaded<Routes>>,
    /// Whether to send visitors a confirmation email
    #[arg(long, default_value = "on", action = ArgAction::Set)]
    #[arg(value_parser = PossibleValuesParser::new(["on", "off"]).map(|value| value == "on"))]
    pub visitor_confirmation: bool,
    #[command(flatten)]
    pub visitor_limits: VisitorLimits,
    /// Local time of the daily summary of due follow-ups and uncontacted leads, e.g. 08:30; unset: no summary
    #[arg(long)]
    pub daily_summary_at: Option<NaiveTime>,
    #[arg(skip = DAILY_SUMMARY_INTERVAL)]
    pub daily_summary_interval: Duration,
    /// Time before each further attempt, comma separated; after the last one the delivery fails
    #[arg(long, default_value = "5s,30s,2m,10m,1h,6h")]
    pub retry_delays: RetryDelays,
    /// Time in seconds that a stored lead may stay pending before notifier fetches it from the CRM
    #[arg(long, default_value = "30", value_parser = value_parser!(u64).map(Duration::from_secs))]
    pub pending_grace_seconds: Duration,
    #[arg(skip = POLL_INTERVAL)]
    pub poll_interval: Duration,
    #[command(flatten)]
    pub smtp: smtp::Settings,
    #[command(flatten)]
    pub broker: messaging::Settings,
    #[command(flatten)]
    pub crm: crm_client::Settings,
}

#[derive(Clone, Copy, clap::Args)]
#[group(skip)]
pub struct VisitorLimits {
    /// Maximum number of emails (confirmations and brochures) to one visitor's address within 24 hours
    #[arg(long, default_value = "3")]
    pub visitor_emails_per_day: NonZeroU32,
    /// Maximum number of emails to all visitors within an hour, up to half of it brochures; further emails wait, with an
    /// alert
    #[arg(long, default_value = "300")]
    pub visitor_emails_per_hour: NonZeroU32,
}

runtime::settings_from_options!(Options => Config);

impl TryFrom<Options> for Config {
    type Error = String;

    fn try_from(options: Options) -> Result<Self, String> {
        let smtp::Settings { smtp_host, smtp_tls, .. } = &options.smtp;
        if *smtp_tls == TlsMode::None && !is_loopback(smtp_host) {
            return Err(format!(
                "SMTP_TLS=none: leads would be sent to {smtp_host} unencrypted. Use starttls or implicit; none is for \
                 localhost only"
            ));
        }
        if !options.smtp.is_mail_catcher() && options.mail_context.visitor_reply_to.is_none() {
            return Err(
                "VISITOR_REPLY_TO is not set: emails to visitors are delivered and invite replies".to_owned()
            );
        }
        Ok(Self(options))
    }
}

/// Who receives emails, for check-config.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Options { smtp, routes_file, .. }) = self;
        if smtp.is_mail_catcher() {
            writeln!(f, "emails are not delivered: SMTP_HOST is the mail catcher")?;
        }
        let routes = routes_file.current();
        write!(f, "recipients of a lead with one interest, by interest and language:\n{routes}")
    }
}
