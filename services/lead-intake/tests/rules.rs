//! Tests the form's rules with the cases shared with the site.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use chrono::DateTime;
use lead::{Attribution, Interest, Lead, SpamSignal, Visit, privacy_policy};
use lead_intake::rules::{Broken, RegistrationBody, Rule};
use serde_aux::serde_introspection::serde_introspect;
use serde_json::{Map, Value, json};
use uuid::Uuid;

const CASES: &str = include_str!("registration-cases.json");

/// Fields that the browser checks and does not send.
const BROWSER_ONLY: [&str; 2] = ["antiSpam", "privacyAccepted"];

#[test]
fn rules_match_the_browser() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 80, "the file has too few cases");
    for case in cases {
        let mut expected: BTreeMap<String, Vec<String>> =
            serde_json::from_value(case["errors"].clone()).unwrap();
        expected.retain(|field, _| !BROWSER_ONLY.contains(&field.as_str()));
        let result = parse(form(case["set"].as_object().unwrap()));
        assert_eq!(codes(result.as_ref().err()), expected, "{}", case["title"]);
        for (field, cleaned) in case["cleaned"].as_object().into_iter().flatten() {
            let stored = serde_json::to_value(result.as_ref().ok().unwrap()).unwrap();
            assert_eq!(&stored[field], cleaned, "{}", case["title"]);
        }
    }
}

#[test]
fn shared_cases_break_a_rule_of_every_field() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    for field in serde_introspect::<RegistrationBody>() {
        let mut errors = cases.iter().map(|case| &case["errors"]);
        assert!(errors.any(|broken| broken[field].is_array()), "{field}");
    }
}

#[test]
fn links_in_any_text_are_a_sign_of_spam() {
    for field in text_fields().filter(|field| *field != "email") {
        let markup = form(json!({ field: "<a href=x>" }).as_object().unwrap());
        let lead = parse(markup).unwrap_or_else(|_| panic!("{field} is refused"));
        assert!(lead.signals.contains(&SpamSignal::Links), "{field}");
    }
}

fn parse(form: Value) -> Result<Lead, Broken> {
    let body: RegistrationBody = serde_json::from_value(form).unwrap();
    let now = DateTime::UNIX_EPOCH;
    body.into_lead(Lead {
        privacy_policy_version: privacy_policy::current().into(),
        visit: Some(Visit {
            id: Uuid::nil(),
            started_at: now,
            is_network_busy: false,
            attribution: Attribution::default(),
        }),
        ..Lead::empty(Uuid::nil(), now)
    })
}

fn form(set: &Map<String, Value>) -> Value {
    let mut form = json!({
        "interests": ["purchase"], "name": "Tan Mei Ling", "mobile": "+65 9123 4567",
        "email": "mei@example.com", "questions": "",
    });
    for (field, value) in set
        .iter()
        .filter(|(field, _)| !BROWSER_ONLY.contains(&field.as_str()))
    {
        form[field] = value.clone();
    }
    form
}

/// The texts of the form, by its declaration.
fn text_fields() -> impl Iterator<Item = &'static str> {
    let fields = serde_introspect::<RegistrationBody>().iter().copied();
    fields.filter(|field| *field != "interests")
}

#[test]
fn every_text_is_cleaned_limited_and_stored() {
    for field in text_fields() {
        let text = match field {
            "email" => "a@b.example",
            _ => "12345678",
        };
        let with = |text: String| parse(form(json!({ field: text }).as_object().unwrap()));
        let lead = with(format!(" {text}\u{200b} ")).expect(field);
        let lead = serde_json::to_value(lead).unwrap();
        assert_eq!(lead[field], text, "{field}");
        let broken = with(text.repeat(10_000)).err().expect(field);
        assert!(broken.iter().any(|(named, _)| named == field), "{field}");
    }
}

fn codes(broken: Option<&Broken>) -> BTreeMap<String, Vec<String>> {
    let codes = |rules: &Vec<Rule>| rules.iter().map(|rule| rule.code().to_owned()).collect();
    broken
        .into_iter()
        .flatten()
        .map(|(field, rules)| (field.to_string(), codes(rules)))
        .collect()
}

#[test]
fn interests_are_sorted_without_duplicates() {
    let form = form(
        json!({ "interests": ["showflat", "brochure", "showflat"] })
            .as_object()
            .unwrap(),
    );
    assert_eq!(
        parse(form).ok().unwrap().interests,
        [Interest::Brochure, Interest::Showflat]
    );
}

#[test]
fn wrong_type_breaks_only_that_rule() {
    for value in [json!(null), json!(7), json!({}), json!([7])] {
        let broken =
            parse(json!({ "interests": value, "name": value, "mobile": value, "email": value }))
                .err()
                .unwrap();
        let wrong = if value.is_null() {
            Rule::Missing
        } else {
            Rule::WrongType
        };
        let expected = [
            ("interests", wrong),
            ("name", wrong),
            ("mobile", wrong),
            ("email", wrong),
            ("questions", Rule::Missing),
        ];
        assert_eq!(
            broken,
            expected.map(|(field, rule)| (field.into(), vec![rule])),
            "{value}"
        );
    }
}
