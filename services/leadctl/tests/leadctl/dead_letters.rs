//! `leadctl dead-letters`: list, show, replay and delete.

use std::{fs::File, io::Write, time::Duration};

use messaging::{
    Batching, Consumer, Event, Handler, PublishError, Publisher, Reason, Settings, Verdict,
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};
use opentelemetry::context::FutureExt as _;
use runtime::{service::Context, trace};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use testkit::{broker::Vhost, wait};

use testkit::crm::OPERATOR;

use crate::support::{Client, Crm, lead, number_ids, run};

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A handler that rejects every event.
struct RejectsAll;

impl Handler for RejectsAll {
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        batch
            .iter()
            .map(|_| Verdict::DeadLetter(Reason::new("refused", "存不了 by the database")))
            .collect()
    }

    async fn probe(&self) -> Result<(), Reason> {
        Ok(())
    }
}

/// Turns events into dead letters at 2026-03-01 04:05:06 UTC.
pub(crate) async fn refuse(vhost: &Vhost, events: &[Event]) {
    let (context, _) = testkit::context("test");
    // Longer than a busy broker takes to confirm. Without a confirm, a consumer copies a message again.
    let publish_timeout = Duration::from_secs(60);
    let settings = Settings {
        publish_timeout,
        ..Settings::new(vhost.url().into())
    };
    let publisher = Publisher::start(settings, &context);
    for subscription in [NOTIFIER, CRM_SYNC] {
        start_rejecting(subscription, vhost, &publisher, &context);
    }
    let trace = trace::from_traceparent(Some(TRACE));
    let (mut leads, mut all) = (0, 0);
    // Sequentially, because concurrent publishes may be reordered.
    for event in events {
        wait::until("the broker to confirm", async || {
            match publisher.publish(event).with_context(trace.clone()).await {
                // Retries, because a connection to a busy broker may take longer than the limit of an attempt.
                Err(PublishError::Unavailable) => false,
                published => {
                    published.unwrap();
                    true
                }
            }
        })
        .await;
        all += 1;
        leads += usize::from(matches!(event, Event::LeadSubmitted(_)));
        vhost
            .wait_for_messages("notifier.dead-letters", leads)
            .await;
        vhost.wait_for_messages("crm-sync.dead-letters", all).await;
    }
    drop(publisher);
    context.lifecycle.stop();
    context
        .lifecycle
        .run(Duration::from_secs(20))
        .await
        .unwrap();
}

fn submitted(number: u32) -> Event {
    Event::LeadSubmitted(lead(number))
}

fn start_rejecting(
    subscription: Subscription,
    vhost: &Vhost,
    publisher: &Publisher,
    context: &Context,
) {
    let batching = Batching {
        size: 1,
        concurrency: 1,
    };
    Consumer {
        subscription,
        batching,
        handler: RejectsAll,
    }
    .start(
        Settings::new(vhost.url().into()),
        publisher.clone(),
        context,
    );
}

/// A CRM with the broker, and a client with the permissions of an operator.
async fn crm_on(vhost: &Vhost) -> Crm {
    let crm = Crm::start_on(&vhost.url_of("crm-sync")).await;
    crm.configure_broker(&vhost.url_of("operator"));
    crm
}

/// A client with a broker and an unavailable CRM.
fn client_without_crm(vhost: &Vhost) -> Client {
    let client = Client::new("127.0.0.1:1".parse().unwrap());
    client.configure_broker(&vhost.url_of("operator"));
    client
}

async fn wait_until_stored(crm: &Crm, reference: &str) {
    wait::until("the lead to be stored", async || {
        crm.run(&["show", reference]).await.code == Some(0)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn list_and_show_need_no_crm_and_move_nothing() {
    let vhost = Vhost::create().await;
    refuse(&vhost, &[submitted(1), submitted(2)]).await;
    let properties =
        json!({ "type": "lead.submitted.v9", "headers": { "x-error-class": "undecodable" } });
    vhost
        .publish_raw("crm-sync.dead-letters", properties, "\x1b[2J poison")
        .await;

    let crm = client_without_crm(&vhost);
    for _ in 0..2 {
        let list = crm.run(&["dead-letters", "list"]).await;
        assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
        insta::assert_snapshot!("list", number_ids(&list.stdout));
    }
    let json = crm
        .run(&["dead-letters", "list", "--queue", "notifier", "--json"])
        .await
        .stdout;
    let messages: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(messages.len(), 2, "{json}");
    assert_eq!(messages[1]["lead_id"], lead(2).lead_id);
    assert_eq!(messages[1]["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(messages[1]["since"], "2026-03-01T04:05:06Z");
    assert!(!json.contains(&lead(2).name), "{json}");

    let shown = crm
        .run(&["dead-letters", "show", "zg-oooo-o2", "--queue", "crm-sync"])
        .await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    for part in [
        "crm-sync",
        "ZG-0000-02",
        "存不了",
        "陈伟",
        "4bf92f3577b34da6a3ce929d0e0e4736",
    ] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    let unknown = crm.run(&["dead-letters", "show", "ZG-9999-99"]).await;
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("ZG-9999-99")
            && unknown.stderr.contains("leadctl dead-letters list")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn replay_keeps_id_and_trace_and_stores_once() {
    let vhost = Vhost::create().await;
    // Publishes one message twice, like a replay that fails between copy and acknowledgement.
    refuse(&vhost, &[submitted(1), submitted(1), submitted(2)]).await;
    let crm = crm_on(&vhost).await;

    let replay = crm.run(&["dead-letters", "replay", "ZG-0000-01"]).await;
    assert_eq!(
        (replay.code, replay.stderr.as_str()),
        (Some(0), "4 messages replayed\n")
    );
    assert_eq!(
        replay.stdout.matches("ZG-0000-01").count(),
        4,
        "{}",
        replay.stdout
    );
    for message in vhost.take_messages("notifier.leads", 2).await {
        let properties = &message["properties"];
        assert_eq!(properties["message_id"], lead(1).lead_id);
        assert_eq!(properties["type"], "lead.submitted.v1");
        let headers = properties["headers"].as_object().unwrap();
        assert_eq!(
            (&headers["traceparent"], &headers["x-replayed"]),
            (&json!(TRACE), &json!(1))
        );
        assert!(!headers.contains_key("x-error-class"), "{headers:?}");
    }
    vhost.wait_for_messages("notifier.dead-letters", 1).await;
    vhost.wait_for_messages("crm-sync.dead-letters", 1).await;

    wait_until_stored(&crm, "ZG-0000-01").await;
    let all = crm.run(&["list", "--json"]).await.stdout;
    assert_eq!(all.lines().count(), 1, "{all}");

    let rest = crm
        .run(&["dead-letters", "replay", "--all", "--yes", "--json"])
        .await;
    assert_eq!(
        (rest.code, rest.stdout.lines().count()),
        (Some(0), 2),
        "{}",
        rest.stderr
    );
    wait_until_stored(&crm, "ZG-0000-02").await;
    let list = crm.run(&["dead-letters", "list"]).await;
    assert_eq!(list.stdout, "No dead letters.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn delete_removes_one_message() {
    let vhost = Vhost::create().await;
    refuse(&vhost, &[submitted(1), submitted(2)]).await;
    vhost
        .publish_raw("notifier.dead-letters", json!({}), "poison")
        .await;
    let crm = client_without_crm(&vhost);
    let gone = crm
        .run(&[
            "dead-letters",
            "delete",
            "ZG-0000-01",
            "--queue",
            "notifier",
        ])
        .await;
    assert_eq!(
        (gone.code, gone.stderr.as_str()),
        (Some(0), "1 message deleted\n")
    );
    assert!(gone.stdout.contains("ZG-0000-01"), "{}", gone.stdout);
    let left = vhost.wait_for_messages("notifier.dead-letters", 2).await;
    assert_eq!(left[0]["properties"]["message_id"], lead(2).lead_id);
    vhost.wait_for_messages("crm-sync.dead-letters", 2).await;

    // A message without a lead also has an id.
    let list = crm.run(&["dead-letters", "list", "--json"]).await.stdout;
    let mut messages = list
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let poison = messages
        .find(|message| message["lead_id"].is_null())
        .unwrap();
    let gone = crm
        .run(&[
            "dead-letters",
            "delete",
            poison["id"].as_str().unwrap(),
            "--json",
        ])
        .await;
    assert_eq!(
        (gone.code, gone.stdout.lines().count()),
        (Some(0), 1),
        "{}",
        gone.stderr
    );
    vhost.wait_for_messages("notifier.dead-letters", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selects_by_time_and_confirms_all() {
    let vhost = Vhost::create().await;
    refuse(&vhost, &[submitted(1)]).await;
    let crm = crm_on(&vhost).await;
    for (since, moved) in [
        ("2026-03-01T04:05:07Z", 0),
        ("2h", 0),
        ("2026-03-01T04:05:06Z", 2),
    ] {
        let replay = crm
            .run(&["dead-letters", "replay", "--since", since, "--yes"])
            .await;
        assert_eq!(replay.code, Some(0), "{}", replay.stderr);
        assert_eq!(replay.stderr, format!("{moved} messages replayed\n"));
    }
    vhost
        .publish_raw("notifier.dead-letters", json!({}), "poison")
        .await;
    let (replay, delete) = (
        ["dead-letters", "replay", "--all"],
        ["dead-letters", "delete", "--all"],
    );
    for command in [replay, delete] {
        let unasked = crm.run(&command).await;
        assert_eq!(unasked.code, Some(64), "{}", unasked.stdout);
        assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    }
    vhost.wait_for_messages("notifier.dead-letters", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replay_all_asks_at_a_terminal() {
    let vhost = Vhost::create().await;
    refuse(&vhost, &[submitted(1)]).await;
    let crm = crm_on(&vhost).await;
    let answer = async |answer: &str| {
        let (mut keyboard, terminal) = terminal();
        writeln!(keyboard, "{answer}").unwrap();
        let mut command = crm.command(&["dead-letters", "replay", "--all"]);
        command.stdin(terminal);
        run(command).await
    };
    for no in ["", "n", "yesterday"] {
        let declined = answer(no).await;
        assert_eq!(
            (declined.code, declined.stdout.as_str()),
            (Some(1), ""),
            "{no}"
        );
        assert!(
            declined.stderr.starts_with("Replay 2 dead letters? [y/N] "),
            "{}",
            declined.stderr
        );
        assert!(
            declined.stderr.ends_with("nothing changed\n"),
            "{}",
            declined.stderr
        );
    }
    vhost.wait_for_messages("notifier.dead-letters", 1).await;
    assert_eq!(answer("Y").await.code, Some(0));
    vhost.wait_for_messages("notifier.dead-letters", 0).await;
}

/// A terminal and its input.
pub(crate) fn terminal() -> (File, File) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new())
        .unwrap()
        .into_string()
        .unwrap();
    (
        keyboard.into(),
        File::options().read(true).write(true).open(name).unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_cannot_publish_leads() {
    let vhost = Vhost::create().await;
    refuse(&vhost, &[submitted(1)]).await;
    let operator = vhost.url_of("operator");
    let (context, _) = testkit::context("test");
    let publisher = Publisher::start(Settings::new(operator.into()), &context);
    assert!(
        publisher
            .publish(&Event::LeadSubmitted(lead(1)))
            .await
            .is_err()
    );
    for queue in ["notifier.leads", "crm-sync.leads"] {
        assert_eq!(vhost.messages(queue).await, Vec::<Value>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broker_errors_name_the_address_but_no_secret() {
    let nothing = Vhost::empty().await;
    let crm = Crm::start().await;
    let refused = nothing.url().replace("guest:guest@", "operator:hunter2@");
    for (amqp, code, said) in [
        (None, 64, "amqp = \"amqp://operator:PASSWORD@"),
        (
            Some("http://operator:hunter2@127.0.0.1"),
            64,
            "`amqp` must be",
        ),
        (
            Some("amqp://operator:hunter2@127.0.0.1:1/%2f"),
            69,
            "127.0.0.1:1 is unreachable",
        ),
        (Some(refused.as_str()), 77, "permission denied"),
        (Some(nothing.url().as_str()), 70, "NOT_FOUND"),
    ] {
        crm.configure(&format!("http://{}", crm.address), OPERATOR);
        if let Some(amqp) = amqp {
            crm.configure_broker(amqp);
        }
        let list = crm.run(&["dead-letters", "list"]).await;
        assert_eq!(
            (list.code, list.stdout.as_str()),
            (Some(code), ""),
            "{}",
            list.stderr
        );
        assert!(
            list.stderr.contains(said) && !list.stderr.contains("hunter2"),
            "{}",
            list.stderr
        );
        assert_eq!(crm.run(&["list"]).await.code, Some(0), "{said}");
    }
}
