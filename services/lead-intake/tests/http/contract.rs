//! Tests requests, responses and rejections of the API.

use std::{collections::BTreeSet, time::Duration};

use contracts::leads::v1::{ContactChannel, Interest, Language, SpamSignal};
use lead::privacy_policy;
use lead_intake::http;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testkit::{
    broker::Vhost,
    crates::boon::{Compiler, Draft, Schemas},
};

use crate::support::{IDEMPOTENCY_KEY, Intake, Setup, error, published, registration};

#[tokio::test]
async fn accepted_lead_is_in_the_queue() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let session = intake
        .session(json!({
            "landing_path": "/floor-plans?secret=1", "referrer_host": "news.example",
            "utm": { "source": "search", "utm_campaign": "launch", "unknown": 5 },
        }))
        .await;
    intake.clock.advance(Duration::from_secs(90));
    let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let answer = intake
        .post("/functions/v1/send-contact-email")
        .header("apikey", "anon")
        .bearer_auth(session["access_token"].as_str().unwrap())
        .header("Idempotency-Key", IDEMPOTENCY_KEY)
        .header("Content-Language", "zh")
        .header("Privacy-Policy-Version", privacy_policy::current())
        .header("Contact-Channels", "message, phone, telegram")
        .header("Enquiry-Plan", " C2N ")
        .header("Visit-Times", "weekend-mornings, tomorrow,weekday-evenings")
        .header("Home-Preferences", "own-use, villa,4-bedroom,3-bedroom ")
        .header("traceparent", traceparent)
        .json(&registration())
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 202);
    let accepted: Value = answer.json().await.unwrap();

    let published = published(&vhost, 1).await;
    let (properties, lead) = &published[0];
    assert_eq!(
        accepted,
        json!({ "id": lead.lead_id, "reference": lead.reference })
    );
    assert_eq!(properties["message_id"], lead.lead_id.as_str());
    assert_eq!(properties["headers"]["traceparent"], traceparent);
    assert_eq!(lead.name, "陈伟");
    assert_eq!(lead.mobile, "+65 9123 4567");
    assert_eq!(lead.email, "chen@example.com");
    assert_eq!(lead.questions, "有三房吗？🏙️");
    assert_eq!(
        lead.interests().collect::<Vec<_>>(),
        [Interest::Brochure, Interest::Showflat]
    );
    assert_eq!(lead.language(), Language::Zh);
    assert_eq!(lead.privacy_policy_version, privacy_policy::current());
    assert_eq!(
        lead.channels().collect::<Vec<_>>(),
        [ContactChannel::Phone, ContactChannel::Message]
    );
    assert_eq!(lead.plan, "C2N");
    assert_eq!(lead.visit_times, ["weekday-evenings", "weekend-mornings"]);
    assert_eq!(lead.home_preferences, ["3-bedroom", "4-bedroom", "own-use"]);
    let start = testkit::start_of_time().timestamp();
    assert_eq!(lead.submitted_at.unwrap().seconds, start + 90);
    let session = lead.session.as_ref().unwrap();
    assert_eq!(session.started_at.unwrap().seconds, start);
    assert_eq!(session.landing_path, "/floor-plans");
    assert_eq!(session.referrer_host, "news.example");
    let campaign = session.campaign.as_ref().unwrap();
    assert_eq!(
        (campaign.source.as_str(), campaign.name.as_str()),
        ("search", "launch")
    );
}

#[tokio::test]
async fn lead_without_a_published_policy_is_rejected() {
    let intake = Intake::start_with(Setup::default()).await;
    let token = intake.token().await;
    for version in ["", "2099-never-existed", "2026-11-27x"] {
        let request = intake
            .post("/functions/v1/send-contact-email")
            .header("apikey", "anon")
            .bearer_auth(&token);
        let request = request
            .header("Privacy-Policy-Version", version)
            .json(&registration());
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 422, "{version}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["code"], "validation_failed");
        assert_eq!(
            body["error"]["fields"]["privacyAccepted"][0]["code"], "privacy_required",
            "{version}"
        );
    }
}

/// A page of the previous version sends no headers, and sentences at the end of the question.
#[tokio::test]
async fn lead_without_known_plan_times_and_homes_is_accepted() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let mut form = registration();
    form["questions"] = json!("I would like to know more about 2 Bedroom Deluxe B2.");
    let earlier = intake.form().await.json(&form).send().await.unwrap();
    assert_eq!(earlier.status(), 202);
    let unknown = intake
        .form()
        .await
        .header("Enquiry-Plan", "E9")
        .header("Visit-Times", "tomorrow")
        .header("Home-Preferences", "villa")
        .json(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(unknown.status(), 202);
    for (_, lead) in published(&vhost, 2).await {
        assert_eq!(lead.questions, form["questions"].as_str().unwrap());
        assert_eq!((lead.plan.as_str(), lead.visit_times.len()), ("", 0));
        assert_eq!(lead.home_preferences.len(), 0);
    }
}

#[tokio::test]
async fn repeated_key_is_one_lead() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let send = async |key: &str| {
        let request = intake.form().await.header("Idempotency-Key", key);
        request
            .json(&registration())
            .send()
            .await
            .unwrap()
            .json::<Value>()
            .await
            .unwrap()
    };
    let first = send(IDEMPOTENCY_KEY).await;
    assert_eq!(send(&IDEMPOTENCY_KEY.to_uppercase()).await, first);
    assert_eq!(send(&format!("\"{IDEMPOTENCY_KEY}\"")).await, first);
    assert_ne!(send("0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3f").await, first);
}

#[tokio::test]
async fn missing_key_is_generated_and_invalid_key_rejected() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    assert_eq!(intake.submit(&registration()).await.status(), 202);
    let answer = intake
        .form()
        .await
        .header("Idempotency-Key", "42")
        .json(&registration())
        .send()
        .await
        .unwrap();
    assert_eq!(
        error(answer).await,
        (400, "idempotency_key_invalid".to_owned())
    );
}

#[tokio::test]
async fn keys_and_tokens_are_checked() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let path = "/functions/v1/send-contact-email";
    let send = async |request: RequestBuilder| {
        error(request.json(&registration()).send().await.unwrap()).await
    };
    let token = intake.token().await;
    let refused = |code: &str| (401, code.to_owned());
    assert_eq!(
        send(intake.post(path).bearer_auth(&token)).await,
        refused("apikey_invalid")
    );
    assert_eq!(
        send(intake.post(path).header("apikey", "x").bearer_auth(&token)).await,
        refused("apikey_invalid")
    );
    assert_eq!(
        send(intake.post(path).header("apikey", "anon")).await,
        refused("token_missing")
    );
    let basic = intake
        .post(path)
        .header("apikey", "anon")
        .basic_auth("a", Some("b"));
    assert_eq!(send(basic).await, refused("token_missing"));
    let forged = intake
        .post(path)
        .header("apikey", "anon")
        .bearer_auth("forged");
    assert_eq!(send(forged).await, refused("token_invalid"));
    intake.clock.advance(Duration::from_secs(3601));
    let late = intake
        .post(path)
        .header("apikey", "anon")
        .bearer_auth(&token);
    assert_eq!(send(late).await, refused("token_expired"));
}

/// supabase-js sends this header.
#[tokio::test]
async fn public_key_as_bearer_is_a_lead_without_session() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let request = intake.form_with("anon").json(&registration());
    assert_eq!(request.send().await.unwrap().status(), 202);
    let (_, lead) = &published(&vhost, 1).await[0];
    assert_eq!(lead.session, None);
    assert_eq!(lead.signals().collect::<Vec<_>>(), [SpamSignal::NoSession]);
}

#[tokio::test]
async fn fourth_lead_of_a_network_in_an_hour_is_marked() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let is_marked = async |network: &str| {
        let request = intake
            .form()
            .await
            .header("Visitor-Network", network)
            .json(&registration());
        assert_eq!(request.send().await.unwrap().status(), 202);
        let (_, lead) = published(&vhost, 1).await.remove(0);
        lead.session.unwrap().is_network_busy
    };
    let (office, other) = ("203.0.113.0/24", "2001:db8:1::/48");
    for (network, expected) in [
        (office, false),
        (office, false),
        (office, false),
        (office, true),
        (other, false),
    ] {
        assert_eq!(is_marked(network).await, expected, "{network}");
    }
    let rejected = intake
        .form()
        .await
        .header("Visitor-Network", other)
        .json(&json!({}));
    assert_eq!(rejected.send().await.unwrap().status(), 422);
    for _ in 0..4 {
        assert!(!is_marked("").await, "an unknown network is not counted");
    }
    intake.clock.advance(Duration::from_hours(1));
    assert!(!is_marked(office).await, "the count ends after an hour");
}

#[tokio::test]
async fn canary_needs_its_key_and_is_marked_only_as_a_canary() {
    const KEY: &str = "canary-0123456789abcdef0123456789abcdef";
    const NEXT: &str = "next-canary-0123456789abcdef0123456789abcdef";
    let vhost = Vhost::create().await;
    let without = Intake::start(&vhost.url_of("lead-intake")).await;
    let with = Setup {
        broker: &vhost.url_of("lead-intake"),
        canary_keys: &[KEY, NEXT],
        ..Setup::default()
    };
    let intake = Intake::start_with(with).await;
    let send = async |intake: &Intake, key: &str| {
        intake
            .form()
            .await
            .header("Canary-Key", key)
            .json(&registration())
            .send()
            .await
            .unwrap()
    };
    for refused in [
        send(&without, KEY).await,
        send(&intake, "another").await,
        send(&intake, "").await,
    ] {
        assert_eq!(error(refused).await, (401, "canary_key_invalid".to_owned()));
    }
    assert_eq!(send(&intake, KEY).await.status(), 202);
    assert_eq!(send(&intake, NEXT).await.status(), 202);
    assert_eq!(intake.submit(&registration()).await.status(), 202);
    let signals = published(&vhost, 3)
        .await
        .into_iter()
        .map(|(_, lead)| lead.signals().collect::<Vec<_>>());
    assert_eq!(
        signals.collect::<Vec<_>>(),
        [
            vec![SpamSignal::Canary],
            vec![SpamSignal::Canary],
            vec![SpamSignal::TooFast]
        ]
    );
}

#[tokio::test]
async fn only_a_refresh_token_renews_a_session() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let session = intake.session(json!({ "landing_path": "/" })).await;
    assert_eq!(session["token_type"], "bearer");
    assert_eq!(session["expires_in"], 3600);
    intake.clock.advance(Duration::from_secs(24 * 3600));
    let refresh = async |token: &Value| {
        let body = json!({ "refresh_token": token });
        intake
            .post("/auth/v1/session/refresh")
            .json(&body)
            .send()
            .await
            .unwrap()
    };
    let answer = refresh(&session["refresh_token"]).await;
    assert_eq!(answer.status(), 201);
    let renewed: Value = answer.json().await.unwrap();
    assert_ne!(renewed["access_token"], session["access_token"]);
    assert_eq!(
        error(refresh(&renewed["access_token"]).await).await,
        (401, "token_invalid".to_owned())
    );
    assert_eq!(
        error(refresh(&Value::Null).await).await,
        (401, "token_missing".to_owned())
    );
    intake.clock.advance(Duration::from_secs(31 * 24 * 3600));
    assert_eq!(
        error(refresh(&renewed["refresh_token"]).await).await,
        (401, "token_expired".to_owned())
    );
}

#[tokio::test]
async fn rejects_invalid_json_with_a_code() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let send = async |body: &str, content_type: &str| {
        let request = intake
            .form()
            .await
            .header("Content-Type", content_type)
            .body(body.to_owned());
        error(request.send().await.unwrap()).await
    };
    let json = "application/json; charset=utf-8";
    assert_eq!(send("{", json).await, (400, "malformed_json".to_owned()));
    assert_eq!(send("[]", json).await, (400, "malformed_json".to_owned()));
    assert_eq!(send("", json).await, (400, "malformed_json".to_owned()));
    let mut extra = registration();
    extra["antiSpam"] = json!("7");
    assert_eq!(
        send(&extra.to_string(), json).await,
        (400, "unknown_field".to_owned())
    );
    assert_eq!(
        send("a=b", "application/x-www-form-urlencoded").await,
        (415, "unsupported_media_type".to_owned())
    );
    let compressed = intake
        .form()
        .await
        .header("Content-Encoding", "gzip")
        .json(&registration());
    assert_eq!(
        error(compressed.send().await.unwrap()).await,
        (415, "unsupported_media_type".to_owned())
    );
    let mut large = registration();
    large["questions"] = json!("x".repeat(20_000));
    assert_eq!(
        send(&large.to_string(), json).await,
        (413, "body_too_large".to_owned())
    );
}

#[tokio::test]
async fn reports_every_broken_rule_by_field() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let body =
        json!({ "interests": ["boat"], "name": "", "mobile": 91234567, "email": "a".repeat(256) });
    let answer = intake.submit(&body).await;
    assert_eq!(answer.status(), 422);
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "validation_failed");
    assert_eq!(
        body["error"]["fields"],
        json!({
            "email": [
                { "code": "email_invalid", "message": "Invalid email address" },
                { "code": "email_too_long", "message": "Email must be less than 255 characters" },
            ],
            "interests": [
                { "code": "unknown_interest", "message": "Interests must be brochure, purchase or showflat" },
            ],
            "mobile": [{ "code": "wrong_type", "message": "The field has the wrong type" }],
            "name": [{ "code": "name_required", "message": "Name is required" }],
            "questions": [{ "code": "missing", "message": "The field is missing" }],
        })
    );
}

#[tokio::test]
async fn unknown_paths_and_methods_get_json_errors() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let answer = intake.post("/functions/v1/other").send().await.unwrap();
    assert_eq!(error(answer).await, (404, "not_found".to_owned()));
    let url = format!("http://{}/functions/v1/send-contact-email", intake.address);
    let answer = intake.http.get(url).send().await.unwrap();
    assert_eq!(error(answer).await, (405, "method_not_allowed".to_owned()));
}

#[tokio::test]
async fn openapi_document_matches_live_responses() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let url = format!("http://{}/api/openapi.json", intake.address);
    let document: Value = intake
        .http
        .get(url)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document, serde_json::to_value(http::document()).unwrap());
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let text = serde_json::to_string_pretty(&document).unwrap() + "\n";
    #[expect(
        clippy::disallowed_methods,
        reason = "a developer's switch of this test alone"
    )]
    let is_update = std::env::var_os("UPDATE_CONTRACTS").is_some();
    if is_update {
        std::fs::write(committed, &text).unwrap();
    }
    let committed = std::fs::read_to_string(committed).unwrap();
    let differing = committed
        .lines()
        .zip(text.lines())
        .find(|(committed, now)| committed != now);
    assert!(
        committed == text,
        "openapi.json is stale from {differing:?}: run `UPDATE_CONTRACTS=1 cargo test -p lead-intake`"
    );
    let operations = document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|path| path.as_object().unwrap().values());
    let ids: Vec<_> = operations
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids.iter().collect::<BTreeSet<_>>().len(),
        ids.len(),
        "{ids:?}"
    );

    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    compiler.enable_format_assertions();
    compiler
        .add_resource("openapi.json", document.clone())
        .unwrap();
    let mut conforms = |name: &str, answer: &Value| {
        let location = format!("openapi.json#/components/schemas/{name}");
        let schema = compiler.compile(&location, &mut schemas).unwrap();
        let outcome = schemas.validate(answer, schema);
        assert!(
            outcome.is_ok(),
            "{name}: {} in {answer}",
            outcome.unwrap_err()
        );
    };
    conforms(
        "NewSession",
        &json!({ "landing_path": "/", "utm": { "source": "search" } }),
    );
    conforms("Tokens", &intake.session(json!({})).await);
    conforms("Registration", &registration());
    conforms(
        "Accepted",
        &intake.submit(&registration()).await.json().await.unwrap(),
    );
    conforms(
        "ErrorAnswer",
        &intake.submit(&json!({})).await.json().await.unwrap(),
    );
    conforms(
        "ErrorAnswer",
        &intake
            .post("/nowhere")
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap(),
    );
}

#[tokio::test]
async fn session_begins_when_the_page_was_opened() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let submit = async |page_age: &str| {
        let session = intake
            .post("/auth/v1/session")
            .header("Page-Age", page_age)
            .json(&json!({}))
            .send()
            .await
            .unwrap();
        let session: Value = session.json().await.unwrap();
        let token = session["access_token"].as_str().unwrap();
        let request = intake.form_with(token).json(&registration());
        assert_eq!(request.send().await.unwrap().status(), 202);
        let (_, lead) = published(&vhost, 1).await.remove(0);
        let began = lead.session.as_ref().unwrap().started_at.unwrap().seconds;
        let seconds = lead.submitted_at.unwrap().seconds - began;
        (seconds, lead.signals().collect::<Vec<_>>())
    };
    assert_eq!(submit("120").await, (120, vec![]));
    assert_eq!(submit("4294967295").await, (24 * 3600, vec![]));
    for unknown in ["", "0", "-5", "1.5", "soon", "99999999999999999999"] {
        let expected = (0, vec![SpamSignal::TooFast]);
        assert_eq!(submit(unknown).await, expected, "{unknown:?}");
    }
}
