//! `leadctl deliveries`: list, retry and discard.

use std::io::Write;

use contracts::{
    crm::v1::{DeliveryFilter, DeliveryState, DeliverySummary},
    leads::v1::{LeadSubmitted, Reason},
};
use prost_types::Timestamp;
use serde_json::{Value, json};

use crate::{
    dead_letters::terminal,
    fake::Fake,
    support::{Client, Crm, Outcome, REFUSAL, lead, run},
};

const SALES: &str = "sales@zyon.example";

/// A delivery that failed `number` seconds after 2026-03-01 04:05:06 UTC.
fn failed(number: u32, recipient: &str) -> DeliverySummary {
    DeliverySummary {
        lead_id: lead(number).lead_id,
        reference: lead(number).reference,
        recipient: recipient.to_owned(),
        attempts: 7,
        reason: Some(Reason { class: "smtp-rejected".to_owned(), detail: REFUSAL.to_owned() }),
        since: Some(Timestamp { seconds: 1_772_337_906 + i64::from(number), nanos: 0 }),
        state: DeliveryState::Failed.into(),
    }
}

/// A CRM with three failed deliveries of two leads, and a lead without a failed delivery.
async fn three() -> (Fake, Client) {
    let crm = Fake::start().await;
    (1..=3).for_each(|number| crm.add_lead(lead(number)));
    crm.state.lock().unwrap().failed = vec![failed(1, SALES), failed(1, "visitor"), failed(2, SALES)];
    let client = Client::new(crm.address);
    (crm, client)
}

fn rows(outcome: &Outcome) -> Vec<(Value, Value)> {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let row = |line| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        (row["reference"].take(), row["recipient"].take())
    };
    outcome.stdout.lines().map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn list_filters_by_recipient_and_time() {
    let (crm, client) = three().await;
    let list = client.run(&["deliveries", "list", "--failed"]).await;
    assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("list", list.stdout);

    let (one, two) = ("ZG-0000-01", "ZG-0000-02");
    for (filter, expected) in [
        (&["--recipient", "visitor"][..], &[(one, "visitor")][..]),
        (&["--recipient", SALES], &[(one, SALES), (two, SALES)]),
        (&["--since", "2026-03-01T04:05:08Z"], &[(two, SALES)]),
        (&["--since", "2h"], &[]),
    ] {
        let list = client.run(&[&["deliveries", "list", "--json"], filter].concat()).await;
        let expected: Vec<_> = expected.iter().map(|(lead, who)| (json!(lead), json!(who))).collect();
        assert_eq!(rows(&list), expected, "{filter:?}");
    }
    let asked = crm.state.lock().unwrap().filters_of_deliveries[1].clone();
    assert_eq!(asked, DeliveryFilter { recipient: "visitor".to_owned(), ..DeliveryFilter::default() });
    let none = client.run(&["deliveries", "list", "--since", "2h"]).await;
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), "No unfinished deliveries.\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_list_says_so() {
    let crm = Fake::start().await;
    crm.state.lock().unwrap().failed = (1..=1000).map(|number| failed(number, SALES)).collect();
    let client = Client::new(crm.address);
    let whole = client.run(&["deliveries", "list", "--json"]).await;
    assert_eq!((whole.stdout.lines().count(), whole.stderr.as_str()), (1000, ""));
    crm.state.lock().unwrap().failed.push(failed(1001, SALES));
    for arguments in [&["deliveries", "list"][..], &["deliveries", "list", "--json"]] {
        let cut = client.run(arguments).await;
        assert_eq!((cut.code, cut.stderr.as_str()), (Some(0), "1000 of 1001 deliveries listed.\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_and_discard_affect_only_the_selection() {
    let (crm, client) = three().await;
    let replay = client.run(&["deliveries", "retry", "zg-0000-01", "--recipient", "visitor"]).await;
    assert_eq!(
        (replay.code, replay.stdout.as_str()),
        (Some(0), "1 delivery retried.\n"),
        "{}",
        replay.stderr
    );
    let since = ["--since", "2026-03-01T04:05:08Z", "--yes"];
    let discard = ["deliveries", "discard", "--json", "--reason", "收件人已离职"];
    let discarded = client.run(&[&discard[..], &since].concat()).await;
    assert_eq!((discarded.code, discarded.stdout.as_str()), (Some(0), "{\"discarded\":1}\n"));
    let again = client.run(&[&discard[..], &since].concat()).await;
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "{\"discarded\":0}\n"));
    // A missing delivery that is selected by its lead is an error.
    let id = lead(2).lead_id;
    for command in [&["deliveries", "retry", &id][..], &[&discard[..], &["zg-0000-02"]].concat()] {
        let none = client.run(command).await;
        assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""), "{}", none.stderr);
        assert!(none.stderr.contains("run `leadctl deliveries list --failed`"), "{}", none.stderr);
    }
    let state = crm.state.lock().unwrap();
    assert_eq!(state.failed, [failed(1, SALES)]);
    let visitors = DeliveryFilter { lead_id: lead(1).lead_id, recipient: "visitor".to_owned(), since: None };
    assert_eq!(state.replays[0], visitors);
    assert_eq!(state.discards[0].filter.as_ref().unwrap().since.unwrap().seconds, 1_772_337_908);
    assert_eq!(state.discards[0].reason, "收件人已离职");
}

#[tokio::test(flavor = "multi_thread")]
async fn lead_without_id_selects_nothing() {
    let (crm, client) = three().await;
    crm.add_lead(LeadSubmitted { lead_id: String::new(), ..lead(4) });
    for command in [&["deliveries", "retry"][..], &["deliveries", "discard", "--reason", "gone"]] {
        let refused = client.run(&[command, &["zg-0000-04"]].concat()).await;
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(70), ""), "{}", refused.stderr);
    }
    assert_eq!(crm.state.lock().unwrap().failed.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_all_asks_for_confirmation() {
    let (crm, client) = three().await;
    let replay = ["deliveries", "retry", "--all", "--recipient", SALES];
    let since = ["deliveries", "discard", "--since", "2026-01-01", "--reason", "gone"];
    for command in [&replay[..], &["deliveries", "discard", "--all", "--reason", "gone"], &since] {
        let unasked = client.run(command).await;
        assert_eq!((unasked.code, unasked.stdout.as_str()), (Some(64), ""), "{}", unasked.stderr);
        assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    }
    let answer = async |answer: &str| {
        let (mut keyboard, terminal) = terminal();
        writeln!(keyboard, "{answer}").unwrap();
        let mut command = client.command(&replay);
        command.stdin(terminal);
        run(command).await
    };
    for no in ["", "n", "yesterday"] {
        let declined = answer(no).await;
        assert_eq!((declined.code, declined.stdout.as_str()), (Some(1), ""), "{no}");
        assert!(declined.stderr.starts_with("Retry 2 failed deliveries? [y/N] "), "{}", declined.stderr);
    }
    assert_eq!(crm.state.lock().unwrap().failed.len(), 3);
    let agreed = answer("Y").await;
    assert_eq!((agreed.code, agreed.stdout.as_str()), (Some(0), "2 deliveries retried.\n"));
    let rest = client.run(&["deliveries", "discard", "--all", "--yes", "--reason", "gone"]).await;
    assert_eq!(rest.stdout, "1 delivery discarded.\n", "{}", rest.stderr);
    // Without failed deliveries there is no question.
    let none = client.run(&replay).await;
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), "0 deliveries retried.\n"), "{}", none.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_server_replies_are_escaped() {
    let crm = Fake::start().await;
    let mut nasty = failed(1, "\u{9b}2J@zyon.example");
    nasty.reason = Some(Reason { class: "\x07".to_owned(), detail: "\x1b]0;owned\x07\n\u{202e}".to_owned() });
    crm.state.lock().unwrap().failed = vec![nasty];
    let client = Client::new(crm.address);
    for arguments in [&["deliveries", "list"][..], &["deliveries", "list", "--json"]] {
        let outcome = client.run(arguments).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let steers = |it: &char| it.is_control() && *it != '\n' || *it == '\u{202e}';
        assert_eq!(outcome.stdout.chars().find(steers), None, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn timeline_records_retries_and_discards() {
    let crm = Crm::start().await;
    crm.refuse(lead(1), SALES).await;
    let replay = crm.run(&["deliveries", "retry", "zg-0000-01"]).await;
    assert_eq!(
        (replay.code, replay.stdout.as_str()),
        (Some(0), "1 delivery retried.\n"),
        "{}",
        replay.stderr
    );
    crm.refuse(lead(1), SALES).await;
    let list = crm.run(&["deliveries", "list"]).await.stdout;
    let reference = ::lead::Reference::from_id(lead(1).lead_id.parse().unwrap());
    let parts = [reference.as_str(), SALES, "550 5.1.1"];
    assert!(parts.iter().all(|part| list.contains(part)), "{list}");
    let discard = crm.run(&["deliveries", "discard", "--all", "--yes", "--reason", "收件人已离职"]).await;
    assert_eq!(discard.stdout, "1 delivery discarded.\n", "{}", discard.stderr);
    assert_eq!(crm.run(&["deliveries", "list"]).await.stdout, "No unfinished deliveries.\n");

    let shown = crm.run(&["show", "zg-0000-01"]).await.stdout;
    for part in [
        "failed: sales@zyon.example; reason.class smtp-rejected; reason.detail 550 5.1.1",
        "retried: sales@zyon.example; client operator",
        "discarded: sales@zyon.example; reason 收件人已离职; client operator",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
