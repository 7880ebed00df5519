//! Tests listing, changing and entering leads.

use std::time::Duration;

use chrono::TimeDelta;
use contracts::leads::v1::{ContactChannel, Interest, Language, LeadSubmitted};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Browser, Desk, assert_same_shape, error, submission};

const MEI: &str = "mei@zyongrand.example";
const WEI: &str = "wei@zyongrand.example";

/// A lead for a logged-in person, which the tests of the page display. It has no empty value.
const EXAMPLE: &str = include_str!("lead.json");

/// The form of the page that enters a lead, with a value in each field. The tests of the page send the same fields.
const ENTERED: &str = include_str!("new-lead.json");

fn references(page: &Value) -> Vec<&str> {
    page["leads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn timeline_names_the_person() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let (mei, wei) = (desk.logged_in(MEI).await, desk.logged_in(WEI).await);
    let tried = mei
        .change(
            &lead,
            json!({ "state": "new", "next_step_at": "2026-03-01T10:00:00Z" }),
        )
        .await;
    assert_eq!(tried["progress"]["next_step_at"], "2026-03-01T10:00:00Z");
    mei.change(
        &lead,
        json!({ "state": "contacted", "note": "  Wants C1  " }),
    )
    .await;
    mei.change(&lead, json!({ "owner": "陈伟" })).await;
    wei.change(
        &lead,
        json!({ "state": "visit_booked", "next_step_at": "2026-03-07T03:00:00Z" }),
    )
    .await;
    let closed = wei
        .change(
            &lead,
            json!({ "state": "closed", "closing_reason": "bought" }),
        )
        .await;
    assert_eq!(closed["progress"]["closing_reason"], "bought");
    let silent = wei.change(&lead, json!({ "do_not_contact": true })).await;
    assert_eq!(silent["do_not_contact"], true);
    let story = silent["timeline"].as_array().unwrap().iter().map(|entry| {
        let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        [
            word("event"),
            word("client"),
            word("state"),
            word("owner"),
            word("text"),
        ]
        .join(" ")
        .trim()
        .to_owned()
    });
    assert_eq!(
        story.collect::<Vec<_>>(),
        [
            "submitted",
            "progressed Mei Tan new",
            "noted Mei Tan   Wants C1",
            "progressed Mei Tan contacted",
            "progressed Mei Tan contacted 陈伟",
            "progressed 陈伟 visit_booked 陈伟",
            "progressed 陈伟 closed 陈伟",
            "contact_changed 陈伟",
        ]
    );
    assert_eq!(
        desk.lease_requests().await,
        ["person:陈伟#1"],
        "the new owner gets an email"
    );
    assert_eq!(
        desk.stored(&lead).await.progress.unwrap().changed_by,
        "陈伟"
    );
}

#[tokio::test]
async fn corrected_number_is_shown_with_the_one_before() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    for wrong in ["1234567", "          ", "8123 4567 or 6123 4567"] {
        assert_eq!(
            mei.change(&lead, json!({ "mobile": wrong })).await,
            error(422, "invalid"),
            "{wrong}"
        );
    }
    let corrected = mei.change(&lead, json!({ "mobile": " 8123  4567 " })).await;
    assert_eq!(
        (&corrected["mobile"], &corrected["phone"]),
        (&json!("8123 4567"), &json!("+6581234567"))
    );
    let last = corrected["timeline"].as_array().unwrap().last().unwrap();
    assert_eq!(
        [&last["event"], &last["client"]],
        ["number_corrected", "Mei Tan"]
    );
    assert_eq!([&last["from"], &last["to"]], ["9123 4567", "8123 4567"]);
}

#[tokio::test]
async fn registry_result_belongs_to_the_number_that_was_looked_up() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    let check = json!({ "checked_at": "2026-02-20T00:00:00Z", "listed": ["message"] });
    let result = || json!({ "dnc_check": check });
    let checked = mei.change(&lead, result()).await;
    assert_eq!(checked["dnc_check"], check, "{checked}");
    let last = checked["timeline"].as_array().unwrap().last().unwrap();
    assert_eq!(
        [&last["event"], &last["client"]],
        ["dnc_checked", "Mei Tan"]
    );
    assert_eq!(last["check"], check);
    let again = mei.change(&lead, result()).await;
    assert_eq!(again["timeline"], checked["timeline"], "a repeated request");

    let corrected = mei.change(&lead, json!({ "mobile": "8123 4567" })).await;
    assert_eq!(corrected["dnc_check"], Value::Null, "another number");
    let new_number = mei.change(&lead, result()).await;
    assert_eq!(new_number["dnc_check"], check);
    let future = json!({ "dnc_check": { "checked_at": "2036-02-20T00:00:00Z", "listed": [] } });
    assert_eq!(mei.change(&lead, future).await, error(422, "invalid"));
}

#[tokio::test]
async fn list_and_lead_show_the_agreed_channels() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let (phone, message) = (ContactChannel::Phone.into(), ContactChannel::Message.into());
    for (number, (channels, expected)) in (1..).zip([
        (vec![], json!([])),
        (vec![phone], json!(["phone"])),
        (vec![message], json!(["message"])),
        (vec![phone, message], json!(["phone", "message"])),
    ]) {
        let lead = desk
            .record(LeadSubmitted {
                channels,
                ..submission(number)
            })
            .await;
        let shown = mei.json(mei.get(&format!("leads/{}", lead.lead_id))).await;
        assert_eq!(shown["channels"], expected);
        let page = mei.list(json!({ "search": lead.name })).await;
        assert_eq!(page["leads"][0]["channels"], expected);
    }
}

#[tokio::test]
async fn lead_has_the_fields_of_the_example() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let lead = desk.record(testkit::lead::full()).await;
    let shown = mei.json(mei.get(&format!("leads/{}", lead.lead_id))).await;
    assert_same_shape(&shown, &serde_json::from_str(EXAMPLE).unwrap(), "lead");
}

/// Adds an invisible character to each text that a salesperson types or pastes.
fn with_invisible_characters(form: &Value) -> Value {
    let mut form = form.clone();
    for (field, value) in form.as_object_mut().unwrap() {
        let is_id = ["key", "language", "consent_means"].contains(&field.as_str());
        if let (false, Value::String(text)) = (is_id, value) {
            text.insert(0, '\u{200b}');
        }
    }
    form
}

#[tokio::test]
async fn pages_of_the_first_version_can_enter_a_lead() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    // Never add a field: a page may stay open during a deployment.
    let form = json!({
        "key": Uuid::from_u128(1),
        "name": "陈伟",
        "mobile": "9123 4567",
        "email": "wei@example.com",
        "questions": "",
        "interests": ["showflat"],
        "language": "zh",
        "channels": [],
        "privacy_accepted": true,
    });
    let shown = mei.json(mei.post("new-lead").json(&form)).await;
    assert_eq!(shown["name"], "陈伟");
}

#[tokio::test]
async fn every_field_entered_by_hand_is_stored() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let form: Value = serde_json::from_str(ENTERED).unwrap();
    let shown = mei
        .json(mei.post("new-lead").json(&with_invisible_characters(&form)))
        .await;
    let stored = desk
        .stored(&LeadSubmitted {
            lead_id: shown["id"].as_str().unwrap().to_owned(),
            ..submission(1)
        })
        .await;
    // Without `..`, the compiler reports a new field. Decide whether salespeople enter it.
    let LeadSubmitted {
        interests,
        name,
        mobile,
        email,
        questions,
        language,
        channels,
        // Salespeople do not enter these.
        lead_id: _,
        reference: _,
        submitted_at: _,
        plan: _,
        visit_times: _,
        home_preferences: _,
        privacy_policy_version: _,
        session: _,
        signals: _,
    } = stored.submission.unwrap();
    assert_eq!(json!(name), form["name"]);
    assert_eq!(json!(mobile), form["mobile"]);
    assert_eq!(json!(email), form["email"]);
    assert_eq!(json!(questions), form["questions"]);
    assert_eq!(interests, [i32::from(Interest::Showflat)]);
    assert_eq!(language, i32::from(Language::Zh));
    assert_eq!(channels, [i32::from(ContactChannel::Phone)]);
}

#[tokio::test]
async fn list_and_lead_show_plan_and_homes_in_both_languages() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let lead = desk
        .record(LeadSubmitted {
            plan: "B2".to_owned(),
            visit_times: vec!["weekday-evenings".to_owned()],
            home_preferences: ["3-bedroom", "4-bedroom", "own-use"]
                .map(str::to_owned)
                .into(),
            ..submission(1)
        })
        .await;
    let plan = json!({
        "id": "B2",
        "name": "2 Bedroom Deluxe B2",
        "names": { "en": "2 Bedroom Deluxe B2", "zh": "两卧房豪华型 B2" },
        "area": "829",
    });
    let times = json!([
        { "id": "weekday-evenings", "name": { "en": "weekday evenings", "zh": "平日傍晚" } },
    ]);
    let homes = json!({ "en": "3 or 4 bedrooms, to live in", "zh": "三至四卧房，自住" });
    let shown = mei.json(mei.get(&format!("leads/{}", lead.lead_id))).await;
    assert_eq!((&shown["plan"], &shown["visit_times"]), (&plan, &times));
    assert_eq!(shown["homes"], homes);
    let page = mei.list(json!({ "search": lead.name })).await;
    let row = &page["leads"][0];
    assert_eq!((&row["plan"], &row["homes"]), (&plan, &homes));
}

#[tokio::test]
async fn lead_with_the_same_number_is_found_by_its_reference() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    // The ids of other leads in the tests are too small for references of their own.
    let with_reference = |number: u128| LeadSubmitted {
        reference: "ZG-7F3K-2Q".to_owned(),
        ..submission(number)
    };
    let lead = desk.record(submission(1)).await;
    let other = desk.record(with_reference(2)).await;
    let get = async |key: &str| mei.json(mei.get(&format!("leads/{key}"))).await;
    let shown = get(&lead.lead_id).await;
    let references = shown["same_number"].as_array().unwrap();
    assert!(references.contains(&json!(other.reference)), "{shown}");
    assert_eq!(get(&other.reference).await["id"], other.lead_id);
    assert_eq!(get("ZG-9999-99").await, error(404, "no_such_lead"));
    desk.record(with_reference(3)).await;
    assert_eq!(
        get(&other.reference).await,
        error(409, "ambiguous_reference")
    );
}

#[tokio::test]
async fn corrected_name_and_email_are_shown_with_those_before() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    for wrong in [
        json!({ "name": " " }),
        json!({ "name": "x".repeat(101) }),
        json!({ "email": "mei" }),
        json!({ "email": "a@b.co@c.co" }),
    ] {
        assert_eq!(
            mei.change(&lead, wrong.clone()).await,
            error(422, "invalid"),
            "{wrong}"
        );
    }
    let both = json!({ "name": " Chen  Wei ", "email": "ｃhen@example.com" });
    let corrected = mei.change(&lead, both).await;
    assert_eq!(
        [&corrected["name"], &corrected["email"]],
        ["Chen Wei", "chen@example.com"]
    );
    let timeline = corrected["timeline"].as_array().unwrap();
    let told: Vec<_> = timeline
        .iter()
        .rev()
        .take(2)
        .map(|entry| [&entry["event"], &entry["to"], &entry["client"]])
        .collect();
    assert_eq!(
        told,
        [
            ["email_corrected", "chen@example.com", "Mei Tan"],
            ["name_corrected", "Chen Wei", "Mei Tan"]
        ]
    );
}

#[tokio::test]
async fn removes_invisible_and_direction_characters() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let question = "\u{202e}7654321\u{202c}\r\nCall\u{200b} me";
    let typed = desk
        .record(LeadSubmitted {
            name: "\u{202e}Mei\u{ad}ling\u{200b} Ho".to_owned(),
            mobile: "\u{202d}9123 4567\u{202c}".to_owned(),
            questions: question.to_owned(),
            ..submission(1)
        })
        .await;
    // Colleagues may paste visitors' text into notes.
    let lead = mei.change(&typed, json!({ "note": question })).await;
    for (field, text) in [
        ("name", "Meiling Ho"),
        ("mobile", "9123 4567"),
        ("questions", "7654321\nCall me"),
    ] {
        assert_eq!(lead[field], text);
    }
    let noted = lead["timeline"].as_array().unwrap().last().unwrap();
    assert_eq!(noted["text"], lead["questions"]);
    let rows = mei.list(json!({ "search": "meiling" })).await;
    assert_eq!(references(&rows), ["Meiling Ho"]);

    let mut filled = LeadSubmitted {
        session: testkit::lead::full().session,
        ..submission(2)
    };
    testkit::lead::fill_free_texts(&mut filled, "\u{202e}a\u{200b}b");
    let filled = desk.record(filled).await;
    let shown = mei
        .json(mei.get(&format!("leads/{}", filled.lead_id)))
        .await;
    assert!(
        !shown.to_string().contains(['\u{202e}', '\u{200b}']),
        "{shown}"
    );
}

#[tokio::test]
async fn marks_completed_and_unreadable_numbers_and_fixed_lines() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let (singapore, none) = (json!("+6591234567"), Value::Null);
    let london = json!("+442079460958");
    let american = json!("+14155550199");
    for (number, (mobile, phone, dialled, country_code_added, takes_messages)) in (1..).zip([
        ("+65 9123 4567", &singapore, &none, false, true),
        ("９１２３ ４５６７", &singapore, &singapore, true, true),
        ("0065 9123 4567", &singapore, &singapore, false, true),
        ("+44 (0)20 79460958", &london, &london, false, false),
        ("1-415-555-0199", &american, &none, false, true),
        ("1 (650) 253-0000", &none, &none, false, false),
        ("+65 8123 45678", &none, &none, false, false),
        ("call me please", &none, &none, false, false),
    ]) {
        let mobile = mobile.to_owned();
        let lead = desk
            .record(LeadSubmitted {
                mobile,
                ..submission(number)
            })
            .await;
        let shown = mei.json(mei.get(&format!("leads/{}", lead.lead_id))).await;
        let read = [
            &shown["phone"],
            &shown["dialled"],
            &shown["country_code_added"],
            &shown["takes_messages"],
        ];
        let expected = [
            phone,
            dialled,
            &json!(country_code_added),
            &json!(takes_messages),
        ];
        assert_eq!(read, expected, "{}", lead.mobile);
    }
}

#[tokio::test]
async fn lead_entered_by_hand_is_stored_once() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let form = json!({
        "key": Uuid::from_u128(7), "name": " Tan  Wei ", "mobile": "8123 4567", "email": "ｗei@example.com",
        "questions": "", "interests": ["showflat", "brochure"], "language": "zh", "channels": ["phone"],
        "privacy_accepted": true, "consent_means": "phone_call", "confirm": true
    });
    let enter = async |change: Value| {
        let mut form = form.clone();
        form.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        mei.json(mei.post("new-lead").json(&form)).await
    };
    for wrong in [
        json!({ "privacy_accepted": false }),
        json!({ "name": " " }),
        json!({ "mobile": "1234567" }),
        json!({ "email": "wei@example" }),
        json!({ "interests": [] }),
        json!({ "language": "de" }),
        json!({ "questions": "x".repeat(1001) }),
        json!({ "consent_means": "telepathy" }),
        json!({ "colour": 1 }),
    ] {
        assert_eq!(enter(wrong.clone()).await, error(422, "invalid"), "{wrong}");
    }
    let entered = enter(json!({})).await;
    assert_eq!(entered["name"], "Tan Wei", "{entered}");
    assert_eq!(
        (&entered["email"], &entered["channels"]),
        (&json!("wei@example.com"), &json!(["phone"]))
    );
    let progress = &entered["progress"];
    assert_eq!(
        [&progress["state"], &progress["owner"]],
        ["contacted", "Mei Tan"]
    );
    let story = entered["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| [&it["event"], &it["client"]]);
    let expected =
        [["entered", "Mei Tan"], ["progressed", "Mei Tan"]].map(|it| it.map(|word| json!(word)));
    assert_eq!(
        story.map(|it| it.map(Value::clone)).collect::<Vec<_>>(),
        expected
    );
    assert_eq!(entered["timeline"][0]["consent_means"], "phone_call");
    assert_eq!(
        enter(json!({})).await,
        entered,
        "a repeated request stores no second lead"
    );
    let lead = LeadSubmitted {
        lead_id: entered["id"].as_str().unwrap().to_owned(),
        ..submission(1)
    };
    let stored = desk.stored(&lead).await;
    assert_eq!(
        stored.consent.unwrap().policy_version,
        lead::privacy_policy::current()
    );
    assert!(
        desk.lease_requests().await.is_empty(),
        "no email is requested"
    );
    let stranger = desk.browser();
    assert_eq!(
        stranger.json(stranger.post("new-lead").json(&form)).await,
        error(401, "logged_out")
    );
}

#[tokio::test]
async fn booked_visit_is_an_event_for_calendars() {
    let desk = Desk::start().await;
    let name = format!("Tan, Mei; \\ {}", "陈".repeat(60));
    let lead = desk
        .record(LeadSubmitted {
            name,
            channels: vec![ContactChannel::Phone.into()],
            ..submission(1)
        })
        .await;
    let mei = desk.logged_in(MEI).await;
    let path = format!("leads/{}/visit.ics", lead.lead_id);
    mei.change(
        &lead,
        json!({ "state": "contacted", "next_step_at": "2026-03-07T03:00:00Z" }),
    )
    .await;
    assert_eq!(
        mei.json(mei.get(&path)).await,
        error(404, "not_found"),
        "a follow-up call is not a calendar event"
    );
    mei.change(
        &lead,
        json!({ "state": "visit_booked", "next_step_at": "2026-03-07T03:00:00Z" }),
    )
    .await;
    let answer = mei.send(mei.get(&path)).await;
    assert_eq!(
        answer.headers()["content-type"],
        "text/calendar; charset=utf-8"
    );
    let event = answer.text().await.unwrap();
    assert!(event.split("\r\n").all(|line| line.len() <= 75), "{event}");
    let event = event.replace("\r\n ", "");
    let lines: Vec<_> = event.split("\r\n").collect();
    assert_eq!((lines[0], lines[3]), ("BEGIN:VCALENDAR", "BEGIN:VEVENT"));
    let summary = format!(r"SUMMARY:Tan\, Mei\; \\ {} · Zyon Grand", "陈".repeat(60));
    for line in [
        "DTSTART:20260307T030000Z",
        "DTEND:20260307T040000Z",
        summary.as_str(),
    ] {
        assert!(lines.contains(&line), "{line} is not in {event}");
    }
    let number = |event: &str| -> i64 {
        let line = event
            .split("\r\n")
            .find_map(|it| it.strip_prefix("SEQUENCE:"));
        line.unwrap().parse().unwrap()
    };
    let sequence = number(&event);
    assert!(
        event.contains("+6591234567") && event.contains(&lead.reference),
        "{event}"
    );
    mei.change(&lead, json!({ "do_not_contact": true })).await;
    let event = mei.send(mei.get(&path)).await.text().await.unwrap();
    assert!(!event.contains("+6591234567"), "{event}");
    assert!(number(&event) >= sequence && sequence > 0, "{event}");
    let stranger = desk.browser();
    assert_eq!(
        stranger.json(stranger.get(&path)).await,
        error(401, "logged_out")
    );
}

#[tokio::test]
async fn rejects_invalid_updates() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    for wrong in [
        json!({ "state": "sold" }),
        json!({ "state": "closed" }),
        json!({ "state": "new", "closing_reason": "bought" }),
        json!({ "state": "contacted", "seen": "yesterday" }),
        json!({ "owner": "Eve" }),
        json!({ "next_step_at": "tomorrow" }),
        json!({ "next_step_at": desk.now() - TimeDelta::seconds(61) }),
        json!({ "note": "x".repeat(2001) }),
        json!({ "colour": 1 }),
        json!([]),
    ] {
        assert_eq!(
            mei.change(&lead, wrong.clone()).await,
            error(422, "invalid"),
            "{wrong}"
        );
    }
    for blind in [
        json!({ "state": "contacted" }),
        json!({ "owner": "陈伟" }),
        json!({ "name": "Chen Wei" }),
        json!({ "mobile": "8123 4567" }),
        json!({ "email": "chen@example.com" }),
    ] {
        let request = mei.post(&format!("leads/{}", lead.lead_id)).json(&blind);
        assert_eq!(
            mei.json(request).await,
            error(422, "invalid"),
            "{blind} without the version that the page showed"
        );
    }
    assert_eq!(
        mei.change(&submission(5), json!({ "note": "x" })).await,
        error(404, "no_such_lead")
    );
    assert_eq!(
        mei.json(mei.get("leads/x")).await,
        error(404, "no_such_lead")
    );
    assert_eq!(mei.json(mei.get("other")).await, error(404, "not_found"));
    assert_eq!(desk.stored(&lead).await.progress.unwrap().changed_at, None);
    let just_now = desk.now() - TimeDelta::seconds(60);
    assert!(mei.change(&lead, json!({ "next_step_at": just_now })).await["progress"].is_object());
}

#[tokio::test]
async fn colleague_who_has_not_seen_a_correction_does_not_overwrite_it() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    let wei = desk.logged_in(WEI).await;
    let correction = |mobile: &str| json!({ "mobile": mobile, "seen": null });
    let corrected = mei.change(&lead, correction("8123 4567")).await;
    assert_eq!(corrected["mobile"], "8123 4567", "{corrected}");
    let refused = wei.change(&lead, correction("6123 4567")).await;
    assert_eq!(refused, error(409, "changed_meanwhile"));
    let seen = &corrected["progress"]["changed_at"];
    let informed = json!({ "mobile": "6123 4567", "seen": seen });
    assert_eq!(wei.change(&lead, informed).await["mobile"], "6123 4567");
}

#[tokio::test]
async fn stale_update_is_a_conflict() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let (mei, wei) = (desk.logged_in(MEI).await, desk.logged_in(WEI).await);
    let visiting = json!({ "state": "visit_booked", "next_step_at": "2026-03-07T03:00:00Z", "note": "Comes", "seen": null });
    let shown = mei.change(&lead, visiting.clone()).await;
    let closing = |seen: &Value| json!({ "state": "closed", "closing_reason": "other", "note": "No", "seen": seen });
    assert_eq!(
        wei.change(&lead, closing(&Value::Null)).await,
        error(409, "changed_meanwhile")
    );
    assert_eq!(
        mei.change(&lead, visiting).await,
        shown,
        "a repeat after a lost response"
    );
    let seen = &shown["progress"]["changed_at"];
    assert!(seen.is_string(), "{shown}");
    let row = mei.list(json!({})).await["leads"][1].clone();
    assert_eq!(
        (&row["name"], &row["progress"]["changed_at"]),
        (&json!("Visitor 1"), seen)
    );
    let closed = wei.change(&lead, closing(seen)).await;
    assert_eq!(closed["progress"]["state"], "closed", "{closed}");
    let noted = closed["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["event"] == "noted");
    assert_eq!(noted.count(), 2);
}

#[tokio::test]
async fn recorded_contact_assigns_the_lead_to_one_person() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let (mei, wei) = (desk.logged_in(MEI).await, desk.logged_in(WEI).await);
    let talked = |owner: &str| json!({ "state": "contacted", "note": "Talked", "owner": owner, "seen": null });
    let taken = mei.change(&lead, talked("Mei Tan")).await;
    assert_eq!(taken["progress"]["owner"], "Mei Tan", "{taken}");
    assert_eq!(
        wei.change(&lead, talked("陈伟")).await,
        error(409, "changed_meanwhile")
    );
    let own = mei.list(json!({ "mine": true })).await;
    assert_eq!(own["leads"][0]["progress"]["owner"], "Mei Tan", "{own}");
    assert_eq!(
        desk.lease_requests().await,
        [""; 0],
        "nobody gets an email about a lead that they took"
    );
}

#[tokio::test]
async fn lead_shows_do_not_contact() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    let key = desk.key(MEI, &lead, None);
    let rows = async || mei.list(json!({ "search": "visitor 1" })).await["leads"][0].clone();
    assert_eq!(
        desk.browser().open_link(&key).await["lead"]["do_not_contact"],
        false
    );
    assert_eq!(rows().await["do_not_contact"], false);
    mei.change(&lead, json!({ "do_not_contact": true })).await;
    assert_eq!(
        desk.browser().open_link(&key).await["lead"]["do_not_contact"],
        true
    );
    assert_eq!(rows().await["do_not_contact"], true);
}

#[tokio::test]
async fn contact_after_a_withdrawal_needs_a_note() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    mei.change(&lead, json!({ "do_not_contact": true })).await;
    // Mei's page shows her own mark. Then the visitor withdraws.
    desk.request_erasure(&lead).await;
    let allow = json!({ "do_not_contact": false, "note": "Agreed by phone today" });
    assert_eq!(
        mei.change(&lead, allow.clone()).await,
        error(409, "changed_meanwhile")
    );
    let page = mei.json(mei.get(&format!("leads/{}", lead.lead_id))).await;
    let withdrawn_at = &page["withdrawn_at"];
    assert!(withdrawn_at.is_string(), "{page}");
    assert_eq!(
        mei.change(
            &lead,
            json!({ "do_not_contact": false, "seen_withdrawn_at": withdrawn_at })
        )
        .await,
        error(422, "consent_note_missing")
    );
    let mut allow = allow;
    allow["seen_withdrawn_at"] = withdrawn_at.clone();
    let allowed = mei.change(&lead, allow).await;
    assert_eq!(
        (&allowed["do_not_contact"], &allowed["withdrawn_at"]),
        (&json!(false), &Value::Null)
    );
}

#[tokio::test]
async fn only_permitted_people_send_brochures() {
    let desk = Desk::start().await;
    let (mei, wei) = (desk.logged_in(MEI).await, desk.logged_in(WEI).await);
    for number in 1..=2 {
        let interests = vec![Interest::Brochure.into()];
        desk.record(LeadSubmitted {
            interests,
            ..submission(number)
        })
        .await;
    }
    let send = |browser: &Browser| browser.post("brochure").json(&json!({}));
    let test = |browser: &Browser| {
        browser
            .post("brochure/test")
            .json(&json!({ "lead": Uuid::from_u128(1) }))
    };
    for request in [mei.get("brochure"), send(&mei), test(&mei)] {
        assert_eq!(mei.json(request).await, error(403, "forbidden"));
    }
    let stranger = desk.browser();
    for request in [stranger.get("brochure"), send(&stranger), test(&stranger)] {
        assert_eq!(stranger.json(request).await, error(401, "logged_out"));
    }
    let counts = |requested: u64, left: u64, waiting: u64| json!({ "asked": 2, "requested": requested, "left": left, "waiting": waiting, "delivered": 0, "failed": 0, "do_not_contact": 0 });
    assert_eq!(
        wei.json(wei.get("brochure")).await,
        counts(0, 2, 0),
        "GET only counts"
    );
    assert_eq!(wei.send(test(&wei)).await.status(), 204);
    assert_eq!(desk.lease_requests().await, ["brochure-test:陈伟#1"]);
    assert_eq!(
        wei.json(wei.get("brochure")).await,
        counts(0, 2, 0),
        "a test does not count as a brochure"
    );
    assert_eq!(wei.json(send(&wei)).await, counts(2, 0, 2));
    assert_eq!(wei.json(wei.get("brochure")).await, counts(0, 0, 2));
}

#[tokio::test]
async fn lists_open_own_and_due_leads() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    for number in 1..=4 {
        desk.record(submission(number)).await;
    }
    let lead = submission;
    // It is 12:05 in Singapore, where the day ends at 16:00 UTC.
    mei.change(
        &lead(1),
        json!({ "owner": "Mei Tan", "state": "new", "next_step_at": "2026-03-01T15:59:59Z" }),
    )
    .await;
    mei.change(
        &lead(2),
        json!({ "state": "visit_booked", "next_step_at": "2026-03-01T16:00:00Z" }),
    )
    .await;
    mei.change(
        &lead(3),
        json!({ "state": "closed", "closing_reason": "other" }),
    )
    .await;
    let list = async |which: Value| mei.list(which).await;
    let all = list(json!({})).await;
    assert_eq!(
        references(&all),
        ["Visitor 99", "Visitor 4", "Visitor 2", "Visitor 1"]
    );
    assert_eq!(
        references(&list(json!({ "mine": true })).await),
        ["Visitor 1"]
    );
    assert_eq!(
        references(&list(json!({ "due": true })).await),
        ["Visitor 1"]
    );
    assert_eq!(
        references(&list(json!({ "search": "visitor 3" })).await),
        ["Visitor 3"],
        "a search finds closed leads"
    );
    assert_eq!(
        references(&list(json!({ "search": "4567" })).await).len(),
        5
    );
    desk.request_erasure(&lead(3)).await;
    let to_erase = list(json!({ "erasure_requested": true })).await;
    assert_eq!(references(&to_erase), ["Visitor 3"], "also closed leads");
    assert!(to_erase["leads"][0]["erasure_requested_at"].is_string());
    assert_eq!(list(json!({ "mine": "yes" })).await, error(422, "invalid"));
    assert_eq!(list(json!({ "after": "x" })).await, error(422, "invalid"));
    desk.clock
        .advance(Duration::from_secs(11 * 60 * 60 + 55 * 60));
    assert_eq!(
        references(&list(json!({ "due": true })).await),
        ["Visitor 1", "Visitor 2"],
        "earliest first"
    );
}

#[tokio::test]
async fn page_has_a_cursor_for_the_next() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    for number in 1..=60 {
        desk.record(submission(number)).await;
    }
    let first = mei.list(json!({})).await;
    let next = first["next"].as_str().unwrap();
    let second = mei.list(json!({ "after": next })).await;
    assert_eq!(
        (references(&first).len(), references(&second).len()),
        (50, 11)
    );
    assert!(second["next"].is_null());
}

#[tokio::test]
async fn unavailable_crm_is_reported() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    desk.stop_crm().await;
    let path = format!("leads/{}", lead.lead_id);
    let answer = mei
        .send(mei.post(&path).json(&json!({ "note": "x" })))
        .await;
    assert_eq!(answer.status(), 503);
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "unavailable");
    let told = body["error"]["message"].as_str().unwrap();
    assert!(
        !told.contains("othing was changed"),
        "the change may have been stored: {told}"
    );
    let me = mei.json(mei.get("me")).await;
    assert_eq!(
        me,
        error(503, "unavailable"),
        "an unchecked session is neither accepted nor ended"
    );
}
