//! The services as processes, and what they stand on.

use std::{
    collections::BTreeMap,
    fs::{self, File, Permissions},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicU16, Ordering},
    },
};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{
    broker::{Vhost, through},
    database::{Database, postgres},
    proxy::Proxy,
    smtp::{At, Fault, SmtpServer, Times},
    wait,
};
use xtask::{builds::cargo, checkout::Checkout, interrupt::Interrupt};

const TOKENS: &str = "intake:lead-intake=intake-0123456789abcdef0123456789abcdef,\
                      notifier:notifier=notifier-0123456789abcdef0123456789abcdef,\
                      operator:leadctl=leadctl-0123456789abcdef0123456789abcdef";
const CANARY_KEY: &str = "canary-0123456789abcdef0123456789abcdef";
/// Who is mailed about canaries.
pub(crate) const CANARIES: &str = "canary@zyongrand.example";
pub(crate) const RECIPIENTS: [&str; 2] = ["first@zyongrand.example", "second@zyongrand.example"];
const SERVICES: [&str; 3] = ["crm-sync", "notifier", "lead-intake"];
const SIGABRT: i32 = 6;

/// What a test wants otherwise than usual.
#[derive(Clone, Copy, Default)]
pub(crate) struct Manner {
    /// Which service dies, and where.
    pub(crate) crash: Option<(&'static str, &'static str)>,
    /// lead-intake cannot reach the broker.
    pub(crate) second_road: bool,
    /// Visitors get a mail.
    pub(crate) acknowledge: bool,
}

pub(crate) struct System {
    pub(crate) vhost: Vhost,
    pub(crate) smtp: SmtpServer,
    database: Database,
    environments: BTreeMap<&'static str, Vec<(&'static str, String)>>,
    running: BTreeMap<&'static str, Child>,
    intake: String,
    admin: BTreeMap<&'static str, String>,
    http: Client,
    files: TempDir,
    _to_broker: Proxy,
}

impl System {
    /// Starts all of it.
    pub(crate) async fn start(manner: Manner) -> Self {
        let (vhost, smtp) = (Vhost::create().await, SmtpServer::start().await.unwrap());
        let (database, files) = (postgres(), tempfile::tempdir().unwrap());
        let to_broker = Proxy::start(vhost.target()).await.unwrap();
        let intake_broker = if manner.second_road {
            to_broker.cut();
            through(&vhost.url_of("lead-intake"), to_broker.address())
        } else {
            vhost.url_of("lead-intake")
        };
        let [http, grpc] = [(); 2].map(|()| free_address());
        let crm = format!("http://{grpc}");
        let routes = write(
            files.path(),
            "routes.toml",
            &format!("default = {RECIPIENTS:?}\ncanary = [{CANARIES:?}]\n"),
        );
        let config = format!(
            "address = {crm:?}\ntoken = {:?}\namqp = {:?}\n\
             [canary]\nsite = \"http://{http}\"\nanon_key = \"anon\"\nkey = {CANARY_KEY:?}\n",
            token("leadctl"),
            vhost.url_of("operator"),
        );
        let path = write(files.path(), "leadctl.toml", &config);
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let environments = BTreeMap::from([
            (
                "crm-sync",
                vec![
                    ("AMQP_URL", vhost.url_of("crm-sync")),
                    ("DATABASE_URL", database.url().to_owned()),
                    ("CRM_TOKENS", TOKENS.to_owned()),
                    ("SUPPRESSION_KEY", testkit::crm::SUPPRESSION_KEY.to_owned()),
                    ("DESK_SESSION_KEYS", testkit::crm::DESK_SESSION_KEYS.to_owned()),
                    ("GRPC_ADDR", grpc),
                ],
            ),
            (
                "lead-intake",
                vec![
                    ("AMQP_URL", intake_broker),
                    ("HTTP_ADDR", http.clone()),
                    ("ANON_KEY", "anon".to_owned()),
                    ("CANARY_KEY", CANARY_KEY.to_owned()),
                    ("WITHDRAWAL_KEYS", testkit::crm::WITHDRAWAL_KEYS.to_owned()),
                    ("SESSION_KEYS", "test-test-test-test-test-test-test-test".to_owned()),
                    ("CRM_URL", crm.clone()),
                    ("CRM_TOKEN", token("lead-intake")),
                ],
            ),
            (
                "notifier",
                vec![
                    ("AMQP_URL", vhost.url_of("notifier")),
                    ("RETRY_DELAYS", "1s,2s,3s".to_owned()),
                    ("SMTP_HOST", smtp.address().ip().to_string()),
                    ("SMTP_PORT", smtp.address().port().to_string()),
                    ("SMTP_TLS", "none".to_owned()),
                    ("MAIL_FROM", "leads@zyongrand.example".to_owned()),
                    ("VISITOR_REPLY_TO", "hello@zyongrand.example".to_owned()),
                    ("WITHDRAWAL_KEYS", testkit::crm::WITHDRAWAL_KEYS.to_owned()),
                    ("ROUTES_FILE", routes.display().to_string()),
                    ("SITE_URL", "https://www.zyongrand.example".to_owned()),
                    ("VISITOR_CONFIRMATION", if manner.acknowledge { "on" } else { "off" }.to_owned()),
                    ("CRM_URL", crm),
                    ("CRM_TOKEN", token("notifier")),
                    ("PENDING_GRACE_SECONDS", "1".to_owned()),
                    // A claim lasts 15 seconds longer, and no test waits for more than 30.
                    ("SMTP_TIMEOUT_SECONDS", "5".to_owned()),
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
            files,
            _to_broker: to_broker,
        };
        for service in SERVICES {
            let place = manner.crash.filter(|(crashing, _)| *crashing == service).map(|(_, place)| place);
            system.spawn(service, place);
        }
        for service in SERVICES {
            system.ready(service).await;
        }
        system
    }

    fn spawn(&mut self, service: &'static str, crash_at: Option<&str>) {
        let log = File::options().create(true).append(true).open(self.log(service)).unwrap();
        let child = program(service)
            .arg("serve")
            .env_clear()
            .envs(self.environments[service].iter().map(|(name, value)| (*name, value)))
            .env("ADMIN_ADDR", &self.admin[service])
            .env("CRASH_AT", crash_at.unwrap_or_default())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
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

    /// Submits the button with this key.
    pub(crate) async fn submit(&self, key: &str, form: &Value) -> Option<StatusCode> {
        let url = |path: &str| format!("http://{}{path}", self.intake);
        let session = self.http.post(url("/auth/v1/session")).json(&json!({})).send().await.ok()?;
        let session: Value = session.json().await.ok()?;
        let request = self.http.post(url("/functions/v1/send-contact-email")).header("apikey", "anon");
        let request = request.header("privacy-policy-version", lead::privacy_policy::current());
        let request = request.header("idempotency-key", key).bearer_auth(session["access_token"].as_str()?);
        Some(request.json(form).send().await.ok()?.status())
    }

    /// Waits for the crash, and starts the service again as whoever supervises it would.
    pub(crate) async fn crash_and_restart(&mut self, service: &'static str) {
        let mut child = self.running.remove(service).unwrap();
        let status = wait::for_some(&format!("{service} to crash"), async || child.try_wait().unwrap()).await;
        assert_eq!(status.signal(), Some(SIGABRT), "{service}: {status}");
        self.spawn(service, None);
    }

    /// What `leadctl` says. Its programs live beside the test, which goes on meanwhile.
    pub(crate) async fn leadctl(&self, arguments: &[&str]) -> String {
        let mut leadctl = program("leadctl");
        leadctl.arg("--config").arg(self.files.path().join("leadctl.toml")).args(arguments);
        let run = tokio::task::spawn_blocking(move || leadctl.stdin(Stdio::null()).output().unwrap());
        let Output { status, stdout, stderr } = run.await.unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.success(), "leadctl {arguments:?}: {status} {stderr}");
        String::from_utf8(stdout).unwrap()
    }

    /// A place for a file of the test.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    fn log(&self, service: &str) -> PathBuf {
        self.file(&format!("{service}.log"))
    }

    /// All that the services have logged.
    pub(crate) fn logs(&self) -> String {
        SERVICES.map(|service| fs::read_to_string(self.log(service)).unwrap()).concat()
    }

    pub(crate) fn count(&self, table: &str) -> usize {
        self.query(&format!("SELECT count(*) FROM {table}")).trim().parse().unwrap()
    }

    /// Every row of every table, as text.
    pub(crate) fn dump(&self) -> String {
        let tables = self.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
        tables.lines().map(|table| self.query(&format!("SELECT t::text FROM \"{table}\" t"))).collect()
    }

    fn query(&self, query: &str) -> String {
        let output = Command::new("psql").args([self.database.url(), "-Atc", query]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The mail server refuses whoever connects, and the notifier knows: it takes no message from its queue. The lead
    /// that found out waits in the database.
    pub(crate) async fn mail_goes_away(&self, key: &str) {
        self.smtp.fail(At::Greeting, Fault::Answer("554 5.3.2 not accepting messages"), Times::Always);
        assert_eq!(self.submit(key, &form()).await, Some(StatusCode::ACCEPTED));
        let deferred = "delivery WHERE state = 'deferred'";
        wait::until("the lead to be deferred", async || self.count(deferred) == RECIPIENTS.len()).await;
    }

    /// Addresses of everybody who was mailed, sorted.
    pub(crate) fn mailed(&self) -> Vec<String> {
        let mut mailed: Vec<_> = self.smtp.mails().into_iter().flat_map(|mail| mail.to).collect();
        mailed.sort();
        mailed
    }

    pub(crate) async fn queues_are_empty(&self) {
        for queue in ["crm-sync.leads", "notifier.leads", "crm-sync.dead-letters", "notifier.dead-letters"] {
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
        if std::thread::panicking() {
            for service in SERVICES {
                eprintln!("{}", fs::read_to_string(self.log(service)).unwrap_or_default());
            }
        }
    }
}

/// What a visitor fills in.
pub(crate) fn form() -> Value {
    json!({
        "interests": ["showflat"], "name": "陈伟", "mobile": "+65 9123 4567", "email": "chen@example.com",
        "questions": "有三房的户型吗？ 🏙️",
    })
}

fn token(client: &str) -> String {
    let entry =
        TOKENS.split(',').find_map(|entry| entry.split_once(':')?.1.strip_prefix(client)?.strip_prefix('='));
    entry.unwrap().to_owned()
}

fn write(directory: &Path, name: &str, contents: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, contents).unwrap();
    path
}

/// Not one of those that the system gives to clients, which might take it before the service does, and given out once:
/// tests run side by side, and a service that is started again binds the address that it had.
fn free_address() -> String {
    static NEXT: LazyLock<AtomicU16> = LazyLock::new(|| AtomicU16::new(fastrand::u16(20_000..31_000)));
    let next = || format!("127.0.0.1:{}", NEXT.fetch_add(1, Ordering::Relaxed));
    std::iter::repeat_with(next).find(|address| TcpListener::bind(address).is_ok()).unwrap()
}

/// `cargo test -p chaos` builds no services, and would test old ones.
static BUILT: LazyLock<()> = LazyLock::new(|| {
    let log = tempfile::tempdir().unwrap();
    cargo(&Checkout::here(), &["build", "--workspace", "--bins"])
        .run(&log.path().join("build.log"), &Interrupt::default())
        .unwrap();
});

/// A program, built beside this test's own.
fn program(name: &str) -> Command {
    LazyLock::force(&BUILT);
    let test = std::env::current_exe().unwrap();
    let programs: PathBuf = test.ancestors().nth(2).unwrap().to_owned();
    Command::new(programs.join(name))
}
