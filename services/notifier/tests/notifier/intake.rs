//! Whatever lead-intake accepts, a mail can be made of, and a mail program reads the same in it.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use contracts::leads::v1::LeadSubmitted;
use lead_intake::{
    domain::{
        lead::{Language, Lead, LeadId},
        registration::{Form, Interest, Registration},
        rule::Broken,
        session::{Attribution, Session},
    },
    event::Submitted,
};
use mail_parser::MessageParser;
use messaging::Event;
use notifier::domain::{Line, Paragraphs};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::mail_about;

/// What breaks lines, headers, parts, markup, encodings and the direction of writing, among what people write.
fn letters() -> impl Strategy<Value = char> {
    let nasty =
        "\r\n\t\0\u{85}\u{2028}\u{2029}\u{202e}\u{2066}\u{200f}\u{200b}\u{feff}\"\\<>@,;:()[]=?_-.&'%";
    let nasty: Vec<_> = nasty.chars().collect();
    prop_oneof![
        3 => proptest::char::range(' ', '~'),
        2 => proptest::sample::select(nasty),
        1 => proptest::char::range('\u{4e00}', '\u{9fff}'),
        1 => any::<char>(),
    ]
}

fn text(lengths: RangeInclusive<usize>) -> impl Strategy<Value = String> {
    proptest::collection::vec(letters(), lengths).prop_map(|letters| letters.into_iter().collect())
}

fn email() -> impl Strategy<Value = String> {
    "[ ]?[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,70}@([a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?\\.){1,3}[a-z]{1,6}[ ]?"
}

fn interests() -> impl Strategy<Value = Vec<Interest>> {
    let any_of = proptest::sample::select(vec![Interest::Brochure, Interest::Purchase, Interest::Showflat]);
    proptest::collection::vec(any_of, 1..4)
}

fn submitted(registration: Registration, attribution: Attribution, key: u128) -> LeadSubmitted {
    let now: DateTime<Utc> = testkit::start_of_time();
    let lead = Lead {
        id: LeadId::of(Uuid::from_u128(key)),
        submitted_at: now,
        registration,
        language: Language::Chinese,
        privacy_policy_version: "2026-01".to_owned(),
        session: Session { id: Uuid::nil(), started_at: now, attribution: attribution.capped() },
        is_canary: false,
    };
    match Submitted::from(lead).event() {
        Event::LeadSubmitted(event) => event,
        Event::LeadDelivered(_) => unreachable!("a lead was submitted"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_intake_accepts_can_be_mailed_and_read(
        interests in interests(),
        (name, mobile, email) in (text(1..=90), text(8..=16), email()),
        questions in text(0..=900),
        seen in text(0..=120),
        key in any::<u128>(),
    ) {
        let form = Form {
            interests: Some(interests),
            name: Some(name),
            mobile: Some(mobile),
            email: Some(email),
            questions: Some(questions),
        };
        let Ok(registration) = Registration::parse(form, Broken::new()) else {
            return Err(TestCaseError::reject("breaks a rule"));
        };
        let attribution = Attribution { landing_path: seen.clone(), source: seen, ..Attribution::default() };
        let event = submitted(registration.clone(), attribution, key);
        let mail = mail_about(&event);
        prop_assert!(mail.bytes.is_ascii());
        prop_assert!(mail.bytes.len() < 30_000, "{} bytes", mail.bytes.len());

        let message = MessageParser::default().parse(&mail.bytes).expect("a message");
        prop_assert_eq!(message.parts.len(), 3);
        let subject = message.subject().unwrap_or_default();
        let named = subject.ends_with(&format!(" · {}", event.reference));
        prop_assert!(named, "{}", subject);
        let text = message.body_text(0).expect("text").replace("\r\n", "\n");
        let line = |typed: &str| Line::new(typed).unwrap_or_else(Line::invisible).to_string();
        let shown = |label: &str, typed: &str| text.contains(&format!("\n{label:<12}{}\n", line(typed)));
        prop_assert!(shown("Name:", &registration.name), "{}", text);
        prop_assert!(shown("Mobile:", &registration.mobile), "{}", text);
        prop_assert!(shown("E-mail:", &registration.email), "{}", text);
        for question in Paragraphs::new(&registration.questions).iter().flat_map(Paragraphs::lines) {
            let is_asked = text.contains(&format!("\n    {question}\n"));
            prop_assert!(is_asked, "{}", text);
        }
        if let Some(reply_to) = message.reply_to().and_then(|reply_to| reply_to.first()) {
            prop_assert_eq!(reply_to.address(), Some(registration.email.as_str()));
        }
    }
}
