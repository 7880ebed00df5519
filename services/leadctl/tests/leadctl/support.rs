//! Runs a CRM and the binary.

use std::{
    fs::{self, File, Permissions},
    io::Write,
    net::SocketAddr,
    ops::Deref,
    os::unix::fs::PermissionsExt,
    process::Command,
    sync::Arc,
};

use contracts::{
    crm::v1::{ClaimDeliveriesRequest, RecordLeadRequest, ReportDeliveriesRequest},
    leads::v1::{DeliveryReport, Interest, LeadSubmitted, Reason, delivery_report},
};
use crm_client::Replica;
use crm_sync::{
    app::App,
    config::{Config, Grpc},
    db::settings::Settings,
};
use lead::Reference;
use prost_types::Timestamp;
use runtime::{clock::SystemClock, service::Context};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::Value;
use tempfile::TempDir;
use testkit::{
    crm::{AnyRole, OPERATOR},
    database::Database,
};
use tonic::{
    service::interceptor::InterceptedService,
    transport::{Channel, Endpoint},
};
use uuid::Uuid;

/// The reply of a mail server to an unknown address.
pub(crate) const REFUSAL: &str = "550 5.1.1 没有这个人";

/// A separate CRM with a client.
pub(crate) struct Crm {
    database: Database,
    _context: Context,
    pub(crate) address: SocketAddr,
    client: Client,
}

/// The binary with a directory for its configuration.
pub(crate) struct Client {
    pub(crate) directory: TempDir,
}

impl Deref for Crm {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// The result of a run.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Crm {
    /// Starts a CRM without a broker.
    pub(crate) async fn start() -> Self {
        Self::start_on("amqp://127.0.0.1:1/%2f").await
    }

    /// Starts a CRM with the broker at this address.
    pub(crate) async fn start_on(amqp: &str) -> Self {
        let database = testkit::database::sqlite();
        let (mut context, _) = testkit::context("crm-sync");
        // Uses the machine's clock, as leadctl does.
        context.clock = Arc::new(SystemClock);
        let config = Config {
            grpc: Grpc::without_tls("127.0.0.1:0".parse().unwrap()),
            crm_tokens: testkit::crm::tokens().parse().unwrap(),
            messaging: messaging::Settings::new(amqp.into()),
            database: Settings::new(database.url(), 2).unwrap(),
            desk_session_keys: testkit::crm::DESK_SESSION_KEYS.parse().unwrap(),
            suppression_key: testkit::crm::SUPPRESSION_KEY.parse().unwrap(),
            retention_days: None,
        };
        let address = App::start(config, &context).await.unwrap().grpc_addr;
        Self {
            database,
            _context: context,
            address,
            client: Client::new(address),
        }
    }

    /// Stores `count` copies of the only lead, each of another person.
    pub(crate) async fn copy_lead(&self, count: u32) {
        let id = "unhex(printf('%032x', number))";
        let email = "printf('visitor%d@example.com', number)";
        self.copy_row(
            "lead",
            count,
            &[
                ("id", id),
                ("email_key", email),
                ("mailbox", email),
                ("mailbox_hash", email),
            ],
        )
        .await;
    }

    /// Copies the first row of a table, with the values of some columns computed from `number`.
    pub(crate) async fn copy_row(&self, table: &str, count: u32, changes: &[(&str, &str)]) {
        let database = sea_orm::Database::connect(self.database.url())
            .await
            .unwrap();
        let names = format!("SELECT name FROM pragma_table_info('{table}')");
        let names = database
            .query_all_raw(Statement::from_string(DbBackend::Sqlite, names))
            .await
            .unwrap();
        let names: Vec<String> = names
            .iter()
            .map(|row| row.try_get("", "name").unwrap())
            .collect();
        let change = |name: &String| changes.iter().find(|(changed, _)| changed == name);
        let values = names
            .iter()
            .map(|name| change(name).map_or(name.as_str(), |(_, value)| value));
        let (values, names) = (values.collect::<Vec<_>>().join(", "), names.join(", "));
        let insert = format!(
            "WITH RECURSIVE copy (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < {count})
             INSERT INTO {table} ({names}) SELECT {values} FROM copy, (SELECT * FROM {table} LIMIT 1)"
        );
        database.execute_unprepared(&insert).await.unwrap();
    }

    /// Returns the JSON of a lead, or null if the lead does not exist.
    pub(crate) async fn show(&self, lead: &str) -> Value {
        serde_json::from_str(&self.run(&["show", lead, "--json"]).await.stdout).unwrap_or_default()
    }

    /// Returns the references of the leads that match a filter, newest first.
    pub(crate) async fn list(&self, filter: &[&str]) -> Vec<String> {
        let list = self.run(&[&["list", "--json"], filter].concat()).await;
        assert_eq!(list.code, Some(0), "{filter:?}: {}", list.stderr);
        let reference = |line| serde_json::from_str::<Value>(line).unwrap()["reference"].take();
        list.stdout
            .lines()
            .map(|line| reference(line).as_str().unwrap().to_owned())
            .collect()
    }

    /// Stores a lead. Returns whether it is new.
    pub(crate) async fn record(&self, lead: LeadSubmitted) -> bool {
        let request = RecordLeadRequest {
            lead: Some(lead),
            ..RecordLeadRequest::default()
        };
        self.grpc()
            .await
            .leads
            .record_lead(request)
            .await
            .unwrap()
            .into_inner()
            .created
    }

    /// Stores a lead whose email to one recipient the mail server rejected.
    pub(crate) async fn refuse(&self, lead: LeadSubmitted, recipient: &str) {
        let reason = Reason {
            class: "smtp-rejected".to_owned(),
            detail: REFUSAL.to_owned(),
        };
        let outcome = delivery_report::Outcome::Failed(delivery_report::Failed {
            reason: Some(reason),
        });
        self.report(lead, recipient, outcome).await;
    }

    /// Stores a lead with the outcome of the email to one recipient.
    pub(crate) async fn report(
        &self,
        lead: LeadSubmitted,
        recipient: &str,
        outcome: delivery_report::Outcome,
    ) {
        let (mut crm, lead_id, holder) = (
            self.grpc().await,
            lead.lead_id.clone(),
            "notifier-1".to_owned(),
        );
        let claim = ClaimDeliveriesRequest {
            lead: Some(lead),
            recipients: vec![recipient.to_owned()],
            holder: holder.clone(),
            lease: Some(prost_types::Duration {
                seconds: 60,
                nanos: 0,
            }),
            visitor_daily_limit: 0,
            visitors_hourly_limit: 0,
        };
        let claims = crm
            .deliveries
            .claim_deliveries(claim)
            .await
            .unwrap()
            .into_inner()
            .claims;
        assert_eq!(claims[0].attempt, 1);
        let reports = vec![DeliveryReport {
            recipient: recipient.to_owned(),
            outcome: Some(outcome),
        }];
        let report = ReportDeliveriesRequest {
            lead_id,
            holder,
            reports,
        };
        crm.deliveries.report_deliveries(report).await.unwrap();
    }

    pub(crate) async fn grpc(&self) -> Replica<InterceptedService<Channel, AnyRole>> {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address)).unwrap();
        Replica::new(InterceptedService::new(
            endpoint.connect().await.unwrap(),
            AnyRole,
        ))
    }
}

impl Client {
    /// A client of the CRM at this address.
    pub(crate) fn new(address: SocketAddr) -> Self {
        let client = Self {
            directory: TempDir::new().unwrap(),
        };
        client.configure(&format!("http://{address}"), OPERATOR);
        client
    }

    /// Writes leadctl's configuration file.
    pub(crate) fn configure(&self, address: &str, token: &str) {
        let directory = self.directory.path().join(".local");
        fs::create_dir_all(&directory).unwrap();
        let text = format!("address = \"{address}\"\ntoken = \"{token}\"\n");
        let path = directory.join("leadctl.toml");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }

    /// Adds the broker to the configuration.
    pub(crate) fn configure_broker(&self, amqp: &str) {
        self.set("amqp", amqp);
    }

    /// Adds a setting to the configuration.
    pub(crate) fn set(&self, name: &str, value: &str) {
        let mut file = File::options()
            .append(true)
            .open(self.directory.path().join(".local/leadctl.toml"))
            .unwrap();
        writeln!(file, "{name} = \"{value}\"").unwrap();
    }

    /// Adds the section for canaries to the configuration.
    pub(crate) fn configure_canary(&self, site: &str) {
        let path = self.directory.path().join(".local/leadctl.toml");
        let mut file = File::options().append(true).open(path).unwrap();
        writeln!(file, "[canary]\nsite = \"{site}\"\nkey = \"a key\"").unwrap();
    }

    /// The binary with these arguments, in a folder below its configuration.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let deep = self.directory.path().join("deep/down");
        fs::create_dir_all(&deep).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_leadctl"));
        command.args(arguments).current_dir(deep).env("LC_ALL", "C");
        command
    }

    /// Runs the binary to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Outcome {
        run(self.command(arguments)).await
    }
}

/// Runs a command without blocking the threads of the test, on which the service runs.
pub(crate) async fn run(mut command: Command) -> Outcome {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Replaces the ids of dead letters by numbers in their order. The ids are hashes of messages, which any new field of a lead
/// changes.
pub(crate) fn number_ids(text: &str) -> String {
    let mut known = Vec::new();
    let mut numbered = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        let id = word.trim_end();
        if id.len() != 8 || !id.chars().all(|it| it.is_ascii_hexdigit()) {
            numbered += word;
            continue;
        }
        let position = known.iter().position(|it| *it == id);
        let position = position.unwrap_or_else(|| {
            known.push(id);
            known.len() - 1
        });
        numbered += &word.replace(id, &format!("{:08}", position + 1));
    }
    numbered
}

/// Position of the lowest bit of an id that the reference contains.
const REFERENCE: u32 = 98;

/// A lead. Higher numbers are submitted later. Its reference ends with the number in base 32.
pub(crate) fn lead(number: u32) -> LeadSubmitted {
    let id = Uuid::from_u128(u128::from(number) << REFERENCE);
    LeadSubmitted {
        lead_id: id.to_string(),
        reference: Reference::from_id(id).to_string(),
        submitted_at: Some(Timestamp {
            seconds: 1_763_654_400 + i64::from(number),
            nanos: 250_000_000,
        }),
        interests: vec![Interest::Purchase.into(), Interest::Showflat.into()],
        questions: "几时开放? 🏙\nAnd how?".to_owned(),
        channels: Vec::new(),
        session: None,
        ..testkit::lead::full()
    }
}
