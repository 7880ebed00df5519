//! The queues, made, checked and made again.

use std::{collections::BTreeSet, time::Duration};

use contracts::leads::v1::LeadDelivered;
use messaging::{
    Event, PublishError, Settings,
    topology::{self, CRM_SYNC, NOTIFIER},
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
async fn checking_finds_a_missing_queue_and_makes_none() {
    let vhost = Vhost::empty().await;
    let (checker, _context) = publisher_with(Settings::checking(vhost.url().into(), Some(NOTIFIER)));
    assert_eq!(checker.publish(&lead(1), None).await, Err(PublishError::Away));
    assert!(!vhost.has_queue("crm-sync.leads").await);

    // Once somebody who may has declared them, it works without being asked again.
    let (owner, _context) = publisher(vhost.url());
    wait::until("the owner", async || owner.publish(&lead(2), None).await.is_ok()).await;
    wait::until("the checker", async || checker.publish(&lead(3), None).await.is_ok()).await;
}

#[tokio::test]
async fn a_queue_and_a_binding_that_were_deleted_are_made_again() {
    let vhost = Vhost::create().await;
    let settings = Settings { topology_interval: SOON, ..Settings::new(vhost.url().into()) };
    let (publisher, _context) = publisher_with(settings);
    publisher.publish(&lead(1), None).await.unwrap();
    vhost.take_messages("notifier.leads", 1).await;

    vhost.delete_binding("leads", "notifier.leads", "lead.submitted.v1").await;
    let mut number = 1;
    wait::until("the binding", async || {
        number += 1;
        publisher.publish(&lead(number), None).await.unwrap();
        !vhost.messages("notifier.leads").await.is_empty()
    })
    .await;

    vhost.delete_queue("notifier.dead-letters").await;
    wait::until("the queue", async || vhost.has_queue("notifier.dead-letters").await).await;
}

#[tokio::test]
async fn a_service_that_only_checks_makes_its_own_binding_again() {
    let vhost = Vhost::create().await;
    let settings = Settings {
        topology_interval: SOON,
        ..Settings::checking(vhost.url_of("notifier").into(), Some(NOTIFIER))
    };
    let (_notifier, _context) = publisher_with(settings);
    let (intake, _context) = publisher_with(Settings::checking(vhost.url_of("lead-intake").into(), None));
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
async fn a_check_that_fails_later_stops_nobody() {
    let vhost = Vhost::create().await;
    let (owner, _context) = publisher(vhost.url());
    owner.publish(&lead(1), None).await.unwrap();
    let settings = Settings {
        topology_interval: SOON,
        ..Settings::checking(vhost.url_of("notifier").into(), Some(NOTIFIER))
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
async fn a_missing_queue_of_another_service_refuses_nobody() {
    let vhost = Vhost::create().await;
    for queue in ["crm-sync.leads", "crm-sync.dead-letters"] {
        vhost.delete_queue(queue).await;
    }
    let (intake, _context) = publisher_with(Settings::checking(vhost.url_of("lead-intake").into(), None));
    assert_eq!(intake.publish(&lead(1), None).await, Ok(()));
    let (notifier, _context) =
        publisher_with(Settings::checking(vhost.url_of("notifier").into(), Some(NOTIFIER)));
    assert_eq!(notifier.publish(&delivered(1), None).await, Err(PublishError::Unroutable));
    let (publisher, _context) =
        publisher_with(Settings::checking(vhost.url_of("crm-sync").into(), Some(CRM_SYNC)));
    assert_eq!(publisher.publish(&lead(2), None).await, Err(PublishError::Away));
}

#[tokio::test]
async fn the_definitions_for_production_are_the_topology() {
    let definitions = include_str!("../../../../../deploy/rabbitmq/definitions.json");
    let definitions: Value = serde_json::from_str(definitions).unwrap();
    let each = |kind: &str, names: [&str; 2]| -> BTreeSet<[String; 2]> {
        let entries = definitions[kind].as_array().unwrap().iter();
        entries.map(|entry| names.map(|name| entry[name].as_str().unwrap().to_owned())).collect()
    };
    let queues = topology::queues().into_iter().map(|queue| [queue.name, "/".to_owned()]);
    assert_eq!(each("queues", ["name", "vhost"]), queues.collect());
    let bindings = topology::bindings().into_iter().map(|it| [it.queue, it.route.key().to_owned()]);
    assert_eq!(each("bindings", ["destination", "routing_key"]), bindings.collect());

    // The broker refuses to declare a queue that has other arguments.
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    assert_eq!(publisher.publish(&lead(1), None).await, Ok(()));
}
