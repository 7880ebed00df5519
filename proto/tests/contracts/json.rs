//! Messages as JSON, as described in `contracts`.

use prost_types::{Duration, Timestamp};
use serde_json::{Value, json, to_value};

use contracts::{
    crm::v1::{
        CountLeadsResponse, Lead, LeadState, Progress, TimelineEntry,
        timeline_entry::{Event, Progressed},
    },
    leads::v1::{Interest, LeadSubmitted},
};

#[test]
fn enums_are_written_as_names() {
    let state = |state: i32| {
        to_value(Progress {
            state,
            ..Progress::default()
        })
        .unwrap()["state"]
            .take()
    };
    assert_eq!(state(LeadState::VisitBooked.into()), "visit_booked");
    assert_eq!((state(0), state(99)), (Value::Null, json!("unknown")));
    let interests = vec![Interest::Purchase.into(), 99];
    let lead = to_value(LeadSubmitted {
        interests,
        ..LeadSubmitted::default()
    })
    .unwrap();
    assert_eq!(
        (&lead["interests"], &lead["signals"]),
        (&json!(["purchase", "unknown"]), &json!([]))
    );
}

#[test]
fn times_are_utc_and_durations_seconds() {
    let at = |seconds, nanos| Some(Timestamp { seconds, nanos });
    let progress = Progress {
        contacted_at: at(1_772_337_906, 0),
        ..Progress::default()
    };
    let progress = to_value(progress).unwrap();
    assert_eq!(progress["contacted_at"], "2026-03-01T04:05:06Z");
    assert_eq!(progress["next_step_at"], Value::Null);
    let progress = Progress {
        contacted_at: at(1_772_337_906, 250_000_000),
        ..Progress::default()
    };
    assert_eq!(
        to_value(progress).unwrap()["contacted_at"],
        "2026-03-01T04:05:06.250Z"
    );
    let median_to_contact = Some(Duration {
        seconds: 2520,
        nanos: 0,
    });
    let counts = to_value(CountLeadsResponse {
        median_to_contact,
        ..Default::default()
    })
    .unwrap();
    assert_eq!(counts["median_to_contact_seconds"], 2520);
    assert_eq!(counts["p90_to_contact_seconds"], Value::Null);
}

#[test]
fn submissions_and_events_are_flat() {
    let submission = Some(LeadSubmitted {
        name: "Mei".to_owned(),
        ..LeadSubmitted::default()
    });
    let event = Some(Event::Progressed(Progressed {
        owner: "Mei".to_owned(),
        ..Default::default()
    }));
    let timeline = vec![
        TimelineEntry {
            event,
            ..Default::default()
        },
        TimelineEntry::default(),
    ];
    let lead = to_value(Lead {
        submission,
        timeline,
        ..Default::default()
    })
    .unwrap();
    assert_eq!(
        (&lead["name"], &lead["contact_id"]),
        (&json!("Mei"), &json!(""))
    );
    assert_eq!(
        (&lead["timeline"][0]["event"], &lead["timeline"][0]["owner"]),
        (&json!("progressed"), &json!("Mei"))
    );
    assert_eq!(lead["timeline"][1].get("event"), None);
}
