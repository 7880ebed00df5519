//! Starts lead-intake and its CRM for tests.

use std::{net::SocketAddr, ops::Deref, sync::Arc, time::Duration};

use contracts::{
    crm::v1::{GetLeadRequest, Lead, ListLeadsRequest, get_lead_request::Key},
    leads::v1::LeadSubmitted,
};
use crm_client::{Crm, CrmClient};
use crm_sync::{app::App, config::Grpc, db::settings::Settings};
use lead::privacy_policy;
use lead_intake::config::Config;
use prost::Message;
use reqwest::{Client, RequestBuilder, Response};
use runtime::{
    clock::{ManualClock, SystemClock},
    service::Context,
};
use serde_json::{Value, json};
use testkit::{
    broker::{self, Vhost},
    crm::{INTAKE, OPERATOR},
    database::{self, Database},
};
use tokio::net::TcpListener;
use tonic::Code;

pub(crate) const IDEMPOTENCY_KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e";

/// An address without a broker.
pub(crate) const NO_BROKER: &str = "amqp://127.0.0.1:1/%2f";
/// An address without a CRM.
pub(crate) const NO_CRM: &str = "http://127.0.0.1:1";

pub(crate) const SESSION_KEY: &str = "test-test-test-test-test-test-test-test";
/// Deadline of calls to the CRM.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Settings of a lead-intake instance.
pub(crate) struct Setup<'a> {
    pub(crate) broker: &'a str,
    pub(crate) crm: &'a str,
    pub(crate) crm_token: &'a str,
    pub(crate) max_in_flight: usize,
    pub(crate) canary_keys: &'a [&'a str],
    /// Whether lead-intake uses the clock of the machine.
    pub(crate) is_real_time: bool,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self {
            broker: NO_BROKER,
            crm: NO_CRM,
            crm_token: INTAKE,
            max_in_flight: 64,
            canary_keys: &[],
            is_real_time: false,
        }
    }
}

/// A client of the API.
pub(crate) struct Visitor {
    /// Base URL of lead-intake.
    pub(crate) address: SocketAddr,
    pub(crate) http: Client,
}

/// A running lead-intake with a client.
pub(crate) struct Intake {
    visitor: Visitor,
    pub(crate) clock: ManualClock,
    pub(crate) context: Context,
}

impl Deref for Intake {
    type Target = Visitor;

    fn deref(&self) -> &Visitor {
        &self.visitor
    }
}

impl Visitor {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            http: Client::new(),
        }
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.http.post(format!("http://{}{path}", self.address))
    }

    pub(crate) async fn session(&self, body: Value) -> Value {
        let answer = self
            .post("/auth/v1/session")
            .json(&body)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 201);
        answer.json().await.unwrap()
    }

    pub(crate) async fn token(&self) -> String {
        self.session(json!({})).await["access_token"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub(crate) async fn form(&self) -> RequestBuilder {
        self.form_with(&self.token().await)
    }

    /// A form with this bearer token.
    pub(crate) fn form_with(&self, token: &str) -> RequestBuilder {
        self.post("/functions/v1/send-contact-email")
            .header("apikey", "anon")
            .header("Privacy-Policy-Version", privacy_policy::current())
            .bearer_auth(token)
    }

    pub(crate) async fn submit(&self, body: &Value) -> Response {
        self.form().await.json(body).send().await.unwrap()
    }

    pub(crate) async fn submit_as(&self, key: &str, body: &Value) -> Response {
        self.form()
            .await
            .header("Idempotency-Key", key)
            .json(body)
            .send()
            .await
            .unwrap()
    }
}

impl Intake {
    /// Starts lead-intake with a broker and without a CRM.
    pub(crate) async fn start(broker: &str) -> Self {
        Self::start_with(Setup {
            broker,
            ..Setup::default()
        })
        .await
    }

    pub(crate) async fn start_with(setup: Setup<'_>) -> Self {
        let (mut context, clock) = testkit::context("lead-intake");
        if setup.is_real_time {
            context.clock = Arc::new(SystemClock);
        }
        let config = Config {
            http_addr: "127.0.0.1:0".parse().unwrap(),
            anon_key: "anon".to_owned(),
            session_keys: SESSION_KEY.parse().unwrap(),
            withdrawal_keys: testkit::crm::WITHDRAWAL_KEYS.parse().unwrap(),
            canary_keys: setup.canary_keys.iter().map(|key| (*key).into()).collect(),
            max_in_flight: setup.max_in_flight,
            broker: messaging::Settings::new(setup.broker.into()),
            crm: crm_settings(setup.crm, setup.crm_token),
        };
        let address = lead_intake::start(config, &context).await.unwrap();
        Self {
            visitor: Visitor::new(address),
            clock,
            context,
        }
    }

    /// Number of accepted leads on this path, by the metric.
    pub(crate) fn accepted_by(&self, path: &str) -> u64 {
        self.metric("leads_accepted_total", "path", path)
    }

    /// The value of a counter whose label has this value.
    pub(crate) fn metric(&self, counter: &str, label: &str, value: &str) -> u64 {
        let text = String::from_utf8(self.context.metrics.encode().unwrap()).unwrap();
        let line = text.lines().find(|line| {
            line.starts_with(&format!("{counter}{{"))
                && line.contains(&format!(r#"{label}="{value}""#))
        });
        line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
    }
}

/// A running crm-sync with a separate database.
pub(crate) struct RunningCrm {
    pub(crate) address: SocketAddr,
    client: CrmClient,
    context: Context,
    _database: Database,
}

impl RunningCrm {
    /// Starts crm-sync, which accepts leads over gRPC, and from the broker if there is one.
    pub(crate) async fn start(broker: &str) -> Self {
        let database = database::sqlite();
        let (context, _) = testkit::context("crm-sync");
        // Uses the senders' clock, because crm-sync rejects leads from the future.
        let context = Context {
            clock: Arc::new(SystemClock),
            ..context
        };
        let config = crm_sync::config::Config {
            grpc: Grpc::without_tls("127.0.0.1:0".parse().unwrap()),
            crm_tokens: testkit::crm::tokens().parse().unwrap(),
            messaging: messaging::Settings::new(broker.into()),
            database: Settings::new(database.url(), 2).unwrap(),
            desk_session_keys: testkit::crm::DESK_SESSION_KEYS.parse().unwrap(),
            suppression_key: testkit::crm::SUPPRESSION_KEY.parse().unwrap(),
            retention_days: None,
        };
        let address = App::start(config, &context).await.unwrap().grpc_addr;
        let client = CrmClient::new(&crm_settings(&format!("http://{address}"), OPERATOR));
        Self {
            address,
            client,
            context,
            _database: database,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the lead of a response, if the CRM has stored it.
    pub(crate) async fn lead(&self, accepted: &Value) -> Option<Lead> {
        let id = accepted["id"].as_str().unwrap();
        let get = |mut crm: Crm| {
            let key = Some(Key::LeadId(id.to_owned()));
            async move { crm.leads.get_lead(GetLeadRequest { key }).await }
        };
        match self.client.call(TIMEOUT, get).await {
            Ok(answer) => answer.lead,
            Err(status) if status.code() == Code::NotFound => None,
            Err(status) => unreachable!("{status}"),
        }
    }

    /// Number of stored leads.
    pub(crate) async fn leads(&self) -> usize {
        let list =
            |mut crm: Crm| async move { crm.leads.list_leads(ListLeadsRequest::default()).await };
        self.client.call(TIMEOUT, list).await.unwrap().leads.len()
    }
}

impl Drop for RunningCrm {
    fn drop(&mut self) {
        self.context.lifecycle.stop();
    }
}

fn crm_settings(url: &str, token: &str) -> crm_client::Settings {
    let token = crm_client::Token::new(&token.into()).unwrap();
    crm_client::Settings::new(url, token, crm_client::Encryption::default()).unwrap()
}

/// Accepts connections and never responds, until it is dropped.
pub(crate) struct Silent(TcpListener);

impl Silent {
    pub(crate) async fn start() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    pub(crate) fn as_broker(&self) -> String {
        format!("amqp://{}/%2f", self.0.local_addr().unwrap())
    }

    pub(crate) fn as_crm(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }
}

pub(crate) fn registration() -> Value {
    json!({
        "interests": ["showflat", "brochure"], "name": " 陈伟 ", "mobile": "+65 9123 4567",
        "email": "chen@example.com", "questions": "有三房吗？🏙️",
    })
}

/// Returns the status and the code of an error response.
pub(crate) async fn error(answer: Response) -> (u16, String) {
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    assert!(
        body["error"]["message"]
            .as_str()
            .is_some_and(|message| !message.is_empty()),
        "{body}"
    );
    (status, body["error"]["code"].as_str().unwrap().to_owned())
}

/// Returns the body of a 202 response.
pub(crate) async fn accepted(answer: Response) -> Value {
    assert_eq!(answer.status(), 202);
    answer.json().await.unwrap()
}

/// Waits for `count` leads in notifier's queue, and returns them with the properties of their messages.
pub(crate) async fn published(vhost: &Vhost, count: usize) -> Vec<(Value, LeadSubmitted)> {
    let messages = vhost.take_messages("notifier.leads", count).await;
    let decode = |message: Value| {
        let body = broker::payload(&message);
        (
            message["properties"].clone(),
            LeadSubmitted::decode(body.as_slice()).unwrap(),
        )
    };
    messages.into_iter().map(decode).collect()
}
