//! Reads the notifier's settings from its environment.

mod mail_server;

use std::{fmt, fs, num::NonZeroU32, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use chrono::NaiveTime;
use chrono_tz::Tz;
use lettre::{Address, message::Mailbox};
use messaging::{Settings, topology::NOTIFIER};
use runtime::{
    config::{Invalid, Vars},
    reload::Reloaded,
};
use secrecy::ExposeSecret;
use tokens::{SigningKeys, Team};

use crate::{
    mail::{Brochure, Desk, MailContext, SiteUrl},
    recipients::VisitorLimits,
    retry_delays::RetryDelays,
    routes::Routes,
    smtp,
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

impl Config {
    /// # Errors
    /// [`Invalid`] when a setting is missing or wrong.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let broker = Settings::read(vars, Some(NOTIFIER));
        let mail_context = read_mail_context(vars);
        let domain = mail_context.as_ref().ok().map(|it| it.sender.email.domain());
        let smtp = mail_server::read(vars, domain);
        let routes = read_routes(vars);
        let magic_link_keys = read_magic_link_keys(vars);
        let acknowledges = vars.or::<Switch>(
            "VISITOR_CONFIRMATION",
            "on",
            "Whether to send visitors a confirmation email: on or off.",
        );
        let visitors = read_visitor_limits(vars);
        let morning = vars.optional::<TimeOfDay>(
            "DAILY_SUMMARY_AT",
            "Local time of the daily summary of due follow-ups and uncontacted leads, e.g. 08:30; unset: no summary.",
        );
        let crm = crm_client::Settings::read(vars);
        let retry_delays = vars.or::<RetryDelays>(
            "RETRY_DELAYS",
            "5s,30s,2m,10m,1h,6h",
            "Time before each further attempt, comma separated; after the last one the delivery fails.",
        );
        let pending_grace = vars.or::<u64>(
            "PENDING_GRACE_SECONDS",
            "30",
            "Time in seconds that a stored lead may stay pending before notifier fetches it from the CRM.",
        );
        let (smtp, mut mail_context) = (smtp?, mail_context?);
        if smtp.delivers && mail_context.replies.is_none() {
            return vars
                .reject("VISITOR_REPLY_TO is not set: emails to visitors are delivered and invite replies");
        }
        mail_context.desk = magic_link_keys?.map(|keys| Desk { keys, people: Team::default() });
        Ok(Self {
            broker: broker?,
            smtp,
            mail_context,
            routes: routes?,
            acknowledges: matches!(acknowledges?, Switch::On),
            visitors: visitors?,
            morning: morning?.map(|TimeOfDay(at)| Morning { at, look: Morning::LOOK }),
            crm: crm?,
            retry_delays: retry_delays?,
            pending: Pending { after: Duration::from_secs(pending_grace?), interval: Pending::INTERVAL },
        })
    }
}

fn read_mail_context(vars: &mut Vars<'_>) -> Result<MailContext, Invalid> {
    let sender = read_sender(vars);
    let time_zone =
        vars.or::<Tz>("TIME_ZONE", "Asia/Singapore", "Time zone of the sales team, used in emails.");
    let bounces = vars.optional::<Address>(
        "VISITOR_BOUNCES_TO",
        "Envelope sender of emails to visitors; unset: MAIL_FROM. A separate domain protects the reputation of sales emails.",
    );
    let replies = vars.optional::<Address>(
        "VISITOR_REPLY_TO",
        "Reply-To of emails to visitors: a mailbox that somebody reads, because the emails invite replies. Required when \
         emails are delivered; a mail catcher uses MAIL_FROM.",
    );
    let site = vars.required::<SiteUrl>(
        "SITE_URL",
        "Public address of the site for links in emails, e.g. https://www.example.com.",
    );
    let brochure = read_brochure(vars);
    let withdrawal_keys = vars.parsed_secret(
        "WITHDRAWAL_KEYS",
        "Keys of the links by which visitors withdraw their consent, the same as for lead-intake, comma separated, at least \
         32 characters each: the first signs. Links do not expire: keep old keys.",
    );
    Ok(MailContext {
        brochure: brochure?,
        sender: sender?,
        bounces: bounces?,
        replies: replies?,
        time_zone: time_zone?,
        site: site?,
        withdrawal_keys: withdrawal_keys?,
        desk: None,
    })
}

fn read_brochure(vars: &mut Vars<'_>) -> Result<Option<Brochure>, Invalid> {
    let doc = "JSON file with the addresses of the e-brochure, {\"en\": .., \"zh\": ..}; unset: those built into this version, if any.";
    let Some(path) = vars.optional::<PathBuf>("BROCHURE_FILE", doc)? else {
        return Ok(Brochure::published());
    };
    let read = fs::read_to_string(&path).map_err(|error| error.to_string());
    let read = read.and_then(|text| Brochure::read(&text).map_err(|invalid| invalid.to_string()));
    read.or_else(|error| vars.reject(format!("BROCHURE_FILE={}: {error}", path.display())))
}

fn read_sender(vars: &mut Vars<'_>) -> Result<Mailbox, Invalid> {
    let sender =
        vars.required::<Mailbox>("MAIL_FROM", "Sender of all emails: an email address, or Name <address>.")?;
    if sender.email.to_string().is_ascii() {
        return Ok(sender);
    }
    vars.reject("MAIL_FROM: the address must be ASCII; write its domain as xn--...")
}

fn read_routes(vars: &mut Vars<'_>) -> Result<Arc<Reloaded<Routes>>, Invalid> {
    let path = vars.required::<PathBuf>(
        "ROUTES_FILE",
        "TOML file with the recipients of leads; read again when it changes and is valid.",
    )?;
    let routes = Reloaded::read(&path, Routes::read).map(Arc::new);
    routes.or_else(|error| vars.reject(format!("ROUTES_FILE={}: {error}", path.display())))
}

fn read_magic_link_keys(vars: &mut Vars<'_>) -> Result<Option<SigningKeys>, Invalid> {
    let keys = vars.optional_secret(
        "MAGIC_LINK_KEYS",
        "Keys of magic links to the desk, comma separated, at least 32 characters each: the first signs. Unset: emails have \
         no magic links.",
    )?;
    let keys = keys.map(|keys| keys.expose_secret().parse());
    keys.transpose().or_else(|weak| vars.reject(format!("MAGIC_LINK_KEYS: {weak}")))
}

fn read_visitor_limits(vars: &mut Vars<'_>) -> Result<VisitorLimits, Invalid> {
    let daily = vars.or::<NonZeroU32>(
        "VISITOR_EMAILS_PER_DAY",
        "3",
        "Maximum number of emails (confirmations and brochures) to one visitor's address within 24 hours.",
    );
    let hourly = vars.or::<NonZeroU32>(
        "VISITOR_EMAILS_PER_HOUR",
        "300",
        "Maximum number of emails to all visitors within an hour, up to half of it brochures; further emails wait, with an alert.",
    );
    Ok(VisitorLimits { daily: daily?, hourly: hourly? })
}

#[derive(Clone, Copy)]
enum Switch {
    On,
    Off,
}

impl FromStr for Switch {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            _ => Err("must be `on` or `off`"),
        }
    }
}

struct TimeOfDay(NaiveTime);

impl FromStr for TimeOfDay {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        NaiveTime::parse_from_str(text, "%H:%M").map(Self).map_err(|_| "must be a time of day, e.g. 08:30")
    }
}

/// A readable summary of the settings, without secrets.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MailContext { sender, time_zone, site, .. } = &self.mail_context;
        let routes = self.routes.current();
        writeln!(f, "sender             {sender}")?;
        let reach = if self.smtp.delivers { "" } else { " (mail catcher: emails are not delivered)" };
        writeln!(f, "mail server        {}:{}, {}{reach}", self.smtp.host, self.smtp.port, self.smtp.tls)?;
        writeln!(f, "site               {site}")?;
        writeln!(f, "time zone          {time_zone}")?;
        let VisitorLimits { daily, hourly } = self.visitors;
        let what = if self.acknowledges { "confirmations and brochures" } else { "brochures only" };
        writeln!(
            f,
            "visitor emails     {what}, at most {daily} a day to one address, {hourly} an hour in total"
        )?;
        match self.morning {
            Some(Morning { at, look: _ }) => {
                let to: Vec<_> = routes.default_recipients().iter().map(ToString::to_string).collect();
                writeln!(f, "daily summary      at {} to {}", at.format("%H:%M"), to.join(", "))?;
            }
            None => writeln!(f, "daily summary      off")?,
        }
        match routes.canary_recipients() {
            [] => writeln!(f, "canaries           no recipients")?,
            some => {
                let to: Vec<_> = some.iter().map(ToString::to_string).collect();
                writeln!(f, "canaries           to {}", to.join(", "))?;
            }
        }
        write!(f, "recipients of a lead with one interest, by interest and language:\n{routes}")
    }
}
