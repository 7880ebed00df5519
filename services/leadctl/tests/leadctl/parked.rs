//! Parked messages, listed, shown, put back and thrown away.

use std::{fs::File, io::Write, time::Duration};

use contracts::leads::v1::LeadSubmitted;
use messaging::{
    Batching, Consumer, Delivery, Event, Handler, Publisher, Reason, Settings, TraceParent, Verdict,
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};
use runtime::service::Context;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use testkit::{broker::Vhost, wait};

use crate::support::{Crm, TOKEN, lead, run};

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Parks whatever comes.
struct ParksAll;

impl Handler for ParksAll {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        batch.iter().map(|_| Verdict::Park(Reason::new("smtp-rejected", "550 5.1.1 没有这个人"))).collect()
    }

    async fn probe(&self) -> Result<(), Reason> {
        Ok(())
    }
}

/// Sends leads through the queues to services that park them, at 2026-03-01 04:05:06 UTC.
async fn park(vhost: &Vhost, leads: &[LeadSubmitted]) {
    let (context, _) = testkit::context("test");
    let publisher = Publisher::start(Settings::new(vhost.url().into()), &context);
    for subscription in [NOTIFIER, CRM_SYNC] {
        start_parking(subscription, vhost, &publisher, &context);
    }
    let trace: TraceParent = TRACE.parse().unwrap();
    for lead in leads {
        publisher.publish(&Event::LeadSubmitted(lead.clone()), Some(&trace)).await.unwrap();
    }
    for queue in ["notifier.parked", "crm-sync.parked"] {
        vhost.wait_for_messages(queue, leads.len()).await;
    }
    drop(publisher);
    context.lifecycle.stop();
    context.lifecycle.run(Duration::from_secs(20)).await.unwrap();
}

fn start_parking(subscription: Subscription, vhost: &Vhost, publisher: &Publisher, context: &Context) {
    let batching = Batching { size: 1, concurrency: 1 };
    Consumer { subscription, batching, handler: ParksAll }.start(
        Settings::new(vhost.url().into()),
        publisher.clone(),
        context,
    );
}

/// A CRM on the broker, and its client with an operator's rights.
async fn crm_on(vhost: &Vhost) -> Crm {
    let crm = Crm::start_on(&vhost.url_of("crm-sync")).await;
    crm.configure_broker(&vhost.url_of("operator"));
    crm
}

/// A client of a broker, and of a CRM that is away.
async fn crm_away(vhost: &Vhost) -> Crm {
    let crm = Crm::start().await;
    crm.configure("http://127.0.0.1:1", TOKEN);
    crm.configure_broker(&vhost.url_of("operator"));
    crm
}

/// The lead as the CRM has it, once it does.
async fn stored(crm: &Crm, reference: &str) -> Value {
    wait::for_some("the lead to be stored", async || {
        let shown = crm.run(&["show", reference, "--json"]).await;
        (shown.code == Some(0)).then(|| serde_json::from_str(&shown.stdout).unwrap())
    })
    .await
}

fn events<'a>(lead: &'a Value, event: &str) -> Vec<&'a Value> {
    lead["timeline"].as_array().unwrap().iter().filter(|entry| entry["event"] == event).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_parked_is_listed_and_shown_without_the_crm_and_stays() {
    let vhost = Vhost::create().await;
    park(&vhost, &[lead(1), lead(2)]).await;
    let properties = json!({ "type": "lead.submitted.v9", "headers": { "x-error-class": "undecodable" } });
    vhost.publish_raw("crm-sync.parked", properties, "\x1b[2J poison").await;

    let crm = crm_away(&vhost).await;
    for _ in 0..2 {
        let list = crm.run(&["parked", "list"]).await;
        assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
        insta::assert_snapshot!("list", list.stdout);
    }
    let json = crm.run(&["parked", "list", "--queue", "notifier", "--json"]).await.stdout;
    let messages: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(messages.len(), 2, "{json}");
    assert_eq!(messages[1]["lead_id"], lead(2).lead_id);
    assert_eq!(messages[1]["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(messages[1]["parked_at"], "2026-03-01T04:05:06Z");
    assert!(!json.contains(&lead(2).name), "{json}");

    let shown = crm.run(&["parked", "show", "zg-oooo-o2", "--queue", "crm-sync"]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    for part in ["crm-sync", "ZG-0000-02", "550 5.1.1", "陈伟", "4bf92f3577b34da6a3ce929d0e0e4736"] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    let unknown = crm.run(&["parked", "show", "ZG-9999-99"]).await;
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("ZG-9999-99") && unknown.stderr.contains("leadctl parked list"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_keeps_id_and_trace_and_stores_a_lead_once_however_often() {
    let vhost = Vhost::create().await;
    // The same message twice, as after a replay that broke off between copy and acknowledgement.
    park(&vhost, &[lead(1), lead(1), lead(2)]).await;
    let crm = crm_on(&vhost).await;

    let replay = crm.run(&["parked", "replay", "ZG-0000-01"]).await;
    assert_eq!((replay.code, replay.stderr.as_str()), (Some(0), ""));
    assert!(replay.stdout.ends_with("Put back: 4 messages.\n"), "{}", replay.stdout);
    for message in vhost.take_messages("notifier.leads", 2).await {
        let properties = &message["properties"];
        assert_eq!(properties["message_id"], lead(1).lead_id);
        assert_eq!(properties["type"], "lead.submitted.v1");
        let headers = properties["headers"].as_object().unwrap();
        assert_eq!((&headers["traceparent"], &headers["x-replayed"]), (&json!(TRACE), &json!(1)));
        assert!(!headers.contains_key("x-attempt") && !headers.contains_key("x-error-class"), "{headers:?}");
    }
    vhost.wait_for_messages("notifier.parked", 1).await;
    vhost.wait_for_messages("crm-sync.parked", 1).await;

    let one = stored(&crm, "ZG-0000-01").await;
    let noted = events(&one, "noted");
    assert_eq!(noted.len(), 1, "{one}");
    assert_eq!((&noted[0]["action"], &noted[0]["client"]), (&json!("replayed"), &json!("leadctl")));
    let all = crm.run(&["list", "--json"]).await.stdout;
    assert_eq!(all.lines().count(), 1, "{all}");

    let rest = crm.run(&["parked", "replay", "--all", "--yes", "--json"]).await;
    assert_eq!((rest.code, rest.stdout.lines().count()), (Some(0), 2), "{}", rest.stderr);
    stored(&crm, "ZG-0000-02").await;
    let list = crm.run(&["parked", "list"]).await;
    assert_eq!(list.stdout, "Nothing is parked.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_does_not_wait_for_the_crm_and_says_what_is_not_noted() {
    let vhost = Vhost::create().await;
    park(&vhost, &[lead(1)]).await;
    let crm = crm_away(&vhost).await;
    let replay = crm.run(&["parked", "replay", "--all", "--yes"]).await;
    assert_eq!(replay.code, Some(0), "{}", replay.stderr);
    assert!(replay.stdout.ends_with("Put back: 2 messages.\n"), "{}", replay.stdout);
    assert!(
        replay.stderr.contains("not noted") && replay.stderr.contains("127.0.0.1:1"),
        "{}",
        replay.stderr
    );
    vhost.take_messages("notifier.leads", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_thrown_away_leaves_its_reason_in_the_timeline() {
    let vhost = Vhost::create().await;
    park(&vhost, &[lead(1), lead(2)]).await;
    let crm = crm_on(&vhost).await;
    let discard = ["parked", "discard", "ZG-0000-01", "--queue", "notifier"];
    let unexplained = crm.run(&discard).await;
    assert_eq!(unexplained.code, Some(64), "{}", unexplained.stdout);
    assert!(unexplained.stderr.contains("--why"), "{}", unexplained.stderr);
    vhost.wait_for_messages("notifier.parked", 2).await;

    let gone = crm.run(&[&discard[..], &["--why", "收件人已离职"]].concat()).await;
    assert_eq!((gone.code, gone.stderr.as_str()), (Some(0), ""));
    assert!(gone.stdout.ends_with("Thrown away: 1 message.\n"), "{}", gone.stdout);
    assert_eq!(
        vhost.wait_for_messages("notifier.parked", 1).await[0]["properties"]["message_id"],
        lead(2).lead_id
    );
    vhost.wait_for_messages("crm-sync.parked", 2).await;

    // The lead was not stored yet when that was noted.
    crm.run(&["parked", "replay", "ZG-0000-01"]).await;
    stored(&crm, "ZG-0000-01").await;
    let shown = crm.run(&["show", "ZG-0000-01"]).await.stdout;
    assert!(shown.contains("discarded by leadctl: 收件人已离职"), "{shown}");
    assert!(shown.contains("replayed by leadctl"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_thrown_away_whose_reason_cannot_be_noted() {
    let vhost = Vhost::create().await;
    park(&vhost, &[lead(1)]).await;
    vhost.publish_raw("notifier.parked", json!({}), "poison").await;
    let crm = crm_away(&vhost).await;
    let refused = crm.run(&["parked", "discard", "--all", "--yes", "--why", "why not"]).await;
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(69), ""));
    assert!(refused.stderr.contains("3 left parked"), "{}", refused.stderr);
    vhost.wait_for_messages("notifier.parked", 2).await;
    vhost.wait_for_messages("crm-sync.parked", 1).await;

    // What is no lead has no timeline.
    let list = crm.run(&["parked", "list", "--json"]).await.stdout;
    let poison: Value = list
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|message| message["lead_id"].is_null())
        .unwrap();
    let name = poison["name"].as_str().unwrap();
    let gone = crm.run(&["parked", "discard", name, "--why", "not ours"]).await;
    assert_eq!(gone.code, Some(0), "{}", gone.stderr);
    assert!(gone.stderr.contains("noted nowhere"), "{}", gone.stderr);
    vhost.wait_for_messages("notifier.parked", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn since_when_and_who_agrees() {
    let vhost = Vhost::create().await;
    park(&vhost, &[lead(1)]).await;
    let crm = crm_on(&vhost).await;
    for (since, moved) in [("2026-03-01T04:05:07Z", 0), ("2h", 0), ("2026-03-01T04:05:06Z", 2)] {
        let replay = crm.run(&["parked", "replay", "--since", since]).await;
        assert_eq!(replay.code, Some(0), "{}", replay.stderr);
        assert!(replay.stdout.ends_with(&format!("Put back: {moved} messages.\n")), "{}", replay.stdout);
    }
    vhost.publish_raw("notifier.parked", json!({}), "poison").await;
    let unasked = crm.run(&["parked", "replay", "--all"]).await;
    assert_eq!(unasked.code, Some(64), "{}", unasked.stdout);
    assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    vhost.wait_for_messages("notifier.parked", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_terminal_one_is_asked() {
    let vhost = Vhost::create().await;
    park(&vhost, &[lead(1)]).await;
    let crm = crm_on(&vhost).await;
    let answer = async |answer: &str| {
        let (mut keyboard, terminal) = terminal();
        writeln!(keyboard, "{answer}").unwrap();
        let mut command = crm.command(&["parked", "replay", "--all"]);
        command.stdin(terminal);
        run(command).await
    };
    for no in ["", "n", "yesterday"] {
        let declined = answer(no).await;
        assert_eq!((declined.code, declined.stdout.as_str()), (Some(1), ""), "{no}");
        assert!(declined.stderr.starts_with("Put back 2 parked messages? [y/N] "), "{}", declined.stderr);
        assert!(declined.stderr.ends_with("nothing was done.\n"), "{}", declined.stderr);
    }
    vhost.wait_for_messages("notifier.parked", 1).await;
    assert_eq!(answer("Y").await.code, Some(0));
    vhost.wait_for_messages("notifier.parked", 0).await;
}

/// A terminal, and what types at it.
pub(crate) fn terminal() -> (File, File) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap().into_string().unwrap();
    (keyboard.into(), File::options().read(true).write(true).open(name).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_may_do_nothing_else() {
    let vhost = Vhost::create().await;
    park(&vhost, &[lead(1)]).await;
    let operator = vhost.url_of("operator");
    for settings in [Settings::new, |url| Settings::checking(url, None)] {
        let (context, _) = testkit::context("test");
        let settings = settings(operator.clone().into());
        let publisher = Publisher::start(settings, &context);
        assert!(publisher.publish(&Event::LeadSubmitted(lead(1)), None).await.is_err());
    }
    for queue in ["notifier.leads", "crm-sync.leads"] {
        assert_eq!(vhost.messages(queue).await, Vec::<Value>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_cannot_be_used_is_named_and_no_secret_is() {
    let nothing = Vhost::empty().await;
    let crm = Crm::start().await;
    let refused = nothing.url().replace("guest:guest@", "operator:hunter2@");
    for (amqp, code, said) in [
        (None, 64, "amqp = \"amqp://operator:PASSWORD@"),
        (Some("http://operator:hunter2@127.0.0.1"), 64, "`amqp` is no address"),
        (Some("amqp://operator:hunter2@127.0.0.1:1/%2f"), 69, "127.0.0.1:1 cannot be reached"),
        (Some(refused.as_str()), 77, "does not accept"),
        (Some(nothing.url().as_str()), 70, "NOT_FOUND"),
    ] {
        crm.configure(&format!("http://{}", crm.address), TOKEN);
        if let Some(amqp) = amqp {
            crm.configure_broker(amqp);
        }
        let list = crm.run(&["parked", "list"]).await;
        assert_eq!((list.code, list.stdout.as_str()), (Some(code), ""), "{}", list.stderr);
        assert!(list.stderr.contains(said) && !list.stderr.contains("hunter2"), "{}", list.stderr);
        assert_eq!(crm.run(&["list"]).await.code, Some(0), "{said}");
    }
}
