//! The report, and the lists to which its bars lead.

use contracts::leads::v1::{Campaign, LeadSubmitted, Session};
use serde_json::{Value, json};

use crate::support::{Browser, Desk, assert_same_shape, error, submission};

const MEI: &str = "mei@zyongrand.example";
const WEI: &str = "wei@zyongrand.example";

/// An example, which the tests of the page display.
const EXAMPLE: &str = include_str!("report.json");

fn from_campaign(number: u128, campaign: &str) -> LeadSubmitted {
    let session = Session {
        session_id: uuid::Uuid::from_u128(number).to_string(),
        started_at: submission(number).submitted_at,
        referrer_host: "news.example".to_owned(),
        campaign: Some(Campaign {
            name: campaign.to_owned(),
            source: "news".to_owned(),
            ..Campaign::default()
        }),
        ..Session::default()
    };
    LeadSubmitted {
        session: Some(session),
        plan: "C2N".to_owned(),
        visit_times: vec!["weekday-evenings".to_owned()],
        ..submission(number)
    }
}

async fn report(browser: &Browser, query: &str) -> Value {
    browser.json(browser.get(&format!("report{query}"))).await
}

#[tokio::test]
async fn shows_the_report_of_the_chosen_days() {
    let desk = Desk::start().await;
    let wei = desk.logged_in(WEI).await;
    desk.record(from_campaign(1, "launch")).await;
    let week = report(&wei, "?days=7").await;
    assert_eq!(week["days"].as_array().map(Vec::len), Some(7), "{week}");
    assert_eq!(week["sources"]["campaigns"][0]["leads"], 1);
    assert_same_shape(&week, &serde_json::from_str(EXAMPLE).unwrap(), "report");
    let month = report(&wei, "").await;
    assert_eq!(month["days"].as_array().map(Vec::len), Some(30));
    assert_eq!(month["headline"]["this_week"], 2);
    for query in ["?days=8", "?days=no", "?weeks=1"] {
        assert_eq!(report(&wei, query).await, error(422, "invalid"), "{query}");
    }
}

#[tokio::test]
async fn only_permitted_people_see_the_report() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    assert_eq!(report(&mei, "").await, error(403, "forbidden"));
    let stranger = desk.browser();
    assert_eq!(report(&stranger, "").await, error(401, "logged_out"));
}

#[tokio::test]
async fn bars_lead_to_the_leads_that_they_count() {
    let desk = Desk::start().await;
    let wei = desk.logged_in(WEI).await;
    let launch = desk.record(from_campaign(1, "launch")).await;
    desk.record(from_campaign(2, "preview")).await;
    let visit = json!({ "state": "visit_booked", "owner": "Mei Tan" });
    wei.change(&launch, visit).await;
    let closed = json!({ "state": "closed", "closing_reason": "bought" });
    wei.change(&launch, closed).await;
    let count = async |query: Value| {
        let page = wei.list(query).await;
        page["leads"].as_array().map(Vec::len)
    };
    let page = wei.list(json!({ "campaign": "launch" })).await;
    let row = &page["leads"][0];
    assert_eq!(
        json!([row["source"], row["campaign"], row["referrer"]]),
        json!(["news", "launch", "news.example"])
    );
    for (query, leads) in [
        (json!({ "campaign": "launch" }), 1),
        (json!({ "campaign": "" }), 1),
        (json!({ "source": "news" }), 2),
        (json!({ "referrer": "news.example" }), 2),
        (json!({ "plans": ["C2N"] }), 2),
        (json!({ "plans": [""] }), 1),
        (json!({ "visit_time": "weekday-evenings" }), 2),
        (json!({ "state": "closed" }), 1),
        (json!({ "closing_reason": "bought" }), 1),
        (json!({ "closing_reason": "" }), 0),
        (json!({ "interest": "purchase", "language": "en" }), 3),
        (json!({ "owner": "陈伟" }), 0),
        (json!({ "owner": "" }), 2),
        (json!({ "contacted": "yes" }), 1),
        (json!({ "contacted": "no" }), 2),
        (json!({ "visit_booked": "yes" }), 1),
        (json!({ "visitor_email": "confirmation-failed" }), 0),
        (
            json!({ "from": "2026-03-01T00:00:00Z", "before": "2026-03-02T00:00:00Z" }),
            3,
        ),
        (json!({ "before": "2026-03-01T00:00:00Z" }), 0),
        (json!({ "source": "news", "mine": true }), 0),
    ] {
        assert_eq!(count(query.clone()).await, Some(leads), "{query}");
    }
    for unknown in [
        json!({ "plans": ["Z9"] }),
        json!({ "closing_reason": "moved" }),
        json!({ "contacted": "maybe" }),
        json!({ "visitor_email": "letter" }),
        json!({ "visitor_email": "letter-failed" }),
    ] {
        assert_eq!(wei.list(unknown).await, error(422, "invalid"));
    }
}
