//! The topology check, and the definitions that the broker imports.

use std::{collections::BTreeSet, time::Duration};

use contracts::leads::v1::LeadDelivered;
use messaging::{
    Event, PublishError, Settings, Verdict,
    topology::{DEAD_LETTER_EXCHANGE, EXCHANGE, SUBSCRIPTIONS},
};
use serde_json::Value;
use testkit::{broker::Vhost, wait};

use crate::support::{SINGLE, TestConsumer, lead, publisher, settings};

const SOON: Duration = Duration::from_millis(100);
const CONNECTED: &str = "messaging_connected{role=\"consume\"} 1";

#[tokio::test]
async fn consumes_once_its_queues_exist() {
    let vhost = Vhost::create().await;
    vhost.delete_queue("notifier.dead-letters").await;
    let consumer = TestConsumer::start(settings(vhost.url()), SINGLE, |_| Verdict::Done);
    consumer.publisher.publish(&lead(1)).await.unwrap();
    assert!(!consumer.has_metric(CONNECTED));
    assert!(
        !vhost.has_queue("notifier.dead-letters").await,
        "a service creates no queue"
    );
    vhost.import_definitions().await;
    consumer.wait_until_seen(1).await;
    assert!(consumer.has_metric(CONNECTED));
}

#[tokio::test]
async fn restores_its_deleted_binding() {
    let vhost = Vhost::create().await;
    let notifier = Settings {
        topology_interval: SOON,
        ..settings(vhost.url_of("notifier"))
    };
    let consumer = TestConsumer::start(notifier, SINGLE, |_| Verdict::Done);
    let (intake, _context) = publisher(vhost.url_of("lead-intake"));
    intake.publish(&lead(1)).await.unwrap();
    consumer.wait_until_seen(1).await;
    vhost
        .delete_binding("leads", "notifier.leads", "lead.submitted.v1")
        .await;
    let mut number = 1;
    wait::until("the binding", async || {
        number += 1;
        intake.publish(&lead(number)).await.unwrap();
        consumer.seen().len() > 1
    })
    .await;
}

#[tokio::test]
async fn missing_dead_letter_queue_stops_no_consumer() {
    let vhost = Vhost::create().await;
    let notifier = Settings {
        topology_interval: SOON,
        ..settings(vhost.url_of("notifier"))
    };
    let consumer = TestConsumer::start(notifier, SINGLE, |_| Verdict::Done);
    let (intake, _context) = publisher(vhost.url_of("lead-intake"));
    intake.publish(&lead(0)).await.unwrap();
    consumer.wait_until_seen(1).await;
    vhost.delete_queue("notifier.dead-letters").await;
    let checks = tokio::time::Instant::now() + 5 * SOON;
    let mut number = 1;
    while tokio::time::Instant::now() < checks {
        intake.publish(&lead(number)).await.unwrap();
        number += 1;
        consumer.wait_until_seen(number).await;
    }
    assert!(!vhost.has_queue("notifier.dead-letters").await);
}

#[tokio::test]
async fn missing_queue_affects_only_its_routes() {
    let vhost = Vhost::create().await;
    for queue in ["crm-sync.leads", "crm-sync.dead-letters"] {
        vhost.delete_queue(queue).await;
    }
    let (intake, _context) = publisher(vhost.url_of("lead-intake"));
    assert_eq!(intake.publish(&lead(1)).await, Ok(()));
    let (notifier, _context) = publisher(vhost.url_of("notifier"));
    let Event::LeadSubmitted(lead) = lead(1) else {
        unreachable!("a lead")
    };
    let delivered = Event::LeadDelivered(LeadDelivered {
        lead: Some(lead),
        ..LeadDelivered::default()
    });
    assert_eq!(
        notifier.publish(&delivered).await,
        Err(PublishError::Unroutable)
    );
}

#[test]
fn definitions_have_the_queues_of_all_subscriptions() {
    let definitions = include_str!("../../../../../deploy/rabbitmq/definitions.json");
    let definitions: Value = serde_json::from_str(definitions).unwrap();
    let each = |kind: &str, names: [&str; 3]| -> BTreeSet<[String; 3]> {
        let entries = definitions[kind].as_array().unwrap().iter();
        entries
            .map(|entry| names.map(|name| entry[name].as_str().unwrap().to_owned()))
            .collect()
    };
    let (mut queues, mut bindings) = (BTreeSet::new(), BTreeSet::new());
    for subscription in SUBSCRIPTIONS {
        for route in subscription.routes {
            bindings.insert([EXCHANGE, route.key(), subscription.queue].map(str::to_owned));
        }
        for queue in [subscription.queue, subscription.dead_letter_queue] {
            bindings.insert([DEAD_LETTER_EXCHANGE, queue, queue].map(str::to_owned));
            queues.insert([queue, "/", "/"].map(str::to_owned));
        }
    }
    assert_eq!(each("queues", ["name", "vhost", "vhost"]), queues);
    assert_eq!(
        each("bindings", ["source", "routing_key", "destination"]),
        bindings
    );
}
