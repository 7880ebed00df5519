//! The effect of each verdict on a message.

use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use messaging::{Batching, Consumer, Event, Handler, Reason, Verdict, topology::NOTIFIER};
use opentelemetry::context::FutureExt as _;
use runtime::trace;
use serde_json::json;
use testkit::{
    broker::{Vhost, through},
    proxy::Proxy,
    wait,
};
use tokio::sync::Semaphore;

use crate::support::{
    SINGLE, TRACEPARENT, TestConsumer, id, lead, publisher, refused, retrying, settings,
};

const SOON: Duration = Duration::from_millis(10);

/// Longer than a test.
const NEVER: Duration = Duration::from_secs(3600);

/// The metric line for `count` messages with this verdict.
fn settled(verdict: &str, count: usize) -> String {
    format!("messaging_consumed_total{{queue=\"notifier.leads\",verdict=\"{verdict}\"}} {count}")
}

#[tokio::test]
async fn done_is_acknowledged() {
    let vhost = Vhost::create().await;
    let batches = Batching {
        size: 16,
        concurrency: 2,
    };
    let consumer = TestConsumer::start(settings(vhost.url()), batches, |_| Verdict::Done);
    for number in 0..40 {
        consumer.publisher.publish(&lead(number)).await.unwrap();
    }
    consumer.wait_until_seen(40).await;
    assert!(consumer.has_metric("messaging_connected{role=\"consume\"} 1"));
    consumer.stop().await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn retries_one_event_in_place() {
    let vhost = Vhost::create().await;
    let (owner, _context) = publisher(vhost.url());
    for number in 0..8 {
        owner.publish(&lead(number)).await.unwrap();
    }
    // All messages are queued, so they arrive in one batch.
    let batches = Batching {
        size: 8,
        concurrency: 1,
    };
    let tries = AtomicUsize::new(0);
    let consumer = TestConsumer::start(retrying(vhost.url(), SOON), batches, move |event| {
        let failed = *event == lead(3) && tries.fetch_add(1, Ordering::Relaxed) < 2;
        if failed {
            Verdict::Retry(refused())
        } else {
            Verdict::Done
        }
    });
    wait::until("all messages to be settled", async || {
        consumer.has_metric(&settled("done", 8))
    })
    .await;
    assert_eq!(consumer.seen().len(), 8 + 2);
    assert!(!consumer.has_published(), "a retry published a copy");
    consumer.stop().await;
    for queue in [NOTIFIER.queue, NOTIFIER.dead_letter_queue] {
        assert!(vhost.messages(queue).await.is_empty(), "{queue}");
    }
}

#[tokio::test]
async fn last_retry_makes_a_dead_letter() {
    let vhost = Vhost::create().await;
    let consumer = TestConsumer::start(retrying(vhost.url(), SOON), SINGLE, |_| {
        Verdict::Retry(refused())
    });
    let trace = trace::from_traceparent(Some(TRACEPARENT));
    consumer
        .publisher
        .publish(&lead(1))
        .with_context(trace)
        .await
        .unwrap();
    let letters = vhost.wait_for_messages("notifier.dead-letters", 1).await;
    assert_eq!(consumer.seen().len(), 1 + 3);
    assert!(
        consumer
            .seen()
            .iter()
            .all(|(_, trace)| trace.as_deref() == Some(TRACEPARENT))
    );
    let properties = &letters[0]["properties"];
    assert_eq!(properties["message_id"], id(1));
    assert_eq!(properties["type"], "lead.submitted.v1");
    assert_eq!(properties["headers"]["traceparent"], TRACEPARENT);
    assert_eq!(properties["headers"]["x-error-class"], "smtp");
    assert_eq!(
        properties["headers"]["x-error-detail"],
        "connection refused"
    );
    assert_eq!(
        properties["headers"]["x-dead-lettered-at"],
        "2026-03-01T04:05:06.000Z"
    );
    wait::until("the metric", async || {
        consumer.has_metric(&settled("dead_letter", 1))
    })
    .await;
    consumer.stop().await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn waiting_retry_does_not_block_others() {
    let vhost = Vhost::create().await;
    let one_by_one = Batching {
        size: 1,
        concurrency: 1,
    };
    let consumer = TestConsumer::start(retrying(vhost.url(), NEVER), one_by_one, |event| {
        if *event == lead(0) {
            Verdict::Retry(refused())
        } else {
            Verdict::Done
        }
    });
    for number in 0..10 {
        consumer.publisher.publish(&lead(number)).await.unwrap();
    }
    wait::until("the other messages to be settled", async || {
        consumer.has_metric(&settled("done", 9))
    })
    .await;
}

#[tokio::test]
async fn stop_returns_waiting_retries() {
    let vhost = Vhost::create().await;
    let consumer = TestConsumer::start(retrying(vhost.url(), NEVER), SINGLE, |_| {
        Verdict::Retry(refused())
    });
    consumer.publisher.publish(&lead(1)).await.unwrap();
    consumer.wait_until_seen(1).await;
    consumer.stop().await;
    vhost.take_messages("notifier.leads", 1).await;
    assert!(vhost.messages("notifier.dead-letters").await.is_empty());
}

#[tokio::test]
async fn returned_event_is_redelivered() {
    let vhost = Vhost::create().await;
    let (owner, _context) = publisher(vhost.url());
    let trace = trace::from_traceparent(Some(TRACEPARENT));
    for number in 0..4 {
        owner
            .publish(&lead(number))
            .with_context(trace.clone())
            .await
            .unwrap();
    }
    let one_by_one = Batching {
        size: 1,
        concurrency: 1,
    };
    let seen = AtomicUsize::new(0);
    let settings = settings(vhost.url());
    let consumer = TestConsumer::start(settings, one_by_one, move |_| {
        if seen.fetch_add(1, Ordering::Relaxed) == 0 {
            Verdict::Return
        } else {
            Verdict::Done
        }
    });
    wait::until("all messages to be settled", async || {
        consumer.has_metric(&settled("done", 4))
    })
    .await;
    assert!(consumer.has_metric(&settled("returned", 1)));
    let seen = consumer.seen();
    let mut leads: Vec<_> = seen.iter().map(|(event, _)| event.lead_id()).collect();
    leads.sort_unstable();
    assert_eq!(leads, [0, 0, 1, 2, 3].map(id));
    assert!(
        seen.iter()
            .all(|(_, trace)| trace.as_deref() == Some(TRACEPARENT))
    );
}

#[tokio::test]
async fn poison_message_is_a_dead_letter() {
    let vhost = Vhost::create().await;
    let consumer = TestConsumer::start(settings(vhost.url()), SINGLE, |_| Verdict::Done);
    consumer.publisher.publish(&lead(1)).await.unwrap();
    vhost
        .publish_raw(
            "notifier.leads",
            json!({ "type": "lead.submitted.v1" }),
            "not protobuf",
        )
        .await;
    vhost
        .publish_raw("notifier.leads", json!({ "type": "lead.submitted.v9" }), "")
        .await;
    vhost.publish_raw("notifier.leads", json!({}), "").await;
    consumer.publisher.publish(&lead(2)).await.unwrap();
    let letters = vhost.wait_for_messages("notifier.dead-letters", 3).await;
    let details: Vec<_> = letters
        .iter()
        .map(|message| &message["properties"]["headers"]["x-error-detail"])
        .collect();
    assert_eq!(
        details,
        [
            "undecodable body",
            "unknown message type",
            "unknown message type"
        ]
    );
    consumer.wait_until_seen(2).await;
}

#[tokio::test]
async fn undecodable_message_does_not_delay_its_batch() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    for queue in [
        "notifier.dead-letters",
        "notifier.dead-letters",
        "notifier.leads",
    ] {
        vhost.publish_raw(queue, json!({}), "").await;
    }
    vhost.limit("notifier.dead-letters", Some(1)).await;
    for number in 0..2 {
        publisher.publish(&lead(number)).await.unwrap();
    }
    // All messages are queued, so they arrive in one batch.
    let batches = Batching {
        size: 3,
        concurrency: 1,
    };
    let consumer = TestConsumer::start(settings(vhost.url()), batches, |_| Verdict::Done);
    wait::until("the leads to be settled", async || {
        consumer.has_metric(&settled("done", 2))
    })
    .await;
    assert!(!consumer.has_metric(&settled("dead_letter", 1)));
    vhost.limit("notifier.dead-letters", None).await;
    vhost.wait_for_messages("notifier.dead-letters", 3).await;
}

#[tokio::test]
async fn panicking_handler_affects_only_its_event() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    for number in 0..8 {
        publisher.publish(&lead(number)).await.unwrap();
    }
    // All messages are queued, so they arrive in one batch.
    let batches = Batching {
        size: 8,
        concurrency: 1,
    };
    let done = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&done);
    let _consumer = TestConsumer::start(retrying(vhost.url(), SOON), batches, move |event| {
        assert!(!event.lead_id().ends_with('3'), "on purpose");
        counter.fetch_add(1, Ordering::Relaxed);
        Verdict::Done
    });
    let letters = vhost.wait_for_messages("notifier.dead-letters", 1).await;
    assert_eq!(
        letters[0]["properties"]["headers"]["x-error-class"],
        "panic"
    );
    wait::until("the other messages", async || {
        done.load(Ordering::Relaxed) >= 7
    })
    .await;
}

#[tokio::test]
async fn consumer_reconnects() {
    let vhost = Vhost::create().await;
    let consumer = TestConsumer::start(settings(vhost.url()), SINGLE, |_| Verdict::Done);
    consumer.publisher.publish(&lead(1)).await.unwrap();
    consumer.wait_until_seen(1).await;
    vhost.close_connections().await;
    wait::until("a publish", async || {
        consumer.publisher.publish(&lead(2)).await.is_ok()
    })
    .await;
    wait::until("the second lead", async || {
        consumer.seen().iter().any(|seen| seen.0 == lead(2))
    })
    .await;
}

#[tokio::test]
async fn consumes_again_once_its_deleted_queue_exists() {
    let vhost = Vhost::create().await;
    let consumer = TestConsumer::start(settings(vhost.url()), SINGLE, |_| Verdict::Done);
    consumer.publisher.publish(&lead(1)).await.unwrap();
    consumer.wait_until_seen(1).await;
    vhost.delete_queue("notifier.leads").await;
    wait::until("the consumer to notice", async || {
        consumer.has_metric("messaging_connected{role=\"consume\"} 0")
    })
    .await;
    vhost.import_definitions().await;
    consumer.publisher.publish(&lead(2)).await.unwrap();
    consumer.wait_until_seen(2).await;
}

#[tokio::test]
async fn unsettled_event_is_not_handled_again() {
    let vhost = Vhost::create().await;
    let (owner, _context) = publisher(vhost.url());
    owner.publish(&lead(1)).await.unwrap();
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    proxy.cut();
    let (stuck, context) = publisher(through(&vhost.url(), proxy.address()));
    let released = Arc::new(Semaphore::new(1));
    let handler = BlockingHandler::new(&released, Verdict::DeadLetter(refused()));
    let entered = Arc::clone(&handler.entered);
    Consumer {
        subscription: NOTIFIER,
        batching: SINGLE,
        handler,
    }
    .start(settings(vhost.url()), stuck.clone(), &context);
    entered.acquire().await.unwrap().forget();
    wait::until("a publish that fails", async || {
        stuck.publish(&lead(2)).await.is_err()
    })
    .await;
    proxy.restore();
    let letters = vhost.wait_for_messages("notifier.dead-letters", 1).await;
    assert_eq!(letters[0]["properties"]["headers"]["x-error-class"], "smtp");
    assert_eq!(
        entered.available_permits(),
        0,
        "the event was handled again"
    );
}

#[tokio::test]
async fn stop_finishes_running_and_returns_the_rest() {
    let vhost = Vhost::create().await;
    let (publisher, context) = publisher(vhost.url());
    for number in 0..10 {
        publisher.publish(&lead(number)).await.unwrap();
    }
    let released = Arc::new(Semaphore::new(0));
    let handler = BlockingHandler::new(&released, Verdict::Done);
    let entered = Arc::clone(&handler.entered);
    let batching = Batching {
        concurrency: 1,
        ..SINGLE
    };
    Consumer {
        subscription: NOTIFIER,
        batching,
        handler,
    }
    .start(settings(vhost.url()), publisher, &context);
    entered.acquire().await.unwrap().forget();
    context.lifecycle.stop();
    released.add_permits(1);
    let stopping = Instant::now();
    let status = context
        .lifecycle
        .run(Duration::from_secs(20))
        .await
        .unwrap();
    assert!(
        stopping.elapsed() < Duration::from_secs(10),
        "the stop waited for the whole grace period"
    );
    assert_eq!(status, ExitCode::SUCCESS);
    let left = vhost.take_messages("notifier.leads", 9).await;
    assert!(
        left.iter()
            .all(|message| message["properties"]["message_id"] != id(0))
    );
}

/// Signals each call and waits for a permit before it returns.
struct BlockingHandler {
    entered: Arc<Semaphore>,
    released: Arc<Semaphore>,
    verdict: Verdict,
}

impl BlockingHandler {
    fn new(released: &Arc<Semaphore>, verdict: Verdict) -> Self {
        Self {
            entered: Arc::new(Semaphore::new(0)),
            released: Arc::clone(released),
            verdict,
        }
    }
}

impl Handler for BlockingHandler {
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        self.entered.add_permits(1);
        self.released.acquire().await.unwrap().forget();
        vec![self.verdict.clone(); batch.len()]
    }

    async fn probe(&self) -> Result<(), Reason> {
        Ok(())
    }
}
