//! A system of broker, CRM, notifiers and mail server, with proxies between them.

use std::{
    fs,
    num::NonZeroU32,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use chrono::NaiveTime;
use contracts::{
    crm::v1::{
        ClaimAnswer, ClaimDeliveriesRequest, ErasePersonRequest, GetLeadRequest, Lead,
        RecordLeadRequest, RetryDeliveriesRequest, get_lead_request::Key,
        timeline_entry::Event as TimelineEvent,
    },
    leads::v1::{LeadSubmitted, Reason},
};
use crm_client::{Encryption, Replica, Token};
use messaging::{
    Event, Publisher, Settings,
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};
use notifier::{
    app,
    config::{Config, VisitorLimits},
    mail::MailContext,
    routes::RoutesFile,
    smtp::{self, TlsMode},
};
use runtime::{clock::ManualClock, random::RandomIds, service::Context};
use tempfile::NamedTempFile;
use testkit::{
    broker::{Vhost, through},
    crm,
    database::Database,
    proxy::Proxy,
    smtp::SmtpServer,
    wait,
};
use tonic::{
    service::interceptor::InterceptedService,
    transport::{Channel, Endpoint},
};

use crate::support::{mail_context, sender};

pub(crate) const FIRST: &str = "first@zyongrand.example";
pub(crate) const SECOND: &str = "second@zyongrand.example";

/// Settings that tests change.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    /// How long a stored lead may stay pending.
    pub(crate) pending_grace: Duration,
    /// How long a delivery waits before each further attempt.
    pub(crate) retry_delays: &'static str,
    /// Daily limit of emails to one visitor.
    pub(crate) confirmations: Option<NonZeroU32>,
    /// Interval between leases.
    pub(crate) poll_interval: Duration,
    /// Time of the daily summary, if it is on.
    pub(crate) daily_summary_at: Option<NaiveTime>,
    /// Interval between requests for reminders.
    pub(crate) reminder_interval: Duration,
    /// The brochure's addresses, in the format of the site's content.
    pub(crate) brochure: &'static str,
}

/// The queue delivers leads, the ledger only retries.
pub(crate) const BY_QUEUE: Scenario = Scenario {
    pending_grace: Duration::from_secs(3600),
    retry_delays: "1s,1s,2s",
    confirmations: None,
    poll_interval: Duration::from_millis(50),
    daily_summary_at: None,
    reminder_interval: Duration::from_secs(3600),
    brochure: "null",
};

/// The ledger delivers every lead as soon as it is stored.
pub(crate) const BY_LEDGER: Scenario = Scenario {
    pending_grace: Duration::ZERO,
    ..BY_QUEUE
};

pub(crate) struct System {
    pub(crate) vhost: Vhost,
    pub(crate) smtp: SmtpServer,
    /// Between the broker and all its clients except the test.
    pub(crate) broker: Proxy,
    /// Between the CRM and all its clients except the test.
    pub(crate) crm: Proxy,
    publisher: Publisher,
    pub(crate) client: Replica<InterceptedService<Channel, crm::AnyRole>>,
    pub(crate) scenario: Scenario,
    _database: Database,
    crm_context: Context,
    context: Context,
}

impl System {
    /// Starts everything except a notifier.
    pub(crate) async fn start(scenario: Scenario) -> Self {
        let vhost = Vhost::create().await;
        let smtp = SmtpServer::start().await.expect("a port");
        let broker = Proxy::start(vhost.target()).await.expect("a port");
        let database = testkit::database::sqlite();
        let (crm_context, _) = testkit::context("crm-sync");
        let crm_sync = crm_sync::config::Config {
            grpc: crm_sync::config::Grpc::without_tls("127.0.0.1:0".parse().expect("an address")),
            crm_tokens: crm::tokens().parse().expect("a client"),
            messaging: broker_settings(&vhost, CRM_SYNC, &broker),
            database: crm_sync::db::settings::Settings::new(database.url(), 2).expect("a database"),
            desk_session_keys: crm::DESK_SESSION_KEYS.parse().expect("a key"),
            suppression_key: crm::SUPPRESSION_KEY.parse().expect("a key"),
            retention_days: None,
        };
        let crm_address = crm_sync::app::App::start(crm_sync, &crm_context)
            .await
            .expect("a CRM")
            .grpc_addr;
        let endpoint = Endpoint::from_shared(format!("http://{crm_address}")).expect("an address");
        let (context, _) = testkit::context("test");
        let publisher =
            Publisher::start(Settings::new(vhost.url_of("lead-intake").into()), &context);
        Self {
            vhost,
            smtp,
            broker,
            crm: Proxy::start(crm_address.to_string()).await.expect("a port"),
            publisher,
            client: Replica::new(InterceptedService::new(
                endpoint.connect_lazy(),
                crm::AnyRole,
            )),
            scenario,
            _database: database,
            crm_context,
            context,
        }
    }

    /// The value of a metric of the CRM, or 0 while it does not exist.
    pub(crate) fn crm_metric(&self, name: &str) -> u64 {
        metric(&self.crm_context, name)
    }

    /// Number of messages that the broker confirmed to the test and the CRM.
    pub(crate) fn published(&self) -> u64 {
        published(&self.context) + published(&self.crm_context)
    }

    /// Number of calls of this method that the CRM has answered.
    pub(crate) fn calls(&self, method: &str) -> u64 {
        let metrics =
            String::from_utf8(self.crm_context.metrics.encode().expect("metrics")).expect("UTF-8");
        let counts = metrics.lines().filter_map(|line| {
            let (labels, count) = line
                .strip_prefix("rpc_server_duration_seconds_count{")?
                .rsplit_once(' ')?;
            labels
                .contains(method)
                .then(|| count.parse::<u64>().expect("a count"))
        });
        counts.sum()
    }

    /// Starts everything, with one notifier that emails two recipients.
    pub(crate) async fn start_with_notifier(scenario: Scenario) -> (Self, Notifier) {
        let system = Self::start(scenario).await;
        let notifier = system.start_notifier();
        (system, notifier)
    }

    pub(crate) fn start_notifier(&self) -> Notifier {
        self.start_notifier_with(&routes())
    }

    /// Starts a notifier with a file of routes.
    pub(crate) fn start_notifier_with(&self, routes: &str) -> Notifier {
        let file = NamedTempFile::new().expect("a file");
        fs::write(file.path(), routes).expect("room for a file");
        let config = self.config(&file);
        Notifier::start(config, file)
    }

    /// The configuration of a notifier with this file of routes.
    pub(crate) fn config(&self, file: &NamedTempFile) -> Config {
        Config {
            broker: broker_settings(&self.vhost, NOTIFIER, &self.broker),
            smtp: smtp_settings(&self.smtp),
            mail_context: MailContext {
                brochure_file: Some(self.scenario.brochure.parse().expect("addresses")),
                ..mail_context()
            },
            routes_file: Arc::new(RoutesFile::load(file.path()).expect("routes")),
            visitor_confirmation: self.scenario.confirmations.is_some(),
            visitor_limits: VisitorLimits {
                visitor_emails_per_day: self.scenario.confirmations.unwrap_or(NonZeroU32::MAX),
                visitor_emails_per_hour: NonZeroU32::MAX,
            },
            daily_summary_at: self.scenario.daily_summary_at,
            daily_summary_interval: Duration::from_millis(20),
            reminder_interval: self.scenario.reminder_interval,
            crm: crm_settings(&self.crm.address().to_string(), crm::NOTIFIER),
            retry_delays: self.scenario.retry_delays.parse().expect("waits"),
            pending_grace_seconds: self.scenario.pending_grace,
            poll_interval: self.scenario.poll_interval,
        }
    }

    /// Starts the notifier's binary and waits until it has crashed at this place.
    pub(crate) async fn crash_notifier(&self, place: &str) {
        let file = NamedTempFile::new().expect("a file");
        fs::write(file.path(), routes()).expect("room for a file");
        let mut process = self.run_notifier(&file, ("CRASH_AT", place));
        wait::until("a crash", async || {
            process.0.try_wait().expect("a child").is_some()
        })
        .await;
    }

    /// Starts the notifier's binary with one more environment variable.
    pub(crate) fn run_notifier(&self, routes: &NamedTempFile, variable: (&str, &str)) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_notifier"));
        command.arg("serve").env_clear().envs([variable]).envs([
            ("AMQP_URL", self.vhost.url_of("notifier")),
            ("RETRY_DELAYS", self.scenario.retry_delays.to_owned()),
            ("SMTP_HOST", self.smtp.address().ip().to_string()),
            ("SMTP_PORT", self.smtp.address().port().to_string()),
            ("SMTP_TLS", "none".to_owned()),
            ("MAIL_FROM", sender().to_string()),
            ("VISITOR_REPLY_TO", sender().email.to_string()),
            ("WITHDRAWAL_KEYS", crm::WITHDRAWAL_KEYS.to_owned()),
            ("SITE_URL", "https://zyongrand.example".to_owned()),
            ("ROUTES_FILE", routes.path().display().to_string()),
            (
                "VISITOR_CONFIRMATION",
                if self.scenario.confirmations.is_some() {
                    "on"
                } else {
                    "off"
                }
                .to_owned(),
            ),
            ("CRM_URL", format!("http://{}", self.crm.address())),
            ("CRM_TOKEN", crm::NOTIFIER.to_owned()),
            ("SMTP_TIMEOUT_SECONDS", "2".to_owned()),
            (
                "PENDING_GRACE_SECONDS",
                // The minimum of the setting.
                self.scenario.pending_grace.as_secs().max(7).to_string(),
            ),
            ("ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ]);
        let process = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary");
        Process(process)
    }

    /// Sends a lead over the primary path.
    pub(crate) async fn submit(&self, event: LeadSubmitted) {
        self.publish(Event::LeadSubmitted(event)).await;
    }

    /// Publishes like lead-intake.
    pub(crate) async fn publish(&self, event: Event) {
        wait::until("the broker's confirm", async || {
            self.publisher.publish(&event).await.is_ok()
        })
        .await;
    }

    /// Sends a lead over the fallback path.
    pub(crate) async fn record(&self, event: LeadSubmitted) {
        let request = RecordLeadRequest {
            lead: Some(event),
            ..RecordLeadRequest::default()
        };
        self.client
            .clone()
            .leads
            .record_lead(request)
            .await
            .expect("recorded");
    }

    /// The stored lead, if there is one.
    pub(crate) async fn find_lead(&self, lead: &LeadSubmitted) -> Option<Lead> {
        let request = GetLeadRequest {
            key: Some(Key::LeadId(lead.lead_id.clone())),
        };
        self.client
            .clone()
            .leads
            .get_lead(request)
            .await
            .ok()
            .and_then(|answer| answer.into_inner().lead)
    }

    /// Waits until the CRM has recorded this number of delivered emails, and returns the lead.
    pub(crate) async fn wait_for_deliveries(
        &self,
        lead: &LeadSubmitted,
        recipients: usize,
    ) -> Lead {
        wait::for_some(&format!("{recipients} emails delivered"), async || {
            self.find_lead(lead)
                .await
                .filter(|lead| lead.deliveries.len() == recipients)
        })
        .await
    }

    /// Waits for a timeline entry of a lead and recipient.
    pub(crate) async fn wait_for_entry<T>(
        &self,
        lead: &LeadSubmitted,
        recipient: &str,
        find: impl Fn(&TimelineEvent) -> Option<T>,
    ) -> T {
        wait::for_some("an entry of the timeline", async || {
            let timeline = self.find_lead(lead).await?.timeline;
            let of_recipient = timeline.iter().filter(|entry| entry.recipient == recipient);
            of_recipient
                .filter_map(|entry| entry.event.as_ref())
                .find_map(&find)
        })
        .await
    }

    /// Claims a lead like another notifier, and returns the answer for each recipient.
    pub(crate) async fn claim(
        &self,
        lead: &LeadSubmitted,
        recipients: &[&str],
        lease: Duration,
    ) -> Vec<ClaimAnswer> {
        let request = ClaimDeliveriesRequest {
            lead: Some(lead.clone()),
            recipients: recipients.iter().map(ToString::to_string).collect(),
            holder: "notifier-elsewhere".to_owned(),
            lease: Some(lease.try_into().expect("a short time")),
            visitor_daily_limit: 1,
            visitors_hourly_limit: 0,
        };
        let answer = self
            .client
            .clone()
            .deliveries
            .claim_deliveries(request)
            .await
            .expect("an answer")
            .into_inner();
        answer.claims.iter().map(|claim| claim.answer()).collect()
    }

    /// Retries every failed delivery, and returns their number.
    pub(crate) async fn retry_deliveries(&self) -> u64 {
        let request = RetryDeliveriesRequest::default();
        self.client
            .clone()
            .deliveries
            .retry_deliveries(request)
            .await
            .expect("retried")
            .into_inner()
            .deliveries
    }

    /// Erases a lead that the CRM has not received.
    pub(crate) async fn erase(&self, lead: &LeadSubmitted) {
        let request = ErasePersonRequest {
            email: String::new(),
            lead_ids: vec![lead.lead_id.clone()],
            ..ErasePersonRequest::default()
        };
        self.client
            .clone()
            .people
            .erase_person(request)
            .await
            .expect("erased");
    }

    /// The recipient of each email, sorted.
    pub(crate) fn mailed(&self) -> Vec<String> {
        let mut to: Vec<_> = self
            .smtp
            .emails()
            .into_iter()
            .flat_map(|mail| mail.to)
            .collect();
        to.sort();
        to
    }
}

/// Routes every lead to both recipients.
pub(crate) fn routes() -> String {
    format!("default = [\"{FIRST}\", \"{SECOND}\"]")
}

/// Why a delivery failed.
pub(crate) fn failed(event: &TimelineEvent) -> Option<String> {
    let TimelineEvent::Failed(failed) = event else {
        return None;
    };
    failed.reason.as_ref().map(|reason| reason.detail.clone())
}

/// Why a delivery was cancelled.
pub(crate) fn deferred(event: &TimelineEvent) -> Option<Reason> {
    let TimelineEvent::Deferred(deferred) = event else {
        return None;
    };
    deferred.reason.clone()
}

pub(crate) fn cancelled(event: &TimelineEvent) -> Option<String> {
    let TimelineEvent::Cancelled(cancelled) = event else {
        return None;
    };
    cancelled.reason.as_ref().map(|reason| reason.class.clone())
}

/// A process that is killed at the end of the test.
pub(crate) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended.
        let _ = self.0.kill();
    }
}

pub(crate) struct Notifier {
    pub(crate) context: Context,
    pub(crate) clock: ManualClock,
    pub(crate) routes: NamedTempFile,
}

impl Notifier {
    pub(crate) fn start(config: Config, routes: NamedTempFile) -> Self {
        let (mut context, clock) = testkit::context("notifier");
        context.ids = Arc::new(RandomIds);
        app::start(config, &context).expect("no TLS to set up");
        Self {
            context,
            clock,
            routes,
        }
    }

    /// The value of a metric, or 0 while it does not exist.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        metric(&self.context, name)
    }

    /// Waits until a metric has this value.
    pub(crate) async fn wait_for_metric(&self, name: &str, value: u64) {
        wait::until(&format!("{name} {value}"), async || {
            self.metric(name) == value
        })
        .await;
    }

    /// Number of messages that the broker confirmed to this notifier.
    pub(crate) fn published(&self) -> u64 {
        published(&self.context)
    }

    /// Number of the queue's messages with this verdict.
    pub(crate) fn settled(&self, verdict: &str) -> u64 {
        self.metric(&settled(verdict))
    }

    /// Waits until this number of the queue's messages have this verdict.
    pub(crate) async fn wait_until_settled(&self, verdict: &str, count: u64) {
        self.wait_for_metric(&settled(verdict), count).await;
    }
}

fn metric(context: &Context, name: &str) -> u64 {
    let metrics = String::from_utf8(context.metrics.encode().expect("metrics")).expect("UTF-8");
    let of_this = metrics
        .lines()
        .filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    of_this.filter_map(|value| value.parse::<u64>().ok()).sum()
}

fn published(context: &Context) -> u64 {
    let metrics = String::from_utf8(context.metrics.encode().expect("metrics")).expect("UTF-8");
    let of_this = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("messaging_published_total{"));
    of_this
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok())
        .sum()
}

fn settled(verdict: &str) -> String {
    format!("messaging_consumed_total{{queue=\"notifier.leads\",verdict=\"{verdict}\"}}")
}

/// The broker, through the proxy, with the service's user.
fn broker_settings(vhost: &Vhost, subscription: Subscription, broker: &Proxy) -> Settings {
    let url = through(&vhost.url_of(subscription.service), broker.address());
    Settings::new(url.into())
}

pub(crate) fn crm_settings(address: &str, token: &str) -> crm_client::Settings {
    let token = Token::new(&token.into()).expect("a token");
    crm_client::Settings::new(&format!("http://{address}"), token, Encryption::default())
        .expect("an address")
}

fn smtp_settings(server: &SmtpServer) -> smtp::Settings {
    smtp::Settings {
        smtp_host: server.address().ip().to_string(),
        smtp_port: Some(server.address().port()),
        smtp_tls: TlsMode::None,
        smtp_hello: None,
        smtp_username: Some("notifier".to_owned()),
        smtp_password: Some("password".into()),
        mail_catcher_host: None,
        smtp_timeout_seconds: Duration::from_secs(40),
    }
}
