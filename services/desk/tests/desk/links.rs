//! Tests magic links, login and logout.

use std::{fs, time::Duration};

use chrono::TimeDelta;
use serde_json::{Value, json};
use testkit::crm::DESK_SESSION_KEYS;
use tokens::{LINK_LIFETIME, LOGIN_WINDOW, Login, MagicLink, RENEWAL_WINDOW, SigningKeys};
use uuid::Uuid;

use crate::support::{Browser, Desk, ROUTES, error, person, submission};

const MEI: &str = "mei@zyongrand.example";
const WEI: &str = "wei@zyongrand.example";

fn mail(number: u128) -> Option<Uuid> {
    Some(Uuid::from_u128(number))
}

/// Whether a response contains only the contents of the email, as for a browser that is not logged in.
fn has_only_email_contents(opened: &Value) -> bool {
    let lead = &opened["lead"];
    let is_empty = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
    opened["me"].is_null()
        && lead["progress"].is_null()
        && lead["form_seconds"].is_null()
        && ["signals", "timeline", "related", "same_number"]
            .iter()
            .all(|list| is_empty(&lead[list]))
}

#[tokio::test]
async fn link_alone_shows_the_submitted_values() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let key = desk.key(MEI, &lead, mail(7));
    let stranger = desk.browser();
    let opened = stranger.open_link(&key).await;
    assert_eq!(
        [&opened["lead"]["mobile"], &opened["lead"]["phone"]],
        ["9123 4567", "+6591234567"]
    );
    assert_eq!(opened["lead"]["was_corrected"], false);

    let mei = desk.logged_in(MEI).await;
    let submitted = opened["lead"].clone();
    for mobile in ["8123 4567", "6123 4567"] {
        mei.change(&lead, json!({ "mobile": mobile })).await;
    }
    let corrected = json!({ "name": "Corrected", "email": "corrected@example.com" });
    mei.change(&lead, corrected).await;
    let opened = stranger.open_link(&key).await;
    assert!(has_only_email_contents(&opened), "{opened}");
    for field in ["name", "mobile", "email"] {
        assert_eq!(opened["lead"][field], submitted[field], "{field}");
    }
    assert!(
        opened["lead"]["phone"].is_null() && opened["lead"]["was_corrected"] == true,
        "nobody dials the wrong number: {opened}"
    );
    let text = opened.to_string();
    for corrected in ["6123", "8123", "Corrected", "corrected@"] {
        assert!(!text.contains(corrected), "{corrected}: {text}");
    }
    let full = mei.open_link(&key).await;
    assert_eq!(full["lead"]["mobile"], "6123 4567");
    assert_eq!(full["lead"]["was_corrected"], false);
}

#[tokio::test]
async fn login_link_logs_in_once() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let key = desk.key(MEI, &lead, mail(7));
    let (mei, other) = (desk.browser(), desk.browser());
    let opened = mei.log_in(&key).await;
    let me = json!({
        "name": "Mei Tan",
        "people": ["Mei Tan", "陈伟"],
        "time_zone": "Asia/Singapore",
        "may_send_brochures": false,
        "may_see_report": false,
        "reminder_minutes": 20,
    });
    assert_eq!((&opened["me"], &opened["may_log_in"]), (&me, &json!(true)));
    assert_eq!(mei.json(mei.get("me")).await, me);
    assert_eq!(opened["lead"]["progress"]["state"], "new");
    assert_eq!(opened["lead"]["timeline"][0]["event"], "submitted");

    assert_eq!(other.log_in(&key).await, error(403, "used_link"));
    let forwarded = other.open_link(&key).await;
    assert!(has_only_email_contents(&forwarded), "{forwarded}");
    assert_eq!(
        (&forwarded["invited"], &forwarded["lead"]["name"]),
        (&json!("Mei Tan"), &json!("Visitor 1"))
    );
    assert_eq!(other.json(other.get("me")).await, error(401, "logged_out"));
    assert_eq!(other.list(json!({})).await, error(401, "logged_out"));
    assert_eq!(
        other.change(&lead, json!({ "note": "x" })).await,
        error(401, "logged_out")
    );
    // A login uses up the email, so another link of the same email cannot log in.
    let second = desk.record(submission(2)).await;
    let second = desk.key(MEI, &second, mail(7));
    assert_eq!(other.log_in(&second).await, error(403, "used_link"));
    assert!(has_only_email_contents(&other.open_link(&second).await));
    assert!(
        mei.open_link(&key).await["me"].is_object(),
        "the logged-in browser can open it again"
    );
    *mei.cookie.lock() = None;
    assert!(
        mei.log_in(&key).await["me"].is_object(),
        "the browser can repeat the login after a lost response"
    );
    assert!(mei.cookie.lock().is_some());
}

#[tokio::test]
async fn opening_a_link_does_not_use_it() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let key = desk.key(MEI, &lead, mail(7));
    let scanner = desk.browser();
    for _ in 0..3 {
        let opened = scanner.open_link(&key).await;
        assert!(
            has_only_email_contents(&opened) && opened["may_log_in"] == true,
            "{opened}"
        );
        assert!(scanner.cookie.lock().is_none());
    }
    let email = mail(7).unwrap().to_string();
    assert!(!desk.is_stored(&email), "opening the link does not use it");
    assert_eq!(desk.browser().log_in(&key).await["me"]["name"], "Mei Tan");
    assert!(desk.is_stored(&email));
}

#[tokio::test]
async fn used_link_in_a_forwarded_email_logs_nobody_in() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let key = desk.key(MEI, &lead, mail(7));
    let (mei, wei) = (desk.logged_in(MEI).await, desk.logged_in(WEI).await);
    assert_eq!(wei.open_link(&key).await["me"]["name"], "陈伟");
    let (phone, other) = (desk.browser(), desk.browser());
    assert!(
        phone.log_in(&key).await["me"].is_object(),
        "a colleague's view does not use the link"
    );
    let key = desk.key(MEI, &lead, mail(8));
    assert_eq!(mei.open_link(&key).await["me"]["name"], "Mei Tan");
    assert_eq!(other.log_in(&key).await, error(403, "used_link"));
}

#[tokio::test]
async fn failed_login_does_not_use_the_link() {
    let desk = Desk::start().await;
    let key = desk.key(MEI, &submission(1), mail(7));
    assert_eq!(
        desk.browser().log_in(&key).await,
        error(404, "no_such_lead")
    );
    desk.record(submission(1)).await;
    assert!(desk.browser().log_in(&key).await["me"].is_object());
}

#[tokio::test]
async fn link_without_login_shows_the_email_and_changes_nothing() {
    let desk = Desk::start().await;
    let mut lead = submission(1);
    lead.signals = vec![contracts::leads::v1::SpamSignal::TooFast.into()];
    let lead = desk.record(lead).await;
    desk.record(submission(2)).await;
    let visitor = desk.browser();
    let opened = visitor.open_link(&desk.key(MEI, &lead, None)).await;
    assert!(
        has_only_email_contents(&opened) && opened["may_log_in"] == false,
        "{opened}"
    );
    assert_eq!(
        visitor.log_in(&desk.key(MEI, &lead, None)).await,
        error(403, "used_link")
    );
    assert!(visitor.cookie.lock().is_none());
    assert_eq!(
        visitor.change(&lead, json!({ "state": "invalid" })).await,
        error(401, "logged_out")
    );
    assert!(
        desk.is_stored("Mei Tan (link)"),
        "the audit records the view"
    );
}

#[tokio::test]
async fn rejects_forged_links() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let key = desk.key(MEI, &lead, None);
    let strange: SigningKeys = "x".repeat(40).parse().unwrap();
    let login = Some(Login {
        email: Uuid::from_u128(1),
        until: desk.now() + LOGIN_WINDOW,
    });
    let forged = MagicLink {
        person: person(MEI),
        lead: Uuid::from_u128(1),
        login,
    };
    let forged = forged.sign(&strange, desk.now());
    let nobodys = desk.key("eve@zyongrand.example", &lead, mail(1));
    let browser = desk.browser();
    for wrong in ["", "x", &key[1..], &key[..key.len() - 3], &forged, &nobodys] {
        assert_eq!(
            browser.open_link(wrong).await,
            error(403, "invalid_link"),
            "{wrong}"
        );
        assert_eq!(
            browser.log_in(wrong).await,
            error(403, "invalid_link"),
            "{wrong}"
        );
        let mailing = browser.post("link").json(&json!({ "key": wrong }));
        assert_eq!(
            browser.json(mailing).await,
            error(403, "invalid_link"),
            "{wrong}"
        );
    }
    let session = browser
        .get("me")
        .header("cookie", format!("__Host-desk={key}"));
    assert_eq!(
        browser.json(session).await,
        error(401, "logged_out"),
        "a link is not a session token"
    );
    let unknown = desk.key(MEI, &submission(5), None);
    assert_eq!(
        browser.open_link(&unknown).await,
        error(404, "no_such_lead")
    );
    assert_eq!(
        desk.metric("http_server_requests_rejected_total{code=\"invalid_link\""),
        18
    );
}

#[tokio::test]
async fn expired_link_is_renewed_by_email() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let key = desk.key(MEI, &lead, mail(1));
    desk.clock.advance(LOGIN_WINDOW.to_std().unwrap());
    let browser = desk.browser();
    let opened = browser.open_link(&key).await;
    assert!(
        has_only_email_contents(&opened) && opened["may_log_in"] == false,
        "{opened}"
    );
    assert_eq!(browser.log_in(&key).await, error(403, "used_link"));
    desk.clock.advance(LINK_LIFETIME.to_std().unwrap());
    assert_eq!(browser.open_link(&key).await, error(410, "expired_link"));
    assert_eq!(browser.log_in(&key).await, error(410, "expired_link"));
    assert_eq!(
        browser
            .request_email(json!({ "key": key, "email": WEI }))
            .await,
        200
    );
    assert!(
        desk.lease_requests().await.is_empty(),
        "an expired link requests no email to others"
    );
    let asked = browser.post("link").json(&json!({ "key": key }));
    assert_eq!(
        browser.json(asked).await,
        json!({ "mailbox": "m…@zyongrand.example", "unsent": null })
    );
    assert_eq!(desk.lease_requests().await, ["login:Mei Tan#1"]);
    let opened = desk.logged_in(WEI).await.open_link(&key).await;
    assert_eq!(
        (&opened["me"]["name"], &opened["may_log_in"]),
        (&json!("陈伟"), &json!(false))
    );
    desk.clock.advance(RENEWAL_WINDOW.to_std().unwrap());
    assert_eq!(browser.request_email(json!({ "key": key })).await, 410);
    assert!(desk.lease_requests().await.is_empty());
}

#[tokio::test]
async fn idle_session_ends() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let week = Duration::from_hours(7 * 24);
    for _ in 0..3 {
        desk.clock.advance(week - Duration::from_secs(1));
        assert_eq!(
            mei.json(mei.get("me")).await["name"],
            "Mei Tan",
            "use renews the session"
        );
    }
    desk.clock.advance(week);
    assert_eq!(mei.json(mei.get("me")).await, error(401, "logged_out"));
}

#[tokio::test]
async fn session_ends_after_thirty_days() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let day = Duration::from_hours(24);
    for advance in [
        day * 6,
        day * 6,
        day * 6,
        day * 6,
        day * 6 - Duration::from_secs(1),
    ] {
        desk.clock.advance(advance);
        assert_eq!(mei.json(mei.get("me")).await["name"], "Mei Tan");
    }
    desk.clock.advance(Duration::from_secs(1));
    assert_eq!(mei.json(mei.get("me")).await, error(401, "logged_out"));
}

#[tokio::test]
async fn session_is_renewed_at_most_hourly() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    for (minutes, is_renewed) in [(60, false), (1, true)] {
        desk.clock.advance(Duration::from_mins(minutes));
        let answer = mei.send(mei.get("me")).await;
        assert_eq!(answer.headers().contains_key("set-cookie"), is_renewed);
    }
}

#[tokio::test]
async fn cookie_is_http_only_and_same_site() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let browser = desk.browser();
    let key = desk.key(MEI, &lead, mail(7));
    let log_in = browser
        .post("log-in")
        .json(&json!({ "key": key, "browser": Uuid::from_u128(1) }));
    let answer = browser.send(log_in).await;
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    assert!(
        cookie.starts_with("__Host-desk=")
            && cookie.ends_with("; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure"),
        "{cookie}"
    );
}

#[tokio::test]
async fn tokens_of_other_keys_and_purposes_start_no_session() {
    let desk = Desk::start().await;
    let (start, end) = (desk.now(), desk.now() + TimeDelta::days(1));
    let claims = json!({
        "sub": person(MEI),
        "jti": Uuid::from_u128(7),
        "started_at": start.timestamp(),
        "ends_at": end.timestamp(),
    });
    let keys: SigningKeys = DESK_SESSION_KEYS.parse().unwrap();
    let others: SigningKeys = "b".repeat(40).parse().unwrap();
    let session = keys.sign("desk-session", &claims, Some(end));
    for (token, is_session) in [
        (session, true),
        (others.sign("desk-session", &claims, Some(end)), false),
        (keys.sign("magic-link", &claims, Some(end)), false),
        (keys.sign("desk-session", &claims, Some(start)), false),
        (String::new(), false),
        ("x".to_owned(), false),
    ] {
        // A script of another subdomain may have planted cookies.
        let cookies = format!("lang=zh; __Host-desk=planted; __Host-desk={token}; x=y");
        // A browser stores the cookie that the desk renews.
        let browser = desk.browser();
        let me = browser
            .json(browser.get("me").header("cookie", cookies))
            .await;
        assert_eq!(me["name"] == "Mei Tan", is_session, "{token}: {me}");
        assert_eq!(me == error(401, "logged_out"), !is_session, "{token}: {me}");
    }
}

#[tokio::test]
async fn ended_session_is_rejected() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let (here, there) = (desk.logged_in(MEI).await, desk.browser());
    let link = desk.key(MEI, &lead, mail(7));
    assert!(there.log_in(&link).await["me"].is_object());
    let is_in =
        async |browser: &Browser| browser.json(browser.get("me")).await["name"] == "Mei Tan";
    let copied = here.cookie.lock().clone();
    assert_eq!(here.log_out(json!({})).await, 204);
    *here.cookie.lock() = copied;
    assert!(
        !is_in(&here).await && is_in(&there).await,
        "only one of two sessions ended"
    );
    assert!(has_only_email_contents(
        &here.open_link(&desk.key(MEI, &lead, None)).await
    ));
    let again = desk.browser();
    assert!(again.log_in(&desk.key(MEI, &lead, mail(8))).await["me"].is_object());
    let wei = desk.logged_in(WEI).await;
    assert_eq!(again.log_out(json!({ "everywhere": true })).await, 204);
    assert!(!is_in(&there).await && !is_in(&again).await);
    assert_eq!(
        wei.json(wei.get("me")).await["name"],
        "陈伟",
        "a colleague's session remains"
    );
    desk.stop_crm().await;
    assert_eq!(
        wei.log_out(json!({})).await,
        503,
        "the session may not have ended"
    );
}

#[tokio::test]
async fn ended_session_cannot_end_others() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let copy = desk.logged_in(MEI).await;
    let mei = desk.browser();
    mei.log_in(&desk.key(MEI, &lead, mail(7))).await;
    let copied = copy.cookie.lock().clone();
    assert_eq!(copy.log_out(json!({})).await, 204);
    *copy.cookie.lock() = copied;
    assert_eq!(copy.log_out(json!({ "everywhere": true })).await, 401);
    assert_eq!(mei.json(mei.get("me")).await["name"], "Mei Tan");
}

#[tokio::test]
async fn link_of_an_ended_session_logs_nobody_in() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    for (email, everywhere) in [(7, false), (8, true)] {
        let key = desk.key(MEI, &lead, mail(email));
        let mei = desk.browser();
        assert!(mei.log_in(&key).await["me"].is_object());
        assert_eq!(mei.log_out(json!({ "everywhere": everywhere })).await, 204);
        assert_eq!(mei.log_in(&key).await, error(403, "used_link"));
        assert_eq!(mei.json(mei.get("me")).await, error(401, "logged_out"));
    }
}

#[tokio::test]
async fn removed_person_loses_access_immediately() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let (mei, wei) = (desk.logged_in(MEI).await, desk.logged_in(WEI).await);
    let fresh = desk.key(MEI, &lead, mail(5));
    fs::write(
        desk.routes.path(),
        ROUTES.replace("mei@", "maria@").replace("Mei Tan", "Maria"),
    )
    .unwrap();
    assert_eq!(mei.json(mei.get("me")).await, error(401, "logged_out"));
    assert_eq!(mei.list(json!({})).await, error(401, "logged_out"));
    assert_eq!(mei.open_link(&fresh).await, error(403, "invalid_link"));
    assert_eq!(
        wei.json(wei.get("me")).await["people"],
        json!(["Maria", "陈伟"])
    );
    let given = wei.change(&lead, json!({ "owner": "Mei Tan" })).await;
    assert_eq!(
        given,
        error(422, "invalid"),
        "a removed person cannot be assigned"
    );
    fs::write(desk.routes.path(), "default = [").unwrap();
    assert_eq!(
        wei.json(wei.get("me")).await["people"],
        json!(["Maria", "陈伟"]),
        "a partly saved file changes nothing"
    );
    assert_eq!(mei.json(mei.get("me")).await, error(401, "logged_out"));
    fs::write(desk.routes.path(), ROUTES).unwrap();
    assert_eq!(
        wei.json(wei.get("me")).await["people"],
        json!(["Mei Tan", "陈伟"])
    );
}

#[tokio::test]
async fn link_request_reveals_no_colleagues() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let forwarded = desk.key(MEI, &lead, None);
    let browser = desk.browser();
    for email in [
        WEI,
        "Wei@ZyonGrand.example",
        "stranger@example.com",
        "not an address",
    ] {
        let asked = browser
            .post("link")
            .json(&json!({ "key": forwarded, "email": email }));
        let answer = browser.send(asked).await;
        let status = answer.status().as_u16();
        assert_eq!(
            (status, &*answer.bytes().await.unwrap()),
            (200, &b"{\"mailbox\":null,\"unsent\":null}"[..]),
            "{email}"
        );
    }
    assert_eq!(
        desk.lease_requests().await,
        ["login:陈伟#1"],
        "one email a minute, only to the person"
    );
    let wei = browser.log_in(&desk.key(WEI, &lead, mail(3))).await;
    assert_eq!(wei["me"]["name"], "陈伟");
    let unknown = desk.key(MEI, &submission(5), None);
    for email in [WEI, "stranger@example.com"] {
        let of_no_lead = json!({ "key": unknown, "email": email });
        assert_eq!(
            browser.request_email(of_no_lead).await,
            200,
            "{email} of an erased lead"
        );
    }
    desk.stop_crm().await;
    for email in [WEI, "stranger@example.com"] {
        let away = browser
            .post("link")
            .json(&json!({ "key": forwarded, "email": email }));
        assert_eq!(
            browser.json(away).await,
            error(503, "unavailable"),
            "{email} with the CRM unavailable"
        );
    }
}

#[tokio::test]
async fn limits_requests_of_a_session() {
    let desk = Desk::start().await;
    let mei = desk.logged_in(MEI).await;
    let mut answers = Vec::new();
    for _ in 0..125 {
        answers.push(mei.send(mei.get("me")).await.status().as_u16());
    }
    assert_eq!(
        answers.iter().filter(|status| **status == 429).count(),
        5,
        "120 a minute"
    );
    let refused_answer = mei.send(mei.get("me")).await;
    let wait: u64 = refused_answer.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    desk.clock.advance(Duration::from_secs(60));
    assert_eq!(mei.json(mei.get("me")).await["name"], "Mei Tan");
}

/// Whoever has the cookie of an ended session can only use up the requests of that session.
#[tokio::test]
async fn ended_session_does_not_lock_its_person_out() {
    let desk = Desk::start().await;
    let here = desk.logged_in(MEI).await;
    let copy = desk.browser();
    let cookie = here.cookie.lock().clone();
    *copy.cookie.lock() = cookie.clone();
    assert_eq!(here.log_out(json!({})).await, 204);
    for _ in 0..121 {
        *copy.cookie.lock() = cookie.clone();
        assert_ne!(copy.send(copy.get("me")).await.status(), 200);
    }
    let lead = desk.record(submission(1)).await;
    let again = desk.browser();
    again.log_in(&desk.key(MEI, &lead, mail(8))).await;
    assert_eq!(again.json(again.get("me")).await["name"], "Mei Tan");
}

#[tokio::test]
async fn request_above_the_limit_of_login_emails_gets_the_same_response() {
    let desk = Desk::start().await;
    let stranger = desk.browser();
    let mut keys = Vec::new();
    for number in 1..=12 {
        let lead = desk.record(submission(number)).await;
        keys.push(desk.key(MEI, &lead, None));
    }
    let ask_for_all = async |email: &str| {
        for key in &keys {
            let body = json!({ "key": key, "email": email });
            assert_eq!(stranger.request_email(body).await, 200);
        }
    };
    ask_for_all("MEI@zyongrand.example").await;
    ask_for_all("stranger@example.com").await;
    assert_eq!(desk.lease_requests().await, ["login:Mei Tan#1"; 10]);
    desk.clock.advance(Duration::from_secs(60 * 60));
    assert_eq!(
        stranger.request_email(json!({ "key": keys[11] })).await,
        200
    );
    assert_eq!(desk.lease_requests().await, ["login:Mei Tan#1"]);
}

#[tokio::test]
async fn login_email_about_an_erased_lead_is_refused_to_its_person_only() {
    let desk = Desk::start().await;
    let erased = desk.key(MEI, &submission(5), None);
    let browser = desk.browser();
    let request = async |body: Value| browser.json(browser.post("link").json(&body)).await;
    assert_eq!(
        request(json!({ "key": erased })).await,
        error(404, "no_such_lead")
    );
    for email in [MEI, WEI, "stranger@example.com"] {
        assert_eq!(
            request(json!({ "key": erased, "email": email })).await,
            json!({ "mailbox": null, "unsent": null }),
            "{email}"
        );
    }
}

#[tokio::test]
async fn the_person_of_a_link_reads_why_no_email_is_sent() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let key = desk.key(MEI, &lead, None);
    let browser = desk.browser();
    let request = async || {
        browser
            .json(browser.post("link").json(&json!({ "key": key })))
            .await
    };
    assert_eq!(request().await["unsent"], Value::Null);
    assert_eq!(
        request().await["unsent"],
        Value::Null,
        "the email is on its way"
    );
    desk.report_delivered(&lead, "login:Mei Tan#1").await;
    desk.clock.advance(Duration::from_secs(15));
    let unsent = request().await["unsent"].take();
    assert_eq!(
        unsent,
        json!({ "reason": "recent", "until": "2026-03-01T04:06:06Z" })
    );
    let of_colleague = json!({ "key": key, "email": MEI });
    let answer = browser.json(browser.post("link").json(&of_colleague)).await;
    assert_eq!(answer, json!({ "mailbox": null, "unsent": null }));
    for _ in 0..6 {
        request().await;
    }
    let unsent = request().await["unsent"].take();
    assert_eq!(
        unsent,
        json!({ "reason": "limit", "until": "2026-03-01T05:05:06Z" })
    );
    let answer = browser.json(browser.post("link").json(&of_colleague)).await;
    assert_eq!(answer, json!({ "mailbox": null, "unsent": null }));
}

#[tokio::test]
async fn link_without_login_cannot_exhaust_a_limit() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let (mei, stranger) = (desk.logged_in(MEI).await, desk.browser());
    let quoted = desk.key(MEI, &lead, None);
    for number in 1..=121 {
        let opened = stranger.open_link(&quoted).await;
        assert_eq!(
            opened == error(429, "rate_limited"),
            number == 121,
            "{number}: {opened}"
        );
    }
    assert_eq!(stranger.request_email(json!({ "key": quoted })).await, 429);
    assert_eq!(mei.json(mei.get("me")).await["name"], "Mei Tan");
    assert!(
        mei.open_link(&quoted).await["me"].is_object(),
        "the link opens in a logged-in browser"
    );
    let phone = desk.browser();
    let mailed = desk.key(MEI, &lead, mail(7));
    assert_eq!(phone.open_link(&mailed).await["may_log_in"], true);
    assert!(phone.log_in(&mailed).await["me"].is_object());
    desk.clock.advance(Duration::from_secs(60));
    assert!(has_only_email_contents(&stranger.open_link(&quoted).await));
}

#[tokio::test]
async fn rejects_cross_site_requests() {
    let desk = Desk::start().await;
    let lead = desk.record(submission(1)).await;
    let mei = desk.logged_in(MEI).await;
    let path = format!("leads/{}", lead.lead_id);
    let others = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ];
    for to in [
        &*path,
        "leads",
        "brochure",
        "brochure/test",
        "key",
        "log-in",
        "link",
        "log-out",
    ] {
        for (name, site) in others {
            let request = mei
                .post(to)
                .header(name, site)
                .json(&json!({ "note": "x" }));
            assert_eq!(
                mei.json(request).await,
                error(403, "other_site"),
                "{to} {name}"
            );
        }
        // A form on another site cannot send the content type of JSON.
        let form = mei
            .post(to)
            .header("content-type", "text/plain")
            .body(r#"{"note":"x"}"#);
        assert_eq!(mei.json(form).await, error(422, "invalid"), "{to}");
    }
    let own = mei
        .post(&path)
        .header("sec-fetch-site", "same-origin")
        .json(&json!({ "note": "mine" }));
    let timeline = mei.json(own).await["timeline"].clone();
    let noted: Vec<_> = timeline
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["text"].as_str())
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(noted, ["mine"]);
}
