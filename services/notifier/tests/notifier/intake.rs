//! Every lead that lead-intake accepts can be emailed, and a mail program reads the same texts.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use contracts::leads::v1::LeadSubmitted;
use lead::{
    Attribution, Campaign, Interest, Language, Lead, Visit, privacy_policy,
    text::{Line, Paragraphs},
};
use lead_intake::rules::RegistrationBody;
use mail_parser::MessageParser;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::mail_about;

/// Characters that people type, and characters that could break lines, headers, MIME parts, markup, encodings and
/// text direction.
fn letters() -> impl Strategy<Value = char> {
    let nasty = "\r\n\t\0\u{85}\u{2028}\u{2029}\u{202e}\u{2066}\u{200f}\u{200b}\u{feff}\"\\<>@,;:()[]=?_-.&'%";
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
    let any_of = proptest::sample::select(vec![
        Interest::Brochure,
        Interest::Purchase,
        Interest::Showflat,
    ]);
    proptest::collection::vec(any_of, 1..4)
}

fn submitted(form: Value, seen: &str, key: u128) -> Option<LeadSubmitted> {
    let now: DateTime<Utc> = testkit::start_of_time();
    let attribution = Attribution {
        landing_path: seen.into(),
        campaign: Campaign {
            source: seen.into(),
            ..Campaign::default()
        },
        ..Attribution::default()
    };
    let lead = Lead {
        language: Language::Chinese,
        privacy_policy_version: privacy_policy::current().into(),
        visit: Some(Visit {
            id: Uuid::from_u128(1),
            started_at: now,
            is_network_busy: false,
            attribution,
        }),
        ..Lead::empty(Uuid::from_u128(key | 1), now)
    };
    let body: RegistrationBody = serde_json::from_value(form).expect("a form");
    Some(body.into_lead(lead).ok()?.into())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accepted_leads_can_be_emailed_and_parsed(
        interests in interests(),
        (name, mobile, email) in (text(1..=90), text(8..=16), email()),
        questions in text(0..=900),
        seen in text(0..=120),
        key in any::<u128>(),
    ) {
        let interests: Vec<_> = interests.into_iter().map(Interest::id).collect();
        let form = json!({
            "interests": interests, "name": name, "mobile": mobile, "email": email, "questions": questions,
        });
        let Some(event) = submitted(form, &seen, key) else {
            return Err(TestCaseError::reject("breaks a rule"));
        };
        let mail = mail_about(&event);
        prop_assert!(mail.bytes.is_ascii());
        prop_assert!(mail.bytes.len() < 30_000, "{} bytes", mail.bytes.len());

        let message = MessageParser::default().parse(&mail.bytes).expect("a message");
        prop_assert_eq!(message.parts.len(), 5);
        let subject = message.subject().unwrap_or_default();
        let named = subject.ends_with(&format!(" · {}", event.reference));
        prop_assert!(named, "{}", subject);
        let text = message.body_text(0).expect("text").replace("\r\n", "\n");
        let line = |typed: &str| Line::new(typed).unwrap_or_else(Line::invisible).to_string();
        let shown = |label: &str, typed: &str| text.contains(&format!("\n{label:<12}{}\n", line(typed)));
        prop_assert!(shown("Name:", &event.name), "{}", text);
        prop_assert!(shown("Mobile:", &event.mobile), "{}", text);
        prop_assert!(shown("Email:", &event.email), "{}", text);
        for question in Paragraphs::new(&event.questions).iter().flat_map(Paragraphs::lines) {
            let is_asked = text.contains(&format!("\n    {question}\n"));
            prop_assert!(is_asked, "{}", text);
        }
        if let Some(reply_to) = message.reply_to().and_then(|reply_to| reply_to.first()) {
            prop_assert_eq!(reply_to.address(), Some(event.email.as_str()));
        }
    }
}
