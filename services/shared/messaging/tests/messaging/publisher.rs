//! Publisher confirms, and the time until a failed publish is an error.

use std::time::{Duration, Instant};

use contracts::leads::v1::{LeadDelivered, LeadSubmitted};
use futures_util::{FutureExt, future::join_all};
use messaging::{Event, PublishError, Publisher, Settings};
use opentelemetry::context::FutureExt as _;
use runtime::trace;
use testkit::{
    broker::{Vhost, through},
    proxy::{Direction, Mode, Proxy},
    wait,
};
use tokio::time::timeout;

use crate::support::{PROMPT, TRACEPARENT, has_metric, id, lead, publisher};

async fn timed(publisher: &Publisher, number: usize) -> (Result<(), PublishError>, Duration) {
    let started = Instant::now();
    (publisher.publish(&lead(number)).await, started.elapsed())
}

#[tokio::test]
async fn confirmed_event_is_in_every_queue() {
    let vhost = Vhost::create().await;
    let (publisher, context) = publisher(vhost.url());
    let trace = trace::from_traceparent(Some(TRACEPARENT));
    publisher
        .publish(&lead(1))
        .with_context(trace)
        .await
        .unwrap();
    for queue in ["crm-sync.leads", "notifier.leads"] {
        let messages = vhost.take_messages(queue, 1).await;
        let properties = &messages[0]["properties"];
        assert_eq!(properties["message_id"], id(1));
        assert_eq!(properties["type"], "lead.submitted.v1");
        assert_eq!(properties["delivery_mode"], 2);
        assert_eq!(properties["headers"]["traceparent"], TRACEPARENT);
    }
    assert!(has_metric(
        &context,
        "messaging_connected{role=\"publish\"} 1"
    ));
}

#[tokio::test]
async fn concurrent_publishes_are_each_confirmed() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    let publishes = (0..500).map(|number| {
        let publisher = publisher.clone();
        async move { publisher.publish(&lead(number)).await }
    });
    let results = join_all(publishes).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    vhost.take_messages("crm-sync.leads", 500).await;
}

#[tokio::test]
async fn unroutable_publish_is_an_error() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    publisher.publish(&lead(0)).await.unwrap();
    // Without its only queue, `lead.delivered.v1` is unroutable, but `lead.submitted.v1` still has a queue.
    vhost.delete_queue("crm-sync.leads").await;
    let publishes = (1..=200).map(|number| {
        let publisher = publisher.clone();
        async move {
            let event = if number % 3 == 0 {
                let lead = Some(LeadSubmitted {
                    lead_id: number.to_string(),
                    ..Default::default()
                });
                Event::LeadDelivered(LeadDelivered {
                    lead,
                    ..Default::default()
                })
            } else {
                lead(number)
            };
            (number, publisher.publish(&event).await)
        }
    });
    for (number, result) in join_all(publishes).await {
        let expected = if number % 3 == 0 {
            Err(PublishError::Unroutable)
        } else {
            Ok(())
        };
        assert_eq!(result, expected, "publish {number}");
    }
}

#[tokio::test]
async fn cancelled_publishes_do_not_affect_later_publishes() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    publisher.publish(&lead(0)).await.unwrap();
    vhost.delete_queue("crm-sync.leads").await;
    let unroutable = Event::LeadDelivered(LeadDelivered::default());
    // More publishes than channels.
    for number in 1..=100 {
        // The publish is sent and cancelled before its confirm.
        assert_eq!(publisher.publish(&unroutable).now_or_never(), None);
        assert_eq!(
            publisher.publish(&lead(1)).await,
            Ok(()),
            "publish {number}"
        );
    }
}

#[tokio::test]
async fn full_queue_rejects_immediately() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    publisher.publish(&lead(0)).await.unwrap();
    vhost.limit("notifier.leads", Some(1)).await;
    wait::until("the queue to be full", async || {
        let (result, took) = timed(&publisher, 1).await;
        assert!(took < PROMPT, "{took:?}");
        result == Err(PublishError::Refused)
    })
    .await;
    vhost.limit("notifier.leads", None).await;
    wait::until("the queue to accept a message", async || {
        publisher.publish(&lead(2)).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn publisher_reconnects_after_an_outage() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let (publisher, context) = publisher(through(&vhost.url(), proxy.address()));
    publisher.publish(&lead(1)).await.unwrap();
    proxy.cut();
    wait::until("the disconnect", async || {
        publisher.publish(&lead(2)).await == Err(PublishError::Unavailable)
    })
    .await;
    let (result, took) = timed(&publisher, 2).await;
    assert_eq!(result, Err(PublishError::Unavailable));
    assert!(took < PROMPT, "{took:?}");
    assert!(has_metric(
        &context,
        "messaging_connected{role=\"publish\"} 0"
    ));
    proxy.restore();
    wait::until("the connection", async || {
        publisher.publish(&lead(3)).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn missing_confirm_opens_the_breaker() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let (publisher, _context) = publisher(through(&vhost.url(), proxy.address()));
    publisher.publish(&lead(1)).await.unwrap();
    for stall in [Direction::Both, Direction::ToClient] {
        proxy.set(Mode::Stall(stall));
        let (results, took) = {
            let started = Instant::now();
            (
                join_all((2..20).map(|number| timed(&publisher, number))).await,
                started.elapsed(),
            )
        };
        assert!(
            results
                .iter()
                .all(|(result, _)| *result == Err(PublishError::Unconfirmed)),
            "{results:?}"
        );
        assert!(took < Settings::PUBLISH_TIMEOUT + PROMPT, "{took:?}");
        let (result, took) = timed(&publisher, 20).await;
        assert_eq!(result, Err(PublishError::Unavailable));
        assert!(took < PROMPT, "{took:?}");
        proxy.restore();
        wait::until("the breaker to close", async || {
            publisher.publish(&lead(21)).await.is_ok()
        })
        .await;
    }
}

#[tokio::test]
async fn abandoned_connection_is_closed_without_a_reply() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let (publisher, _context) = publisher(through(&vhost.url(), proxy.address()));
    publisher.publish(&lead(1)).await.unwrap();
    proxy.set(Mode::HalfOpen);
    assert_eq!(
        publisher.publish(&lead(2)).await,
        Err(PublishError::Unconfirmed)
    );
    proxy.restore();
    wait::until("a second connection", async || {
        publisher.publish(&lead(3)).await.is_ok()
    })
    .await;
    // Long before missing heartbeats would close it.
    let closed = wait::until("the first connection to close", async || {
        proxy.connections() == 1
    });
    assert!(
        timeout(4 * PROMPT, closed).await.is_ok(),
        "{} connections",
        proxy.connections()
    );
}

#[tokio::test]
async fn failed_publish_is_not_sent_after_the_connection_recovers() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    proxy.cut();
    let (publisher, _context) = publisher(through(&vhost.url(), proxy.address()));
    assert_eq!(
        publisher.publish(&lead(1)).await,
        Err(PublishError::Unavailable)
    );
    proxy.restore();
    wait::until("the connection", async || {
        publisher.publish(&lead(2)).await.is_ok()
    })
    .await;
    let messages = vhost.take_messages("notifier.leads", 1).await;
    assert_eq!(messages[0]["properties"]["message_id"], id(2));
}

#[tokio::test]
async fn publish_to_a_silent_broker_ends_at_the_deadline() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    proxy.set(Mode::Stall(Direction::Both));
    let (publisher, _context) = publisher(through(&vhost.url(), proxy.address()));
    let (result, took) = timed(&publisher, 1).await;
    assert_eq!(result, Err(PublishError::Unavailable));
    assert!(took < Settings::PUBLISH_TIMEOUT + PROMPT, "{took:?}");
}
