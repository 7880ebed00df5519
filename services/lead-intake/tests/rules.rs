//! The form's rules, from the cases the site is tested with too.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use chrono::DateTime;
use lead::{Attribution, Interest, Language, Lead, Typed, Visit};
use lead_intake::rules::{
    registration::{Circumstances, RegistrationBody},
    rule::{Broken, Rule},
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

const CASES: &str = include_str!("registration-cases.json");

/// Fields the browser checks and never sends.
const BROWSER_ONLY: [&str; 2] = ["antiSpam", "privacyAccepted"];

#[test]
fn every_case_has_the_verdict_that_the_browser_gives() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 80, "the file of cases is not what it was");
    for case in cases {
        let mut expected: BTreeMap<String, Vec<String>> =
            serde_json::from_value(case["errors"].clone()).unwrap();
        expected.retain(|field, _| !BROWSER_ONLY.contains(&field.as_str()));
        assert_eq!(verdict(case["set"].as_object().unwrap()), expected, "{}", case["title"]);
    }
}

fn parse(form: Value) -> Result<Lead, Broken> {
    let body: RegistrationBody = serde_json::from_value(form).unwrap();
    let now = DateTime::UNIX_EPOCH;
    body.into_lead(Circumstances {
        id: Uuid::nil(),
        submitted_at: now,
        language: Language::English,
        privacy_policy_version: Typed::default(),
        visit: Visit { id: Uuid::nil(), started_at: now, attribution: Attribution::default() },
        is_canary: false,
    })
}

fn verdict(set: &Map<String, Value>) -> BTreeMap<String, Vec<String>> {
    let mut form = json!({
        "interests": ["purchase"], "name": "Tan Mei Ling", "mobile": "+65 9123 4567",
        "email": "mei@example.com", "questions": "",
    });
    for (field, value) in set.iter().filter(|(field, _)| !BROWSER_ONLY.contains(&field.as_str())) {
        form[field] = value.clone();
    }
    let codes = |rules: Vec<Rule>| rules.into_iter().map(|rule| rule.code().to_owned()).collect();
    let broken = parse(form).err().unwrap_or_default();
    broken.into_iter().map(|(field, rules)| (field.into_owned(), codes(rules))).collect()
}

fn lead(name: &str, questions: &str) -> Lead {
    let form = json!({
        "interests": ["showflat", "brochure", "showflat"], "name": name, "mobile": " 9123 4567 ",
        "email": " mei@example.com ", "questions": questions,
    });
    let Ok(lead) = parse(form) else { unreachable!("it obeys every rule") };
    lead
}

#[test]
fn what_is_accepted_is_kept_trimmed_and_clean() {
    let lead = lead(" Tan\u{202e}\r\nBcc: x\u{feff}", " two\r\nlines\0 ");
    assert_eq!(lead.interests, [Interest::Brochure, Interest::Showflat]);
    assert_eq!(lead.name, "TanBcc: x");
    assert_eq!(lead.mobile, "9123 4567");
    assert_eq!(lead.email, "mei@example.com");
    assert_eq!(lead.questions, " two\nlines ");
}

#[test]
fn a_name_the_form_took_is_never_empty_afterwards() {
    assert_eq!(lead("\u{202e}", "").name, "\u{fffd}");
}

#[test]
fn a_value_of_another_type_breaks_that_rule_alone() {
    for value in [json!(null), json!(7), json!({}), json!([7])] {
        let broken = parse(json!({ "interests": value, "name": value, "mobile": value, "email": value }))
            .err()
            .unwrap();
        let wrong = if value.is_null() { Rule::Missing } else { Rule::WrongType };
        let expected = [
            ("interests", wrong),
            ("name", wrong),
            ("mobile", wrong),
            ("email", wrong),
            ("questions", Rule::Missing),
        ];
        assert_eq!(broken, expected.map(|(field, rule)| (field.into(), vec![rule])).into(), "{value}");
    }
}
