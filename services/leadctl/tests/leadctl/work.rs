//! Filters, `leadctl update`, `leadctl stats` and time zones.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use chrono_tz::Asia::Singapore;
use contracts::{
    crm::v1::WithdrawLeadRequest,
    leads::v1::{LeadSubmitted, LeadWithdrawn, SpamSignal},
};
use lead::field::timestamp;
use runtime::clock::{Clock, SystemClock, start_of_day};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::sleep,
};

use crate::support::{Crm, lead};

#[tokio::test(flavor = "multi_thread")]
async fn list_and_export_filter_leads() {
    let crm = Crm::start().await;
    crm.record(lead(1)).await;
    crm.record(LeadSubmitted {
        signals: vec![SpamSignal::Links.into()],
        ..lead(2)
    })
    .await;
    assert_eq!(crm.list(&["--spam"]).await, ["ZG-0000-02"]);
    let export = crm.run(&["export", "--json", "--spam"]).await.stdout;
    assert!(
        export.lines().count() == 1 && export.contains("ZG-0000-02"),
        "{export}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_in_the_configured_zone() {
    let crm = Crm::start().await;
    crm.record(lead(1)).await;
    let list = crm.run(&["list"]).await.stdout;
    assert!(list.contains("SUBMITTED_AT (+08)"), "{list}");
    crm.set("time_zone", "Europe/Berlin");
    let list = crm.run(&["list"]).await.stdout;
    assert!(list.contains("2025-11-20 17:00"), "{list}");
    let shown = crm.run(&["show", "zg-0000-01"]).await.stdout;
    assert!(shown.contains("2025-11-20 17:00:01 CET"), "{shown}");
    let json = crm.run(&["list", "--json"]).await.stdout;
    assert!(
        json.contains("\"submitted_at\":\"2025-11-20T16:00:01.250Z\""),
        "{json}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn update_accepts_reference_or_id_and_prints_progress() {
    let crm = Crm::start().await;
    for lead in [
        lead(1),
        lead(2),
        LeadSubmitted {
            reference: lead(2).reference,
            ..lead(3)
        },
    ] {
        crm.record(lead).await;
    }
    let set = crm
        .run(&[
            "update",
            "zg-0000-01",
            "--state",
            "contacted",
            "--owner",
            "Mei \x1b[2J",
        ])
        .await;
    assert_eq!((set.code, set.stderr.as_str()), (Some(0), ""));
    let printed: Vec<_> = set
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .collect();
    for field in [
        &["progress.state", "contacted"][..],
        &["progress.owner", "Mei", "[2J"],
    ] {
        assert!(
            printed.iter().any(|line| line == field),
            "{field:?}: {}",
            set.stdout
        );
    }
    for owner in ["Wei", ""] {
        let set = crm
            .run(&["update", &lead(2).lead_id, "--owner", owner, "--json"])
            .await;
        let printed: Value = serde_json::from_str(&set.stdout).unwrap();
        assert_eq!(
            (&printed["progress"]["state"], &printed["progress"]["owner"]),
            (&json!("new"), &json!(owner))
        );
    }
    let checked = crm
        .run(&[
            "update",
            "zg-0000-01",
            "--dnc-checked=2026-02-20",
            "--dnc-listed=phone,message",
        ])
        .await;
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""));
    let shown = crm.run(&["show", "zg-0000-01"]).await.stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains(
            "dnc_checked: check.checked_at 2026-02-20 00:00:00 +08; check.listed phone, message;"
        ),
        "{shown}"
    );
    let everything = [
        "update",
        "zg-0000-01",
        "--state=closed",
        "--reason=bought",
        "--note=Unit 12-04",
        "--name=Chen Wei",
        "--phone=8123 4567",
        "--email=chen@example.com",
        "--follow-up=2026-03-02T10:00",
        "--do-not-contact",
    ];
    let set = crm.run(&everything).await;
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    let shown = crm.show("zg-0000-01").await;
    assert_eq!(
        [&shown["name"], &shown["email"]],
        ["Chen Wei", "chen@example.com"]
    );
    assert_eq!(
        (&shown["mobile"], &shown["progress"]["next_step_at"]),
        (&json!("8123 4567"), &json!("2026-03-02T02:00:00Z"))
    );
    assert_eq!(
        (
            &shown["progress"]["state"],
            &shown["progress"]["closing_reason"]
        ),
        (&json!("closed"), &json!("bought"))
    );
    assert!(
        shown["progress"]["do_not_contact_at"].is_string()
            && shown["timeline"].to_string().contains("Unit 12-04")
    );

    for state in [&["--state=contacted"][..], &["--note=x"]] {
        let refused = crm
            .run(&[&["update", "zg-0000-01", "--reason=bought"], state].concat())
            .await;
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (Some(64), ""),
            "{state:?}"
        );
        assert!(
            refused.stderr.contains("--state closed"),
            "{}",
            refused.stderr
        );
    }
    for (named, expected) in [
        ("zg-0000-02", lead(3).lead_id),
        ("zg-9999-99", "leadctl list".to_owned()),
    ] {
        let refused = crm.run(&["update", named, "--state=closed"]).await;
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_and_show_print_state_owner_and_signals() {
    let crm = Crm::start().await;
    crm.record(LeadSubmitted {
        signals: vec![SpamSignal::TooFast.into()],
        ..lead(1)
    })
    .await;
    crm.run(&[
        "update",
        "zg-0000-01",
        "--state=visit-booked",
        "--owner=Mei",
    ])
    .await;
    let list = crm.run(&["list"]).await.stdout;
    assert!(
        list.contains("STATE") && list.contains("visit_booked") && list.contains("Mei"),
        "{list}"
    );
    let shown = crm.run(&["show", "zg-0000-01"]).await.stdout;
    assert!(
        shown.contains("visit_booked") && shown.contains("Mei") && shown.contains("too_fast"),
        "{shown}"
    );
    let json: Value = serde_json::from_str(&crm.run(&["list", "--json"]).await.stdout).unwrap();
    assert_eq!(
        (&json["progress"]["state"], &json["signals"]),
        (&json!("visit_booked"), &json!(["too_fast"]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stats_count_days_of_the_zone() {
    let crm = Crm::start().await;
    let now = SystemClock.now();
    let today = start_of_day(now.with_timezone(&Singapore).date_naive(), &Singapore).unwrap();
    let ages = [
        Duration::from_secs(42 * 60),
        Duration::from_secs(5 * 3600 + 600),
    ];
    let submitted = [
        now - ages[0],
        now - ages[1],
        today - Duration::from_millis(1),
        today,
    ];
    for (number, time) in (1..).zip(submitted) {
        crm.record(LeadSubmitted {
            submitted_at: Some(timestamp(time)),
            ..lead(number)
        })
        .await;
    }
    for contacted in ["zg-0000-01", "zg-0000-02"] {
        assert_eq!(
            crm.run(&["update", contacted, "--state=contacted"])
                .await
                .code,
            Some(0)
        );
    }
    let stats = crm.run(&["stats", "--days", "3"]).await;
    assert_eq!((stats.code, stats.stderr.as_str()), (Some(0), ""));
    for part in [
        "4 leads in 3 days",
        "LEADS A DAY",
        "after 42m (median of 2)",
        "contacted",
    ] {
        assert!(stats.stdout.contains(part), "{part}: {}", stats.stdout);
    }
    let json: Value =
        serde_json::from_str(&crm.run(&["stats", "--days", "2", "--json"]).await.stdout).unwrap();
    let since_today = submitted.iter().filter(|time| **time >= today).count();
    let days: Vec<_> = json["days"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| day["leads"].as_u64().unwrap())
        .collect();
    assert_eq!(days, [4 - since_today as u64, since_today as u64]);
    assert_eq!(json["headline"]["leads"], json!(4));
    let by_plan = crm.run(&["stats", "--days", "3", "--by", "plan"]).await;
    assert!(by_plan.stdout.starts_with("PLAN\n"), "{}", by_plan.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_requires_its_settings() {
    let crm = Crm::start().await;
    for arguments in [&["canary"][..], &["canary", "--interval", "1m"]] {
        let refused = crm.run(arguments).await;
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (Some(64), ""),
            "{arguments:?}"
        );
        assert!(refused.stderr.contains("[canary]"), "{}", refused.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_retries_until_the_site_is_reachable() {
    let crm = Crm::start().await;
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    crm.configure_canary(&format!("http://{address}"));
    let unreachable = crm.run(&["canary", "--timeout", "1s"]).await;
    assert_eq!(unreachable.code, Some(69), "{}", unreachable.stderr);

    let canary = crm.run(&["canary", "--timeout", "20s"]);
    let site = async {
        sleep(Duration::from_millis(1500)).await;
        let site = TcpListener::bind(address).await.unwrap();
        loop {
            let (mut connection, _) = site.accept().await.unwrap();
            let _request = connection.read(&mut [0; 1024]).await.unwrap();
            let answer =
                b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            connection.write_all(answer).await.unwrap();
        }
    };
    let answered = tokio::select! {
        outcome = canary => outcome,
        never = site => never,
    };
    assert_eq!(answered.code, Some(70), "{}", answered.stderr);
    let retried = format!("retrying: the site at http://{address} is unreachable: ");
    assert!(answered.stderr.starts_with(&retried), "{}", answered.stderr);
    assert!(answered.stderr.contains("404"), "{}", answered.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_stops_while_the_site_does_not_answer() {
    let crm = Crm::start().await;
    let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
    crm.configure_canary(&format!("http://{}", site.local_addr().unwrap()));
    let mut canary = crm
        .command(&["canary", "--interval", "1m"])
        .spawn()
        .unwrap();
    let _silent = site.accept().await.unwrap();
    let started = Instant::now();
    let pid = canary.id().to_string();
    let signalled = Command::new("kill").arg(pid).status().unwrap();
    assert!(signalled.success());
    let status = tokio::task::spawn_blocking(move || canary.wait().unwrap());
    assert_eq!(status.await.unwrap().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn contact_after_a_withdrawal_needs_a_note() {
    let crm = Crm::start().await;
    crm.record(lead(1)).await;
    let update = async |arguments: &[&str]| {
        let lead = [&["update", "zg-0000-01", "--json"], arguments].concat();
        crm.run(&lead).await
    };
    for mark in ["--do-not-contact", "--do-not-contact=no"] {
        assert_eq!(update(&[mark]).await.code, Some(0), "a mark of sales");
    }
    let withdrawal = LeadWithdrawn {
        lead_id: lead(1).lead_id,
        withdrawn_at: Some(timestamp(SystemClock.now())),
        ..LeadWithdrawn::default()
    };
    let withdrawal = Some(withdrawal);
    let mut grpc = crm.grpc().await;
    grpc.leads
        .withdraw_lead(WithdrawLeadRequest { withdrawal })
        .await
        .unwrap();
    let refused = update(&["--do-not-contact=no"]).await;
    assert_eq!(refused.code, Some(64), "{}", refused.stderr);
    let reason = "add --note that says when and how they agreed again";
    assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    let is_marked =
        async || crm.show("zg-0000-01").await["progress"]["do_not_contact_at"].is_string();
    assert!(is_marked().await);
    let note = "--note=Agreed at the gallery on 3 March";
    let allowed = update(&["--do-not-contact=no", note]).await;
    assert_eq!(allowed.code, Some(0), "{}", allowed.stderr);
    assert!(!is_marked().await);
}
