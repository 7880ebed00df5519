//! Filters, `leadctl update`, `leadctl stats` and time zones.

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{ClosingReason, LeadFilter, LeadState, Progress},
    leads::v1::{Interest, Language, SpamSignal},
};
use prost_types::Timestamp;
use serde_json::{Value, json};

use crate::{
    fake::Fake,
    support::{Client, lead},
};

fn at(time: &str) -> Option<Timestamp> {
    let time: DateTime<Utc> = time.parse().unwrap();
    Some(Timestamp { seconds: time.timestamp(), nanos: 0 })
}

#[tokio::test(flavor = "multi_thread")]
async fn list_and_export_send_the_filter() {
    let crm = Fake::start().await;
    let client = Client::new(crm.address);
    let filter = [
        "--since",
        "2026-03-01",
        "--until",
        "2026-03-01",
        "--interest",
        "showflat",
        "--language",
        "zh",
        "--state",
        "invalid",
        "--owner",
        "Mei",
        "--spam",
        "--delivered=no",
        "陈",
    ];
    for (command, code) in [(&["list"][..], 0), (&["export", "--format", "csv"], 0)] {
        let outcome = client.run(&[command, &filter].concat()).await;
        assert_eq!(outcome.code, Some(code), "{command:?}: {}", outcome.stderr);
    }
    let expected = LeadFilter {
        interest: Interest::Showflat.into(),
        language: Language::Zh.into(),
        submitted_from: at("2026-02-28T16:00:00Z"),
        submitted_before: at("2026-03-01T16:00:00Z"),
        delivered: Some(false),
        state: LeadState::Invalid.into(),
        owner: "Mei".to_owned(),
        search: "陈".to_owned(),
        spam: Some(true),
        ..LeadFilter::default()
    };
    assert_eq!(crm.state.lock().unwrap().filters, vec![expected; 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_in_the_configured_zone() {
    let crm = Fake::start().await;
    crm.add_lead(lead(1));
    let client = Client::new(crm.address);
    let list = client.run(&["list"]).await.stdout;
    assert!(list.contains("SUBMITTED_AT (+08)"), "{list}");
    client.set("time_zone", "Europe/Berlin");
    let list = client.run(&["list"]).await.stdout;
    assert!(list.contains("2025-11-20 17:00"), "{list}");
    let shown = client.run(&["show", "zg-0000-01"]).await.stdout;
    assert!(shown.contains("2025-11-20 17:00:01 CET"), "{shown}");
    let json = client.run(&["list", "--json"]).await.stdout;
    assert!(json.contains("\"submitted_at\":\"2025-11-20T16:00:01.250Z\""), "{json}");
}

#[tokio::test(flavor = "multi_thread")]
async fn update_accepts_reference_or_id_and_prints_progress() {
    let crm = Fake::start().await;
    crm.add_lead(lead(1));
    crm.add_lead(lead(2));
    let mut twin = lead(3);
    twin.reference = lead(2).reference;
    crm.add_lead(twin);
    let client = Client::new(crm.address);
    let set = client.run(&["update", "zg-0000-01", "--state", "contacted", "--owner", "Mei \x1b[2J"]).await;
    assert_eq!((set.code, set.stderr.as_str()), (Some(0), ""));
    let printed: Vec<_> =
        set.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    for field in [&["progress.state", "contacted"][..], &["progress.owner", "Mei", "[2J"]] {
        assert!(printed.iter().any(|line| line == field), "{field:?}: {}", set.stdout);
    }
    let set = client.run(&["update", &lead(2).lead_id, "--owner", "", "--json"]).await;
    let said: Value = serde_json::from_str(&set.stdout).unwrap();
    assert_eq!((&said["progress"]["state"], &said["progress"]["owner"]), (&Value::Null, &json!("")));
    let everything = [
        "update",
        "zg-0000-01",
        "--state=closed",
        "--reason=bought",
        "--note=Unit 12-04",
        "--phone=8123 4567",
        "--follow-up=2026-03-02T10:00",
        "--do-not-contact",
    ];
    assert_eq!(client.run(&everything).await.code, Some(0));
    for state in [&["--state=contacted"][..], &["--note=x"]] {
        let refused = client.run(&[&["update", "zg-0000-01", "--reason=bought"], state].concat()).await;
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(64), ""), "{state:?}");
        assert!(refused.stderr.contains("--state closed"), "{}", refused.stderr);
    }
    for (named, said) in [("zg-0000-02", lead(3).lead_id), ("zg-9999-99", "leadctl list".to_owned())] {
        let refused = client.run(&["update", named, "--state=closed"]).await;
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
        assert!(refused.stderr.contains(&said), "{}", refused.stderr);
    }
    let state = crm.state.lock().unwrap();
    let told = &state.changes[2];
    assert_eq!(told.next_step_at, at("2026-03-02T02:00:00Z"));
    assert_eq!((told.note.as_str(), told.closing_reason()), ("Unit 12-04", ClosingReason::Bought));
    assert_eq!([told.mobile.as_str(), state.changes[0].mobile.as_str()], ["8123 4567", ""]);
    assert_eq!((told.do_not_contact, state.changes[0].do_not_contact), (Some(true), None));
    let changes: Vec<_> =
        state.changes.iter().map(|it| (it.lead_id.clone(), it.state(), it.owner.clone())).collect();
    assert_eq!(
        changes,
        [
            (lead(1).lead_id, LeadState::Contacted, Some("Mei \x1b[2J".to_owned())),
            (lead(2).lead_id, LeadState::Unspecified, Some(String::new())),
            (lead(1).lead_id, LeadState::Closed, None),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn list_and_show_print_state_owner_and_signals() {
    let crm = Fake::start().await;
    let mut hasty = lead(1);
    hasty.signals = vec![SpamSignal::TooFast.into()];
    crm.add_lead(hasty);
    crm.state.lock().unwrap().leads[0].progress = Some(Progress {
        state: LeadState::VisitBooked.into(),
        owner: "Mei".to_owned(),
        ..Progress::default()
    });
    let client = Client::new(crm.address);
    let list = client.run(&["list"]).await.stdout;
    assert!(list.contains("STATE") && list.contains("visit_booked") && list.contains("Mei"), "{list}");
    let shown = client.run(&["show", "zg-0000-01"]).await.stdout;
    assert!(shown.contains("visit_booked") && shown.contains("Mei") && shown.contains("too_fast"), "{shown}");
    let json: Value = serde_json::from_str(&client.run(&["list", "--json"]).await.stdout).unwrap();
    assert_eq!(
        (&json["progress"]["state"], &json["signals"]),
        (&json!("visit_booked"), &json!(["too_fast"]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stats_count_days_of_the_zone() {
    let crm = Fake::start().await;
    let client = Client::new(crm.address);
    let stats = client.run(&["stats", "--days", "3"]).await;
    assert_eq!((stats.code, stats.stderr.as_str()), (Some(0), ""));
    for part in
        ["LEADS  BROCHURE", "VISIT_BOOKED", "3 leads in 3 days", "50 %  within 42m", "90 %  within 5h 10m"]
    {
        assert!(stats.stdout.contains(part), "{part}: {}", stats.stdout);
    }
    {
        let state = crm.state.lock().unwrap();
        let asked = &state.counted[0];
        let seconds: Vec<_> = asked.from.iter().map(|from| from.seconds).collect();
        assert_eq!(seconds.len(), 3);
        // Midnight in Singapore is 16:00 UTC.
        assert!(seconds.iter().all(|it| it % 86_400 == 16 * 3600), "{seconds:?}");
        assert!(asked.before.unwrap().seconds - seconds[2] < 86_400);
    }
    let json: Value =
        serde_json::from_str(&client.run(&["stats", "--days", "2", "--json"]).await.stdout).unwrap();
    assert_eq!((&json["leads"], &json["median_to_contact_seconds"]), (&json!(3), &json!(2520)));
    assert_eq!(json["days"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_requires_its_settings() {
    let crm = Fake::start().await;
    let client = Client::new(crm.address);
    for arguments in [&["canary"][..], &["canary", "--interval", "1m"]] {
        let refused = client.run(arguments).await;
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(64), ""), "{arguments:?}");
        assert!(refused.stderr.contains("[canary]"), "{}", refused.stderr);
    }
}
