//! Publisher and consumer against a real broker.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use contracts::leads::v1::LeadSubmitted;
use messaging::{
    Batching, Consumer, Delivery, Event, Handler, PublishError, Publisher, Reason, Settings, TopologyMode,
    Verdict,
    topology::{self, NOTIFIER, Subscription},
};
use runtime::service::Context;
use serde_json::json;
use testkit::{broker::Vhost, proxy::Proxy, wait};

const SINGLY: Batching = Batching { size: 1, wait: Duration::from_millis(1), concurrency: 4 };

/// The notifier's subscription, tried again only once, after five seconds.
const IMPATIENT: Subscription = Subscription { retry_after: &[Duration::from_secs(5)], ..NOTIFIER };

fn lead(number: usize) -> Event {
    Event::LeadSubmitted(LeadSubmitted {
        lead_id: format!("00000000-0000-0000-0000-{number:012}"),
        name: "陈伟".to_owned(),
        ..LeadSubmitted::default()
    })
}

fn publisher(url: String) -> (Publisher, Context) {
    let (context, _) = testkit::context("test");
    (Publisher::start(Settings::new(url.into()), &context), context)
}

/// Answers every event with what `verdict` says, and remembers them.
struct Scripted<F> {
    seen: Arc<Mutex<Vec<Delivery>>>,
    verdict: F,
}

impl<F: Fn(&Delivery) -> Verdict + Send + Sync + 'static> Handler for Scripted<F> {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        self.seen.lock().unwrap().extend(batch.iter().cloned());
        batch.iter().map(&self.verdict).collect()
    }
}

fn consume(
    url: String,
    subscription: Subscription,
    batching: Batching,
    verdict: impl Fn(&Delivery) -> Verdict + Send + Sync + 'static,
) -> (Arc<Mutex<Vec<Delivery>>>, Publisher, Context) {
    let (publisher, context) = publisher(url.clone());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let handler = Scripted { seen: Arc::clone(&seen), verdict };
    Consumer { subscription, batching, handler }.start(
        Settings::new(url.into()),
        publisher.clone(),
        &context,
    );
    (seen, publisher, context)
}

/// Ends all connections in good order: what was not acknowledged is back in its queue, and nothing else.
async fn stop(publisher: Publisher, context: &Context) {
    drop(publisher);
    context.lifecycle.stop();
    assert_eq!(
        context.lifecycle.run(Duration::from_secs(20)).await.unwrap(),
        std::process::ExitCode::SUCCESS
    );
}

fn attempts(seen: &Arc<Mutex<Vec<Delivery>>>) -> Vec<u32> {
    seen.lock().unwrap().iter().map(|delivery| delivery.attempt).collect()
}

#[tokio::test]
async fn a_confirmed_event_is_in_the_queue_of_every_subscriber() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap();
    publisher.publish(&lead(1), Some(&trace)).await.unwrap();
    for queue in ["crm-sync.leads", "notifier.leads"] {
        let messages = vhost.take_messages(queue, 1).await;
        let properties = &messages[0]["properties"];
        assert_eq!(properties["message_id"], "00000000-0000-0000-0000-000000000001");
        assert_eq!(properties["type"], "lead.submitted.v1");
        assert_eq!(properties["delivery_mode"], 2);
        assert_eq!(properties["headers"]["traceparent"], trace.as_str());
    }
}

#[tokio::test]
async fn many_publishes_at_once_are_each_answered() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    let publishes = (0..500).map(|number| {
        let publisher = publisher.clone();
        async move { publisher.publish(&lead(number), None).await }
    });
    let results = futures_util::future::join_all(publishes).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    vhost.take_messages("crm-sync.leads", 500).await;
}

#[tokio::test]
async fn what_no_queue_takes_is_an_error_and_only_that() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    publisher.publish(&lead(0), None).await.unwrap();
    // With its only queue gone, `lead.notified.v1` is unroutable while `lead.submitted.v1` still has one.
    vhost.delete_queue("crm-sync.leads").await;
    let publishes = (1..=200).map(|number| {
        let publisher = publisher.clone();
        async move {
            let event = if number % 3 == 0 {
                Event::LeadNotified(contracts::leads::v1::LeadNotified {
                    lead_id: number.to_string(),
                    ..Default::default()
                })
            } else {
                lead(number)
            };
            (number, publisher.publish(&event, None).await)
        }
    });
    for (number, result) in futures_util::future::join_all(publishes).await {
        let expected = if number % 3 == 0 { Err(PublishError::Unroutable) } else { Ok(()) };
        assert_eq!(result, expected, "publish {number}");
    }
}

#[tokio::test]
async fn a_broker_that_is_away_is_said_within_the_deadline_and_found_again() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let (publisher, _context) = publisher(vhost.url_through(proxy.address()));
    publisher.publish(&lead(1), None).await.unwrap();
    proxy.cut();
    let started = Instant::now();
    wait::until("the cut to be noticed", async || publisher.publish(&lead(2), None).await.is_err()).await;
    assert_eq!(publisher.publish(&lead(2), None).await, Err(PublishError::Away));
    assert!(started.elapsed() < 3 * Settings::PUBLISH_TIMEOUT, "{:?}", started.elapsed());
    proxy.restore();
    wait::until("the broker to be found again", async || publisher.publish(&lead(3), None).await.is_ok())
        .await;
}

#[tokio::test]
async fn nothing_is_published_after_its_caller_was_told_that_it_failed() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    proxy.cut();
    let (publisher, _context) = publisher(vhost.url_through(proxy.address()));
    assert_eq!(publisher.publish(&lead(1), None).await, Err(PublishError::Away));
    proxy.restore();
    wait::until("the broker to be found", async || publisher.publish(&lead(2), None).await.is_ok()).await;
    let messages = vhost.take_messages("notifier.leads", 1).await;
    assert_eq!(messages[0]["properties"]["message_id"], "00000000-0000-0000-0000-000000000002");
}

#[tokio::test]
async fn what_is_done_is_gone() {
    let vhost = Vhost::create().await;
    let batches = Batching { size: 16, wait: Duration::from_millis(50), concurrency: 2 };
    let (seen, publisher, context) = consume(vhost.url(), NOTIFIER, batches, |_| Verdict::Done);
    for number in 0..40 {
        publisher.publish(&lead(number), None).await.unwrap();
    }
    wait::until("40 deliveries", async || seen.lock().unwrap().len() == 40).await;
    stop(publisher, &context).await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn what_is_to_be_retried_comes_back_counted_and_is_parked_in_the_end() {
    let vhost = Vhost::create().await;
    let away = |_: &Delivery| Verdict::Retry(Reason::new("smtp", "connection refused"));
    let (seen, publisher, context) = consume(vhost.url(), IMPATIENT, SINGLY, away);
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap();
    publisher.publish(&lead(1), Some(&trace)).await.unwrap();
    let parked = vhost.wait_for_messages("notifier.parked", 1).await;
    assert_eq!(attempts(&seen), [1, 2]);
    assert!(seen.lock().unwrap().iter().all(|delivery| delivery.trace.as_ref() == Some(&trace)));
    let properties = &parked[0]["properties"];
    assert_eq!(properties["message_id"], "00000000-0000-0000-0000-000000000001");
    assert_eq!(properties["type"], "lead.submitted.v1");
    assert_eq!(properties["headers"]["x-attempt"], 2);
    assert_eq!(properties["headers"]["x-error-class"], "smtp");
    assert_eq!(properties["headers"]["x-error-detail"], "connection refused");
    stop(publisher, &context).await;
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn poison_is_parked_and_holds_up_nobody() {
    let vhost = Vhost::create().await;
    let (seen, publisher, _context) = consume(vhost.url(), NOTIFIER, SINGLY, |_| Verdict::Done);
    publisher.publish(&lead(1), None).await.unwrap();
    vhost.publish_raw("notifier.leads", json!({ "type": "lead.submitted.v1" }), "not protobuf").await;
    vhost.publish_raw("notifier.leads", json!({ "type": "lead.submitted.v9" }), "").await;
    vhost.publish_raw("notifier.leads", json!({}), "").await;
    publisher.publish(&lead(2), None).await.unwrap();
    let parked = vhost.wait_for_messages("notifier.parked", 3).await;
    let details: Vec<_> =
        parked.iter().map(|message| &message["properties"]["headers"]["x-error-detail"]).collect();
    assert_eq!(details, ["undecodable body", "unknown message type", "unknown message type"]);
    wait::until("both leads", async || seen.lock().unwrap().len() == 2).await;
}

#[tokio::test]
async fn a_panicking_handler_costs_only_the_event_it_panics_over() {
    let vhost = Vhost::create().await;
    let batches = Batching { size: 8, wait: Duration::from_millis(200), concurrency: 1 };
    let done = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&done);
    let (_seen, publisher, _context) = consume(vhost.url(), IMPATIENT, batches, move |delivery| {
        assert!(!delivery.event.lead_id().ends_with('3'), "on purpose");
        counter.fetch_add(1, Ordering::Relaxed);
        Verdict::Done
    });
    for number in 0..8 {
        publisher.publish(&lead(number), None).await.unwrap();
    }
    let waiting = vhost.wait_for_messages("notifier.retry.5s", 1).await;
    assert_eq!(waiting[0]["properties"]["headers"]["x-error-class"], "panic");
    wait::until("the others", async || done.load(Ordering::Relaxed) >= 7).await;
}

#[tokio::test]
async fn a_consumer_comes_back_after_its_connection_was_ended() {
    let vhost = Vhost::create().await;
    let (seen, publisher, _context) = consume(vhost.url(), NOTIFIER, SINGLY, |_| Verdict::Done);
    publisher.publish(&lead(1), None).await.unwrap();
    wait::until("the first lead", async || seen.lock().unwrap().len() == 1).await;
    vhost.close_connections().await;
    wait::until("a publish", async || publisher.publish(&lead(2), None).await.is_ok()).await;
    wait::until("the second lead", async || seen.lock().unwrap().iter().any(|d| d.event == lead(2))).await;
}

#[tokio::test]
async fn a_stop_finishes_what_is_in_hand_and_leaves_the_rest() {
    let vhost = Vhost::create().await;
    let (publisher, context) = publisher(vhost.url());
    for number in 0..10 {
        publisher.publish(&lead(number), None).await.unwrap();
    }
    let (entered, released) =
        (Arc::new(tokio::sync::Semaphore::new(0)), Arc::new(tokio::sync::Semaphore::new(0)));
    let handler = Gate { entered: Arc::clone(&entered), released: Arc::clone(&released) };
    let batching = Batching { concurrency: 1, ..SINGLY };
    Consumer { subscription: NOTIFIER, batching, handler }.start(
        Settings::new(vhost.url().into()),
        publisher,
        &context,
    );
    entered.acquire().await.unwrap().forget();
    context.lifecycle.stop();
    released.add_permits(1);
    let stopping = Instant::now();
    let status = context.lifecycle.run(Duration::from_secs(20)).await.unwrap();
    assert!(stopping.elapsed() < Duration::from_secs(10), "it waited for the grace period to end");
    assert_eq!(status, std::process::ExitCode::SUCCESS);
    let left = vhost.take_messages("notifier.leads", 9).await;
    let finished = "00000000-0000-0000-0000-000000000000";
    assert!(left.iter().all(|message| message["properties"]["message_id"] != finished));
}

struct Gate {
    entered: Arc<tokio::sync::Semaphore>,
    released: Arc<tokio::sync::Semaphore>,
}

impl Handler for Gate {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        self.entered.add_permits(1);
        self.released.acquire().await.unwrap().forget();
        vec![Verdict::Done; batch.len()]
    }
}

#[tokio::test]
async fn checking_finds_a_missing_queue_and_makes_none() {
    let vhost = Vhost::create().await;
    let (context, _) = testkit::context("test");
    let settings = Settings { topology: TopologyMode::Check, ..Settings::new(vhost.url().into()) };
    let publisher = Publisher::start(settings, &context);
    assert_eq!(publisher.publish(&lead(1), None).await, Err(PublishError::Away));
    assert!(!vhost.has_queue("crm-sync.leads").await);

    // Once somebody who may has declared them, it works without being asked again.
    let (owner, _context) = self::publisher(vhost.url());
    wait::until("the owner", async || owner.publish(&lead(2), None).await.is_ok()).await;
    wait::until("the checker", async || publisher.publish(&lead(3), None).await.is_ok()).await;
}

#[test]
fn the_definitions_for_production_are_the_topology() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../deploy/rabbitmq/definitions.json");
    let expected = format!("{:#}\n", messaging::definitions());
    #[expect(clippy::disallowed_methods, reason = "a developer's switch of this test alone")]
    if std::env::var_os("UPDATE_DEFINITIONS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        expected,
        "stale: run `UPDATE_DEFINITIONS=1 cargo test -p messaging --test broker definitions`"
    );
    assert_eq!(messaging::definitions()["queues"].as_array().unwrap().len(), topology::queues().len());
}
