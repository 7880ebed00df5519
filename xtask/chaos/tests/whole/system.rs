//! The services as processes, with a broker's vhost, a database and a mail server.

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    sync::LazyLock,
};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{
    broker::{Vhost, through},
    database::{self, postgres},
    proxy::Proxy,
    smtp::{At, Fault, SmtpServer, Times},
    wait,
};
use tokio::task::block_in_place;
use xtask::{
    builds,
    ports::Ports,
    process,
    session::Session,
    stack::{
        Stack,
        plan::{Broker, Database, Plan, Programs, Site},
        services::ANON_KEY,
    },
};

/// The recipient of emails about canaries.
pub(crate) const CANARIES: &str = "canary@zyongrand.example";
pub(crate) const RECIPIENTS: [&str; 2] = ["first@zyongrand.example", "second@zyongrand.example"];
const SERVICES: [&str; 3] = ["crm-sync", "notifier", "lead-intake"];
const SIGABRT: i32 = 6;

/// Settings that differ from the usual.
const OVERRIDES: [(&str, &str); 3] = [
    ("RETRY_DELAYS", "1s,2s,3s"),
    ("PENDING_GRACE_SECONDS", "1"),
    // A claim lasts 15 seconds longer, and no test waits for more than 30.
    ("SMTP_TIMEOUT_SECONDS", "5"),
];

/// The variations of a test.
#[derive(Clone, Copy, Default)]
pub(crate) struct Scenario {
    /// The service that crashes, and its crash point.
    pub(crate) crash: Option<(&'static str, &'static str)>,
    /// lead-intake cannot reach the broker.
    pub(crate) without_broker: bool,
    /// notifier confirms leads to visitors.
    pub(crate) confirm: bool,
}

pub(crate) struct System {
    pub(crate) vhost: Vhost,
    pub(crate) smtp: SmtpServer,
    database: database::Database,
    stack: Stack,
    /// The service that is about to crash, without supervisor.
    crashing: Option<Child>,
    pub(crate) intake: String,
    pub(crate) desk: String,
    http: Client,
    files: TempDir,
    _to_broker: Proxy,
}

impl System {
    /// Starts everything.
    pub(crate) async fn start(scenario: Scenario) -> Self {
        let (vhost, smtp) = (Vhost::create().await, SmtpServer::start().await.unwrap());
        let (database, files) = (postgres(), tempfile::tempdir().unwrap());
        let to_broker = Proxy::start(vhost.target()).await.unwrap();
        if scenario.without_broker {
            to_broker.cut();
        }
        let mut plan = Plan::new(files.path().to_owned(), Ports::free(1).unwrap());
        // Without nginx, canaries go to lead-intake.
        plan.ports.site = plan.ports.replicas[0].intake;
        plan.broker = urls(&vhost, to_broker.address());
        plan.database = Database::Url(database.url().to_owned());
        plan.mail_server = Some(smtp.address().port());
        plan.programs = Programs::Built(PROGRAMS.clone());
        plan.site = Site::StandIn;
        plan.routes = files.path().join("routes.toml");
        let routes = format!("default = {RECIPIENTS:?}\ncanary = [{CANARIES:?}]\n");
        fs::write(&plan.routes, routes).unwrap();
        plan.overrides = OVERRIDES.map(|(name, value)| (name, value.to_owned())).to_vec();
        plan.overrides.push(("VISITOR_CONFIRMATION", if scenario.confirm { "on" } else { "off" }.to_owned()));
        let session = Session::in_test();
        let mut system = Self {
            vhost,
            database,
            smtp,
            stack: block_in_place(|| Stack::prepare(&plan, &session)).unwrap(),
            crashing: None,
            intake: format!("http://127.0.0.1:{}", plan.ports.site),
            desk: format!("http://127.0.0.1:{}", plan.ports.replicas[0].desk),
            http: Client::new(),
            files,
            _to_broker: to_broker,
        };
        for service in SERVICES {
            match scenario.crash {
                Some((crashing, place)) if crashing == service => system.start_crashing(service, place).await,
                _ => system.start_service(service),
            }
        }
        system
    }

    pub(crate) fn start_service(&self, service: &str) {
        let program = self.stack.service(service).unwrap();
        block_in_place(|| program.start(&self.stack.supervisor)).unwrap();
    }

    async fn start_crashing(&mut self, service: &'static str, place: &str) {
        let program = self.stack.service(service).unwrap().clone();
        let child = {
            let mut command = program.service.command.lock();
            let child = process::spawn(command.env("CRASH_AT", place), &program.service.log).unwrap();
            command.env_remove("CRASH_AT");
            child
        };
        self.crashing = Some(child);
        wait::until(&format!("{service} to be ready"), async || block_in_place(|| program.is_ready())).await;
    }

    /// Submits the form with this key.
    pub(crate) async fn submit(&self, key: &str, form: &Value) -> Option<StatusCode> {
        let url = |path: &str| format!("{}{path}", self.intake);
        let session = self.http.post(url("/auth/v1/session")).json(&json!({})).send().await.ok()?;
        let session: Value = session.json().await.ok()?;
        let request = self.http.post(url("/functions/v1/send-contact-email")).header("apikey", ANON_KEY);
        let request = request.header("privacy-policy-version", lead::privacy_policy::current());
        let request = request.header("idempotency-key", key).bearer_auth(session["access_token"].as_str()?);
        Some(request.json(form).send().await.ok()?.status())
    }

    /// Waits for the crash, and starts the service again.
    pub(crate) async fn crash_and_restart(&mut self, service: &'static str) {
        let mut child = self.crashing.take().unwrap();
        let status = wait::for_some(&format!("{service} to crash"), async || child.try_wait().unwrap()).await;
        assert_eq!(status.signal(), Some(SIGABRT), "{service}: {status}");
        self.start_service(service);
    }

    /// Runs leadctl beside the test; returns its output.
    pub(crate) async fn leadctl(&self, arguments: &[&str]) -> String {
        let mut leadctl = Command::new(self.stack.programs.join("leadctl"));
        leadctl.arg("--config").arg(self.file("leadctl.toml")).args(arguments);
        let run = tokio::task::spawn_blocking(move || leadctl.stdin(Stdio::null()).output().unwrap());
        let Output { status, stdout, stderr } = run.await.unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.success(), "leadctl {arguments:?}: {status} {stderr}");
        String::from_utf8(stdout).unwrap()
    }

    /// A path for a file of the test.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    /// The logs of all services.
    pub(crate) fn logs(&self) -> String {
        SERVICES
            .map(|name| fs::read_to_string(&self.stack.service(name).unwrap().service.log).unwrap())
            .concat()
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

    /// Makes the mail server reject all connections. Submits a lead, whose failure pauses notifier, and waits until its
    /// emails are deferred.
    pub(crate) async fn stop_mail(&self, key: &str) {
        self.smtp.fail(At::Greeting, Fault::Answer("554 5.3.2 not accepting messages"), Times::Always);
        assert_eq!(self.submit(key, &form()).await, Some(StatusCode::ACCEPTED));
        let deferred = "delivery WHERE state = 'deferred'";
        wait::until("the lead to be deferred", async || self.count(deferred) == RECIPIENTS.len()).await;
    }

    /// The recipients of all emails, sorted.
    pub(crate) fn mailed(&self) -> Vec<String> {
        let mut mailed: Vec<_> = self.smtp.emails().into_iter().flat_map(|mail| mail.to).collect();
        mailed.sort();
        mailed
    }

    pub(crate) async fn wait_for_empty_queues(&self) {
        for queue in ["crm-sync.leads", "notifier.leads", "crm-sync.dead-letters", "notifier.dead-letters"] {
            self.vhost.wait_for_messages(queue, 0).await;
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
        if let Some(child) = &mut self.crashing {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.stack.supervisor.kill_all();
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
    }
}

/// A valid form.
pub(crate) fn form() -> Value {
    json!({
        "interests": ["showflat"], "name": "陈伟", "mobile": "+65 9123 4567", "email": "chen@example.com",
        "questions": "有三房的户型吗？ 🏙️",
    })
}

/// The URLs of the broker; lead-intake's leads through the proxy.
fn urls(vhost: &Vhost, proxy: SocketAddr) -> Broker {
    let users = ["lead-intake", "notifier", "crm-sync", "operator"];
    let urls: BTreeMap<&str, String> = users.map(|user| (user, vhost.url_of(user))).into();
    Broker::Url(Box::new(move |user| match user {
        "lead-intake" => through(&urls[user], proxy),
        _ => urls[user].clone(),
    }))
}

/// `cargo test -p chaos` builds no services, and would test old ones.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| builds::programs(&Session::in_test()).unwrap());
