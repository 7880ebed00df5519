//! The notifier's settings.

use std::{fmt, num::NonZeroU32, path::Path, sync::Arc, time::Duration};

use chrono::NaiveTime;
use clap::{
    ArgAction,
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use runtime::{config::Validate, network::is_loopback};

use crate::{
    delivery::delays::RetryDelays,
    mail::MailContext,
    routes::RoutesFile,
    smtp::{self, TlsMode},
};

/// Time between polls for pending leads. Shorter intervals would load the database, longer ones delay emails noticeably.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Time limit of a call to the CRM that an email waits for.
pub(crate) const DEADLINE: Duration = Duration::from_millis(1500);

/// How long a claim waits for a CRM that has answered before, e.g. while its replicas restart one after another.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Minimum of `PENDING_GRACE_SECONDS`. Exceeds the wait for a claim, because the lead would be emailed twice.
const MIN_PENDING_GRACE: u64 = 7;
const _: () =
    assert!(MIN_PENDING_GRACE as u128 * 1000 > PATIENCE.as_millis() + DEADLINE.as_millis());

const DAILY_SUMMARY_INTERVAL: Duration = Duration::from_secs(20);

/// Time between requests for reminders, and the longest that a reminder is late.
const REMINDER_INTERVAL: Duration = Duration::from_secs(30);

#[derive(clap::Args)]
#[group(skip)]
pub struct Config {
    #[command(flatten)]
    pub mail_context: MailContext,
    /// TOML file with the recipients of leads; a valid change takes effect without a restart
    #[arg(long, env, value_parser = |path: &str| RoutesFile::load(Path::new(path)).map(Arc::new))]
    pub routes_file: Arc<RoutesFile>,
    /// Whether to send visitors a confirmation email
    #[arg(long, env, default_value = "on", action = ArgAction::Set)]
    #[arg(value_parser = PossibleValuesParser::new(["on", "off"]).map(|value| value == "on"))]
    pub visitor_confirmation: bool,
    #[command(flatten)]
    pub visitor_limits: VisitorLimits,
    /// Time of the daily summary of due follow-ups and uncontacted leads in TIME_ZONE, e.g. 08:30; unset: no summary
    #[arg(long, env)]
    pub daily_summary_at: Option<NaiveTime>,
    #[arg(skip = DAILY_SUMMARY_INTERVAL)]
    pub daily_summary_interval: Duration,
    #[arg(skip = REMINDER_INTERVAL)]
    pub reminder_interval: Duration,
    /// Waits before the second and each further attempt, comma separated; a delivery fails after the last attempt
    #[arg(long, env, default_value = "5s,30s,2m,10m,1h,6h")]
    pub retry_delays: RetryDelays,
    /// Time in seconds after which notifier leases a stored lead that is still pending from the CRM; at least 7, because
    /// another notifier that cannot reach the CRM emails the lead without a claim after up to 6.5 seconds, and one whose
    /// CRM is slow after up to 21.5 seconds, but before this time
    #[arg(long, env, default_value = "30", value_parser = value_parser!(u64).range(MIN_PENDING_GRACE..).map(Duration::from_secs))]
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
    #[arg(long, env, default_value = "3")]
    pub visitor_emails_per_day: NonZeroU32,
    /// Maximum number of emails to all visitors within an hour, at most half of them brochures; further emails wait and
    /// raise an alert
    #[arg(long, env, default_value = "300")]
    pub visitor_emails_per_hour: NonZeroU32,
}

impl Validate for Config {
    fn validate(&self) -> Result<(), String> {
        self.crm.validate()?;
        let smtp_host = &self.smtp.smtp_host;
        if self.smtp.smtp_tls == TlsMode::None && !is_loopback(smtp_host) {
            return Err(format!(
                "SMTP_TLS=none would send leads to {smtp_host} unencrypted: use starttls or implicit; none is for \
                 localhost only"
            ));
        }
        if !self.smtp.is_mail_catcher() && self.mail_context.visitor_reply_to.is_none() {
            return Err(
                "VISITOR_REPLY_TO is not set: set it to a mailbox that somebody reads, as emails invite replies".to_owned()
            );
        }
        Ok(())
    }
}

/// The recipients of emails, for check-config.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.smtp.is_mail_catcher() {
            writeln!(f, "emails are not delivered: SMTP_HOST is the mail catcher")?;
        }
        let routes = self.routes_file.current();
        write!(
            f,
            "recipients of a lead with one interest, by interest and language:\n{routes}"
        )
    }
}
