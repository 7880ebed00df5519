//! Starts a desk with its CRM, and simulates browsers.

use std::{fs, net::SocketAddr, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{
        GetLeadRequest, Lead, LeasePendingRequest, RecordLeadRequest, ReportDeliveriesRequest,
        WithdrawLeadRequest, get_lead_request,
    },
    leads::v1::{
        DeliveryReport, Interest, Language, LeadSubmitted, LeadWithdrawn,
        delivery_report::{Delivered, Outcome},
    },
};
use crm_client::Replica;
use crm_sync::{config::Grpc, db::settings::Settings};
use lead::field::timestamp;
use parking_lot::Mutex;
use reqwest::{Client, RequestBuilder, Response, header};
use runtime::{clock::ManualClock, reload::Reloaded, service::Context};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use testkit::{
    crm::{AnyRole, DESK},
    database::{Database, sqlite},
    wait,
};
use tokens::{LOGIN_WINDOW, Login, MagicLink, Person, SigningKeys, Team};
use tonic::{service::interceptor::InterceptedService, transport::Channel};
use uuid::Uuid;

pub(crate) const KEYS: &str = "desk-desk-desk-desk-desk-desk-desk-desk";

pub(crate) const ROUTES: &str = r#"
default = ["mei@zyongrand.example", "desk@zyongrand.example"]
reminder_minutes = 20
[[person]]
name = "Mei Tan"
email = "mei@zyongrand.example"
[[person]]
name = "陈伟"
email = "wei@zyongrand.example"
may_send_brochures = true
may_see_report = true
"#;

pub(crate) struct Desk {
    pub(crate) address: SocketAddr,
    pub(crate) crm_address: SocketAddr,
    pub(crate) clock: ManualClock,
    pub(crate) context: Context,
    pub(crate) routes: NamedTempFile,
    crm: Replica<InterceptedService<Channel, AnyRole>>,
    crm_context: Context,
    pub(crate) database: Database,
}

impl Desk {
    pub(crate) async fn start() -> Self {
        let database = sqlite();
        let (crm_context, _) = testkit::context("crm-sync");
        let config = crm_sync::config::Config {
            grpc: Grpc::without_tls("127.0.0.1:0".parse().unwrap()),
            crm_tokens: testkit::crm::tokens().parse().unwrap(),
            messaging: messaging_settings(),
            database: Settings::new(database.url(), 2).unwrap(),
            desk_session_keys: testkit::crm::DESK_SESSION_KEYS.parse().unwrap(),
            suppression_key: testkit::crm::SUPPRESSION_KEY.parse().unwrap(),
            retention_days: None,
        };
        let crm_address = crm_sync::app::App::start(config, &crm_context)
            .await
            .unwrap()
            .grpc_addr;
        let endpoint =
            tonic::transport::Endpoint::from_shared(format!("http://{crm_address}")).unwrap();
        let routes = NamedTempFile::new().unwrap();
        fs::write(routes.path(), ROUTES).unwrap();
        let (context, clock) = testkit::context("desk");
        let token = crm_client::Token::new(&DESK.into()).unwrap();
        let encryption = crm_client::Encryption::default();
        let config = desk::config::Config {
            http_addr: "127.0.0.1:0".parse().unwrap(),
            routes_file: Arc::new(Reloaded::load(routes.path(), Team::load).unwrap()),
            magic_link_keys: keys(),
            desk_session_keys: testkit::crm::DESK_SESSION_KEYS.parse().unwrap(),
            time_zone: "Asia/Singapore".parse().unwrap(),
            site_url: "https://www.zyongrand.example".to_owned(),
            crm: crm_client::Settings::new(&format!("http://{crm_address}"), token, encryption)
                .unwrap(),
        };
        Self {
            address: desk::start(config, &context).await.unwrap(),
            crm_address,
            clock,
            context,
            routes,
            crm: Replica::new(InterceptedService::new(endpoint.connect_lazy(), AnyRole)),
            crm_context,
            database,
        }
    }

    /// A browser that is not logged in.
    pub(crate) fn browser(&self) -> Browser {
        Browser::new(self.address)
    }

    /// Stops the CRM and waits until it is unavailable.
    pub(crate) async fn stop_crm(&self) {
        self.crm_context.lifecycle.stop();
        wait::until("the CRM to be unavailable", async || {
            tokio::net::TcpStream::connect(self.crm_address)
                .await
                .is_err()
        })
        .await;
    }

    /// A browser that is logged in as the person with this address.
    pub(crate) async fn logged_in(&self, email: &str) -> Browser {
        let lead = self.record(submission(99)).await;
        let browser = self.browser();
        let opened = browser
            .log_in(&self.key(email, &lead, Some(person(email))))
            .await;
        assert!(opened["me"].is_object(), "{opened}");
        browser
    }

    pub(crate) async fn record(&self, lead: LeadSubmitted) -> LeadSubmitted {
        let request = RecordLeadRequest {
            lead: Some(lead.clone()),
            ..RecordLeadRequest::default()
        };
        self.crm.clone().leads.record_lead(request).await.unwrap();
        lead
    }

    /// The visitor withdraws consent and asks for erasure.
    pub(crate) async fn request_erasure(&self, lead: &LeadSubmitted) {
        let withdrawal = LeadWithdrawn {
            lead_id: lead.lead_id.clone(),
            withdrawn_at: lead.submitted_at,
            erasure_requested: true,
            ..LeadWithdrawn::default()
        };
        let request = WithdrawLeadRequest {
            withdrawal: Some(withdrawal),
        };
        self.crm.clone().leads.withdraw_lead(request).await.unwrap();
    }

    pub(crate) async fn stored(&self, lead: &LeadSubmitted) -> Lead {
        let key = Some(get_lead_request::Key::LeadId(lead.lead_id.clone()));
        self.crm
            .clone()
            .leads
            .get_lead(GetLeadRequest { key })
            .await
            .unwrap()
            .into_inner()
            .lead
            .unwrap()
    }

    /// Signs the key of a link in an email. Without `email`, the link cannot log in.
    pub(crate) fn key(&self, to: &str, lead: &LeadSubmitted, email: Option<Uuid>) -> String {
        let login = email.map(|email| Login {
            email,
            until: self.now() + LOGIN_WINDOW,
        });
        let key = MagicLink {
            person: person(to),
            lead: lead.lead_id.parse().unwrap(),
            login,
        };
        key.sign(&keys(), self.now())
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        runtime::clock::Clock::now(&self.clock)
    }

    /// Leases requested emails and returns their recipients.
    pub(crate) async fn lease_requests(&self) -> Vec<String> {
        let duration = prost_types::Duration {
            seconds: 60,
            nanos: 0,
        };
        let request = LeasePendingRequest {
            holder: "test".to_owned(),
            pending_for: Some(duration),
            lease: Some(duration),
            limit: 50,
            brochures: false,
            updates: false,
        };
        let leased = self
            .crm
            .clone()
            .deliveries
            .lease_pending(request)
            .await
            .unwrap()
            .into_inner();
        leased
            .leads
            .into_iter()
            .flat_map(|pending| pending.recipients)
            .collect()
    }

    /// Reports that the mail server accepted an email at the desk's current time.
    pub(crate) async fn report_delivered(&self, lead: &LeadSubmitted, recipient: &str) {
        let delivered = Delivered {
            mail_message_id: "<test@zyongrand.example>".to_owned(),
            server_reply: "250 2.0.0 OK".to_owned(),
            delivered_at: Some(timestamp(self.now())),
        };
        let request = ReportDeliveriesRequest {
            lead_id: lead.lead_id.clone(),
            holder: "test".to_owned(),
            reports: vec![DeliveryReport {
                recipient: recipient.to_owned(),
                outcome: Some(Outcome::Delivered(delivered)),
            }],
        };
        self.crm
            .clone()
            .deliveries
            .report_deliveries(request)
            .await
            .unwrap();
    }

    /// Whether the CRM's database contains a text.
    pub(crate) fn is_stored(&self, text: &str) -> bool {
        let path = self
            .database
            .url()
            .strip_prefix("sqlite://")
            .and_then(|it| it.split('?').next())
            .unwrap();
        [path.to_owned(), format!("{path}-wal")]
            .iter()
            .filter_map(|path| fs::read(path).ok())
            .any(|bytes| {
                bytes
                    .windows(text.len())
                    .any(|part| part == text.as_bytes())
            })
    }

    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = String::from_utf8(self.context.metrics.encode().unwrap()).unwrap();
        let line = text.lines().find(|line| line.starts_with(name));
        line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.context.lifecycle.stop();
        self.crm_context.lifecycle.stop();
    }
}

/// Settings without a broker, because tests record leads by gRPC.
fn messaging_settings() -> messaging::Settings {
    messaging::Settings::new("amqp://127.0.0.1:1/%2f".into())
}

pub(crate) fn keys() -> SigningKeys {
    KEYS.parse().unwrap()
}

pub(crate) fn person(email: &str) -> Uuid {
    Person::id_of(email)
}

/// A client that stores the desk's cookie.
pub(crate) struct Browser {
    id: Uuid,
    address: SocketAddr,
    http: Client,
    pub(crate) cookie: Mutex<Option<String>>,
}

impl Browser {
    pub(crate) fn new(address: SocketAddr) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the page also generates a random id"
        )]
        let id = Uuid::new_v4();
        Self {
            id,
            address,
            http: Client::new(),
            cookie: Mutex::default(),
        }
    }

    fn request(&self, request: RequestBuilder) -> RequestBuilder {
        match &*self.cookie.lock() {
            Some(cookie) => request.header(header::COOKIE, cookie),
            None => request,
        }
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.request(
            self.http
                .post(format!("http://{}/desk/api/{path}", self.address)),
        )
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.request(
            self.http
                .get(format!("http://{}/desk/api/{path}", self.address)),
        )
    }

    /// Sends a request and stores the cookie of the response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Response {
        let answer = request
            .timeout(Duration::from_secs(20))
            .send()
            .await
            .unwrap();
        if let Some(cookie) = answer.headers().get(header::SET_COOKIE) {
            let cookie = cookie
                .to_str()
                .unwrap()
                .split(';')
                .next()
                .unwrap()
                .to_owned();
            *self.cookie.lock() = Some(cookie);
        }
        answer
    }

    /// Sends a request and returns the response's JSON, with `status` if it is not 200.
    pub(crate) async fn json(&self, request: RequestBuilder) -> Value {
        let answer = self.send(request).await;
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.unwrap_or_default();
        if status == 200 {
            body
        } else {
            json!({ "status": status, "code": body["error"]["code"] })
        }
    }

    /// Requests a page of the list of leads.
    pub(crate) async fn list(&self, which: Value) -> Value {
        self.json(self.post("leads").json(&which)).await
    }

    pub(crate) async fn log_out(&self, body: Value) -> u16 {
        self.send(self.post("log-out").json(&body))
            .await
            .status()
            .as_u16()
    }

    pub(crate) async fn open_link(&self, key: &str) -> Value {
        self.json(self.post("key").json(&json!({ "key": key })))
            .await
    }

    /// Logs in with a link, as the page's button does.
    pub(crate) async fn log_in(&self, key: &str) -> Value {
        self.json(
            self.post("log-in")
                .json(&json!({ "key": key, "browser": self.id })),
        )
        .await
    }

    /// Requests an email with a link. Returns the status.
    pub(crate) async fn request_email(&self, body: Value) -> u16 {
        self.send(self.post("link").json(&body))
            .await
            .status()
            .as_u16()
    }

    /// Changes a lead. Without `seen`, the change carries the current version.
    pub(crate) async fn change(&self, lead: &LeadSubmitted, mut change: Value) -> Value {
        let has = |name: &str| change.get(name).is_some();
        let overwriting = ["state", "owner", "name", "mobile", "email"];
        if overwriting.into_iter().any(has) && !has("seen") {
            let shown = self
                .json(self.get(&format!("leads/{}", lead.lead_id)))
                .await;
            change["seen"] = shown["progress"]["changed_at"].clone();
        }
        self.json(self.post(&format!("leads/{}", lead.lead_id)).json(&change))
            .await
    }
}

pub(crate) fn error(status: u16, code: &str) -> Value {
    json!({ "status": status, "code": code })
}

/// Panics if `value` has other fields than `example`, or values of other types. Elements of lists are like the first one.
pub(crate) fn assert_same_shape(value: &Value, example: &Value, path: &str) {
    match (value, example) {
        (Value::Object(fields), Value::Object(of_example)) => {
            let names: Vec<_> = fields.keys().collect();
            assert_eq!(names, of_example.keys().collect::<Vec<_>>(), "{path}");
            for (name, value) in fields {
                assert_same_shape(value, &example[name], &format!("{path}.{name}"));
            }
        }
        (Value::Array(items), Value::Array(of_example)) => {
            for item in items {
                assert_same_shape(item, &of_example[0], &format!("{path}[]"));
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (one, other) => {
            let has_same_type = one.is_string() == other.is_string()
                && one.is_u64() == other.is_u64()
                && one.is_boolean() == other.is_boolean();
            assert!(has_same_type, "{path}: {one} and {other}");
        }
    }
}

pub(crate) fn submission(number: u128) -> LeadSubmitted {
    let id = Uuid::from_u128(number);
    LeadSubmitted {
        lead_id: id.to_string(),
        reference: lead::Reference::from_id(id).to_string(),
        submitted_at: Some(prost_types::Timestamp {
            seconds: 1_772_337_000,
            nanos: 0,
        }),
        interests: vec![Interest::Showflat.into(), Interest::Purchase.into()],
        name: format!("Visitor {number}"),
        mobile: "9123 4567".to_owned(),
        email: format!("visitor{number}@example.com"),
        questions: "Which unit faces south?".to_owned(),
        language: Language::En.into(),
        privacy_policy_version: "2026-11-27".to_owned(),
        ..LeadSubmitted::default()
    }
}
