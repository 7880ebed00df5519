//! Every field that a visitor types reaches every person and system that needs it.

use std::{collections::HashSet, fs};

use lead::{Lead, privacy_policy};
use mail_parser::MessageParser;
use reqwest::{Client, redirect::Policy};
use serde_json::{Value, json};
use testkit::wait;

use crate::system::{RECIPIENTS, System};

/// All fields of the contract.
const FIELDS: &str = include_str!("../../../../proto/src/gen/fields.txt");
const SAMPLES: &str = include_str!("../../../../services/notifier/templates/samples.json");

/// The texts of a submission that the visitor does not type.
const NOT_TYPED: [&str; 4] = ["lead_id", "reference", "privacy_policy_version", "plan"];

const EARLIER_KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3f";

/// The fields that a visitor types, by the contract.
pub(crate) fn typed_fields() -> Vec<&'static str> {
    let fields = FIELDS
        .lines()
        .filter_map(|line| line.strip_prefix("leads.v1.LeadSubmitted "));
    let texts = fields.filter_map(|field| Some(field.split_once(": Optional String ")?.1));
    let typed: Vec<_> = texts.filter(|field| !NOT_TYPED.contains(field)).collect();
    assert!(typed.len() >= 4, "{typed:?}");
    typed
}

/// A text that only this field contains.
fn marker(field: &str) -> String {
    let address = if field == "email" { "@example.com" } else { "" };
    format!("planted-{field}{address}")
}

#[test]
fn samples_have_every_typed_field() {
    let samples: Value = serde_json::from_str(SAMPLES).unwrap();
    let leads = samples["leads"].as_object().unwrap();
    for field in typed_fields() {
        let is_filled = |lead: &Value| lead[field].as_str().is_some_and(|text| !text.is_empty());
        assert!(leads.values().any(is_filled), "no sample lead has {field}");
    }
}

#[test]
fn lead_of_the_tests_has_every_typed_field() {
    let mut message = testkit::lead::full();
    let full = json!(Lead::try_from(message.clone()).unwrap());
    testkit::lead::fill_free_texts(&mut message, "filled");
    let filled = json!(Lead::try_from(message).unwrap());
    for field in typed_fields() {
        assert_ne!(full[field], "", "testkit::lead::full lacks {field}");
        let has_format = ["mobile", "email"].contains(&field);
        assert!(
            has_format || filled[field] == "filled",
            "testkit::lead::fill_free_texts lacks {field}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_typed_field_is_shown_everywhere() {
    let system = System::start(&[]).await;
    let person = format!(
        "default = {RECIPIENTS:?}\n[[person]]\nname = \"Mei\"\nemail = {:?}\n",
        RECIPIENTS[0]
    );
    fs::write(system.file("routes.toml"), person).unwrap();
    system.start_service("desk");
    // The message stays in the queue, and the test copies it as a dead letter.
    system.stop_mail(EARLIER_KEY).await;
    let reference = post_form(&system, None).await;
    let message = system
        .vhost
        .wait_for_messages("notifier.leads", 1)
        .await
        .remove(0);
    system
        .vhost
        .publish_copy("notifier.dead-letters", &message)
        .await;
    wait::until("the row", async || system.count("lead") == 2).await;
    system.smtp.heal();

    let email = wait::for_some("the email to the person", async || {
        let emails = system
            .smtp
            .emails()
            .into_iter()
            .filter(|mail| mail.to == [RECIPIENTS[0]]);
        let mut parsed = emails.map(|mail| {
            MessageParser::default()
                .parse(&mail.raw)
                .unwrap()
                .into_owned()
        });
        parsed.find(|email| {
            email
                .subject()
                .is_some_and(|subject| subject.contains(&reference))
        })
    })
    .await;
    let (text, html) = (email.body_text(0).unwrap(), email.body_html(0).unwrap());
    let table = system.file("leads.csv");
    system
        .leadctl(&["export", "--output", table.to_str().unwrap()])
        .await;
    let places = [
        ("text email", text.to_string()),
        ("HTML email", html.to_string()),
        ("leadctl show", system.leadctl(&["show", &reference]).await),
        (
            "leadctl show --json",
            system.leadctl(&["show", &reference, "--json"]).await,
        ),
        (
            "dead letter",
            system.leadctl(&["dead-letters", "show", &reference]).await,
        ),
        ("export", fs::read_to_string(table).unwrap()),
        ("desk", desk_page(&system, &text).await),
    ];
    let mut missing = Vec::new();
    for field in typed_fields() {
        let without = places
            .iter()
            .filter(|(_, shown)| !shown.contains(&marker(field)));
        missing.extend(without.map(|(place, _)| format!("{field} in {place}")));
    }
    assert!(missing.is_empty(), "{missing:?}");

    assert_eq!(
        post_form(&system, None).await,
        reference,
        "the same form has the same key"
    );
    let mut references = HashSet::from([reference]);
    for field in typed_fields() {
        assert!(
            references.insert(post_form(&system, Some(field)).await),
            "{field} is not in the key"
        );
    }
}

/// Posts the no-JavaScript form with a marker in each field and another text in `changed`; returns the reference.
async fn post_form(system: &System, changed: Option<&str>) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs([
        ("interests", "purchase"),
        ("antiSpam", "7"),
        ("privacyAccepted", "on"),
    ]);
    form.append_pair("privacyPolicyVersion", privacy_policy::current());
    for field in typed_fields() {
        let prefix = if changed == Some(field) { "x" } else { "" };
        form.append_pair(field, &format!("{prefix}{}", marker(field)));
    }
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let request = client
        .post(format!("{}/functions/v1/posted-form", system.intake))
        .body(form.finish());
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    let answer = request.send().await.unwrap();
    let location = answer.headers()["location"].to_str().unwrap();
    let query = location
        .strip_prefix("/registered?reference=")
        .expect(location);
    let (reference, _) = query.split_once('&').unwrap_or((query, ""));
    reference.to_owned()
}

/// The lead as the desk shows it to the person with the link in an email.
async fn desk_page(system: &System, email: &str) -> String {
    let (_, link) = email.split_once("/desk#").expect("a magic link");
    let key = link.split_whitespace().next().unwrap();
    let request = Client::new()
        .post(format!("{}/desk/api/key", system.desk))
        .json(&json!({ "key": key }));
    request
        .send()
        .await
        .unwrap()
        .error_for_status()
        .unwrap()
        .text()
        .await
        .unwrap()
}
