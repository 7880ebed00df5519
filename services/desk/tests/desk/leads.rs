//! What the sales team does with leads.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Desk, refused, submission};

const MEI: &str = "mei@zyongrand.example";
const WEI: &str = "wei@zyongrand.example";

fn references(page: &Value) -> Vec<&str> {
    page["leads"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_happened_is_in_the_timeline_with_who_said_so() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let (mei, wei) = (desk.signed_in(MEI).await, desk.signed_in(WEI).await);
    let tried = mei.change(&lead, json!({ "state": "new", "next_step_at": "2026-03-01T10:00:00Z" })).await;
    assert_eq!(tried["progress"]["next_step_at"], "2026-03-01T10:00:00Z");
    mei.change(&lead, json!({ "state": "contacted", "note": "  Wants C1  " })).await;
    mei.change(&lead, json!({ "owner": "陈伟" })).await;
    wei.change(&lead, json!({ "state": "visiting", "next_step_at": "2026-03-07T03:00:00Z" })).await;
    let closed = wei.change(&lead, json!({ "state": "closed", "closing_reason": "bought" })).await;
    assert_eq!(closed["progress"]["closing_reason"], "bought");
    let silent = wei.change(&lead, json!({ "do_not_contact": true })).await;
    assert_eq!(silent["progress"]["do_not_contact"], true);
    let story = silent["timeline"].as_array().unwrap().iter().map(|entry| {
        let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        [word("event"), word("by"), word("state"), word("owner"), word("text")].join(" ").trim().to_owned()
    });
    assert_eq!(
        story.collect::<Vec<_>>(),
        [
            "submitted",
            "progressed Mei Tan new",
            "noted Mei Tan   Wants C1",
            "progressed Mei Tan contacted",
            "progressed Mei Tan contacted 陈伟",
            "progressed 陈伟 visiting 陈伟",
            "progressed 陈伟 closed 陈伟",
            "contact_changed 陈伟",
        ]
    );
    assert_eq!(desk.requested().await, ["person:陈伟#1"], "the new owner is mailed");
    assert_eq!(desk.stored(&lead).await.progress.unwrap().changed_by, "陈伟");
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_changes_nothing() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.signed_in(MEI).await;
    for wrong in [
        json!({ "state": "sold" }),
        json!({ "state": "closed" }),
        json!({ "state": "new", "closing_reason": "bought" }),
        json!({ "owner": "Eve" }),
        json!({ "next_step_at": "tomorrow" }),
        json!({ "note": "x".repeat(2001) }),
        json!({ "colour": 1 }),
        json!([]),
    ] {
        assert_eq!(mei.change(&lead, wrong.clone()).await, refused(422, "invalid"), "{wrong}");
    }
    assert_eq!(mei.change(&submission(5), json!({ "note": "x" })).await, refused(404, "no_such_lead"));
    assert_eq!(mei.json(mei.get("leads/x")).await, refused(404, "no_such_lead"));
    assert_eq!(mei.json(mei.get("other")).await, refused(404, "not_found"));
    assert_eq!(desk.stored(&lead).await.progress.unwrap().changed_at, None);
}

#[tokio::test]
async fn lists_have_what_is_open_what_is_mine_and_what_is_due() {
    let desk = Desk::start().await;
    let mei = desk.signed_in(MEI).await;
    for number in 1..=4 {
        desk.record(submission(number)).await;
    }
    let lead = submission;
    // Five past noon in Singapore: the day ends at 16:00 UTC.
    mei.change(
        &lead(1),
        json!({ "owner": "Mei Tan", "state": "new", "next_step_at": "2026-03-01T15:59:59Z" }),
    )
    .await;
    mei.change(&lead(2), json!({ "state": "visiting", "next_step_at": "2026-03-01T16:00:00Z" })).await;
    mei.change(&lead(3), json!({ "state": "closed", "closing_reason": "other" })).await;
    let list = async |query: &str| mei.json(mei.get(&format!("leads?{query}"))).await;
    let all = list("").await;
    assert_eq!(references(&all), ["Visitor 99", "Visitor 4", "Visitor 2", "Visitor 1"]);
    assert_eq!(references(&list("whose=mine").await), ["Visitor 1"]);
    assert_eq!(references(&list("whose=all&due=true").await), ["Visitor 1"]);
    assert_eq!(references(&list("search=visitor%203").await), ["Visitor 3"], "closed ones are found");
    assert_eq!(references(&list("search=4567").await).len(), 5);
    assert_eq!(list("whose=ours").await, refused(422, "invalid"));
    assert_eq!(list("after=x").await, refused(422, "invalid"));
    desk.clock.advance(Duration::from_secs(11 * 60 * 60 + 55 * 60));
    assert_eq!(references(&list("due=true").await), ["Visitor 2", "Visitor 1"]);
}

#[tokio::test]
async fn a_page_leads_to_the_next() {
    let desk = Desk::start().await;
    let mei = desk.signed_in(MEI).await;
    for number in 1..=60 {
        desk.record(submission(number)).await;
    }
    let first = mei.json(mei.get("leads")).await;
    let next = first["next"].as_str().unwrap();
    let second = mei.json(mei.get(&format!("leads?after={next}"))).await;
    assert_eq!((references(&first).len(), references(&second).len()), (50, 11));
    assert!(second["next"].is_null());
}

#[tokio::test]
async fn without_the_crm_it_says_so() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.signed_in(MEI).await;
    desk.stop_crm().await;
    assert_eq!(mei.change(&lead, json!({ "note": "x" })).await, refused(503, "unavailable"));
    assert_eq!(mei.json(mei.get("me")).await["name"], "Mei Tan");
}
