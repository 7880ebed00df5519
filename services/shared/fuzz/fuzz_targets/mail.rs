//! Fuzzes the mail to sales: every valid lead must produce a mail that parses.

#![no_main]

use arbitrary::Arbitrary;
use contracts::leads::v1::{Campaign, Interest, Language, LeadSubmitted, Session, SpamSignal};
use libfuzzer_sys::fuzz_target;
use notifier::mail::{self, MailContext};
use prost_types::Timestamp;

#[derive(Arbitrary, Debug)]
struct Texts {
    name: String,
    mobile: String,
    email: String,
    questions: String,
    policy: String,
    landing_path: String,
    referrer_host: String,
    campaign: [String; 5],
    seconds: i64,
    nanos: i32,
}

fuzz_target!(|texts: Texts| {
    let [source, medium, name, term, content] = texts.campaign;
    let event = LeadSubmitted {
        lead_id: "8a3c5d1e-6f70-5b42-9c1d-2e3f4a5b6c7d".to_owned(),
        reference: "ZG-7F3K-2Q".to_owned(),
        submitted_at: Some(Timestamp { seconds: texts.seconds, nanos: texts.nanos }),
        interests: vec![Interest::Showflat.into()],
        name: texts.name,
        mobile: texts.mobile,
        email: texts.email,
        questions: texts.questions,
        language: Language::Zh.into(),
        privacy_policy_version: texts.policy,
        session: Some(Session {
            session_id: "5f0d2c1b-0000-4000-8000-000000000001".to_owned(),
            started_at: Some(Timestamp { seconds: 0, nanos: 0 }),
            landing_path: texts.landing_path,
            referrer_host: texts.referrer_host,
            campaign: Some(Campaign { source, medium, name, term, content }),
        }),
        signals: vec![SpamSignal::TooFast.into(), SpamSignal::Links.into()],
    };
    let Ok(lead) = lead::Lead::try_from(event) else { return };
    let mail_context = MailContext {
        sender: "Zyon Grand <leads@zyongrand.example>".parse().unwrap(),
        bounces: None,
        replies: None,
        time_zone: "Asia/Singapore".parse().unwrap(),
        site: "https://zyongrand.example".parse().unwrap(),
    };
    let recipient: lettre::Address = "sales@zyongrand.example".parse().unwrap();
    let mail = mail::sales(&lead, &mail::Related::default(), &recipient, &mail_context, testkit::start_of_time()).unwrap();
    let message = mail_parser::MessageParser::default().parse(&mail.bytes).unwrap();
    assert!(message.subject().is_some_and(|subject| subject.contains("ZG-7F3K-2Q")));
});
