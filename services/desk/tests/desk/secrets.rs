//! Logs and metrics hold nobody's data and no key.

use std::{
    fs,
    net::SocketAddr,
    process::{Child, Command, Stdio},
};

use serde_json::json;
use tempfile::NamedTempFile;
use testkit::wait;
use uuid::Uuid;

use crate::support::{Browser, Desk, KEYS, submission};

const MARKER: &str = "marker";

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A free port. Another process could take it before the desk does, which would fail the test.
fn free() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

#[tokio::test]
async fn a_search_of_every_byte_finds_no_personal_data() {
    let desk = Desk::start().await;
    let routes = "default = [\"marker@zyongrand.example\"]\n[[person]]\nname = \"marker Tan\"\nemail = \"marker@zyongrand.example\"\n";
    fs::write(desk.routes.path(), routes).unwrap();
    let mut lead = submission(1);
    (lead.name, lead.email) = (format!("{MARKER} visitor"), format!("{MARKER}@example.com"));
    (lead.questions, lead.mobile) = (MARKER.to_owned(), "91827364".to_owned());
    let lead = desk.record(lead).await;
    let (log, http, admin) = (NamedTempFile::new().unwrap(), free(), free());
    let mut command = Command::new(env!("CARGO_BIN_EXE_desk"));
    command.arg("serve").env_clear().envs([
        ("HTTP_ADDR", http.to_string()),
        ("ADMIN_ADDR", admin.to_string()),
        ("ROUTES_FILE", desk.routes.path().display().to_string()),
        ("DESK_KEYS", KEYS.to_owned()),
        ("SITE_URL", "http://localhost".to_owned()),
        ("CRM_URL", format!("http://{}", desk.crm_address)),
        ("CRM_TOKEN", testkit::crm::DESK.to_owned()),
        ("LOG_FILTER", "debug".to_owned()),
    ]);
    let process = command.stdout(log.reopen().unwrap()).stderr(Stdio::null()).spawn().unwrap();
    let _process = Process(process);
    let page = async |path: &str| {
        let answer = reqwest::get(format!("http://{admin}{path}")).await.ok()?;
        answer.text().await.ok()
    };
    wait::until("the desk to be ready", async || page("/readyz").await.is_some()).await;
    // The machine's own clock signs and reads.
    let key = {
        #[expect(clippy::disallowed_methods, reason = "the process reads the machine's clock, too")]
        let now = std::time::SystemTime::now().into();
        let key = desk_key::Key {
            person: crate::support::person("marker@zyongrand.example"),
            lead: lead.lead_id.parse().unwrap(),
            signs_in: Some(Uuid::from_u128(1)),
        };
        key.sign(&crate::support::keys(), now)
    };
    let browser = Browser::of(http);
    let opened = browser.open(&key).await;
    assert_eq!(opened["me"]["name"], "marker Tan", "{opened}");
    browser.change(&lead, json!({ "note": MARKER, "state": "contacted" })).await;
    browser.json(browser.get("leads?search=marker")).await;
    browser.json(browser.get("leads?search=91827364")).await;
    browser
        .json(browser.post("link").json(&json!({ "key": key, "email": "marker@elsewhere.example" })))
        .await;
    browser.change(&lead, json!({ "owner": MARKER })).await;
    desk.stop_crm().await;
    browser.change(&lead, json!({ "note": MARKER })).await;
    let (metrics, log) = (page("/metrics").await.unwrap(), fs::read_to_string(log.path()).unwrap());
    assert!(log.contains("a link was opened") && metrics.contains("desk_links_opened_total"), "{log}");
    let cookie = browser.cookie.lock().clone().unwrap();
    let session = cookie.strip_prefix("desk=").unwrap();
    for secret in [MARKER, "91827364", &key, session, KEYS, testkit::crm::DESK] {
        assert!(!log.contains(secret), "{secret} is in the log:\n{log}");
        assert!(!metrics.contains(secret), "{secret} is in the metrics:\n{metrics}");
    }
}
