//! What an operator does with parked messages, as a user who may do nothing else.

use std::time::Duration;

use messaging::{
    Settings, Verdict,
    parked::{DELIVERY_LIMIT, Parked, Selection},
    topology::NOTIFIER,
};
use serde_json::json;
use testkit::{broker::Vhost, start_of_time, wait};

use crate::support::{Consuming, SINGLY, TRACEPARENT, id, is_as_new, lead, publisher, refused};

const MINUTE: Duration = Duration::from_secs(60);

async fn operator(vhost: &Vhost) -> Parked {
    let url = vhost.url_of("operator");
    Parked::open(Settings::new(url.into()), NOTIFIER).await.unwrap()
}

/// Three leads that were parked, each a minute after the one before it.
async fn with_three() -> Vhost {
    let vhost = Vhost::create().await;
    let consuming = Consuming::start(Settings::new(vhost.url().into()), SINGLY, |_| Verdict::Park(refused()));
    let trace = TRACEPARENT.parse().unwrap();
    for number in 1..=3 {
        consuming.publisher.publish(&lead(number), Some(&trace)).await.unwrap();
        vhost.wait_for_messages("notifier.parked", number).await;
        consuming.clock.advance(MINUTE);
    }
    consuming.stop().await;
    vhost
}

async fn ids(parked: &Parked) -> Vec<String> {
    parked.list().await.unwrap().into_iter().map(|message| message.message_id).collect()
}

#[tokio::test]
async fn a_list_shows_what_is_parked_and_leaves_it_there() {
    let vhost = with_three().await;
    vhost.publish_raw("notifier.parked", json!({}), "not an event").await;
    let parked = operator(&vhost).await;
    for _ in 0..3 {
        let messages = parked.list().await.unwrap();
        assert_eq!(messages.len(), 4);
        let (first, last) = (&messages[0], &messages[3]);
        assert_eq!(first.message_id, id(1));
        assert_eq!(first.kind, "lead.submitted.v1");
        assert_eq!((first.attempt, first.replayed), (1, 0));
        assert_eq!((first.error_class.as_str(), first.error_detail.as_str()), ("smtp", "connection refused"));
        assert_eq!(first.trace.as_ref().unwrap().as_str(), TRACEPARENT);
        assert_eq!(first.parked_at, Some(start_of_time()));
        assert!(first.event == Some(lead(1)));
        assert!(last.event.is_none() && last.parked_at.is_none() && last.error_class.is_empty());
    }
}

#[tokio::test]
async fn a_replay_moves_what_is_selected_as_if_it_were_new() {
    let vhost = with_three().await;
    let parked = operator(&vhost).await;
    assert!(parked.replay(&Selection::Id(id(9))).await.unwrap().is_empty());
    let moved = parked.replay(&Selection::Id(id(2))).await.unwrap();
    assert_eq!(moved.iter().map(|message| &message.message_id).collect::<Vec<_>>(), [&id(2)]);
    assert_eq!(ids(&parked).await, [id(1), id(3)]);

    let messages = vhost.take_messages("notifier.leads", 1).await;
    let properties = &messages[0]["properties"];
    assert_eq!(properties["message_id"], id(2));
    assert_eq!(properties["type"], "lead.submitted.v1");
    assert_eq!(properties["headers"]["traceparent"], TRACEPARENT);
    assert_eq!(properties["headers"]["x-replayed"], 1);
    assert!(is_as_new(&messages[0]), "{messages:?}");

    let moved = parked.replay(&Selection::Since(start_of_time() + MINUTE)).await.unwrap();
    assert_eq!(moved.len(), 1);
    assert_eq!(ids(&parked).await, [id(1)]);
}

#[tokio::test]
async fn replays_are_counted_and_all_means_all() {
    let vhost = with_three().await;
    let parked = operator(&vhost).await;
    assert_eq!(parked.replay(&Selection::All).await.unwrap().len(), 3);
    assert!(ids(&parked).await.is_empty());
    let consuming = Consuming::start(Settings::new(vhost.url().into()), SINGLY, |_| Verdict::Park(refused()));
    consuming.wait_until_seen(3).await;
    assert_eq!(consuming.attempts(), [1, 1, 1]);
    wait::until("all to be parked again", async || parked.list().await.unwrap().len() == 3).await;
    assert!(parked.list().await.unwrap().iter().all(|message| message.replayed == 1));
}

#[tokio::test]
async fn a_replay_that_is_refused_leaves_what_it_did_not_move() {
    let vhost = with_three().await;
    let parked = operator(&vhost).await;
    vhost.delete_queue("notifier.leads").await;
    let error = parked.replay(&Selection::All).await.err().unwrap();
    assert_eq!(error.to_string(), "stopped after 0 messages: the broker has no queue for it");
    wait::until("them to be back", async || ids(&parked).await.len() == 3).await;
}

#[tokio::test]
async fn what_is_discarded_is_gone() {
    let vhost = with_three().await;
    let parked = operator(&vhost).await;
    let discarded = parked.discard(&Selection::Id(id(1))).await.unwrap();
    assert!(discarded[0].event == Some(lead(1)));
    assert_eq!(ids(&parked).await, [id(2), id(3)]);
    assert_eq!(parked.discard(&Selection::All).await.unwrap().len(), 2);
    assert!(ids(&parked).await.is_empty());
    assert!(vhost.messages("notifier.leads").await.is_empty());
}

#[tokio::test]
async fn what_the_broker_gave_up_says_so() {
    let vhost = Vhost::create().await;
    let (publisher, _context) = publisher(vhost.url());
    publisher.publish(&lead(1), None).await.unwrap();
    // Each look delivers it and puts it back, as a consumer does that dies with it.
    wait::until("the broker to park it", async || vhost.messages("notifier.leads").await.is_empty()).await;
    let parked = operator(&vhost).await;
    let messages = wait::for_some("the parked message", async || {
        parked.list().await.ok().filter(|messages| !messages.is_empty())
    })
    .await;
    assert_eq!(messages[0].message_id, id(1));
    assert_eq!(messages[0].error_class, DELIVERY_LIMIT);
    assert!(messages[0].parked_at.is_some());
}
