//! `leadctl deliveries`: list, retry and discard.

use std::io::Write;

use contracts::leads::v1::{
    Reason,
    delivery_report::{Failed, Outcome as Reported},
};
use serde_json::{Value, json};

use crate::{
    dead_letters::terminal,
    support::{Crm, Outcome, lead, run},
};

const SALES: &str = "sales@zyon.example";

/// A CRM with three failed deliveries of two leads, and a lead without a delivery.
async fn three() -> Crm {
    let crm = Crm::start().await;
    for (number, recipient) in [(1, SALES), (1, "wei@zyon.example"), (2, SALES)] {
        crm.refuse(lead(number), recipient).await;
    }
    crm.record(lead(3)).await;
    crm
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
    let crm = three().await;
    let list = crm.run(&["deliveries", "list", "--failed"]).await;
    assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
    // Omits the times.
    let lines: Vec<_> = list.stdout.lines().map(|line| &line[18..]).collect();
    insta::assert_snapshot!("list", lines.join("\n"));

    let since = since_of_last(&crm).await;
    let (one, two) = ("ZG-0000-01", "ZG-0000-02");
    for (filter, expected) in [
        (
            &["--recipient", "wei@zyon.example"][..],
            &[(one, "wei@zyon.example")][..],
        ),
        (&["--recipient", SALES], &[(one, SALES), (two, SALES)]),
        (&["--since", &since], &[(two, SALES)]),
        (&["--since", "2100-01-01"], &[]),
    ] {
        let list = crm
            .run(&[&["deliveries", "list", "--json"], filter].concat())
            .await;
        let expected: Vec<_> = expected
            .iter()
            .map(|(lead, who)| (json!(lead), json!(who)))
            .collect();
        assert_eq!(rows(&list), expected, "{filter:?}");
    }
    let none = crm
        .run(&["deliveries", "list", "--since", "2100-01-01"])
        .await;
    assert_eq!(
        (none.code, none.stdout.as_str()),
        (Some(0), "No unfinished deliveries.\n")
    );
}

/// Returns the time of the last failure.
async fn since_of_last(crm: &Crm) -> String {
    let list = crm.run(&["deliveries", "list", "--json"]).await.stdout;
    let last: Value = serde_json::from_str(list.lines().last().unwrap()).unwrap();
    last["since"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_list_says_so() {
    let crm = Crm::start().await;
    crm.refuse(lead(1), SALES).await;
    crm.copy_row(
        "delivery",
        999,
        &[("recipient", "number || '@zyon.example'")],
    )
    .await;
    let whole = crm.run(&["deliveries", "list", "--json"]).await;
    assert_eq!(
        (whole.stdout.lines().count(), whole.stderr.as_str()),
        (1000, "")
    );
    crm.refuse(lead(2), SALES).await;
    for arguments in [
        &["deliveries", "list"][..],
        &["deliveries", "list", "--json"],
    ] {
        let cut = crm.run(arguments).await;
        assert_eq!(
            (cut.code, cut.stderr.as_str()),
            (Some(0), "1000 of 1001 deliveries listed.\n")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_and_discard_affect_only_the_selection() {
    let crm = three().await;
    let retry = crm
        .run(&[
            "deliveries",
            "retry",
            "zg-0000-01",
            "--recipient",
            "wei@zyon.example",
        ])
        .await;
    assert_eq!(
        (retry.code, retry.stdout.as_str()),
        (Some(0), "1 delivery retried.\n"),
        "{}",
        retry.stderr
    );
    let failed = rows(&crm.run(&["deliveries", "list", "--failed", "--json"]).await);
    let sales = |reference| (json!(reference), json!(SALES));
    assert_eq!(failed, [sales("ZG-0000-01"), sales("ZG-0000-02")]);

    let list = crm
        .run(&["deliveries", "list", "--failed", "--json"])
        .await
        .stdout;
    let last: Value = serde_json::from_str(list.lines().last().unwrap()).unwrap();
    let since = ["--since", last["since"].as_str().unwrap(), "--yes"];
    let discard = [
        "deliveries",
        "discard",
        "--json",
        "--reason",
        "收件人已离职",
    ];
    for discarded in ["{\"discarded\":1}\n", "{\"discarded\":0}\n"] {
        let outcome = crm.run(&[&discard[..], &since].concat()).await;
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(0), discarded),
            "{}",
            outcome.stderr
        );
    }
    // Selecting a lead without a failed delivery is an error.
    let id = lead(2).lead_id;
    for command in [
        &["deliveries", "retry", &id][..],
        &[&discard[..], &["zg-0000-02"]].concat(),
    ] {
        let none = crm.run(command).await;
        assert_eq!(
            (none.code, none.stdout.as_str()),
            (Some(1), ""),
            "{}",
            none.stderr
        );
        assert!(
            none.stderr
                .contains("run `leadctl deliveries list --failed`"),
            "{}",
            none.stderr
        );
    }
    let failed = rows(&crm.run(&["deliveries", "list", "--failed", "--json"]).await);
    assert_eq!(failed, [sales("ZG-0000-01")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_all_asks_for_confirmation() {
    let crm = three().await;
    let retry = ["deliveries", "retry", "--all", "--recipient", SALES];
    let since = [
        "deliveries",
        "discard",
        "--since",
        "2026-01-01",
        "--reason",
        "gone",
    ];
    for command in [
        &retry[..],
        &["deliveries", "discard", "--all", "--reason", "gone"],
        &since,
    ] {
        let unasked = crm.run(command).await;
        assert_eq!(
            (unasked.code, unasked.stdout.as_str()),
            (Some(64), ""),
            "{}",
            unasked.stderr
        );
        assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    }
    let answer = async |answer: &str| {
        let (mut keyboard, terminal) = terminal();
        writeln!(keyboard, "{answer}").unwrap();
        let mut command = crm.command(&retry);
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
            declined
                .stderr
                .starts_with("Retry 2 failed deliveries? [y/N] "),
            "{}",
            declined.stderr
        );
    }
    assert_eq!(
        rows(&crm.run(&["deliveries", "list", "--failed", "--json"]).await).len(),
        3
    );
    let agreed = answer("Y").await;
    assert_eq!(
        (agreed.code, agreed.stdout.as_str()),
        (Some(0), "2 deliveries retried.\n")
    );
    let rest = crm
        .run(&[
            "deliveries",
            "discard",
            "--all",
            "--yes",
            "--reason",
            "gone",
        ])
        .await;
    assert_eq!(rest.stdout, "1 delivery discarded.\n", "{}", rest.stderr);
    // Without failed deliveries, leadctl does not ask for confirmation.
    let none = crm.run(&retry).await;
    assert_eq!(
        (none.code, none.stdout.as_str()),
        (Some(0), "0 deliveries retried.\n"),
        "{}",
        none.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_server_replies_are_escaped() {
    let crm = Crm::start().await;
    let detail = "\x1b]0;owned\x07\n\u{202e}".to_owned();
    let reason = Some(Reason {
        class: "\x07".to_owned(),
        detail,
    });
    crm.report(
        lead(1),
        "\u{9b}2J@zyon.example",
        Reported::Failed(Failed { reason }),
    )
    .await;
    for arguments in [
        &["deliveries", "list"][..],
        &["deliveries", "list", "--json"],
    ] {
        let outcome = crm.run(arguments).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(
            outcome.stdout.contains("2J@zyon.example"),
            "{}",
            outcome.stdout
        );
        let steers = |it: &char| it.is_control() && *it != '\n' || *it == '\u{202e}';
        assert_eq!(outcome.stdout.chars().find(steers), None, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn timeline_records_retries_and_discards() {
    let crm = Crm::start().await;
    crm.refuse(lead(1), SALES).await;
    let retry = crm.run(&["deliveries", "retry", "zg-0000-01"]).await;
    assert_eq!(
        (retry.code, retry.stdout.as_str()),
        (Some(0), "1 delivery retried.\n"),
        "{}",
        retry.stderr
    );
    crm.refuse(lead(1), SALES).await;
    let list = crm.run(&["deliveries", "list"]).await.stdout;
    let parts = ["ZG-0000-01", SALES, "550 5.1.1"];
    assert!(parts.iter().all(|part| list.contains(part)), "{list}");
    let discard = crm
        .run(&[
            "deliveries",
            "discard",
            "--all",
            "--yes",
            "--reason",
            "收件人已离职",
        ])
        .await;
    assert_eq!(
        discard.stdout, "1 delivery discarded.\n",
        "{}",
        discard.stderr
    );
    assert_eq!(
        crm.run(&["deliveries", "list"]).await.stdout,
        "No unfinished deliveries.\n"
    );

    let shown = crm.run(&["show", "zg-0000-01"]).await.stdout;
    for part in [
        "failed: sales@zyon.example; reason.class smtp-rejected; reason.detail 550 5.1.1",
        "retried: sales@zyon.example; client operator",
        "discarded: sales@zyon.example; reason 收件人已离职; client operator",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
