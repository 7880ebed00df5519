//! What is held about one person, given out and erased, with copies in every kind of queue.

use std::{fs, io::Write, os::unix::fs::PermissionsExt, time::Duration};

use contracts::leads::v1::LeadSubmitted;
use messaging::{
    Batching, Consumer, Delivery, Event, Handler, Publisher, Reason, Settings, Verdict,
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};
use serde_json::{Value, json};
use testkit::{
    broker::{Vhost, payload},
    wait,
};

use crate::{
    fake::Fake,
    parked::terminal,
    support::{Client, lead, run},
};

const WEI: &str = "wei@example.com";

/// Reads what lies in any queue, makes and writes nothing.
const QUEUES: [&str; 6] = [
    "notifier.leads",
    "notifier.retry.1h",
    "notifier.parked",
    "crm-sync.leads",
    "crm-sync.retry.1h",
    "crm-sync.parked",
];

/// What a service does with all it gets, and the queue where that ends.
struct Settling {
    subscription: Subscription,
    verdict: fn() -> Verdict,
    queue: &'static str,
}

/// Gives every message the same verdict.
struct Always(fn() -> Verdict);

impl Handler for Always {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        batch.iter().map(|_| (self.0)()).collect()
    }

    async fn probe(&self) -> Result<(), Reason> {
        Ok(())
    }
}

fn settings(vhost: &Vhost) -> Settings {
    let retry_after = "1h".parse().unwrap();
    // Nothing is to come twice because the machine is busy.
    let publish_timeout = Duration::from_secs(20);
    Settings { retry_after, publish_timeout, ..Settings::new(vhost.url().into()) }
}

fn park() -> Verdict {
    Verdict::Park(Reason::new("smtp-rejected", "550 5.1.1"))
}

fn retry() -> Verdict {
    Verdict::Retry(Reason::new("smtp", "451 4.7.1"))
}

/// Sends leads through the queues to these services; those of no service stay where they are.
async fn send(vhost: &Vhost, leads: &[LeadSubmitted], services: &[Settling]) {
    let (context, _) = testkit::context("test");
    let publisher = Publisher::start(settings(vhost), &context);
    for Settling { subscription, verdict, .. } in services {
        let batching = Batching { size: 1, concurrency: 1 };
        let consumer = Consumer { subscription: *subscription, batching, handler: Always(*verdict) };
        consumer.start(settings(vhost), publisher.clone(), &context);
    }
    for lead in leads {
        let event = Event::LeadSubmitted(lead.clone());
        wait::until("the broker to take it", async || publisher.publish(&event, None).await.is_ok()).await;
    }
    for Settling { queue, .. } in services {
        vhost.wait_for_messages(queue, leads.len()).await;
    }
    drop(publisher);
    context.lifecycle.stop();
    context.lifecycle.run(Duration::from_secs(20)).await.unwrap();
}

fn of_another(number: u32) -> LeadSubmitted {
    LeadSubmitted { email: "mei@example.com".to_owned(), mobile: "81234567".to_owned(), ..lead(number) }
}

/// Two leads of one person and one of another in every queue of the broker; the CRM has not seen the second yet.
async fn everywhere(vhost: &Vhost, crm: &Fake) {
    let mut second = lead(2);
    second.email = "Wei@Example.COM".to_owned();
    let leads = [lead(1), second, of_another(3)];
    let both = |verdict: fn() -> Verdict, [notifier, crm_sync]: [&'static str; 2]| {
        let settling = |subscription, queue| Settling { subscription, verdict, queue };
        [settling(NOTIFIER, notifier), settling(CRM_SYNC, crm_sync)]
    };
    send(vhost, &leads, &both(park, ["notifier.parked", "crm-sync.parked"])).await;
    send(vhost, &leads, &both(retry, ["notifier.retry.1h", "crm-sync.retry.1h"])).await;
    send(vhost, &leads, &[]).await;
    crm.hold(lead(1));
    crm.hold(of_another(3));
}

async fn client(vhost: &Vhost, crm: &Fake) -> Client {
    let client = Client::of(crm.address);
    client.configure_broker(&vhost.url_of("operator"));
    client.set("retry_after", "1h");
    client
}

/// What lies in the queues, once there are so many. What a look took is back some time after it.
async fn bodies(vhost: &Vhost, count: usize) -> Vec<(&'static str, String)> {
    wait::for_some(&format!("{count} messages in all queues"), async || {
        let mut bodies = Vec::new();
        for queue in QUEUES {
            let text = |message| String::from_utf8_lossy(&payload(message)).into_owned();
            bodies.extend(vhost.messages(queue).await.iter().map(|it| (queue, text(it))));
        }
        (bodies.len() == count).then_some(bodies)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_reaches_every_queue_and_nobody_else() {
    let (vhost, crm) = (Vhost::create().await, Fake::start().await);
    everywhere(&vhost, &crm).await;
    vhost.publish_raw("notifier.parked", json!({}), "poison").await;
    let client = client(&vhost, &crm).await;

    let unasked = client.run(&["person", "erase", WEI]).await;
    assert_eq!((unasked.code, unasked.stdout.as_str()), (Some(64), ""), "{}", unasked.stderr);
    insta::assert_snapshot!("asked", unasked.stderr);
    bodies(&vhost, 3 * 6 + 1).await;

    let erased = client.run(&["person", "erase", " WEI@example.com", "--yes"]).await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    insta::assert_snapshot!("erased", erased.stdout);
    let left = bodies(&vhost, 6 + 1).await;
    assert!(left.iter().all(|(_, body)| !body.to_lowercase().contains("wei@")), "{left:?}");
    for queue in QUEUES {
        assert!(
            left.iter().any(|(lies, body)| *lies == queue && body.contains("mei@example.com")),
            "{queue}"
        );
    }
    {
        let state = crm.state.lock().unwrap();
        assert_eq!(state.leads.len(), 1);
        // The lead that the CRM had not seen is named, so that it stays out.
        assert_eq!(state.erasures[0].lead_ids, [lead(1).lead_id, lead(2).lead_id]);
    }
    let again = client.run(&["person", "erase", WEI, "--yes"]).await;
    assert_eq!((again.code, again.stdout.as_str()), (Some(1), ""), "{}", again.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_erased_by_halves_is_erased_by_the_next_run() {
    let (vhost, crm) = (Vhost::create().await, Fake::start().await);
    everywhere(&vhost, &crm).await;
    // As after a run that ended between the CRM and the queues.
    crm.state.lock().unwrap().leads.clear();
    let client = client(&vhost, &crm).await;
    let erased = client.run(&["person", "erase", "+65 9123 4567", "--yes", "--json"]).await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    let said: Vec<Value> = erased.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(said[0]["found"]["messages"]["notifier.leads"], 2);
    assert_eq!(
        said[1]["erased"],
        json!({ "leads": [lead(1).lead_id, lead(2).lead_id], "messages": 12, "unreadable": 0 })
    );
    bodies(&vhost, 6).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_erased_when_the_queues_cannot_be_looked_into() {
    let (vhost, crm) = (Vhost::create().await, Fake::start().await);
    everywhere(&vhost, &crm).await;
    let blind = vhost.url_of("lead-intake");
    for (amqp, code, said) in [
        (None, 64, "no `amqp`"),
        (Some("amqp://operator:hunter2@127.0.0.1:1/%2f"), 69, "127.0.0.1:1 cannot be reached"),
        (Some(blind.as_str()), 77, "does not accept the user"),
    ] {
        let client = Client::of(crm.address);
        if let Some(amqp) = amqp {
            client.configure_broker(amqp);
        }
        let refused = client.run(&["person", "erase", WEI, "--yes"]).await;
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(code), ""), "{}", refused.stderr);
        assert!(
            refused.stderr.contains(said) && refused.stderr.contains("--without-queues"),
            "{}",
            refused.stderr
        );
        assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
    }
    assert!(crm.state.lock().unwrap().erasures.is_empty());

    let client = Client::of(crm.address);
    let erased = client.run(&["person", "erase", WEI, "--yes", "--without-queues"]).await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    assert!(
        erased.stdout.starts_with("Erased: 1 lead in the CRM; what lies in queues stays"),
        "{}",
        erased.stdout
    );
    assert_eq!(crm.state.lock().unwrap().leads.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_terminal_one_is_asked_before_a_person_is_erased() {
    let crm = Fake::start().await;
    crm.hold(lead(1));
    let client = Client::of(crm.address);
    for (answer, code, left) in [("", 1, 1), ("n", 1, 1), ("y", 0, 0)] {
        let (mut keyboard, terminal) = terminal();
        writeln!(keyboard, "{answer}").unwrap();
        let mut command = client.command(&["person", "erase", WEI, "--without-queues"]);
        command.stdin(terminal);
        let outcome = run(command).await;
        assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("Erase all of it, for good? [y/N] "), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains("9123"), "{}", outcome.stderr);
        assert_eq!(crm.state.lock().unwrap().leads.len(), left);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_gets_all_that_is_held_in_a_file_of_their_own() {
    let crm = Fake::start().await;
    crm.hold(lead(1));
    crm.hold(of_another(3));
    let client = Client::of(crm.address);
    let shown = client.run(&["person", "export", "9123 4567"]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let json: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!((&json["person"], json["leads"].as_array().unwrap().len()), (&json!("9123 4567"), 1));
    assert_eq!(
        (&json["leads"][0]["email"], &json["leads"][0]["questions"]),
        (&json!(WEI), &json!(lead(1).questions))
    );

    let file = client.directory.path().join("wei.json");
    let written = client.run(&["person", "export", WEI, "--output", file.to_str().unwrap()]).await;
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{}", written.stderr);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let json: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(json["leads"][0]["reference"], "ZG-0000-01");

    for (person, code) in [("nobody@example.com", 1), ("陈伟", 64)] {
        assert_eq!(client.run(&["person", "export", person]).await.code, Some(code), "{person}");
    }
}
