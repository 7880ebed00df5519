//! A person who wants to be forgotten is, wherever their lead has got to.

use reqwest::StatusCode;
use serde_json::{Value, json};
use testkit::{broker::payload, wait};

use crate::system::{RECIPIENTS, Scenario, System, form};

const MARKER: &str = "xqzzyplanted";
const EMAIL: &str = "XQZZYplanted@Example.com";
const NUMBER: &str = "+65 9876 5432";
const KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e";
const OTHER_KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3f";

const WORK: [&str; 2] = ["crm-sync.leads", "notifier.leads"];
const DEAD_LETTERS: [&str; 2] = ["crm-sync.dead-letters", "notifier.dead-letters"];

/// The form with a marker in every text of it.
fn planted() -> Value {
    let mut planted = form();
    for (field, value) in planted.as_object_mut().unwrap() {
        match field.as_str() {
            "mobile" => *value = json!(NUMBER),
            "email" => *value = json!(EMAIL),
            _ if value.is_string() => *value = json!(format!("Tan {MARKER}")),
            _ => {}
        }
    }
    planted
}

#[tokio::test(flavor = "multi_thread")]
async fn erased_person_is_nowhere_even_after_a_replay() {
    let system = System::start(Scenario::default()).await;
    // Somebody else's lead is none of this.
    system.mail_goes_away(OTHER_KEY).await;
    assert_eq!(system.submit(KEY, &planted()).await, Some(StatusCode::ACCEPTED));
    wait::until("the row", async || system.count("lead") == 2).await;
    let message = system.vhost.take_messages("notifier.leads", 1).await.remove(0);
    assert!(holds_marker(&payload(&message)), "the message is what is looked for");
    assert!(system.dump().to_lowercase().contains(MARKER), "so is the row");
    for queue in DEAD_LETTERS {
        system.vhost.publish_copy(queue, &message).await;
    }

    system.leadctl(&["person", "erase", "xqzzyPLANTED@example.com", "--yes"]).await;
    is_nowhere(&system).await;

    // One that was in nobody's reach comes round.
    for queue in WORK {
        system.vhost.publish_copy(queue, &message).await;
    }
    system.smtp.heal();
    let delivered = "delivery WHERE state = 'delivered'";
    wait::until("the other's mails", async || system.count(delivered) == RECIPIENTS.len()).await;
    system.queues_are_empty().await;
    wait::until("the leads to be closed", async || system.count("lead WHERE open") == 0).await;
    is_nowhere(&system).await;
    let mails = system.smtp.mails();
    assert!(mails.iter().all(|mail| !holds_marker(&mail.raw)), "nobody is mailed about who was erased");
    assert_eq!(system.count("audit WHERE client = 'leadctl' AND action = 'erase-person' AND leads = 1"), 1);
    assert_eq!(system.count("lead WHERE erased_at IS NOT NULL"), 1);
}

async fn is_nowhere(system: &System) {
    let digits = "98765432";
    let dump = system.dump().to_lowercase();
    assert!(!dump.contains(MARKER) && !dump.contains(digits), "in a table");
    for queue in WORK.into_iter().chain(DEAD_LETTERS) {
        for message in system.vhost.messages(queue).await {
            assert!(!holds_marker(&payload(&message)), "in {queue}");
        }
    }
    let logs = system.logs().to_lowercase();
    assert!(!logs.contains(MARKER) && !logs.contains(digits), "in a log");
}

fn holds_marker(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).to_lowercase().contains(MARKER)
}
