//! Leads and reports from a real broker.

use contracts::leads::v1::{LeadDelivered, LeadSubmitted};
use crm_sync::{db::Store, search::filter::Filter};
use messaging::{Event, Publisher, Settings, Verdict, topology::CRM_SYNC};
use runtime::service::Context;
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::Value;
use testkit::{
    broker::Vhost,
    database::{Database, postgres, sqlite},
    proxy::Proxy,
    wait,
};

use crate::support::{
    ANNA, Client, all, client, delivered_report, fail_name, handle, lead, message_of, migrated,
    number_of, on_postgres, refuse_name, set_read_only, split, start,
};

/// A running service with its broker, and the publishers of the other services.
struct Crm {
    vhost: Vhost,
    lead_intake: Publisher,
    notifier: Publisher,
    client: Client,
    context: Context,
}

impl Crm {
    async fn start(database: &str) -> Self {
        let vhost = Vhost::create().await;
        let (context, _) = testkit::context("crm-sync");
        let app = start(&vhost.url_of("crm-sync"), database, &context)
            .await
            .unwrap();
        wait::until("the queue", async || vhost.has_queue(CRM_SYNC.queue).await).await;
        let publisher =
            |user: &str| Publisher::start(Settings::new(vhost.url_of(user).into()), &context);
        let (lead_intake, notifier) = (publisher("lead-intake"), publisher("notifier"));
        Self {
            lead_intake,
            notifier,
            client: client(app.grpc_addr).await,
            vhost,
            context,
        }
    }

    async fn submit(&self, lead: LeadSubmitted) {
        publish(&self.lead_intake, &Event::LeadSubmitted(lead)).await;
    }

    async fn report(&self, delivered: LeadDelivered) {
        publish(&self.notifier, &Event::LeadDelivered(delivered)).await;
    }

    async fn stored(&mut self) -> Vec<String> {
        all(&mut self.client)
            .await
            .into_iter()
            .map(|lead| lead.submission.unwrap().reference)
            .collect()
    }

    fn metrics(&self) -> String {
        String::from_utf8(self.context.metrics.encode().unwrap()).unwrap()
    }

    /// Waits until a metric has this value.
    async fn wait_for_metric(&self, metric: &str) {
        wait::until(metric, async || {
            self.metrics().lines().any(|line| line == metric)
        })
        .await;
    }

    fn assert_no_dead_letter(&self) {
        let metrics = self.metrics();
        let none = r#"messaging_consumed_total{queue="crm-sync.leads",verdict="dead_letter"} 0"#;
        assert!(metrics.lines().any(|line| line == none), "{metrics}");
    }
}

async fn publish(publisher: &Publisher, event: &Event) {
    // The first connection may not be established yet.
    wait::until("the broker's confirm", async || {
        publisher.publish(event).await.is_ok()
    })
    .await;
}

fn header<'a>(message: &'a Value, name: &str) -> &'a Value {
    &message["properties"]["headers"][name]
}

#[tokio::test]
async fn report_may_precede_its_lead() {
    let database = sqlite();
    let mut crm = Crm::start(database.url()).await;
    crm.report(message_of(1, "notifier-1", vec![delivered_report(ANNA)]))
        .await;
    crm.wait_for_metric(r#"crm_reports_total{outcome="delivered",path="broker"} 1"#)
        .await;
    assert_eq!(
        crm.stored().await,
        ["ZG-0000-01"],
        "the report contains the lead"
    );
    crm.submit(lead(1)).await;
    crm.wait_for_metric(r#"crm_leads_total{outcome="duplicate",source="broker"} 1"#)
        .await;
    let deliveries = all(&mut crm.client).await.remove(0).deliveries;
    let recipients: Vec<_> = deliveries
        .iter()
        .map(|it| (it.recipient.as_str(), it.delivered_at))
        .collect();
    assert_eq!(recipients, [(ANNA, lead(1).submitted_at)]);
}

#[tokio::test]
async fn one_bad_lead_becomes_a_dead_letter_on_postgres() {
    let database = postgres();
    drop(migrated(&database).await);
    refuse_name(database.url(), "poison").await;
    let mut crm = Crm::start(database.url()).await;
    let (mut invalid, mut poison) = (lead(2), lead(3));
    invalid.interests.clear();
    poison.name = "poison".to_owned();
    let publishes = [lead(1), invalid, poison, lead(4)].map(|lead| crm.submit(lead));
    futures_util::future::join_all(publishes).await;

    let letters = crm
        .vhost
        .wait_for_messages(CRM_SYNC.dead_letter_queue, 2)
        .await;
    let mut reasons: Vec<_> = letters
        .iter()
        .map(|message| header(message, "x-error-class").clone())
        .collect();
    reasons.sort_by_key(ToString::to_string);
    assert_eq!(reasons, ["invalid", "refused"]);
    let details: String = letters
        .iter()
        .map(|message| header(message, "x-error-detail").to_string())
        .collect();
    assert!(
        details.contains("interests is empty") && !details.contains("poison"),
        "{details}"
    );
    crm.wait_for_metric(r#"crm_leads_total{outcome="created",source="broker"} 2"#)
        .await;
    assert_eq!(crm.stored().await, ["ZG-0000-04", "ZG-0000-01"]);
}

const PAUSED: &str = r#"messaging_paused{queue="crm-sync.leads"} 1"#;

#[tokio::test]
async fn unavailable_database_makes_no_dead_letters() {
    let database = postgres();
    drop(migrated(&database).await);
    let (through, target) = split(database.url());
    let proxy = Proxy::start(target).await.unwrap();
    let mut crm = Crm::start(&through(proxy.address())).await;

    proxy.cut();
    crm.submit(lead(1)).await;
    crm.wait_for_metric(PAUSED).await;
    crm.submit(lead(2)).await;
    proxy.restore();
    wait::until("the leads", async || {
        crm.stored().await == ["ZG-0000-02", "ZG-0000-01"]
    })
    .await;
    crm.assert_no_dead_letter();
}

#[tokio::test]
async fn read_only_database_makes_no_dead_letters() {
    let database = postgres();
    drop(migrated(&database).await);
    let mut crm = Crm::start(database.url()).await;

    set_read_only(database.url(), true).await;
    crm.submit(lead(1)).await;
    crm.report(message_of(1, "notifier-1", vec![delivered_report(ANNA)]))
        .await;
    crm.wait_for_metric(PAUSED).await;
    assert!(crm.stored().await.is_empty(), "reads still work");
    set_read_only(database.url(), false).await;
    wait::until("the lead", async || crm.stored().await == ["ZG-0000-01"]).await;
    crm.wait_for_metric(r#"crm_reports_total{outcome="delivered",path="broker"} 1"#)
        .await;
    crm.assert_no_dead_letter();
}

#[tokio::test]
async fn held_lock_makes_a_dead_letter_of_only_the_message_that_needs_it() {
    let database = postgres();
    drop(migrated(&database).await);
    let mut crm = Crm::start(database.url()).await;
    crm.submit(lead(1)).await;
    crm.wait_for_metric(r#"crm_leads_total{outcome="created",source="broker"} 1"#)
        .await;
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let lock = connection.begin().await.unwrap();
    lock.execute_unprepared("SELECT * FROM lead FOR UPDATE")
        .await
        .unwrap();
    crm.report(message_of(1, "notifier-1", vec![delivered_report(ANNA)]))
        .await;
    let letters = crm
        .vhost
        .wait_for_messages(CRM_SYNC.dead_letter_queue, 1)
        .await;
    assert_eq!(header(&letters[0], "x-error-class"), "database");
    crm.submit(lead(2)).await;
    wait::until("the other lead", async || {
        crm.stored().await == ["ZG-0000-02", "ZG-0000-01"]
    })
    .await;
    assert!(!crm.metrics().contains(PAUSED));
    lock.rollback().await.unwrap();
}

on_postgres! {
    only_the_rejected_lead_of_a_batch_is_a_dead_letter,
    only_the_failed_lead_of_a_batch_is_retried,
}

/// Handles a batch of leads and a report. The second lead is invalid, the third has this name. Returns the
/// kind of each verdict, and of its reason.
async fn batch_with(store: &Store, name: &str) -> Vec<(&'static str, &'static str)> {
    let (mut invalid, mut bad) = (lead(2), lead(3));
    invalid.interests.clear();
    bad.name = name.to_owned();
    let report = Event::LeadDelivered(message_of(5, "notifier-1", vec![delivered_report(ANNA)]));
    let mut events: Vec<_> = [lead(1), invalid, bad, lead(4)]
        .map(Event::LeadSubmitted)
        .into();
    events.insert(3, report);
    let kind = |verdict| match verdict {
        Verdict::Done => ("done", ""),
        Verdict::Return => ("return", ""),
        Verdict::Retry(reason) => ("retry", reason.class),
        Verdict::DeadLetter(reason) => ("dead letter", reason.class),
    };
    handle(store, events).await.into_iter().map(kind).collect()
}

const DONE: (&str, &str) = ("done", "");

async fn stored(store: &Store) -> Vec<u128> {
    let page = store.page(&Filter::default(), None, 10, &[]).await.unwrap();
    page.leads.iter().map(number_of).collect()
}

async fn only_the_rejected_lead_of_a_batch_is_a_dead_letter(database: Database) {
    let store = migrated(&database).await;
    refuse_name(database.url(), "poison").await;
    let (invalid, refused) = (("dead letter", "invalid"), ("dead letter", "refused"));
    assert_eq!(
        batch_with(&store, "poison").await,
        [DONE, invalid, refused, DONE, DONE]
    );
    assert_eq!(stored(&store).await, [5, 4, 1]);
}

async fn only_the_failed_lead_of_a_batch_is_retried(database: Database) {
    let store = migrated(&database).await;
    fail_name(database.url(), "odd").await;
    let (invalid, odd) = (("dead letter", "invalid"), ("retry", "internal"));
    assert_eq!(
        batch_with(&store, "odd").await,
        [DONE, invalid, odd, DONE, DONE]
    );
    assert_eq!(stored(&store).await, [5, 4, 1]);
}

#[tokio::test]
async fn repeated_internal_error_makes_a_dead_letter() {
    let database = postgres();
    drop(migrated(&database).await);
    fail_name(database.url(), "odd").await;
    let mut crm = Crm::start(database.url()).await;
    let mut odd = lead(1);
    odd.name = "odd".to_owned();
    crm.submit(odd).await;
    crm.submit(lead(2)).await;
    let letters = crm
        .vhost
        .wait_for_messages(CRM_SYNC.dead_letter_queue, 1)
        .await;
    assert_eq!(header(&letters[0], "x-error-class"), "internal");
    wait::until("the other lead", async || {
        crm.stored().await == ["ZG-0000-02"]
    })
    .await;
}
