//! The services as processes, with a broker's vhost, a database and a mail server.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::LazyLock,
};

use reqwest::{Client, Response, StatusCode};
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
    builds, packages,
    ports::Ports,
    session::Session,
    stack::{
        Stack,
        plan::{Broker, DATABASE, Database, Plan, Storage},
        services::ANON_KEY,
    },
};

/// The recipient of emails about canaries.
pub(crate) const CANARIES: &str = "canary@zyongrand.example";
pub(crate) const RECIPIENTS: [&str; 2] = ["first@zyongrand.example", "second@zyongrand.example"];
pub(crate) const SERVICES: [&str; 3] = ["crm-sync", "notifier", "lead-intake"];

/// Settings that differ from the usual.
const OVERRIDES: [(&str, &str); 4] = [
    ("RETRY_DELAYS", "1s,2s,3s"),
    ("PENDING_GRACE_SECONDS", "7"),
    // A claim lasts 15 seconds longer, and no test waits for more than 30.
    ("SMTP_TIMEOUT_SECONDS", "5"),
    ("VISITOR_CONFIRMATION", "off"),
];

/// `cargo test -p chaos` builds no services, and would test old ones.
static PROGRAMS: LazyLock<PathBuf> =
    LazyLock::new(|| builds::programs(builds::cargo, &Session::in_test()).unwrap());

pub(crate) struct System {
    pub(crate) vhost: Vhost,
    pub(crate) smtp: SmtpServer,
    /// From lead-intake.
    pub(crate) to_broker: Proxy,
    /// On the test server, unless the stack has a private server.
    _database: Option<database::Database>,
    database_url: String,
    stack: Stack,
    pub(crate) intake: String,
    pub(crate) crm: String,
    pub(crate) desk: String,
    http: Client,
    files: TempDir,
}

impl System {
    /// Starts everything except the desk, with these settings besides [`OVERRIDES`].
    pub(crate) async fn start(overrides: &[(&'static str, &str)]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), Some(postgres()), overrides).await
    }

    /// Starts everything except the desk in a directory, with a private PostgreSQL server in its directory `postgres` if
    /// there is no `database`. The directory may have a `routes.toml`.
    pub(crate) async fn start_in(
        files: TempDir,
        database: Option<database::Database>,
        overrides: &[(&'static str, &str)],
    ) -> Self {
        let (vhost, smtp) = (Vhost::create().await, SmtpServer::start().await.unwrap());
        let to_broker = Proxy::start(vhost.target()).await.unwrap();
        let users = ["lead-intake", "notifier", "crm-sync", "operator"];
        let mut urls: BTreeMap<_, _> = users.map(|user| (user, vhost.url_of(user))).into();
        urls.insert(
            "lead-intake",
            through(&urls["lead-intake"], to_broker.address()),
        );

        let mut plan = Plan::new(
            files.path().to_owned(),
            Ports::free(1, 1).unwrap(),
            PROGRAMS.clone(),
        );
        // Without nginx, canaries go to lead-intake.
        plan.ports.site = plan.ports.intake[0];
        plan.broker = Broker::Url(Box::new(move |user| urls[user].clone()));
        plan.storage = Storage::Fresh;
        if let Some(database) = &database {
            plan.database = Database::Url(database.url().to_owned());
        }
        plan.mail_server = Some(smtp.address().port());
        plan.routes = files.path().join("routes.toml");
        if !plan.routes.exists() {
            let routes = format!("default = {RECIPIENTS:?}\ncanary = [{CANARIES:?}]\n");
            fs::write(&plan.routes, routes).unwrap();
        }
        let overrides = OVERRIDES.iter().chain(overrides);
        plan.overrides = overrides
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        let stack = block_in_place(|| Stack::prepare(&plan, &Session::in_test())).unwrap();
        let database_url = match (&plan.database, &stack.postgres) {
            (Database::Url(url), _) => url.clone(),
            (_, server) => server.as_ref().unwrap().url(DATABASE),
        };
        let system = Self {
            vhost,
            smtp,
            to_broker,
            _database: database,
            database_url,
            stack,
            intake: format!("http://127.0.0.1:{}", plan.ports.site),
            crm: format!("http://127.0.0.1:{}", plan.ports.grpc[0]),
            desk: format!("http://127.0.0.1:{}", plan.ports.desk[0]),
            http: Client::new(),
            files,
        };
        SERVICES
            .iter()
            .for_each(|service| system.start_service(service));
        system
    }

    pub(crate) fn start_service(&self, service: &str) {
        let program = self.stack.service(service).unwrap();
        block_in_place(|| program.start(&self.stack.supervisor)).unwrap();
    }

    /// Stops a service. Returns false if it had to be killed after its grace period.
    pub(crate) fn stop_service(&self, service: &str) -> bool {
        block_in_place(|| self.stack.supervisor.hold(service))
    }

    /// Restarts a service that will crash once, at this crash point.
    pub(crate) async fn crash_at(&self, service: &str, point: &str) {
        self.restart_with(service, "CRASH_AT", point).await;
        let program = self.stack.service(service).unwrap();
        program.service.command.lock().env_remove("CRASH_AT");
    }

    /// Restarts a service with one more setting.
    pub(crate) async fn restart_with(&self, service: &str, name: &str, value: &str) {
        let program = self.stack.service(service).unwrap();
        block_in_place(|| self.stack.supervisor.hold(service));
        program.service.command.lock().env(name, value);
        self.stack.supervisor.release(service);
        self.wait_until_ready(service).await;
    }

    /// Waits until a service has crashed for the `count`th time, and the supervisor has restarted it.
    pub(crate) async fn wait_for_crash(&self, service: &str, count: usize) {
        wait::until(&format!("{service} to crash"), async || {
            let mut endings = self.stack.supervisor.endings();
            endings.retain(|ending| ending.name == service);
            assert!(
                endings
                    .iter()
                    .all(|ending| ending.how.starts_with("signal: 6 (SIGABRT)")),
                "{endings:?}"
            );
            endings.len() == count
        })
        .await;
        self.wait_until_ready(service).await;
    }

    async fn wait_until_ready(&self, service: &str) {
        let program = self.stack.service(service).unwrap();
        wait::until(&format!("{service} to be ready"), async || {
            block_in_place(|| program.is_ready())
        })
        .await;
    }

    /// Submits the form with this key.
    pub(crate) async fn submit(&self, key: &str, form: &Value) -> Option<StatusCode> {
        Some(self.send(key, form, "").await?.status())
    }

    /// Like [`Self::submit`], for a visitor who agreed to these channels. Returns the accepted lead.
    pub(crate) async fn submit_with_channels(
        &self,
        key: &str,
        form: &Value,
        channels: &str,
    ) -> Value {
        let response = self.send(key, form, channels).await.unwrap();
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        response.json().await.unwrap()
    }

    async fn send(&self, key: &str, form: &Value, channels: &str) -> Option<Response> {
        let url = |path: &str| format!("{}{path}", self.intake);
        let session = self
            .http
            .post(url("/auth/v1/session"))
            .json(&json!({}))
            .send()
            .await
            .ok()?;
        let session: Value = session.json().await.ok()?;
        let request = self
            .http
            .post(url("/functions/v1/send-contact-email"))
            .header("apikey", ANON_KEY);
        let request = request.header("privacy-policy-version", lead::privacy_policy::current());
        let request = request
            .header("idempotency-key", key)
            .header("contact-channels", channels)
            .bearer_auth(session["access_token"].as_str()?);
        request.json(form).send().await.ok()
    }

    /// Runs leadctl beside the test; returns its output.
    pub(crate) async fn leadctl(&self, arguments: &[&str]) -> String {
        let mut leadctl = Command::new(self.stack.programs.join("leadctl"));
        leadctl
            .arg("--config")
            .arg(self.file("leadctl.toml"))
            .args(arguments);
        let run =
            tokio::task::spawn_blocking(move || leadctl.stdin(Stdio::null()).output().unwrap());
        let Output {
            status,
            stdout,
            stderr,
        } = run.await.unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.success(), "leadctl {arguments:?}: {status} {stderr}");
        String::from_utf8(stdout).unwrap()
    }

    /// A path for a file of the test.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    pub(crate) fn log(&self, service: &str) -> String {
        fs::read_to_string(&self.stack.service(service).unwrap().service.log).unwrap()
    }

    /// The logs of all services.
    pub(crate) fn logs(&self) -> String {
        SERVICES.map(|service| self.log(service)).concat()
    }

    pub(crate) fn count(&self, table: &str) -> usize {
        self.query(&format!("SELECT count(*) FROM {table}"))
            .trim()
            .parse()
            .unwrap()
    }

    /// Every row of every table, as text.
    pub(crate) fn dump(&self) -> String {
        let tables = self.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
        tables
            .lines()
            .map(|table| self.query(&format!("SELECT t::text FROM \"{table}\" t")))
            .collect()
    }

    fn query(&self, query: &str) -> String {
        let output = Command::new(packages::find("psql").unwrap())
            .args([&self.database_url, "-Atc", query])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Makes the mail server reject all connections. Submits a lead, whose failure pauses notifier, and waits until its
    /// emails are deferred.
    pub(crate) async fn stop_mail(&self, key: &str) {
        self.smtp.fail(
            At::Greeting,
            Fault::Answer("554 5.3.2 not accepting messages"),
            Times::Always,
        );
        assert_eq!(self.submit(key, &form()).await, Some(StatusCode::ACCEPTED));
        let deferred = "delivery WHERE state = 'deferred'";
        wait::until("the lead to be deferred", async || {
            self.count(deferred) == RECIPIENTS.len()
        })
        .await;
    }

    /// The recipients of all emails, sorted.
    pub(crate) fn mailed(&self) -> Vec<String> {
        let mut mailed: Vec<_> = self
            .smtp
            .emails()
            .into_iter()
            .flat_map(|mail| mail.to)
            .collect();
        mailed.sort();
        mailed
    }

    pub(crate) async fn wait_for_empty_queues(&self) {
        for queue in [
            "crm-sync.leads",
            "notifier.leads",
            "crm-sync.dead-letters",
            "notifier.dead-letters",
        ] {
            self.vhost.wait_for_messages(queue, 0).await;
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
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
