//! Consumers pause while the handler's probe fails, and not because an event fails.

use std::{
    collections::HashSet,
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use messaging::{Batching, Consumer, Event, Handler, Reason, Verdict, topology::NOTIFIER};
use serde_json::json;
use testkit::{
    broker::{Vhost, through},
    proxy::Proxy,
    wait,
};

use crate::support::{
    SINGLE, TestConsumer, has_metric, lead, publisher, refused, retrying, settings, stop,
};

const BATCHES: Batching = Batching {
    size: 3,
    concurrency: 2,
};

async fn submit(vhost: &Vhost, count: usize) {
    let (publisher, context) = publisher(vhost.url());
    for number in 0..count {
        publisher.publish(&lead(number)).await.unwrap();
    }
    drop(publisher);
    stop(&context).await;
}

#[tokio::test]
async fn paused_consumer_probes_while_publishes_are_rejected() {
    let vhost = Vhost::create().await;
    submit(&vhost, 20).await;
    for queue in ["notifier.leads", "notifier.dead-letters"] {
        vhost.limit(queue, Some(1)).await;
    }
    let consumer = TestConsumer::start_unavailable(settings(vhost.url()), BATCHES);
    consumer.wait_for_probes().await;
    let before = consumer.seen().len();
    consumer.set_unavailable(false);
    consumer.wait_until_seen(before + 20).await;
    consumer.stop().await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn pause_does_not_wait_for_rejected_dead_letters() {
    let vhost = Vhost::create().await;
    submit(&vhost, 1).await;
    vhost.take_messages("notifier.leads", 1).await;
    for queue in [
        "notifier.dead-letters",
        "notifier.dead-letters",
        "notifier.leads",
    ] {
        vhost.publish_raw(queue, json!({}), "").await;
    }
    vhost.limit("notifier.dead-letters", Some(1)).await;
    submit(&vhost, 3).await;
    let consumer = TestConsumer::start_unavailable(settings(vhost.url()), BATCHES);
    consumer.wait_for_probes().await;
    vhost.limit("notifier.dead-letters", None).await;
    consumer.set_unavailable(false);
    wait::until("the leads to be settled", async || {
        consumer.has_metric("messaging_consumed_total{queue=\"notifier.leads\",verdict=\"done\"} 3")
    })
    .await;
    vhost.wait_for_messages("notifier.dead-letters", 3).await;
}

#[tokio::test]
async fn pause_returns_prefetched_messages() {
    let vhost = Vhost::create().await;
    submit(&vhost, 20).await;
    let consumer = TestConsumer::start_unavailable(settings(vhost.url()), BATCHES);
    consumer.wait_for_probes().await;
    assert!(consumer.has_metric("messaging_paused{queue=\"notifier.leads\"} 1"));
    consumer.stop().await;
    vhost.take_messages("notifier.leads", 20).await;
    assert!(vhost.messages("notifier.dead-letters").await.is_empty());
}

#[tokio::test]
async fn pause_ends_with_a_successful_probe() {
    let vhost = Vhost::create().await;
    submit(&vhost, 20).await;
    let consumer = TestConsumer::start_unavailable(settings(vhost.url()), BATCHES);
    consumer.wait_for_probes().await;
    let before = consumer.seen().len();
    consumer.publisher.publish(&lead(20)).await.unwrap();
    consumer.wait_for_probes().await;
    assert_eq!(
        consumer.seen().len(),
        before,
        "an event was handled during the pause"
    );

    consumer.set_unavailable(false);
    consumer.wait_until_seen(before + 21).await;
    assert!(consumer.has_metric("messaging_paused{queue=\"notifier.leads\"} 0"));
    consumer.stop().await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn pause_returns_waiting_retries() {
    let vhost = Vhost::create().await;
    let tries = AtomicUsize::new(0);
    let hour = Duration::from_secs(3600);
    let consumer = TestConsumer::start(retrying(vhost.url(), hour), SINGLE, move |_| {
        if tries.fetch_add(1, Ordering::Relaxed) == 0 {
            Verdict::Retry(refused())
        } else {
            Verdict::Done
        }
    });
    consumer.publisher.publish(&lead(0)).await.unwrap();
    consumer.wait_until_seen(1).await;
    consumer.set_unavailable(true);
    consumer.publisher.publish(&lead(1)).await.unwrap();
    consumer.wait_for_probes().await;
    consumer.set_unavailable(false);
    consumer.wait_until_seen(4).await;
    consumer.stop().await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn pause_survives_a_reconnect() {
    let vhost = Vhost::create().await;
    submit(&vhost, 1).await;
    let broker = Proxy::start(vhost.target()).await.unwrap();
    let url = through(&vhost.url(), broker.address());
    let consumer = TestConsumer::start_unavailable(settings(url), SINGLE);
    consumer.wait_for_probes().await;
    let before = consumer.seen().len();
    // The broker stays unavailable until the disconnect is visible, because a slow machine may reconnect first.
    broker.cut();
    wait::until("the disconnect", async || {
        consumer.has_metric("messaging_connected{role=\"consume\"} 0")
    })
    .await;
    broker.restore();
    consumer.wait_for_probes().await;
    assert_eq!(
        consumer.seen().len(),
        before,
        "an event was handled during the pause"
    );
    consumer.set_unavailable(false);
    consumer.wait_until_seen(before + 1).await;
    consumer.stop().await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn failed_events_share_probes_and_do_not_pause() {
    const LEADS: usize = 20;
    let vhost = Vhost::create().await;
    submit(&vhost, LEADS).await;
    let batches = Batching {
        size: 20,
        concurrency: 1,
    };
    let failed = Mutex::new(HashSet::new());
    let soon = Duration::from_millis(10);
    let consumer = TestConsumer::start(retrying(vhost.url(), soon), batches, move |event| {
        if failed.lock().unwrap().insert(event.lead_id().to_owned()) {
            Verdict::Retry(refused())
        } else {
            Verdict::Done
        }
    });
    wait::until("the leads to be settled", async || {
        consumer
            .has_metric("messaging_consumed_total{queue=\"notifier.leads\",verdict=\"done\"} 20")
    })
    .await;
    assert_eq!(consumer.seen().len(), 2 * LEADS);
    // The leads may arrive in several batches.
    assert!(
        (1..LEADS).contains(&consumer.probes()),
        "{}",
        consumer.probes()
    );
    consumer.stop().await;
}

/// Never finishes one lead. Fails all others while the dependency is unavailable.
struct StuckHandler {
    stuck: Event,
    is_unavailable: Arc<AtomicBool>,
}

impl Handler for StuckHandler {
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        if batch.contains(&self.stuck) {
            return pending().await;
        }
        let verdict = match self.probe().await {
            Ok(()) => Verdict::Done,
            Err(reason) => Verdict::Retry(reason),
        };
        vec![verdict; batch.len()]
    }

    async fn probe(&self) -> Result<(), Reason> {
        if self.is_unavailable.load(Ordering::SeqCst) {
            Err(refused())
        } else {
            Ok(())
        }
    }
}

#[tokio::test]
async fn pause_waits_only_seconds_for_running_handlers() {
    let vhost = Vhost::create().await;
    let (publisher, context) = publisher(vhost.url());
    let is_unavailable = Arc::new(AtomicBool::new(true));
    let handler = StuckHandler {
        stuck: lead(0),
        is_unavailable: Arc::clone(&is_unavailable),
    };
    for number in 0..2 {
        publisher.publish(&lead(number)).await.unwrap();
    }
    Consumer {
        subscription: NOTIFIER,
        batching: SINGLE,
        handler,
    }
    .start(settings(vhost.url()), publisher.clone(), &context);
    wait::until("the pause", async || {
        has_metric(&context, "messaging_paused{queue=\"notifier.leads\"} 1")
    })
    .await;
    is_unavailable.store(false, Ordering::SeqCst);
    publisher.publish(&lead(2)).await.unwrap();
    wait::until("the other leads", async || {
        has_metric(
            &context,
            "messaging_consumed_total{queue=\"notifier.leads\",verdict=\"done\"} 2",
        )
    })
    .await;
}
