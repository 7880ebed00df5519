//! The notifier's settings.

use std::{
    fmt, fs,
    num::{NonZeroU32, NonZeroU64},
    path::Path,
    sync::Arc,
    time::Duration,
};

use chrono::NaiveTime;
use chrono_tz::Tz;
use clap::ValueEnum;
use lettre::{Address, message::Mailbox};
use messaging::Settings;
use runtime::{config::SECRETS, network::is_loopback, reload::Reloaded};
use secrecy::SecretString;
use tokens::{SigningKeys, Team};

use crate::{
    mail::{Brochure, Desk, MailContext, SiteUrl},
    recipients::VisitorLimits,
    retry_delays::RetryDelays,
    routes::Routes,
    smtp::{self, Login, TlsMode},
};

pub struct Config {
    pub broker: Settings,
    pub smtp: smtp::Settings,
    pub mail_context: MailContext,
    pub routes: Arc<Reloaded<Routes>>,
    /// Whether visitors are thanked.
    pub acknowledges: bool,
    pub visitors: VisitorLimits,
    /// `None` turns the morning mail off.
    pub morning: Option<Morning>,
    pub crm: crm_client::Settings,
    pub retry_delays: RetryDelays,
    pub pending: Pending,
}

#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// A lead pending for longer than this is fetched from the CRM.
    pub after: Duration,
    /// Mean time between polls; each wait is randomised by half of it.
    pub interval: Duration,
}

impl Pending {
    /// Short enough for a delay that is not noticed, long enough not to load the database.
    const INTERVAL: Duration = Duration::from_secs(2);
}

/// Schedule of the mail about uncontacted leads.
#[derive(Clone, Copy, Debug)]
pub struct Morning {
    /// Time of day in the sales team's time zone.
    pub at: NaiveTime,
    pub look: Duration,
}

impl Morning {
    /// Time between checks, and so the greatest delay of the mail.
    const LOOK: Duration = Duration::from_secs(20);
}

#[derive(clap::Args)]
#[group(skip)]
struct Options {
    /// Sender of all emails: an email address, or Name <address>
    #[arg(long, value_parser = parse_sender)]
    mail_from: Mailbox,
    /// Time zone of the sales team, used in emails
    #[arg(long, default_value = "Asia/Singapore")]
    time_zone: Tz,
    /// Envelope sender of emails to visitors; unset: MAIL_FROM. A separate domain protects the reputation of sales emails
    #[arg(long)]
    visitor_bounces_to: Option<Address>,
    /// Reply-To of emails to visitors: a mailbox that somebody reads, because the emails invite replies. Required when
    /// emails are delivered; a mail catcher uses MAIL_FROM
    #[arg(long)]
    visitor_reply_to: Option<Address>,
    /// Public address of the site for links in emails, e.g. https://www.example.com
    #[arg(long)]
    site_url: SiteUrl,
    /// JSON file with the addresses of the e-brochure, {"en": .., "zh": ..}; unset: those built into this version, if any
    #[arg(long, value_parser = read_brochure)]
    brochure_file: Option<BrochureFile>,
    /// TOML file with the recipients of leads; read again when it changes and is valid
    #[arg(long, value_parser = read_routes)]
    routes_file: Arc<Reloaded<Routes>>,
    /// Whether to send visitors a confirmation email
    #[arg(long, value_enum, default_value = "on")]
    visitor_confirmation: Switch,
    /// Maximum number of emails (confirmations and brochures) to one visitor's address within 24 hours
    #[arg(long, default_value = "3")]
    visitor_emails_per_day: NonZeroU32,
    /// Maximum number of emails to all visitors within an hour, up to half of it brochures; further emails wait, with an
    /// alert
    #[arg(long, default_value = "300")]
    visitor_emails_per_hour: NonZeroU32,
    /// Local time of the daily summary of due follow-ups and uncontacted leads, e.g. 08:30; unset: no summary
    #[arg(long, value_parser = parse_time_of_day)]
    daily_summary_at: Option<NaiveTime>,
    /// Time before each further attempt, comma separated; after the last one the delivery fails
    #[arg(long, default_value = "5s,30s,2m,10m,1h,6h")]
    retry_delays: RetryDelays,
    /// Time in seconds that a stored lead may stay pending before notifier fetches it from the CRM
    #[arg(long, default_value_t = 30)]
    pending_grace_seconds: u64,
    /// Host name of the mail server
    #[arg(long)]
    smtp_host: String,
    /// Port of the mail server; unset: 587 with starttls, 465 with implicit, 25 with none
    #[arg(long)]
    smtp_port: Option<u16>,
    /// Our name in EHLO; unset: the domain of MAIL_FROM
    #[arg(long)]
    smtp_hello: Option<String>,
    /// Encryption of the connection: starttls, implicit, or none (only for localhost)
    #[arg(long, default_value = "starttls")]
    smtp_tls: TlsMode,
    /// User name for the mail server; unset: no login
    #[arg(long, requires = "smtp_password")]
    smtp_username: Option<String>,
    /// Host name of the mail catcher, which shows emails without delivering them; the log and /readyz warn if it equals
    /// SMTP_HOST
    #[arg(long)]
    mail_catcher_host: Option<String>,
    /// Time limit in seconds for sending one email, until the server's last reply; a claim lasts a quarter longer
    #[arg(long, default_value = "120")]
    smtp_timeout_seconds: NonZeroU64,
    #[command(flatten)]
    broker: Settings,
    #[command(flatten)]
    crm: crm_client::Settings,
    /// Password for SMTP_USERNAME
    #[arg(long, help_heading = SECRETS, requires = "smtp_username")]
    smtp_password: Option<SecretString>,
    /// Keys of the links by which visitors withdraw their consent, the same as for lead-intake, comma separated, at least 32
    /// characters each: the first signs. Links do not expire: keep old keys
    #[arg(long, help_heading = SECRETS)]
    withdrawal_keys: SigningKeys,
    /// Keys of magic links to the desk, comma separated, at least 32 characters each: the first signs. Unset: emails have
    /// no magic links
    #[arg(long, help_heading = SECRETS)]
    magic_link_keys: Option<SigningKeys>,
}

runtime::settings_from_options!(Options => Config);

impl TryFrom<Options> for Config {
    type Error = String;

    fn try_from(options: Options) -> Result<Self, String> {
        let Options { smtp_host: host, smtp_tls: tls, .. } = options;
        if tls == TlsMode::None && !is_loopback(&host) {
            return Err(format!(
                "SMTP_TLS=none: leads would be sent to {host} unencrypted. Use starttls or implicit; none is for \
                 localhost only"
            ));
        }
        let delivers = options.mail_catcher_host.as_ref() != Some(&host);
        if delivers && options.visitor_reply_to.is_none() {
            return Err(
                "VISITOR_REPLY_TO is not set: emails to visitors are delivered and invite replies".to_owned()
            );
        }
        let domain = options.mail_from.email.domain().to_owned();
        let login = options.smtp_username.zip(options.smtp_password);
        Ok(Self {
            broker: options.broker,
            smtp: smtp::Settings {
                port: options.smtp_port.unwrap_or(tls.usual_port()),
                hello: options.smtp_hello.unwrap_or(domain),
                login: login.map(|(username, password)| Login { username, password }),
                timeout: Duration::from_secs(options.smtp_timeout_seconds.get()),
                host,
                tls,
                delivers,
            },
            mail_context: MailContext {
                brochure: options
                    .brochure_file
                    .map_or_else(Brochure::published, |BrochureFile(brochure)| brochure),
                sender: options.mail_from,
                bounces: options.visitor_bounces_to,
                replies: options.visitor_reply_to,
                time_zone: options.time_zone,
                site: options.site_url,
                withdrawal_keys: options.withdrawal_keys,
                desk: options.magic_link_keys.map(|keys| Desk { keys, people: Team::default() }),
            },
            routes: options.routes_file,
            acknowledges: options.visitor_confirmation == Switch::On,
            visitors: VisitorLimits {
                daily: options.visitor_emails_per_day,
                hourly: options.visitor_emails_per_hour,
            },
            morning: options.daily_summary_at.map(|at| Morning { at, look: Morning::LOOK }),
            crm: options.crm,
            retry_delays: options.retry_delays,
            pending: Pending {
                after: Duration::from_secs(options.pending_grace_seconds),
                interval: Pending::INTERVAL,
            },
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

fn parse_sender(text: &str) -> Result<Mailbox, String> {
    let sender: Mailbox = text.parse().map_err(|error: lettre::address::AddressError| error.to_string())?;
    if sender.email.to_string().is_ascii() {
        return Ok(sender);
    }
    Err("the address must be ASCII; write its domain as xn--...".to_owned())
}

fn parse_time_of_day(text: &str) -> Result<NaiveTime, &'static str> {
    NaiveTime::parse_from_str(text, "%H:%M").map_err(|_| "must be a time of day, e.g. 08:30")
}

/// `None`: the brochure is not published.
#[derive(Clone)]
struct BrochureFile(Option<Brochure>);

fn read_brochure(path: &str) -> Result<BrochureFile, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    Brochure::read(&text).map(BrochureFile).map_err(|invalid| invalid.to_string())
}

fn read_routes(path: &str) -> Result<Arc<Reloaded<Routes>>, String> {
    Reloaded::read(Path::new(path), Routes::read).map(Arc::new).map_err(|error| error.to_string())
}

/// Who receives emails, for check-config.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.smtp.delivers {
            writeln!(f, "emails are not delivered: SMTP_HOST is the mail catcher")?;
        }
        let routes = self.routes.current();
        let canaries: Vec<_> = routes.canary_recipients().iter().map(ToString::to_string).collect();
        let canaries = if canaries.is_empty() { "nobody".to_owned() } else { canaries.join(", ") };
        writeln!(f, "recipients of canaries: {canaries}")?;
        write!(f, "recipients of a lead with one interest, by interest and language:\n{routes}")
    }
}
