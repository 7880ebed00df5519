//! The report on the launch.

use ::lead::{ClosingReason, Interest, LeadState, SpamSignal};
use chrono::TimeDelta;
use contracts::crm::v1::{GetReportRequest, GetReportResponse};
use crm_sync::{
    leads::{Change, Source},
    report::Period,
};
use serde_json::{Value, json};
use testkit::database::Database;
use tonic::Code;
use uuid::Uuid;

use crate::support::{execute, migrated, on_both_databases, serve, submission};

on_both_databases! {
    counts_each_kind_of_row_once,
    follows_leads_from_source_to_outcome,
}

/// The report at noon of the 2nd of March in Singapore. The leads of the tests are of the 1st, at noon.
async fn report(database: &Database, days: u32) -> Value {
    let request = GetReportRequest {
        days,
        time_zone: "Asia/Singapore".to_owned(),
    };
    let now = testkit::start_of_time() + TimeDelta::days(1);
    let store = crate::support::connect(database.url()).await.unwrap();
    let report: GetReportResponse = store
        .compute_report(&Period::parse(&request, now).unwrap())
        .await
        .unwrap();
    json!(report)
}

async fn counts_each_kind_of_row_once(database: Database) {
    let store = migrated(&database).await;
    let mut leads: Vec<_> = (1..=6).map(submission).collect();
    leads[0].interests = vec![Interest::Brochure];
    leads[1].interests = vec![Interest::Brochure, Interest::Purchase, Interest::Showflat];
    leads[3].signals = vec![SpamSignal::Canary];
    leads[4].signals = vec![SpamSignal::Links];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    store
        .erase_people(&[], &[leads[5].id], "tests")
        .await
        .unwrap();

    let report = report(&database, 2).await;
    assert_eq!(
        report["days"][0],
        json!({
            "day": "2026-03-01",
            "from": "2026-02-28T16:00:00Z",
            "before": "2026-03-01T16:00:00Z",
            "is_unfinished": false,
            "leads": 4,
            "interests": [
                { "interest": "purchase", "leads": 1 },
                { "interest": "showflat", "leads": 1 },
                { "interest": "brochure", "leads": 1 },
            ],
            "erased": 1,
            "canaries": 1,
            "spam": 1,
        })
    );
    assert_eq!(report["days"][1]["day"], "2026-03-02");
    assert_eq!(report["days"][1]["is_unfinished"], true);
    assert_eq!(report["days"][1]["leads"], 0);
    // The 2nd of March is a Monday.
    let headline = &report["headline"];
    assert_eq!(headline["this_week"], 0);
    assert_eq!(headline["week_before"], 4);
    assert_eq!(headline["week_before_so_far"], 0);
    assert_eq!(headline["leads"], 3);
    assert_eq!(headline["agreed_to_calls"], 3);
    // All leads are of one person.
    assert_eq!(headline["waiting"], 1);
    assert_eq!(headline["median_to_contact_seconds"], Value::Null);
    assert_eq!(
        report["sources"]["campaigns"],
        json!([{ "value": "launch", "leads": 3, "visits": 0 }])
    );
}

async fn follows_leads_from_source_to_outcome(database: Database) {
    let store = migrated(&database).await;
    let mut leads: Vec<_> = (1..=3).map(submission).collect();
    leads[2].visit = None;
    leads[2].plan = None;
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let change = |number: u128, state: LeadState, closing_reason: Option<ClosingReason>| Change {
        lead_id: Uuid::from_u128(number),
        state: Some(state),
        owner: Some("Mei Tan".to_owned()),
        closing_reason,
        author: "Mei Tan".to_owned(),
        ..Change::default()
    };
    let bought = Some(ClosingReason::Bought);
    for change in [
        change(1, LeadState::VisitBooked, None),
        change(1, LeadState::VisitBooked, None),
        change(1, LeadState::Closed, bought),
        change(2, LeadState::VisitBooked, None),
        change(2, LeadState::Contacted, None),
    ] {
        store.update_lead(&change).await.unwrap();
    }
    let times = "UPDATE lead SET contacted_at = '2026-03-01T04:10:00+00:00',
        next_step_at = CASE WHEN reference = 'ZG-0000-02' THEN '2026-03-02T04:05:05+00:00' END
        WHERE reference <> 'ZG-0000-03'";
    let times = if database.url().starts_with("sqlite") {
        times.to_owned()
    } else {
        times.replace("04:05:05+00:00'", "04:05:05+00:00'::timestamptz")
    };
    execute(database.url(), &times).await;
    // Events have the database's time, which is later than the leads.
    let report = report(&database, 30).await;
    assert_eq!(
        report["sources"],
        json!({
            "campaigns": [
                { "value": "launch", "leads": 2, "visits": 2 },
                { "value": "", "leads": 1, "visits": 0 },
            ],
            "sources": [
                { "value": "news", "leads": 2, "visits": 2 },
                { "value": "", "leads": 1, "visits": 0 },
            ],
            "referrers": [
                { "value": "news.example", "leads": 2, "visits": 2 },
                { "value": "", "leads": 1, "visits": 0 },
            ],
            "entered_by_hand": 0,
        })
    );
    assert_eq!(
        report["wishes"],
        json!({
            "plans": [{ "value": "C2N", "leads": 2 }, { "value": "", "leads": 1 }],
            "bedrooms": [{ "bedrooms": 3, "leads": 2 }],
            "interests": [
                { "interest": "brochure", "leads": 3 },
                { "interest": "showflat", "leads": 3 },
            ],
            "languages": [{ "language": "zh", "leads": 3 }],
            "visit_times": [
                { "value": "weekday-evenings", "leads": 3 },
                { "value": "weekend-mornings", "leads": 3 },
            ],
        })
    );
    assert_eq!(
        report["outcome"],
        json!({
            "states": [
                { "state": "new", "leads": 1 },
                { "state": "contacted", "leads": 1 },
                { "state": "visit_booked", "leads": 0 },
                { "state": "closed", "leads": 1 },
                { "state": "invalid", "leads": 0 },
            ],
            "reached_contact": 2,
            "reached_visit": 2,
            "closing_reasons": [{ "closing_reason": "bought", "leads": 1 }],
            "owners": [
                {
                    "owner": "Mei Tan", "leads": 2, "open": 1, "follow_ups": 1, "overdue": 1,
                    "median_to_contact_seconds": 240,
                },
                {
                    "owner": "", "leads": 1, "open": 1, "follow_ups": 0, "overdue": 0,
                    "median_to_contact_seconds": null,
                },
            ],
        })
    );
    assert_eq!(report["headline"]["median_to_contact_seconds"], 240);
    assert!(!report.to_string().contains("陈伟"), "no name of a visitor");
}

#[tokio::test]
async fn rejects_unknown_time_zones() {
    let database = testkit::database::sqlite();
    drop(migrated(&database).await);
    let mut client = serve(&database).await;
    let request = GetReportRequest {
        days: 30,
        time_zone: "Atlantis".to_owned(),
    };
    let error = client.leads.get_report(request).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}
