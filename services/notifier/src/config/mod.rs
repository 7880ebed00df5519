//! Reads the notifier's settings from its environment.

mod mail_server;

use std::{fmt, fs, num::NonZeroU32, path::PathBuf, str::FromStr, time::Duration};

use chrono::NaiveTime;
use chrono_tz::Tz;
use jwt::SigningKeys;
use lettre::{Address, message::Mailbox};
use messaging::{Settings, topology::NOTIFIER};
use runtime::config::{Invalid, Vars};
use secrecy::ExposeSecret;

use crate::{
    mail::{Brochure, Desk, MailContext, SiteUrl},
    recipients::VisitorLimits,
    retry_delays::RetryDelays,
    routes::Routes,
    smtp, webhook,
};

pub struct Config {
    pub broker: Settings,
    pub smtp: smtp::Settings,
    pub mail_context: MailContext,
    pub routes: Routes,
    pub webhook_keys: webhook::Keys,
    /// Whether visitors are thanked.
    pub acknowledges: bool,
    pub visitors: VisitorLimits,
    pub digests: Digests,
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

#[derive(Clone, Copy, Debug)]
pub struct Digests {
    /// Mails to one recipient per interval that are sent singly; 0 means no limit.
    pub above: u32,
    /// Intervals start at multiples of this length since 1970.
    pub interval: Duration,
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
        let smtp = mail_server::read(vars);
        let mail_context = read_mail_context(vars);
        let routes = read_routes(vars);
        let magic_link_keys = read_magic_link_keys(vars);
        let webhook_keys = read_webhook_keys(vars, routes.as_ref().ok());
        let acknowledges = vars.or::<Switch>(
            "VISITOR_CONFIRMATION",
            "on",
            "Whether visitors get a mail as well: on or off.",
        );
        let visitors = read_visitor_limits(vars);
        let digests = read_digests(vars);
        let morning = vars.optional::<TimeOfDay>(
            "DAILY_SUMMARY_AT",
            "When a mail about leads that nobody has contacted is sent each day, e.g. 08:30.",
        );
        let crm = crm_client::Settings::read(vars);
        let retry_delays = vars.or::<RetryDelays>(
            "RETRY_DELAYS",
            "5s,30s,2m,10m,1h,6h",
            "How long a delivery waits before each further attempt; after the last it is failed.",
        );
        let pending_grace = vars.or::<u64>(
            "PENDING_GRACE_SECONDS",
            "30",
            "How long a stored lead may stay pending before it is fetched from the CRM.",
        );
        let (mut mail_context, routes) = (mail_context?, routes?);
        mail_context.desk = magic_link_keys?.map(|keys| Desk { keys, people: routes.people().clone() });
        Ok(Self {
            broker: broker?,
            smtp: smtp?,
            mail_context,
            routes,
            webhook_keys: webhook_keys?,
            acknowledges: matches!(acknowledges?, Switch::On),
            visitors: visitors?,
            digests: digests?,
            morning: morning?.map(|TimeOfDay(at)| Morning { at, look: Morning::LOOK }),
            crm: crm?,
            retry_delays: retry_delays?,
            pending: Pending { after: Duration::from_secs(pending_grace?), interval: Pending::INTERVAL },
        })
    }
}

fn read_mail_context(vars: &mut Vars<'_>) -> Result<MailContext, Invalid> {
    let sender = read_sender(vars);
    let time_zone = vars.or::<Tz>("TIME_ZONE", "Asia/Singapore", "Where the sales team's clock stands.");
    let bounces = vars.optional::<Address>(
        "VISITOR_BOUNCES_TO",
        "Envelope sender of mails to visitors, by default MAIL_FROM's: another domain keeps the sales mails' reputation.",
    );
    let replies = vars.optional::<Address>(
        "VISITOR_REPLY_TO",
        "Mailbox, read by somebody, for visitors' replies; by default they go to MAIL_FROM. The privacy policy invites them.",
    );
    let site = vars.required::<SiteUrl>(
        "SITE_URL",
        "Where visitors reach the site, e.g. https://www.example.com: mails link there.",
    );
    let brochure = read_brochure(vars);
    Ok(MailContext {
        brochure: brochure?,
        sender: sender?,
        bounces: bounces?,
        replies: replies?,
        time_zone: time_zone?,
        site: site?,
        desk: None,
    })
}

fn read_brochure(vars: &mut Vars<'_>) -> Result<Option<Brochure>, Invalid> {
    let doc = "The e-brochure's addresses, {\"en\": .., \"zh\": ..}, where this build's site has none yet.";
    let Some(path) = vars.optional::<PathBuf>("BROCHURE_FILE", doc)? else {
        return Ok(Brochure::published());
    };
    let read = fs::read_to_string(&path).map_err(|error| error.to_string());
    let read = read.and_then(|text| Brochure::read(&text).map_err(|invalid| invalid.to_string()));
    read.or_else(|error| vars.reject(format!("BROCHURE_FILE={}: {error}", path.display())))
}

fn read_sender(vars: &mut Vars<'_>) -> Result<Mailbox, Invalid> {
    let sender =
        vars.required::<Mailbox>("MAIL_FROM", "Whom mails are from: an e-mail address, or Name <address>.")?;
    if sender.email.to_string().is_ascii() {
        return Ok(sender);
    }
    vars.reject("MAIL_FROM: the address must be written in ASCII, its domain as xn--...")
}

fn read_routes(vars: &mut Vars<'_>) -> Result<Routes, Invalid> {
    let path = vars.required::<PathBuf>("ROUTES_FILE", "A file in TOML that says which leads go to whom.")?;
    Routes::read(&path).or_else(|error| vars.reject(format!("ROUTES_FILE={}: {error}", path.display())))
}

fn read_magic_link_keys(vars: &mut Vars<'_>) -> Result<Option<SigningKeys>, Invalid> {
    let keys = vars.optional_secret(
        "MAGIC_LINK_KEYS",
        "Keys of the links to the desk, comma separated, each of 32 characters or more: the first signs. Unset: mails have no \
         such links.",
    )?;
    let keys = keys.map(|keys| SigningKeys::new(keys.expose_secret()));
    keys.transpose().or_else(|weak| vars.reject(format!("MAGIC_LINK_KEYS: {weak}")))
}

fn read_webhook_keys(vars: &mut Vars<'_>, routes: Option<&Routes>) -> Result<webhook::Keys, Invalid> {
    let webhooks = routes.into_iter().flat_map(Routes::all_webhooks);
    webhook::Keys::read(webhooks).or_else(|error| vars.reject(format!("ROUTES_FILE: {error}")))
}

fn read_visitor_limits(vars: &mut Vars<'_>) -> Result<VisitorLimits, Invalid> {
    let daily = vars.or::<NonZeroU32>(
        "VISITOR_EMAILS_PER_DAY",
        "3",
        "How many of these, and of brochures, an e-mail address gets within 24 hours at most.",
    );
    let hourly = vars.or::<NonZeroU32>(
        "VISITOR_EMAILS_PER_HOUR",
        "300",
        "How many of these all visitors together get within an hour, brochures half of it; more wait, and an alert says so.",
    );
    Ok(VisitorLimits { daily: daily?, hourly: hourly? })
}

fn read_digests(vars: &mut Vars<'_>) -> Result<Digests, Invalid> {
    let above = vars.or::<u32>(
        "DIGEST_ABOVE",
        "60",
        "How many mails a recipient gets within DIGEST_MINUTES before further leads are put into a digest; 0: as many as there are.",
    );
    let minutes = vars.or::<NonZeroU32>("DIGEST_MINUTES", "10", "How long leads are items for a digest.");
    Ok(Digests { above: above?, interval: Duration::from_secs(u64::from(minutes?.get()) * 60) })
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
        NaiveTime::parse_from_str(text, "%H:%M").map(Self).map_err(|_| "must be a time of day, such as 08:30")
    }
}

/// A readable summary of the settings, without secrets.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MailContext { sender, time_zone, site, .. } = &self.mail_context;
        writeln!(f, "mails are from     {sender}")?;
        let reach = if self.smtp.delivers { "" } else { ": a mail catcher, mails reach nobody" };
        writeln!(f, "mail server        {}:{}, {}{reach}", self.smtp.host, self.smtp.port, self.smtp.tls)?;
        writeln!(f, "site               {site}")?;
        writeln!(f, "time zone          {time_zone}")?;
        let VisitorLimits { daily, hourly } = self.visitors;
        let what = if self.acknowledges { "are written to" } else { "get brochures only" };
        writeln!(f, "visitors           {what}, {daily} mails a day at most, all {hourly} an hour")?;
        match self.digests.above {
            0 => writeln!(f, "digests            never")?,
            above => {
                let minutes = self.digests.interval.as_secs() / 60;
                writeln!(f, "digests            above {above} mails to a recipient in {minutes} minutes")?;
            }
        }
        match self.morning {
            Some(Morning { at, look: _ }) => {
                let to: Vec<_> = self.routes.default_recipients().iter().map(ToString::to_string).collect();
                writeln!(f, "daily summary      at {} to {}", at.format("%H:%M"), to.join(", "))?;
            }
            None => writeln!(f, "daily summary      never")?,
        }
        match self.routes.canary_recipients() {
            [] => writeln!(f, "canaries           go to nobody")?,
            some => {
                let to: Vec<_> = some.iter().map(ToString::to_string).collect();
                writeln!(f, "canaries           go to {}", to.join(", "))?;
            }
        }
        write!(f, "a lead that asks for one thing goes to\n{}", self.routes)
    }
}
