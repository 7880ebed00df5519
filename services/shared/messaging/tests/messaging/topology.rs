//! The topology check, and the definitions that the broker imports.

use std::{collections::BTreeSet, time::Duration};

use contracts::leads::v1::LeadDelivered;
use messaging::{
    Event, PublishError, Settings,
    topology::{CRM_SYNC, DEAD_LETTER_EXCHANGE, EXCHANGE, NOTIFIER, SUBSCRIPTIONS},
};
use serde_json::Value;
use testkit::{broker::Vhost, wait};

use crate::support::{AT_ONCE, lead, publisher, publisher_with};

const SOON: Duration = Duration::from_millis(100);

fn delivered(number: usize) -> Event {
    let Event::LeadSubmitted(lead) = lead(number) else { unreachable!("a lead") };
    Event::LeadDelivered(LeadDelivered { lead: Some(lead), ..LeadDelivered::default() })
}

#[tokio::test]
async fn missing_queue_fails_the_check() {
    let vhost = Vhost::create().await;
    vhost.delete_queue("notifier.leads").await;
    let settings = Settings { topology_interval: SOON, ..Settings::new(vhost.url().into(), Some(NOTIFIER)) };
    let (publisher, _context) = publisher_with(settings);
    assert_eq!(publisher.publish(&lead(1), None).await, Err(PublishError::Away));
    assert!(!vhost.has_queue("notifier.leads").await, "a service creates no queue");
    vhost.import_definitions().await;
    wait::until("the connection", async || publisher.publish(&lead(2), None).await.is_ok()).await;
}

#[tokio::test]
async fn restores_its_deleted_binding() {
    let vhost = Vhost::create().await;
    let settings = Settings {
        topology_interval: SOON,
        ..Settings::new(vhost.url_of("notifier").into(), Some(NOTIFIER))
    };
    let (_notifier, _context) = publisher_with(settings);
    let (intake, _context) = publisher_with(Settings::new(vhost.url_of("lead-intake").into(), None));
    intake.publish(&lead(1), None).await.unwrap();
    vhost.take_messages("notifier.leads", 1).await;
    vhost.delete_binding("leads", "notifier.leads", "lead.submitted.v1").await;
    let mut number = 1;
    wait::until("the binding", async || {
        number += 1;
        intake.publish(&lead(number), None).await.unwrap();
        !vhost.messages("notifier.leads").await.is_empty()
    })
    .await;
}

#[tokio::test]
async fn failing_topology_check_stops_no_publish() {
    let vhost = Vhost::create().await;
    let (owner, _context) = publisher(vhost.url());
    owner.publish(&lead(1), None).await.unwrap();
    let settings = Settings {
        topology_interval: SOON,
        ..Settings::new(vhost.url_of("notifier").into(), Some(NOTIFIER))
    };
    let (checker, _context) = publisher_with(settings);
    checker.publish(&delivered(2), None).await.unwrap();
    vhost.delete_queue("notifier.dead-letters").await;
    let checks = tokio::time::Instant::now() + AT_ONCE;
    while tokio::time::Instant::now() < checks {
        checker.publish(&delivered(3), None).await.unwrap();
    }
    assert!(!vhost.has_queue("notifier.dead-letters").await);
}

#[tokio::test]
async fn missing_queue_affects_only_its_service() {
    let vhost = Vhost::create().await;
    for queue in ["crm-sync.leads", "crm-sync.dead-letters"] {
        vhost.delete_queue(queue).await;
    }
    let (intake, _context) = publisher_with(Settings::new(vhost.url_of("lead-intake").into(), None));
    assert_eq!(intake.publish(&lead(1), None).await, Ok(()));
    let (notifier, _context) = publisher_with(Settings::new(vhost.url_of("notifier").into(), Some(NOTIFIER)));
    assert_eq!(notifier.publish(&delivered(1), None).await, Err(PublishError::Unroutable));
    let (publisher, _context) =
        publisher_with(Settings::new(vhost.url_of("crm-sync").into(), Some(CRM_SYNC)));
    assert_eq!(publisher.publish(&lead(2), None).await, Err(PublishError::Away));
}

#[test]
fn definitions_have_the_queues_of_all_subscriptions() {
    let definitions = include_str!("../../../../../deploy/rabbitmq/definitions.json");
    let definitions: Value = serde_json::from_str(definitions).unwrap();
    let each = |kind: &str, names: [&str; 3]| -> BTreeSet<[String; 3]> {
        let entries = definitions[kind].as_array().unwrap().iter();
        entries.map(|entry| names.map(|name| entry[name].as_str().unwrap().to_owned())).collect()
    };
    let (mut queues, mut bindings) = (BTreeSet::new(), BTreeSet::new());
    for subscription in SUBSCRIPTIONS {
        let (queue, dead_letters) = (subscription.queue(), subscription.dead_letter_queue());
        for route in subscription.routes {
            bindings.insert([EXCHANGE.to_owned(), route.key().to_owned(), queue.clone()]);
        }
        for queue in [queue, dead_letters] {
            bindings.insert([DEAD_LETTER_EXCHANGE.to_owned(), queue.clone(), queue.clone()]);
            queues.insert([queue, "/".to_owned(), "/".to_owned()]);
        }
    }
    assert_eq!(each("queues", ["name", "vhost", "vhost"]), queues);
    assert_eq!(each("bindings", ["source", "routing_key", "destination"]), bindings);
}
