//! The form's rules, from the cases the site is tested with too.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use lead_intake::domain::{
    registration::{Form, Interest, Registration},
    rule::Broken,
};
use serde_json::{Map, Value, json};

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

fn verdict(set: &Map<String, Value>) -> BTreeMap<String, Vec<String>> {
    let mut fields = json!({
        "interests": ["purchase"], "name": "Tan Mei Ling", "mobile": "+65 9123 4567",
        "email": "mei@example.com", "questions": "",
    });
    for (field, value) in set {
        fields[field] = value.clone();
    }
    let text = |field: &str| fields[field].as_str().map(str::to_owned);
    let interest = |id: &Value| Interest::from_id(id.as_str().unwrap()).unwrap();
    let form = Form {
        interests: fields["interests"].as_array().map(|ids| ids.iter().map(interest).collect()),
        name: text("name"),
        mobile: text("mobile"),
        email: text("email"),
        questions: text("questions"),
    };
    match Registration::parse(form, Broken::new()) {
        Ok(_) => BTreeMap::new(),
        Err(broken) => broken
            .into_iter()
            .map(|(field, rules)| {
                (field.into_owned(), rules.iter().map(|rule| rule.code().to_owned()).collect())
            })
            .collect(),
    }
}

fn parse(name: &str, questions: &str) -> Registration {
    let form = Form {
        interests: Some(vec![Interest::Showflat, Interest::Brochure, Interest::Showflat]),
        name: Some(name.to_owned()),
        mobile: Some(" 9123 4567 ".to_owned()),
        email: Some(" mei@example.com ".to_owned()),
        questions: Some(questions.to_owned()),
    };
    let Ok(registration) = Registration::parse(form, Broken::new()) else {
        unreachable!("it obeys every rule")
    };
    registration
}

#[test]
fn what_is_accepted_is_kept_trimmed_and_clean() {
    let registration = parse(" Tan\u{202e}\r\nBcc: x\u{feff}", " two\r\nlines\0 ");
    assert_eq!(registration.interests, [Interest::Brochure, Interest::Showflat]);
    assert_eq!(registration.name, "TanBcc: x");
    assert_eq!(registration.mobile, "9123 4567");
    assert_eq!(registration.email, "mei@example.com");
    assert_eq!(registration.questions, " two\nlines ");
}

#[test]
fn a_name_the_form_took_is_never_empty_afterwards() {
    assert_eq!(parse("\u{202e}", "").name, "\u{fffd}");
}
