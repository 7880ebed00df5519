//! A program dies between two steps, with the whole system around it: whatever dies where, the lead is answered, stored
//! once and mailed to everybody. The steps of lead-intake and notifier are in their own tests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeMap,
    net::TcpListener,
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use testkit::{
    broker::Vhost,
    database::{Database, postgres},
    proxy::Proxy,
    smtp::{At, Fault, SmtpServer, Times},
    wait,
};

const TOKENS: &str = "lead-intake=intake-0123456789abcdef0123456789abcdef,\
                      notifier=notifier-0123456789abcdef0123456789abcdef";
const RECIPIENTS: [&str; 2] = ["first@zyongrand.example", "second@zyongrand.example"];
const KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e";
const SIGABRT: i32 = 6;

/// What a row of the table asks for besides the crash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setting {
    /// Nothing.
    Usual,
    /// lead-intake cannot reach the broker.
    SecondRoad,
    /// The mail server asks for patience at first.
    Greylisting,
}

/// The three services as processes, and what they stand on.
struct System {
    vhost: Vhost,
    database: Database,
    smtp: SmtpServer,
    environments: BTreeMap<&'static str, Vec<(&'static str, String)>>,
    running: BTreeMap<&'static str, Child>,
    intake: String,
    admin: BTreeMap<&'static str, String>,
    http: Client,
    _to_broker: Proxy,
}

impl System {
    /// Starts all of it; the service `crashing` with `CRASH_AT`.
    async fn start(crashing: &'static str, place: &str, setting: Setting) -> Self {
        let (vhost, smtp) = (Vhost::create().await, SmtpServer::start().await.unwrap());
        let database = postgres();
        let to_broker = Proxy::start(vhost.target()).await.unwrap();
        let intake_broker = match setting {
            Setting::SecondRoad => {
                to_broker.cut();
                vhost.url_through(to_broker.address())
            }
            Setting::Usual | Setting::Greylisting => vhost.url(),
        };
        if setting == Setting::Greylisting {
            for recipient in RECIPIENTS {
                smtp.fail(At::Recipient(recipient), Fault::Answer("450 4.2.0 greylisted"), Times::Once);
            }
        }
        let [http, grpc] = [(); 2].map(|()| free_address());
        let crm = format!("http://{grpc}");
        let token = |client: &str| {
            let entry = TOKENS.split(',').find_map(|entry| entry.strip_prefix(client)?.strip_prefix('='));
            entry.unwrap().to_owned()
        };
        let environments = BTreeMap::from([
            (
                "crm-sync",
                vec![
                    ("AMQP_URL", vhost.url()),
                    ("DATABASE_URL", database.url().to_owned()),
                    ("CRM_TOKENS", TOKENS.to_owned()),
                    ("GRPC_ADDR", grpc),
                ],
            ),
            (
                "lead-intake",
                vec![
                    ("AMQP_URL", intake_broker),
                    ("HTTP_ADDR", http.clone()),
                    ("ANON_KEY", "anon".to_owned()),
                    ("SESSION_KEYS", "test-test-test-test-test-test-test-test".to_owned()),
                    ("CRM_URL", crm.clone()),
                    ("CRM_TOKEN", token("lead-intake")),
                ],
            ),
            (
                "notifier",
                vec![
                    ("AMQP_URL", vhost.url()),
                    ("SMTP_HOST", smtp.address().ip().to_string()),
                    ("SMTP_PORT", smtp.address().port().to_string()),
                    ("SMTP_TLS", "none".to_owned()),
                    ("MAIL_FROM", "leads@zyongrand.example".to_owned()),
                    ("SALES_RECIPIENTS", RECIPIENTS.join(",")),
                    ("CRM_URL", crm),
                    ("CRM_TOKEN", token("notifier")),
                    ("UNTOLD_AFTER_SECONDS", "1".to_owned()),
                ],
            ),
        ]);
        let migrated = program("crm-sync")
            .arg("migrate")
            .envs(environments["crm-sync"].iter().map(|(name, value)| (*name, value)))
            .output()
            .unwrap();
        assert!(migrated.status.success(), "{migrated:?}");
        let mut system = Self {
            vhost,
            database,
            smtp,
            admin: environments.keys().map(|service| (*service, free_address())).collect(),
            environments,
            running: BTreeMap::new(),
            intake: http,
            http: Client::new(),
            _to_broker: to_broker,
        };
        for service in ["crm-sync", "notifier", "lead-intake"] {
            system.spawn(service, (service == crashing).then_some(place));
        }
        for service in ["crm-sync", "notifier", "lead-intake"] {
            system.ready(service).await;
        }
        system
    }

    fn spawn(&mut self, service: &'static str, crash_at: Option<&str>) {
        let child = program(service)
            .arg("serve")
            .env_clear()
            .envs(self.environments[service].iter().map(|(name, value)| (*name, value)))
            .env("ADMIN_ADDR", &self.admin[service])
            .env("AMQP_RETRY_AFTER", "1s,2s,3s")
            .env("CRASH_AT", crash_at.unwrap_or_default())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        self.running.insert(service, child);
    }

    async fn ready(&self, service: &str) {
        let url = format!("http://{}/readyz", self.admin[service]);
        wait::until(&format!("{service} to be ready"), async || {
            self.http.get(&url).send().await.is_ok_and(|answer| answer.status() == StatusCode::OK)
        })
        .await;
    }

    /// Presses the button, always with the same key.
    async fn press(&self) -> Option<StatusCode> {
        let url = |path: &str| format!("http://{}{path}", self.intake);
        let session = self.http.post(url("/auth/v1/session")).json(&json!({})).send().await.ok()?;
        let session: Value = session.json().await.ok()?;
        let form = json!({
            "interests": ["showflat"], "name": "陈伟", "mobile": "+65 9123 4567", "email": "chen@example.com",
            "questions": "有三房的户型吗？ 🏙️",
        });
        let request = self.http.post(url("/functions/v1/send-contact-email")).header("apikey", "anon");
        let request = request.header("idempotency-key", KEY).bearer_auth(session["access_token"].as_str()?);
        Some(request.json(&form).send().await.ok()?.status())
    }

    /// Waits for the crash, and starts the service again as whoever supervises it would.
    async fn crash_and_restart(&mut self, service: &'static str) {
        let mut child = self.running.remove(service).unwrap();
        let status = wait::for_some(&format!("{service} to crash"), async || child.try_wait().unwrap()).await;
        assert_eq!(status.signal(), Some(SIGABRT), "{service}: {status}");
        self.spawn(service, None);
    }

    fn count(&self, table: &str) -> usize {
        let query = format!("SELECT count(*) FROM {table}");
        let output = Command::new("psql").args([self.database.url(), "-Atc", &query]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    }

    async fn queues_are_empty(&self) {
        for queue in ["crm-sync.leads", "notifier.leads", "crm-sync.parked", "notifier.parked"] {
            self.vhost.wait_for_messages(queue, 0).await;
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
        for child in self.running.values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// A service's program, built beside this test's own.
fn program(service: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let programs: PathBuf = test.ancestors().nth(2).unwrap().to_owned();
    Command::new(programs.join(service))
}

/// One row: the service dies at the place, comes back, and nothing is missing or twice.
async fn crash(service: &'static str, place: &str, setting: Setting) {
    let mut system = System::start(service, place, setting).await;
    // The crash may take the answer with it; the visitor presses again.
    let _ = system.press().await;
    system.crash_and_restart(service).await;
    wait::until("202", async || system.press().await == Some(StatusCode::ACCEPTED)).await;
    wait::until("the row", async || system.count("lead") == 1).await;
    wait::until("everybody to be told", async || system.count("notification") == RECIPIENTS.len()).await;
    system.queues_are_empty().await;
    wait::until("the ledger to be closed", async || system.count("lead WHERE open") == 0).await;
    let mut mailed: Vec<_> = system.smtp.mails().into_iter().flat_map(|mail| mail.to).collect();
    mailed.sort();
    assert_eq!(mailed, RECIPIENTS);
}

#[tokio::test]
async fn crm_sync_between_the_record_and_its_answer() {
    crash("crm-sync", "crm-sync-recorded", Setting::SecondRoad).await;
}

#[tokio::test]
async fn crm_sync_before_the_commit() {
    crash("crm-sync", "crm-sync-before-commit", Setting::Usual).await;
}

#[tokio::test]
async fn crm_sync_between_the_commit_and_the_acknowledgement() {
    crash("crm-sync", "crm-sync-committed", Setting::Usual).await;
}

#[tokio::test]
async fn crm_sync_between_a_claim_and_its_answer() {
    crash("crm-sync", "crm-sync-claimed", Setting::Usual).await;
}

#[tokio::test]
async fn notifier_between_the_copy_for_later_and_the_acknowledgement() {
    crash("notifier", "messaging-copied", Setting::Greylisting).await;
}
