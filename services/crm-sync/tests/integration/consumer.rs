//! From the real broker into the store.

use contracts::leads::v1::{LeadNotified, LeadSubmitted};
use messaging::{Event, Publisher, Settings, topology::CRM_SYNC};
use runtime::service::Context;
use serde_json::Value;
use testkit::{
    broker::Vhost,
    database::{Database, postgres, sqlite},
    proxy::Proxy,
    wait,
};

use crate::support::{Client, all, client, lead, migrated, refuse_name, set_read_only, split, start, told};

/// A running service with its broker, and a publisher as the other services have one.
struct Crm {
    vhost: Vhost,
    publisher: Publisher,
    client: Client,
    context: Context,
}

impl Crm {
    async fn start(database: &str) -> Self {
        let vhost = Vhost::create().await;
        let (context, _) = testkit::context("crm-sync");
        let app = start(&vhost.url_of("crm-sync"), database, &context).await.unwrap();
        wait::until("the queue", async || vhost.has_queue(&CRM_SYNC.queue()).await).await;
        let publisher =
            Publisher::start(Settings::checking(vhost.url_of("lead-intake").into(), None), &context);
        Self { publisher, client: client(app.grpc_addr).await, vhost, context }
    }

    async fn submit(&self, lead: LeadSubmitted) {
        self.publish(Event::LeadSubmitted(lead)).await;
    }

    async fn notify(&self, told: LeadNotified) {
        self.publish(Event::LeadNotified(told)).await;
    }

    async fn publish(&self, event: Event) {
        // The first connection may still be under way.
        wait::until("the broker's confirm", async || self.publisher.publish(&event, None).await.is_ok())
            .await;
    }

    async fn stored(&mut self) -> Vec<String> {
        all(&mut self.client).await.into_iter().map(|lead| lead.submission.unwrap().reference).collect()
    }

    fn metrics(&self) -> String {
        String::from_utf8(self.context.metrics.encode().unwrap()).unwrap()
    }

    /// Waits until a metric has this value.
    async fn counted(&self, metric: &str) {
        wait::until(metric, async || self.metrics().lines().any(|line| line == metric)).await;
    }

    fn no_try_was_counted(&self) {
        let metrics = self.metrics();
        assert!(
            !metrics.contains(r#"verdict="retry""#) && !metrics.contains(r#"verdict="parked""#),
            "{metrics}"
        );
    }
}

fn header<'a>(message: &'a Value, name: &str) -> &'a Value {
    &message["properties"]["headers"][name]
}

#[tokio::test]
async fn what_comes_twice_is_stored_once() {
    let database = sqlite();
    let mut crm = Crm::start(database.url()).await;
    for number in [1, 1, 2, 1] {
        crm.submit(lead(number)).await;
    }
    crm.counted(r#"crm_leads_total{outcome="duplicate",road="broker"} 2"#).await;
    crm.counted(r#"crm_leads_total{outcome="created",road="broker"} 2"#).await;
    assert_eq!(crm.stored().await, ["ZG-0000-02", "ZG-0000-01"]);
}

#[tokio::test]
async fn a_notification_may_come_before_its_lead() {
    let database = sqlite();
    let mut crm = Crm::start(database.url()).await;
    crm.notify(told(&lead(1), "sales@example.com")).await;
    crm.counted(r#"crm_notifications_total{outcome="created",road="broker"} 1"#).await;
    assert!(crm.stored().await.is_empty());
    crm.submit(lead(1)).await;
    crm.counted(r#"crm_leads_total{outcome="created",road="broker"} 1"#).await;
    let leads = all(&mut crm.client).await;
    assert!(leads[0].notifications == [told(&lead(1), "sales@example.com")]);
}

async fn one_bad_lead_is_parked_and_the_others_are_stored(database: Database) {
    drop(migrated(&database).await);
    refuse_name(database.url(), "poison").await;
    let mut crm = Crm::start(database.url()).await;
    let (mut invalid, mut poison) = (lead(2), lead(3));
    invalid.interests.clear();
    poison.name = "poison".to_owned();
    let publishes = [lead(1), invalid, poison, lead(4)].map(|lead| crm.submit(lead));
    futures_util::future::join_all(publishes).await;

    let parked = crm.vhost.wait_for_messages(&CRM_SYNC.parked_queue(), 2).await;
    let mut reasons: Vec<_> = parked.iter().map(|message| header(message, "x-error-class").clone()).collect();
    reasons.sort_by_key(ToString::to_string);
    assert_eq!(reasons, ["invalid", "refused"]);
    let details: String =
        parked.iter().map(|message| header(message, "x-error-detail").to_string()).collect();
    assert!(details.contains("interests is empty") && !details.contains("poison"), "{details}");
    crm.counted(r#"crm_leads_total{outcome="created",road="broker"} 2"#).await;
    assert_eq!(crm.stored().await, ["ZG-0000-04", "ZG-0000-01"]);
}

#[tokio::test]
async fn one_bad_lead_is_parked_and_the_others_are_stored_on_sqlite() {
    one_bad_lead_is_parked_and_the_others_are_stored(sqlite()).await;
}

#[tokio::test]
async fn one_bad_lead_is_parked_and_the_others_are_stored_on_postgres() {
    one_bad_lead_is_parked_and_the_others_are_stored(postgres()).await;
}

const PAUSED: &str = r#"messaging_paused{queue="crm-sync.leads"} 1"#;

#[tokio::test]
async fn while_the_database_is_away_leads_wait_and_no_try_is_counted() {
    let database = postgres();
    drop(migrated(&database).await);
    let (through, target) = split(database.url());
    let proxy = Proxy::start(target).await.unwrap();
    let mut crm = Crm::start(&through(proxy.address())).await;

    proxy.cut();
    crm.submit(lead(1)).await;
    crm.counted(PAUSED).await;
    crm.submit(lead(2)).await;
    proxy.restore();
    wait::until("the leads", async || crm.stored().await == ["ZG-0000-02", "ZG-0000-01"]).await;
    crm.no_try_was_counted();
}

#[tokio::test]
async fn while_the_database_is_read_only_leads_wait_and_no_try_is_counted() {
    let database = postgres();
    drop(migrated(&database).await);
    let mut crm = Crm::start(database.url()).await;

    set_read_only(database.url(), true).await;
    crm.submit(lead(1)).await;
    crm.notify(told(&lead(1), "sales@example.com")).await;
    crm.counted(PAUSED).await;
    assert!(crm.stored().await.is_empty(), "it can still be read");
    set_read_only(database.url(), false).await;
    wait::until("the lead", async || crm.stored().await == ["ZG-0000-01"]).await;
    crm.counted(r#"crm_notifications_total{outcome="created",road="broker"} 1"#).await;
    crm.no_try_was_counted();
}
