//! Erasure of a person whose lead is in every queue and in the database.

use reqwest::StatusCode;
use serde_json::{Value, json};
use testkit::{broker::payload, wait};

use crate::system::{RECIPIENTS, System, form};

const MARKER: &str = "xqzzyplanted";
const EMAIL: &str = "XQZZYplanted@Example.com";
const NUMBER: &str = "+65 9876 5432";
const KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e";
const OTHER_KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3f";

const WORK: [&str; 2] = ["crm-sync.leads", "notifier.leads"];
const DEAD_LETTERS: [&str; 2] = ["crm-sync.dead-letters", "notifier.dead-letters"];

/// The form with a marker in every text.
fn marked_form() -> Value {
    let mut marked = form();
    for (field, value) in marked.as_object_mut().unwrap() {
        match field.as_str() {
            "mobile" => *value = json!(NUMBER),
            "email" => *value = json!(EMAIL),
            _ if value.is_string() => *value = json!(format!("Tan {MARKER}")),
            _ => {}
        }
    }
    marked
}

#[tokio::test(flavor = "multi_thread")]
async fn erased_person_is_nowhere_even_after_a_replay() {
    let system = System::start(&[]).await;
    // Another person's lead is not affected.
    system.stop_mail(OTHER_KEY).await;
    assert_eq!(
        system.submit(KEY, &marked_form()).await,
        Some(StatusCode::ACCEPTED)
    );
    wait::until("the row", async || system.count("lead") == 2).await;
    let message = system
        .vhost
        .take_messages("notifier.leads", 1)
        .await
        .remove(0);
    assert!(
        holds_marker(&payload(&message)),
        "the message contains the marker"
    );
    assert!(
        system.dump().to_lowercase().contains(MARKER),
        "the row contains the marker"
    );
    for queue in DEAD_LETTERS {
        system.vhost.publish_copy(queue, &message).await;
    }

    system
        .leadctl(&["person", "erase", "xqzzyPLANTED@example.com", "--yes"])
        .await;
    assert_marker_is_gone(&system).await;

    // A copy that the erasure could not reach arrives later.
    for queue in WORK {
        system.vhost.publish_copy(queue, &message).await;
    }
    system.smtp.heal();
    let delivered = "delivery WHERE state = 'delivered'";
    wait::until("the other person's emails", async || {
        system.count(delivered) == RECIPIENTS.len()
    })
    .await;
    system.wait_for_empty_queues().await;
    wait::until("the leads to be closed", async || {
        system.count("lead WHERE open") == 0
    })
    .await;
    assert_marker_is_gone(&system).await;
    let emails = system.smtp.emails();
    assert!(
        emails.iter().all(|mail| !holds_marker(&mail.raw)),
        "an email contains the marker"
    );
    assert_eq!(
        system.count("audit WHERE client = 'leadctl' AND action = 'erase-person' AND leads = 1"),
        1
    );
    assert_eq!(system.count("lead WHERE erased_at IS NOT NULL"), 1);
}

async fn assert_marker_is_gone(system: &System) {
    let digits = "98765432";
    let dump = system.dump().to_lowercase();
    assert!(
        !dump.contains(MARKER) && !dump.contains(digits),
        "in a table"
    );
    for queue in WORK.into_iter().chain(DEAD_LETTERS) {
        for message in system.vhost.messages(queue).await {
            assert!(!holds_marker(&payload(&message)), "in {queue}");
        }
    }
    let logs = system.logs().to_lowercase();
    assert!(!logs.contains(MARKER) && !logs.contains(digits), "in a log");
}

fn holds_marker(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes)
        .to_lowercase()
        .contains(MARKER)
}
