//! What lies in any queue, held and dropped, as a user who may do nothing else.

use std::time::{Duration, Instant};

use messaging::{Event, Settings, Verdict, copies::HeldCopies};
use serde_json::{Value, json};
use testkit::{broker::Vhost, wait};

use crate::support::{Consuming, SINGLY, id, lead, publisher_with, refused, stop};

/// How long a message waits in the retry queue of these tests.
const WAIT: Duration = Duration::from_secs(4);

/// Long enough for what is at the end of its wait to be found in the next queue.
const SLACK: Duration = Duration::from_secs(2);

fn waiting(url: String) -> Settings {
    Settings { retry_after: "4s,1h".parse().unwrap(), ..Settings::new(url.into()) }
}

async fn eraser(vhost: &Vhost) -> Settings {
    waiting(vhost.url_of("operator"))
}

async fn hold(settings: &Settings) -> HeldCopies {
    HeldCopies::take(settings).await.unwrap()
}

fn lead_of(message: &Value) -> &str {
    message["properties"]["message_id"].as_str().unwrap()
}

/// The topology, with so many leads in the work queues.
async fn with_leads(vhost: &Vhost, count: usize) {
    let (publisher, context) = publisher_with(waiting(vhost.url()));
    for number in 1..=count {
        publisher.publish(&lead(number), None).await.unwrap();
    }
    drop(publisher);
    stop(&context).await;
}

/// Has a consumer give each lead this verdict.
async fn judge(vhost: &Vhost, count: usize, verdict: fn() -> Verdict) {
    let consuming = Consuming::start(waiting(vhost.url()), SINGLY, move |_| verdict());
    consuming.wait_until_seen(count).await;
    consuming.stop().await;
}

async fn held(settings: &Settings) -> Vec<(String, String)> {
    let copies = hold(settings).await;
    let held = copies.iter().map(|copy| (copy.queue.clone(), copy.message_id.clone())).collect();
    copies.release().await.unwrap();
    held
}

#[tokio::test]
async fn what_is_doomed_goes_from_every_queue_and_the_rest_stays_in_order() {
    let vhost = Vhost::create().await;
    let eraser = eraser(&vhost).await;
    with_leads(&vhost, 3).await;
    judge(&vhost, 3, || Verdict::Park(refused())).await;
    with_leads(&vhost, 3).await;
    vhost.publish_raw("notifier.retry.1h", json!({ "message_id": id(2) }), "not an event").await;
    vhost.publish_raw("notifier.retry.1h", json!({}), "not an event").await;
    let mut lies = Vec::new();
    for _ in 0..2 {
        lies = held(&eraser).await;
        assert_eq!(lies.len(), 6 + 3 + 2 + 3, "{lies:?}");
    }

    let copies = hold(&eraser).await;
    let is_second = |event: &Event| event.lead_id() == id(2);
    let dropped = copies
        .drop_those(|copy| copy.event.as_ref().map_or(copy.message_id == id(2), is_second))
        .await
        .unwrap();
    assert_eq!(dropped, 2 + 1 + 1 + 1);
    lies.retain(|(_, lead)| *lead != id(2));
    assert_eq!(held(&eraser).await, lies);
    let worked_on = vhost.take_messages("notifier.leads", 2).await;
    assert_eq!(worked_on.iter().map(lead_of).collect::<Vec<_>>(), [id(1), id(3)]);
}

#[tokio::test]
async fn a_wait_for_another_try_goes_on_while_it_is_held() {
    let vhost = Vhost::create().await;
    let eraser = eraser(&vhost).await;
    with_leads(&vhost, 2).await;
    let began = Instant::now();
    judge(&vhost, 2, || Verdict::Retry(refused())).await;

    let copies = hold(&eraser).await;
    wait::until("most of the wait to pass", async || began.elapsed() > WAIT * 3 / 4).await;
    let dropped = copies.drop_those(|copy| copy.message_id == id(1)).await.unwrap();
    assert_eq!(dropped, 2, "one of the retry queue, one of the other service's");
    let back = vhost.take_messages("notifier.leads", 1).await;
    assert!(began.elapsed() < WAIT + SLACK, "{:?}", began.elapsed());
    assert_eq!(lead_of(&back[0]), id(2));
    assert_eq!(back[0]["properties"]["headers"]["x-attempt"], 2);
}

#[tokio::test]
async fn what_should_have_come_round_while_it_was_held_comes_at_once() {
    let vhost = Vhost::create().await;
    let eraser = eraser(&vhost).await;
    with_leads(&vhost, 1).await;
    let began = Instant::now();
    judge(&vhost, 1, || Verdict::Retry(refused())).await;
    let copies = hold(&eraser).await;
    wait::until("the wait to pass", async || began.elapsed() > WAIT + SLACK / 2).await;
    assert!(vhost.messages("notifier.leads").await.is_empty(), "it is in hand");
    copies.release().await.unwrap();
    let released = Instant::now();
    vhost.take_messages("notifier.leads", 1).await;
    assert!(released.elapsed() < SLACK, "{:?}", released.elapsed());
}

#[tokio::test]
async fn queues_that_are_not_there_hold_nothing_and_those_that_may_not_be_read_are_an_error() {
    let vhost = Vhost::create().await;
    assert!(held(&eraser(&vhost).await).await.is_empty());
    with_leads(&vhost, 1).await;
    let blind = waiting(vhost.url_of("lead-intake"));
    let error = HeldCopies::take(&blind).await.err().unwrap();
    assert!(error.is_refusal(), "{error}");
    vhost.take_messages("notifier.leads", 1).await;
}
