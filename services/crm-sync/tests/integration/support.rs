//! What the tests share: leads, databases with a schema, a running service and its clients.

use std::{net::SocketAddr, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use contracts::{
    crm::v1::{
        GetLeadRequest, Lead, ListLeadsRequest, crm_service_client::CrmServiceClient, get_lead_request::Key,
    },
    leads::v1::{Campaign, Interest, Language, LeadNotified, LeadSubmitted, Session},
};
use crm_sync::{
    app::{App, StartError},
    config::Config,
    domain::{
        lead::Submission,
        ledger::{Claim, Lease, Outcome, Setback, Told},
        timeline::Reason,
    },
    store::{self, Store},
    wire,
};
use prost_types::Timestamp;
use runtime::service::Context;
use sea_orm::{ConnectionTrait, Statement};
use testkit::database::Database;
use tonic::{
    Request, Status,
    metadata::MetadataValue,
    service::{Interceptor, interceptor::InterceptedService},
    transport::{Channel, Endpoint},
};
use uuid::Uuid;

/// Runs each case on SQLite and on PostgreSQL.
macro_rules! on_both_databases {
    ($($case:ident,)+) => {
        mod sqlite {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::sqlite()).await; })+
        }
        mod postgres {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::postgres()).await; })+
        }
    };
}
pub(crate) use on_both_databases;

/// The token of the client `tests`.
pub(crate) const TOKEN: &str = "tests-0123456789abcdef0123456789abcdef";

/// Where no broker is.
pub(crate) const NO_BROKER: &str = "amqp://127.0.0.1:1/%2f";

pub(crate) fn timestamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp { seconds: time.timestamp(), nanos: time.timestamp_subsec_nanos().cast_signed() }
}

pub(crate) fn reference(number: u128) -> String {
    format!("ZG-{:04}-{:02}", number / 100, number % 100)
}

/// Lead number so and so, as lead-intake sends it: each a second after the one before.
pub(crate) fn lead(number: u128) -> LeadSubmitted {
    let submitted_at = testkit::start_of_time() + TimeDelta::seconds(i64::try_from(number).unwrap());
    LeadSubmitted {
        lead_id: Uuid::from_u128(number).to_string(),
        reference: reference(number),
        submitted_at: Some(timestamp(submitted_at + TimeDelta::microseconds(250_001))),
        interests: vec![Interest::Brochure.into(), Interest::Showflat.into()],
        name: "陈伟".to_owned(),
        mobile: "+65 9123 4567".to_owned(),
        email: "o'neil+zg@example.com".to_owned(),
        questions: "几时开放? 🏙\n'; DROP TABLE lead; --".to_owned(),
        language: Language::Zh.into(),
        privacy_policy_version: "2025-07".to_owned(),
        session: Some(Session {
            session_id: Uuid::from_u128(1000 + number).to_string(),
            started_at: Some(timestamp(testkit::start_of_time())),
            landing_path: "/floor-plans".to_owned(),
            referrer_host: "news.example".to_owned(),
            campaign: Some(Campaign {
                source: "news".to_owned(),
                medium: "banner".to_owned(),
                name: "launch".to_owned(),
                term: "condo".to_owned(),
                content: "blue".to_owned(),
            }),
        }),
        signs: Vec::new(),
    }
}

/// That `recipient` was told of a lead.
pub(crate) fn told(lead: &LeadSubmitted, recipient: &str) -> LeadNotified {
    LeadNotified {
        lead_id: lead.lead_id.clone(),
        reference: lead.reference.clone(),
        recipient: recipient.to_owned(),
        mail_message_id: format!("<{}.{recipient}>", lead.lead_id),
        server_reply: "250 2.0.0 OK".to_owned(),
        lead: None,
        notified_at: lead.submitted_at,
        recipients: Vec::new(),
    }
}

pub(crate) fn settings(url: &str) -> store::Settings {
    store::Settings::new(url.into(), 4).unwrap()
}

/// A store over a database that was empty.
pub(crate) async fn migrated(database: &Database) -> Store {
    let settings = settings(database.url());
    Store::migrate(&settings).await.unwrap();
    Store::open(&settings).await.unwrap()
}

pub(crate) const ANNA: &str = "anna@sales.example";
pub(crate) const BERT: &str = "bert@sales.example";

pub(crate) fn submission(number: u128) -> Submission {
    wire::submission(lead(number)).unwrap()
}

/// That Anna, or another, was told of a lead for Anna and Bert.
pub(crate) fn told_of(number: u128, recipient: &str) -> Told {
    let mut message = told(&lead(number), recipient);
    message.recipients = vec![ANNA.to_owned(), BERT.to_owned()];
    wire::told(message).unwrap()
}

/// A claim of a recipient of a lead for Anna and Bert, by `holder` for a minute.
pub(crate) fn claim_of(number: u128, recipient: &str, holder: &str) -> Claim {
    Claim {
        submission: submission(number),
        recipient: recipient.to_owned(),
        recipients: vec![ANNA.to_owned(), BERT.to_owned()],
        holder: holder.to_owned(),
        lease: Duration::from_secs(60),
        daily_limit: None,
    }
}

/// A lead of this number from this address and telephone number.
pub(crate) fn from(number: u128, email: &str, mobile: &str) -> Submission {
    Submission { email: email.to_owned(), mobile: mobile.to_owned(), ..submission(number) }
}

/// Leads nobody was told of, however young, for `holder` and a minute.
pub(crate) fn lease_for(holder: &str) -> Lease {
    Lease {
        holder: holder.to_owned(),
        untold_for: Duration::ZERO,
        lease: Duration::from_secs(60),
        limit: 100,
    }
}

/// What came of a claim.
pub(crate) fn setback(number: u128, recipient: &str, holder: &str, outcome: Outcome) -> Setback {
    let (recipient, holder) = (recipient.to_owned(), holder.to_owned());
    Setback { lead_id: Uuid::from_u128(number), recipient, holder, outcome }
}

pub(crate) fn reason() -> Reason {
    Reason { class: "smtp".to_owned(), detail: "450 later".to_owned() }
}

/// The numbers of these leads.
pub(crate) fn numbers(leads: &[Submission]) -> Vec<u128> {
    leads.iter().map(|lead| lead.id.as_u128()).collect()
}

/// Does something to the database that the service does not.
pub(crate) async fn execute(url: &str, statement: &str) {
    sea_orm::Database::connect(url).await.unwrap().execute_unprepared(statement).await.unwrap();
}

/// What a statement answers in its first column, as text.
pub(crate) async fn texts(url: &str, statement: &str) -> Vec<String> {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let statement = Statement::from_string(connection.get_database_backend(), statement);
    let rows = connection.query_all_raw(statement).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index::<Option<String>>(0).unwrap().unwrap_or_default()).collect()
}

/// Everything that stands in the database: each column of each row of each table, a line for a row.
pub(crate) async fn everything(url: &str) -> String {
    let is_sqlite = url.starts_with("sqlite");
    let tables = if is_sqlite {
        "SELECT name FROM sqlite_master WHERE type = 'table'"
    } else {
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'"
    };
    let mut lines = Vec::new();
    for table in texts(url, tables).await {
        let rows = if is_sqlite {
            let columns = format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')");
            let columns = texts(url, &columns).await.join(" || ' ' || ");
            format!("SELECT '{table}: ' || {columns} FROM \"{table}\"")
        } else {
            format!("SELECT '{table}: ' || t::text FROM \"{table}\" t")
        };
        lines.extend(texts(url, &rows).await);
    }
    lines.join("\n")
}

/// Makes a PostgreSQL database read-only for everybody, or ends that.
pub(crate) async fn set_read_only(url: &str, read_only: bool) {
    let url = format!("{url}?options=-c%20default_transaction_read_only=off");
    set_default(&url, "default_transaction_read_only", &read_only.to_string()).await;
}

/// Has all connections to a PostgreSQL database begin anew, with this parameter.
pub(crate) async fn set_default(url: &str, parameter: &str, value: &str) {
    let name = url.rsplit_once('/').unwrap().1.split('?').next().unwrap();
    execute(url, &format!("ALTER DATABASE {name} SET {parameter} = {value}")).await;
    end_connections(url).await;
}

/// Ends all connections to a PostgreSQL database but the one that asks.
pub(crate) async fn end_connections(url: &str) {
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    execute(url, others).await;
}

/// A URL's `host:port`, and the URL with another in its place.
pub(crate) fn split(url: &str) -> (impl Fn(SocketAddr) -> String + use<>, String) {
    let (before, rest) = url.rsplit_once('@').unwrap();
    let (target, after) = rest.split_once('/').unwrap();
    let (before, after) = (before.to_owned(), after.to_owned());
    (move |target| format!("{before}@{target}/{after}"), target.to_owned())
}

/// Makes the database refuse leads of this name.
pub(crate) async fn refuse_name(url: &str, name: &str) {
    let statement = if url.starts_with("sqlite") {
        format!(
            "CREATE TRIGGER refuse BEFORE INSERT ON lead WHEN NEW.name = '{name}'
             BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
    } else {
        format!("ALTER TABLE lead ADD CONSTRAINT refuse CHECK (name <> '{name}')")
    };
    execute(url, &statement).await;
}

/// Starts the service with the client `tests`.
pub(crate) async fn start(amqp: &str, database: &str, context: &Context) -> Result<App, StartError> {
    let config = Config {
        grpc_addr: "127.0.0.1:0".parse().unwrap(),
        clients: format!("tests={TOKEN}").parse().unwrap(),
        messaging: messaging::Settings::checking(amqp.into(), Some(messaging::topology::CRM_SYNC)),
        database: settings(database),
        retention: None,
    };
    App::start(config, context).await
}

/// Sends a token, or none.
#[derive(Clone)]
pub(crate) struct Bearer(pub(crate) Option<&'static str>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = self.0 {
            let value: MetadataValue<_> = format!("Bearer {token}").parse().unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        Ok(request)
    }
}

pub(crate) type Client = CrmServiceClient<InterceptedService<Channel, Bearer>>;

pub(crate) async fn channel(address: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap()
}

pub(crate) async fn client(address: SocketAddr) -> Client {
    CrmServiceClient::with_interceptor(channel(address).await, Bearer(Some(TOKEN)))
}

/// All leads there are, newest first.
pub(crate) async fn all(client: &mut Client) -> Vec<Lead> {
    client.list_leads(ListLeadsRequest::default()).await.unwrap().into_inner().leads
}

pub(crate) fn by_reference(reference: &str) -> GetLeadRequest {
    GetLeadRequest { key: Some(Key::Reference(reference.to_owned())) }
}
