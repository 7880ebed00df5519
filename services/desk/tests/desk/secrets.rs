//! Tests that logs, metrics and spans contain no personal data and no keys.

use std::{
    fs,
    net::SocketAddr,
    process::{Child, Command},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use opentelemetry_proto::tonic::collector::{
    metrics::v1::{
        ExportMetricsServiceRequest, ExportMetricsServiceResponse,
        metrics_service_server::{MetricsService, MetricsServiceServer},
    },
    trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
};
use parking_lot::Mutex;
use runtime::lifecycle::Lifecycle;
use serde::Serialize;
use serde_json::json;
use tempfile::NamedTempFile;
use testkit::{crm::DESK_SESSION_KEYS, wait};
use tonic::{Request, Response, Status, transport::Server};
use uuid::Uuid;

use crate::support::{Browser, Desk, KEYS, submission};

const MARKER: &str = "marker";

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A collector that stores spans and metrics as JSON.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<String>>);

impl Collector {
    fn start(&self, lifecycle: &Lifecycle) -> SocketAddr {
        let address = free_address();
        let server = Server::builder()
            .add_service(TraceServiceServer::new(self.clone()))
            .add_service(MetricsServiceServer::new(self.clone()));
        lifecycle.spawn("collector", server.serve(address));
        address
    }

    fn store(&self, request: &impl Serialize) {
        self.0
            .lock()
            .push_str(&serde_json::to_string(request).unwrap());
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.store(request.get_ref());
        Ok(Response::new(Default::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for Collector {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        self.store(request.get_ref());
        Ok(Response::new(Default::default()))
    }
}

/// A free port. The test fails if another process binds it before the desk.
fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

#[tokio::test]
async fn logs_and_addresses_have_no_personal_data() {
    let desk = Desk::start().await;
    let routes = "default = [\"marker@zyongrand.example\"]\n[[person]]\nname = \"marker Tan\"\nemail = \"marker@zyongrand.example\"\n";
    fs::write(desk.routes.path(), routes).unwrap();
    let mut lead = submission(1);
    (lead.name, lead.email) = (format!("{MARKER} visitor"), format!("{MARKER}@example.com"));
    (lead.questions, lead.mobile) = (MARKER.to_owned(), "91827364".to_owned());
    let lead = desk.record(lead).await;
    let (log, errors) = (NamedTempFile::new().unwrap(), NamedTempFile::new().unwrap());
    let (http, admin, collector) = (free_address(), free_address(), Collector::default());
    let mut command = Command::new(env!("CARGO_BIN_EXE_desk"));
    command.arg("serve").env_clear().envs([
        ("HTTP_ADDR", http.to_string()),
        ("ADMIN_ADDR", admin.to_string()),
        ("ROUTES_FILE", desk.routes.path().display().to_string()),
        ("MAGIC_LINK_KEYS", KEYS.to_owned()),
        ("DESK_SESSION_KEYS", DESK_SESSION_KEYS.to_owned()),
        ("SITE_URL", "http://localhost".to_owned()),
        ("CRM_URL", format!("http://{}", desk.crm_address)),
        ("CRM_TOKEN", testkit::crm::DESK.to_owned()),
        ("LOG_FILTER", "debug".to_owned()),
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            format!("http://{}", collector.start(&desk.context.lifecycle)),
        ),
        ("OTEL_METRICS_EXPORTER", "otlp".to_owned()),
    ]);
    let process = command
        .stdout(log.reopen().unwrap())
        .stderr(errors.reopen().unwrap())
        .spawn()
        .unwrap();
    let mut process = Process(process);
    let page = async |path: &str| {
        let answer = reqwest::get(format!("http://{admin}{path}")).await.ok()?;
        answer.text().await.ok()
    };
    wait::until("the desk to be ready", async || {
        page("/readyz")
            .await
            .is_some_and(|text| text.starts_with("ready\n"))
    })
    .await;
    // The desk verifies links with the machine's clock.
    let key = {
        #[expect(
            clippy::disallowed_methods,
            reason = "the process also reads the machine's clock"
        )]
        let now: DateTime<Utc> = std::time::SystemTime::now().into();
        let key = tokens::MagicLink {
            person: crate::support::person("marker@zyongrand.example"),
            lead: lead.lead_id.parse().unwrap(),
            login: Some(tokens::Login {
                email: Uuid::from_u128(1),
                until: now + tokens::LOGIN_WINDOW,
            }),
        };
        key.sign(&crate::support::keys(), now)
    };
    let browser = Browser::new(http);
    browser.open_link(&key).await;
    let opened = browser.log_in(&key).await;
    assert_eq!(opened["me"]["name"], "marker Tan", "{opened}");
    browser
        .change(&lead, json!({ "note": MARKER, "state": "contacted" }))
        .await;
    browser.list(json!({ "search": "marker" })).await;
    browser.list(json!({ "search": "91827364" })).await;
    browser
        .json(
            browser
                .post("link")
                .json(&json!({ "key": key, "email": "marker@elsewhere.example" })),
        )
        .await;
    browser.change(&lead, json!({ "owner": MARKER })).await;
    desk.stop_crm().await;
    browser.change(&lead, json!({ "note": MARKER })).await;
    let metrics = page("/metrics").await.unwrap();
    // The desk exports its last spans before it ends.
    let id = process.0.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    wait::until("the desk to end", async || {
        process.0.try_wait().unwrap().is_some()
    })
    .await;
    let [log, errors] = [log, errors].map(|file| fs::read_to_string(file.path()).unwrap());
    let collected = collector.0.lock().clone();
    assert!(
        log.contains("magic link opened") && metrics.contains("desk_links_opened_total"),
        "{log}"
    );
    assert!(
        collected.contains("/desk/api/key") && collected.contains("desk_links_opened"),
        "{collected}"
    );
    let cookie = browser.cookie.lock().clone().unwrap();
    let session = cookie.strip_prefix("desk=").unwrap();
    for secret in [
        MARKER,
        "91827364",
        &key,
        session,
        KEYS,
        DESK_SESSION_KEYS,
        testkit::crm::DESK,
    ] {
        for (what, text) in [
            ("the log", &log),
            ("what it says as it ends", &errors),
            ("the metrics", &metrics),
            ("what the collector is sent", &collected),
        ] {
            assert!(!text.contains(secret), "{secret} is in {what}:\n{text}");
        }
    }
}
