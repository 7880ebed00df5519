//! Listing, replaying and deleting dead letters, with the permissions of an operator.

use std::{collections::HashSet, time::Duration};

use messaging::{
    Verdict,
    dead_letters::{DELIVERY_LIMIT, DeadLetter, DeadLetters},
    topology::NOTIFIER,
};
use opentelemetry::context::FutureExt as _;
use runtime::trace;
use serde_json::json;
use testkit::{broker::Vhost, start_of_time, wait};
use uuid::Uuid;

use crate::support::{
    SINGLE, TRACEPARENT, TestConsumer, id, is_as_new, lead, publisher, refused, settings,
};

const MINUTE: Duration = Duration::from_secs(60);

async fn operator(vhost: &Vhost) -> DeadLetters {
    let url = vhost.url_of("operator");
    DeadLetters::connect(settings(url), NOTIFIER).await.unwrap()
}

/// Creates three dead letters, each a minute after the previous one.
async fn create_three() -> Vhost {
    let vhost = Vhost::create().await;
    let consumer = TestConsumer::start(settings(vhost.url()), SINGLE, |_| {
        Verdict::DeadLetter(refused())
    });
    let trace = trace::from_traceparent(Some(TRACEPARENT));
    for number in 1..=3 {
        consumer
            .publisher
            .publish(&lead(number))
            .with_context(trace.clone())
            .await
            .unwrap();
        vhost
            .wait_for_messages("notifier.dead-letters", number)
            .await;
        consumer.clock.advance(MINUTE);
    }
    consumer.stop().await;
    vhost
}

async fn select(
    dead_letters: &DeadLetters,
    is_selected: impl Fn(&DeadLetter) -> bool,
) -> HashSet<Uuid> {
    let letters = dead_letters.list().await.unwrap();
    letters
        .iter()
        .filter(|letter| is_selected(letter))
        .map(|letter| letter.fingerprint)
        .collect()
}

async fn select_id(dead_letters: &DeadLetters, id: &str) -> HashSet<Uuid> {
    select(dead_letters, |letter| letter.message_id == id).await
}

async fn ids(dead_letters: &DeadLetters) -> Vec<String> {
    dead_letters
        .list()
        .await
        .unwrap()
        .into_iter()
        .map(|message| message.message_id)
        .collect()
}

#[tokio::test]
async fn list_leaves_dead_letters_in_place() {
    let vhost = create_three().await;
    vhost
        .publish_raw("notifier.dead-letters", json!({}), "not an event")
        .await;
    let dead_letters = operator(&vhost).await;
    for _ in 0..3 {
        let messages = dead_letters.list().await.unwrap();
        assert_eq!(messages.len(), 4);
        let (first, last) = (&messages[0], &messages[3]);
        assert_eq!(first.message_id, id(1));
        assert_eq!(first.kind, "lead.submitted.v1");
        assert_eq!(first.replayed, 0);
        assert_eq!(
            (first.error_class.as_str(), first.error_detail.as_str()),
            ("smtp", "connection refused")
        );
        assert_eq!(first.trace_id.as_deref(), Some(&TRACEPARENT[3..35]));
        assert_eq!(first.dead_lettered_at, Some(start_of_time()));
        assert!(first.event == Some(lead(1)));
        assert!(
            last.event.is_none() && last.dead_lettered_at.is_none() && last.error_class.is_empty()
        );
    }
}

#[tokio::test]
async fn replay_moves_selected_as_new() {
    let vhost = create_three().await;
    let dead_letters = operator(&vhost).await;
    assert!(
        dead_letters
            .replay(&HashSet::from([Uuid::nil()]))
            .await
            .unwrap()
            .is_empty()
    );
    let second = select_id(&dead_letters, &id(2)).await;
    let moved = dead_letters.replay(&second).await.unwrap();
    assert_eq!(
        moved
            .iter()
            .map(|message| &message.message_id)
            .collect::<Vec<_>>(),
        [&id(2)]
    );
    assert_eq!(ids(&dead_letters).await, [id(1), id(3)]);

    let messages = vhost.take_messages("notifier.leads", 1).await;
    let properties = &messages[0]["properties"];
    assert_eq!(properties["message_id"], id(2));
    assert_eq!(properties["type"], "lead.submitted.v1");
    assert_eq!(properties["headers"]["traceparent"], TRACEPARENT);
    assert_eq!(properties["headers"]["x-replayed"], 1);
    assert!(is_as_new(&messages[0]), "{messages:?}");
    assert!(
        dead_letters.replay(&second).await.unwrap().is_empty(),
        "the message is already in the work queue"
    );
}

#[tokio::test]
async fn replay_of_all_counts_each() {
    let vhost = create_three().await;
    let dead_letters = operator(&vhost).await;
    let all = select(&dead_letters, |_| true).await;
    assert_eq!(dead_letters.replay(&all).await.unwrap().len(), 3);
    assert!(ids(&dead_letters).await.is_empty());
    let consumer = TestConsumer::start(settings(vhost.url()), SINGLE, |_| {
        Verdict::DeadLetter(refused())
    });
    consumer.wait_until_seen(3).await;
    wait::until("all messages to be dead letters again", async || {
        dead_letters.list().await.unwrap().len() == 3
    })
    .await;
    assert!(
        dead_letters
            .list()
            .await
            .unwrap()
            .iter()
            .all(|message| message.replayed == 1)
    );
}

#[tokio::test]
async fn rejected_replay_keeps_the_rest() {
    let vhost = create_three().await;
    let dead_letters = operator(&vhost).await;
    vhost.delete_queue("notifier.leads").await;
    let all = select(&dead_letters, |_| true).await;
    let error = dead_letters.replay(&all).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "replay stopped after 0 messages: no queue is bound to the routing key; repeat it to move the rest"
    );
    wait::until("the messages to return", async || {
        ids(&dead_letters).await.len() == 3
    })
    .await;
}

#[tokio::test]
async fn deleted_dead_letter_is_gone() {
    let vhost = create_three().await;
    let dead_letters = operator(&vhost).await;
    let discarded = dead_letters
        .discard(&select_id(&dead_letters, &id(1)).await)
        .await
        .unwrap();
    assert!(discarded[0].event == Some(lead(1)));
    assert_eq!(ids(&dead_letters).await, [id(2), id(3)]);
    let all = select(&dead_letters, |_| true).await;
    assert_eq!(dead_letters.discard(&all).await.unwrap().len(), 2);
    assert!(ids(&dead_letters).await.is_empty());
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn broker_dead_letter_has_a_reason() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    publisher.publish(&lead(1)).await.unwrap();
    // Each read delivers the message and returns it, like a consumer that dies.
    wait::until("the broker to make it a dead letter", async || {
        vhost.messages("notifier.leads").await.is_empty()
    })
    .await;
    let dead_letters = operator(&vhost).await;
    let messages = wait::for_some("the dead letter", async || {
        dead_letters
            .list()
            .await
            .ok()
            .filter(|messages| !messages.is_empty())
    })
    .await;
    assert_eq!(messages[0].message_id, id(1));
    assert_eq!(messages[0].error_class, DELIVERY_LIMIT);
    assert!(messages[0].dead_lettered_at.is_some());
}
