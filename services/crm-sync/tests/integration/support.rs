//! Shared fixtures: leads, migrated databases, a running service and its clients.

use std::{net::SocketAddr, time::Duration};

use ::lead::{Lead, LeadState};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::{
    crm::v1::{self as crm, GetLeadRequest, ListLeadsRequest, get_lead_request::Key},
    leads::v1::{
        DeliveryReport, LeadDelivered, LeadSubmitted, LeadWithdrawn, Reason, Session,
        delivery_report,
    },
};
use crm_client::Replica;
use crm_sync::{
    app::{App, StartError},
    config::{Config, Grpc},
    consumer::EventRecorder,
    db::{Store, error::StoreError, settings::Settings},
    deliveries::{Claim, ClaimResult, Lease, Report, Reports},
    leads::Change,
    metrics::Metrics,
};
use lead::{Outcome, Receipt, Recipient};
use messaging::{Event, Handler, Verdict};
use prost::Message;
use prost_types::{FileDescriptorSet, Timestamp};
use runtime::service::Context;
use sea_orm::{ConnectionTrait, Statement};
use testkit::{
    crm::AnyRole,
    database::{Database, SERVICE_ROLE},
};
use tokens::PersonToken;
use tonic::{
    Request, Status,
    metadata::MetadataValue,
    service::{Interceptor, interceptor::InterceptedService},
    transport::{Channel, Endpoint},
};
use uuid::Uuid;

/// Runs each case on SQLite and on PostgreSQL: schema, statements that differ, search, races and erasure.
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

/// Runs each case on SQLite, if its statements also run on PostgreSQL in another case.
macro_rules! on_sqlite {
    ($($case:ident,)+) => {
        mod on_sqlite {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::sqlite()).await; })+
        }
    };
}
pub(crate) use on_sqlite;

/// Runs each case on PostgreSQL.
macro_rules! on_postgres {
    ($($case:ident,)+) => {
        mod on_postgres {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::postgres()).await; })+
        }
    };
}
pub(crate) use on_postgres;

/// An address without a broker.
pub(crate) const NO_BROKER: &str = "amqp://127.0.0.1:1/%2f";

pub(crate) fn timestamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp {
        seconds: time.timestamp(),
        nanos: time.timestamp_subsec_nanos().cast_signed(),
    }
}

pub(crate) fn reference(number: u128) -> String {
    format!("ZG-{:04}-{:02}", number / 100, number % 100)
}

/// The lead with this number, as lead-intake sends it: each a second after the previous one.
pub(crate) fn lead(number: u128) -> LeadSubmitted {
    let submitted_at =
        testkit::start_of_time() + TimeDelta::seconds(i64::try_from(number).unwrap());
    let full = testkit::lead::full();
    LeadSubmitted {
        lead_id: Uuid::from_u128(number).to_string(),
        reference: reference(number),
        submitted_at: Some(timestamp(submitted_at + TimeDelta::microseconds(250_001))),
        email: "o'neil+zg@example.com".to_owned(),
        questions: "几时开放? 🏙\n'; DROP TABLE lead; --".to_owned(),
        session: full.session.map(|session| Session {
            session_id: Uuid::from_u128(1000 + number).to_string(),
            ..session
        }),
        ..full
    }
}

/// Leads that no form can send.
pub(crate) fn leads_beyond_the_contract() -> [LeadSubmitted; 4] {
    let in_two_days = timestamp(testkit::start_of_time() + TimeDelta::days(2));
    [
        LeadSubmitted {
            mobile: "1".to_owned(),
            ..lead(1)
        },
        LeadSubmitted {
            email: "no".to_owned(),
            ..lead(2)
        },
        LeadSubmitted {
            submitted_at: Some(in_two_days),
            ..lead(3)
        },
        LeadSubmitted {
            privacy_policy_version: "x".repeat(5000),
            ..lead(4)
        },
    ]
}

/// The service's connection settings, on PostgreSQL with a role that cannot change the schema.
pub(crate) fn settings(url: &str) -> Settings {
    let url = if url.starts_with("sqlite") {
        url.to_owned()
    } else {
        format!("{url}?options=-c%20role%3D{SERVICE_ROLE}")
    };
    Settings::new(&url, 4).unwrap()
}

/// The connection settings of `crm-sync migrate`.
pub(crate) fn owner(url: &str) -> Settings {
    Settings::new(url, 1).unwrap()
}

/// A lead with its timeline, as clients receive it.
pub(crate) async fn get_lead(store: &Store, number: u128) -> crm::Lead {
    store.lead(Uuid::from_u128(number)).await.unwrap()
}

/// The number of a lead that a client received.
pub(crate) fn number_of(lead: &crm::Lead) -> u128 {
    number_of_submission(lead.submission.as_ref().unwrap())
}

pub(crate) fn number_of_submission(lead: &LeadSubmitted) -> u128 {
    number_of_id(&lead.lead_id)
}

pub(crate) fn number_of_id(lead_id: &str) -> u128 {
    lead_id.parse::<Uuid>().unwrap().as_u128()
}

/// Migrates an empty database and opens it.
pub(crate) async fn migrated(database: &Database) -> Store {
    Store::migrate(&owner(database.url()), Some(SERVICE_ROLE))
        .await
        .unwrap();
    connect(database.url()).await.unwrap()
}

/// Opens a migrated database.
pub(crate) async fn connect(url: &str) -> Result<Store, StoreError> {
    Store::connect(
        &settings(url),
        testkit::crm::SUPPRESSION_KEY.parse().unwrap(),
    )
    .await
}

pub(crate) const ANNA: &str = "anna@sales.example";
pub(crate) const BERT: &str = "bert@sales.example";

/// The recipient of the confirmation, in rows and messages.
pub(crate) const VISITOR: &str = "visitor";

/// The visitor as the recipient of the brochure, in rows and messages.
pub(crate) const BROCHURE: &str = "brochure";

pub(crate) fn submission(number: u128) -> Lead {
    lead(number).try_into().unwrap()
}

/// The default recipients.
fn sales() -> Vec<Recipient> {
    recipients([ANNA, BERT])
}

pub(crate) fn recipients<const N: usize>(texts: [&str; N]) -> Vec<Recipient> {
    texts.map(Recipient::from).into()
}

/// A claim by `holder` of a lead's emails to Anna and Bert, for a minute.
pub(crate) fn claim_of(number: u128, holder: &str) -> Claim {
    Claim {
        submission: submission(number),
        recipients: sales(),
        holder: holder.to_owned(),
        lease: Duration::from_secs(60),
        visitor_daily_limit: 0,
        visitors_hourly_limit: 0,
    }
}

/// Like [`claim_of`], for other recipients.
pub(crate) fn claim_for(number: u128, recipients: &[&str], holder: &str) -> Claim {
    Claim {
        recipients: recipients.iter().copied().map(Recipient::from).collect(),
        ..claim_of(number, holder)
    }
}

/// Claims, and returns the answers in the order of the recipients.
pub(crate) async fn claim_results(store: &Store, claim: &Claim) -> Vec<ClaimResult> {
    store.claim(claim).await.unwrap().results
}

/// The first attempt.
pub(crate) const GRANTED: ClaimResult = ClaimResult::Granted { attempt: 1 };

/// A recipient and the outcome of their email.
pub(crate) type RecipientOutcome<'a> = (&'a str, Outcome);

/// The report of `holder` about a lead's deliveries.
pub(crate) fn report_of<const N: usize>(
    number: u128,
    holder: &str,
    reports: [RecipientOutcome<'_>; N],
) -> Reports {
    let report = |(recipient, outcome): RecipientOutcome<'_>| Report {
        recipient: Recipient::from(recipient),
        outcome,
    };
    Reports {
        lead_id: Uuid::from_u128(number),
        holder: holder.to_owned(),
        reports: reports.map(report).into(),
        lead: None,
        recipients: Vec::new(),
    }
}

/// The same as an event with the lead, for Anna and Bert.
pub(crate) fn event_of<const N: usize>(
    number: u128,
    holder: &str,
    reports: [RecipientOutcome<'_>; N],
) -> Reports {
    let lead = Some(submission(number));
    Reports {
        lead,
        recipients: sales(),
        ..report_of(number, holder, reports)
    }
}

/// A delivered email, as clients receive it.
pub(crate) fn mail_to(recipient: &str) -> crm::Delivery {
    crm::Delivery {
        recipient: recipient.to_owned(),
        mail_message_id: format!("<{recipient}>"),
        server_reply: "250 2.0.0 OK".to_owned(),
        delivered_at: Some(timestamp(testkit::start_of_time())),
    }
}

pub(crate) fn delivered(recipient: &str) -> RecipientOutcome<'_> {
    delivered_with(recipient, "250 2.0.0 OK")
}

/// A delivered email with another reply of the mail server.
pub(crate) fn delivered_with<'a>(recipient: &'a str, server_reply: &str) -> RecipientOutcome<'a> {
    let delivered = Outcome::Delivered(Receipt {
        mail_message_id: format!("<{recipient}>"),
        server_reply: server_reply.to_owned(),
        delivered_at: testkit::start_of_time(),
    });
    (recipient, delivered)
}

/// A retry that counts as an attempt.
pub(crate) fn deferred(recipient: &str, after: Duration) -> RecipientOutcome<'_> {
    (
        recipient,
        Outcome::Retry {
            after,
            reason: reason(),
            counts: true,
        },
    )
}

pub(crate) fn failed(recipient: &str) -> RecipientOutcome<'_> {
    (recipient, Outcome::Failed(reason()))
}

pub(crate) fn cancelled(recipient: &str) -> RecipientOutcome<'_> {
    (recipient, Outcome::Cancelled(reason()))
}

/// A visitor's withdrawal by the link in an email about a lead.
pub(crate) fn withdrawn(number: u128, erasure_requested: bool) -> Event {
    Event::LeadWithdrawn(LeadWithdrawn {
        lead_id: lead(number).lead_id,
        withdrawn_at: Some(timestamp(submission(number).submitted_at)),
        erasure_requested,
        mailbox_hash: String::new(),
    })
}

/// A visitor's withdrawal by the link in an email to a corrected address.
pub(crate) fn withdrawn_by(number: u128, mailbox_hash: &str) -> Event {
    Event::LeadWithdrawn(LeadWithdrawn {
        lead_id: lead(number).lead_id,
        withdrawn_at: Some(timestamp(submission(number).submitted_at)),
        erasure_requested: false,
        mailbox_hash: mailbox_hash.to_owned(),
    })
}

pub(crate) async fn withdraw(store: &Store, number: u128, erasure_requested: bool) {
    assert_eq!(
        handle(store, vec![withdrawn(number, erasure_requested)]).await,
        [Verdict::Done]
    );
}

/// The report of one delivery in the contract.
fn report_outcome(recipient: &str, outcome: delivery_report::Outcome) -> DeliveryReport {
    DeliveryReport {
        recipient: recipient.to_owned(),
        outcome: Some(outcome),
    }
}

pub(crate) fn delivered_report(recipient: &str) -> DeliveryReport {
    let delivered = delivery_report::Delivered {
        mail_message_id: format!("<{recipient}>"),
        server_reply: "250 2.0.0 OK".to_owned(),
        delivered_at: lead(1).submitted_at,
    };
    report_outcome(recipient, delivery_report::Outcome::Delivered(delivered))
}

pub(crate) fn retry_report(recipient: &str, seconds: i64) -> DeliveryReport {
    let after = Some(prost_types::Duration { seconds, nanos: 0 });
    let again = delivery_report::Retry {
        after,
        reason: Some(reason()),
        counts: true,
    };
    report_outcome(recipient, delivery_report::Outcome::Retry(again))
}

pub(crate) fn failed_report(recipient: &str) -> DeliveryReport {
    report_outcome(
        recipient,
        delivery_report::Outcome::Failed(delivery_report::Failed {
            reason: Some(reason()),
        }),
    )
}

pub(crate) fn cancelled_report(recipient: &str) -> DeliveryReport {
    report_outcome(
        recipient,
        delivery_report::Outcome::Cancelled(delivery_report::Cancelled {
            reason: Some(reason()),
        }),
    )
}

/// The event that notifier publishes about a lead for Anna and Bert while the CRM does not answer.
pub(crate) fn message_of(
    number: u128,
    holder: &str,
    reports: Vec<DeliveryReport>,
) -> LeadDelivered {
    LeadDelivered {
        lead: Some(lead(number)),
        recipients: [ANNA, BERT].map(str::to_owned).into(),
        reports,
        holder: holder.to_owned(),
    }
}

/// Handles a batch of events, like the consumer.
pub(crate) async fn handle(store: &Store, events: Vec<Event>) -> Vec<Verdict> {
    let (context, _) = testkit::context("crm-sync");
    let (store, metrics, clock) = (store.clone(), Metrics::new(&context), context.clock.clone());
    EventRecorder {
        store,
        metrics,
        clock,
    }
    .handle(&events)
    .await
}

/// A lead with this number, email address and phone number.
pub(crate) fn lead_from(number: u128, email: &str, mobile: &str) -> Lead {
    Lead {
        email: email.into(),
        mobile: mobile.into(),
        ..submission(number)
    }
}

/// A lease by `holder`, for a minute, of all leads with due deliveries.
pub(crate) fn lease_for(holder: &str) -> Lease {
    Lease {
        holder: holder.to_owned(),
        pending_for: Duration::ZERO,
        lease: Duration::from_secs(60),
        limit: 100,
        brochures: true,
        updates: true,
    }
}

/// Leases, and returns the numbers of the leads.
pub(crate) async fn leased(store: &Store, lease: &Lease) -> Vec<u128> {
    let leased = store.lease(lease).await.unwrap();
    leased
        .leads
        .iter()
        .map(|it| number_of_submission(it.lead.as_ref().unwrap()))
        .collect()
}

/// A change to the state `contacted`.
pub(crate) fn contacted(number: u128) -> Change {
    Change {
        lead_id: submission(number).id,
        state: Some(LeadState::Contacted),
        author: "tests".to_owned(),
        ..Change::default()
    }
}

pub(crate) fn reason() -> Reason {
    Reason {
        class: "smtp".to_owned(),
        detail: "450 later".to_owned(),
    }
}

/// Executes a statement of the test.
pub(crate) async fn execute(url: &str, statement: &str) {
    sea_orm::Database::connect(url)
        .await
        .unwrap()
        .execute_unprepared(statement)
        .await
        .unwrap();
}

/// Makes all claims expire and all retries due.
pub(crate) async fn time_passes(database: &Database) {
    execute(
        database.url(),
        "UPDATE delivery SET until = changed_at WHERE until IS NOT NULL",
    )
    .await;
}

/// Makes all leases expire.
pub(crate) async fn leases_end(database: &Database) {
    execute(database.url(), "UPDATE lead SET leased_until = NULL").await;
}

/// The first column of a statement's result as text.
pub(crate) async fn query_column(url: &str, statement: &str) -> Vec<String> {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let statement = Statement::from_string(connection.get_database_backend(), statement);
    let rows = connection.query_all_raw(statement).await.unwrap();
    rows.iter()
        .map(|row| {
            row.try_get_by_index::<Option<String>>(0)
                .unwrap()
                .unwrap_or_default()
        })
        .collect()
}

/// All tables of the database as text, with one line for each row.
pub(crate) async fn everything(url: &str) -> String {
    let is_sqlite = url.starts_with("sqlite");
    let tables = if is_sqlite {
        "SELECT name FROM sqlite_master WHERE type = 'table'"
    } else {
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'"
    };
    let mut lines = Vec::new();
    for table in query_column(url, tables).await {
        let rows = if is_sqlite {
            let columns =
                format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')");
            let columns = query_column(url, &columns).await.join(" || ' ' || ");
            format!("SELECT '{table}: ' || {columns} FROM \"{table}\"")
        } else {
            format!("SELECT '{table}: ' || t::text FROM \"{table}\" t")
        };
        lines.extend(query_column(url, &rows).await);
    }
    lines.join("\n")
}

/// Makes a PostgreSQL database read-only or writable.
pub(crate) async fn set_read_only(url: &str, read_only: bool) {
    let url = format!("{url}?options=-c%20default_transaction_read_only=off");
    set_default(
        &url,
        "default_transaction_read_only",
        &read_only.to_string(),
    )
    .await;
}

/// Sets a parameter of a PostgreSQL database and closes all connections to it.
pub(crate) async fn set_default(url: &str, parameter: &str, value: &str) {
    let name = url.rsplit_once('/').unwrap().1.split('?').next().unwrap();
    execute(
        url,
        &format!("ALTER DATABASE {name} SET {parameter} = {value}"),
    )
    .await;
    end_connections(url).await;
}

/// Closes all other connections to a PostgreSQL database.
pub(crate) async fn end_connections(url: &str) {
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    execute(url, others).await;
}

/// Splits a URL into a function that replaces `host:port`, and the present `host:port`.
pub(crate) fn split(url: &str) -> (impl Fn(SocketAddr) -> String + use<>, String) {
    let (before, rest) = url.rsplit_once('@').unwrap();
    let (target, after) = rest.split_once('/').unwrap();
    let (before, after) = (before.to_owned(), after.to_owned());
    (
        move |target| format!("{before}@{target}/{after}"),
        target.to_owned(),
    )
}

/// Makes the database reject leads with this name.
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

/// Makes the database fail with an internal error for leads with this name.
pub(crate) async fn fail_name(url: &str, name: &str) {
    if url.starts_with("sqlite") {
        let trigger = format!(
            "CREATE TRIGGER fail BEFORE INSERT ON lead WHEN NEW.name = '{name}' BEGIN SELECT json('no JSON'); END"
        );
        return execute(url, &trigger).await;
    }
    let function = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''XX000''; END'";
    execute(url, function).await;
    let trigger = format!(
        "CREATE TRIGGER fail BEFORE INSERT ON lead FOR EACH ROW WHEN (NEW.name = '{name}') EXECUTE FUNCTION fail()"
    );
    execute(url, &trigger).await;
}

/// The configuration of a service that accepts a token of each role, on a free port.
pub(crate) fn config(amqp: &str, database: &str) -> Config {
    Config {
        grpc: Grpc::without_tls("127.0.0.1:0".parse().unwrap()),
        crm_tokens: testkit::crm::tokens().parse().unwrap(),
        // After a late confirm, the consumer would copy a dead letter again.
        messaging: messaging::Settings {
            publish_timeout: Duration::from_secs(60),
            ..messaging::Settings::new(amqp.into())
        },
        database: settings(database),
        desk_session_keys: testkit::crm::DESK_SESSION_KEYS.parse().unwrap(),
        suppression_key: testkit::crm::SUPPRESSION_KEY.parse().unwrap(),
        retention_days: None,
    }
}

/// Starts the service.
pub(crate) async fn start(
    amqp: &str,
    database: &str,
    context: &Context,
) -> Result<App, StartError> {
    App::start(config(amqp, database), context).await
}

/// Adds a bearer token, or none.
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

pub(crate) type Client = Replica<InterceptedService<Channel, AnyRole>>;

pub(crate) async fn channel(address: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{address}"))
        .unwrap()
        .connect()
        .await
        .unwrap()
}

pub(crate) async fn client(address: SocketAddr) -> Client {
    Replica::new(InterceptedService::new(channel(address).await, AnyRole))
}

/// Starts the service without a broker on a migrated database, and connects a client.
pub(crate) async fn serve(database: &Database) -> Client {
    let (context, _) = testkit::context("crm-sync");
    client(
        start(NO_BROKER, database.url(), &context)
            .await
            .unwrap()
            .grpc_addr,
    )
    .await
}

/// A request of the desk in the name of a person.
pub(crate) fn as_person<T>(person: &str, message: T) -> Request<T> {
    let keys = testkit::crm::DESK_SESSION_KEYS.parse().unwrap();
    let token = PersonToken::sign(person, &keys, testkit::start_of_time());
    let mut request = Request::new(message);
    request
        .metadata_mut()
        .insert("person-token", token.parse().unwrap());
    request
}

/// All leads, newest first.
pub(crate) async fn all(client: &mut Client) -> Vec<crm::Lead> {
    client
        .leads
        .list_leads(ListLeadsRequest::default())
        .await
        .unwrap()
        .into_inner()
        .leads
}

pub(crate) fn by_reference(reference: &str) -> GetLeadRequest {
    GetLeadRequest {
        key: Some(Key::Reference(reference.to_owned())),
    }
}

/// The webhook that [`deliver_to_webhook`] names.
pub(crate) const WEBHOOK: &str = "webhook:crm";

/// Stores a lead that was sent to Anna and [`WEBHOOK`], and not to `webhook:other`.
pub(crate) async fn deliver_to_webhook(store: &Store, number: u128) {
    let recipients = recipients([ANNA, WEBHOOK, "webhook:other"]);
    let event = event_of(number, "one", [delivered(ANNA), delivered(WEBHOOK)]);
    store
        .report(&Reports {
            recipients,
            ..event
        })
        .await
        .unwrap();
}

/// The names of all calls of `crm.v1`, from the contract.
pub(crate) fn call_names() -> Vec<String> {
    let set = FileDescriptorSet::decode(contracts::FILE_DESCRIPTOR_SET).unwrap();
    let services = set
        .file
        .iter()
        .filter(|file| file.package() == "crm.v1")
        .flat_map(|file| &file.service);
    services
        .flat_map(|it| &it.method)
        .map(|method| method.name().to_owned())
        .collect()
}
