//! Sample leads and parts of a notifier.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::leads::v1::{Campaign, LeadSubmitted, Session};
use lead::Lead;
use lettre::{Address, message::Mailbox};
use mail_parser::{Message, MessageParser};
use notifier::mail::{self, ComposeError, Mail, MailContext};
use prost_types::Timestamp;
use tokens::{MagicLink, Person, SigningKeys, Team};
use uuid::Uuid;

/// A lead with all fields except the floor plan, the visit times and the homes.
pub(crate) fn full() -> LeadSubmitted {
    let full = testkit::lead::full();
    LeadSubmitted {
        lead_id: "8a3c5d1e-6f70-5b42-9c1d-2e3f4a5b6c7d".to_owned(),
        submitted_at: Some(Timestamp {
            seconds: 1_772_337_900,
            nanos: 0,
        }),
        email: "chen.wei@example.com".to_owned(),
        questions: "有三房的户型吗？ 🏙️\n\n价格大概多少？谢谢".to_owned(),
        plan: String::new(),
        visit_times: Vec::new(),
        home_preferences: Vec::new(),
        privacy_policy_version: "2026-01".to_owned(),
        session: full.session.map(|session| Session {
            session_id: "5f0d2c1b-0000-4000-8000-000000000001".to_owned(),
            started_at: Some(Timestamp {
                seconds: 1_772_337_000,
                nanos: 0,
            }),
            campaign: Some(Campaign {
                source: "google".to_owned(),
                medium: "cpc".to_owned(),
                name: "preview 2026".to_owned(),
                term: String::new(),
                content: "hero".to_owned(),
            }),
            ..session
        }),
        ..full
    }
}

/// A lead with `text` in every text without a format.
pub(crate) fn filled_with(text: &str) -> LeadSubmitted {
    let mut event = full();
    testkit::lead::fill_free_texts(&mut event, text);
    event
}

pub(crate) fn sender() -> Mailbox {
    "Zyon Grand <leads@zyongrand.example>"
        .parse()
        .expect("a mailbox")
}

pub(crate) fn sales() -> Address {
    "sales@zyongrand.example".parse().expect("an address")
}

pub(crate) fn mail_context() -> MailContext {
    MailContext {
        mail_from: sender(),
        time_zone: "Asia/Singapore".parse().expect("a time zone"),
        visitor_bounces_to: None,
        visitor_reply_to: None,
        site_url: "https://zyongrand.example".parse().expect("a site"),
        dkim_selector: None,
        brochure_file: Some("null".parse().expect("no brochure")),
        withdrawal_keys: testkit::crm::WITHDRAWAL_KEYS.parse().expect("a key"),
        magic_link_keys: None,
        people: Team::default(),
    }
}

/// The sales email about a lead.
pub(crate) fn mail_about(event: &LeadSubmitted) -> Mail {
    let related = mail::RelatedLeads::default();
    mail::sales(
        &lead(event),
        &related,
        &sales(),
        None,
        &mail_context(),
        now(),
    )
    .expect("a mail")
}

/// Another lead.
pub(crate) fn another() -> LeadSubmitted {
    LeadSubmitted {
        lead_id: "00000000-0000-5000-8000-000000000001".to_owned(),
        ..full()
    }
}

pub(crate) fn numbered(number: u128) -> LeadSubmitted {
    LeadSubmitted {
        lead_id: Uuid::from_u128(number).to_string(),
        ..full()
    }
}

pub(crate) fn parse(bytes: &[u8]) -> Message<'_> {
    MessageParser::default().parse(bytes).expect("a message")
}

pub(crate) fn headers(mail: &Mail) -> String {
    let raw = std::str::from_utf8(&mail.bytes).expect("ASCII");
    raw.split_once("\r\n\r\n")
        .expect("a body")
        .0
        .replace("\r\n", "\n")
}

pub(crate) fn lead(event: &LeadSubmitted) -> Lead {
    event.clone().try_into().expect("a lead")
}

pub(crate) fn now() -> DateTime<Utc> {
    testkit::start_of_time()
}

pub(crate) fn confirmation(event: &LeadSubmitted) -> Result<Mail, ComposeError> {
    mail::confirmation(&lead(event), None, &mail_context(), now())
}

/// `count` leads, a second apart, with unique names, numbers and references.
pub(crate) fn leads(count: u16) -> Vec<Lead> {
    let numbered = |number: u16| {
        let mut lead = lead(&full());
        lead.id = Uuid::from_u128(u128::from(number) << 96);
        lead.name = format!("Visitor {number:04}").into();
        lead.mobile = format!("+65 9000 {number:04}").into();
        lead.reference = format!("ZG-{number:04}-00").parse().expect("a reference");
        lead.submitted_at += TimeDelta::seconds(i64::from(number));
        lead
    };
    (0..count).map(numbered).collect()
}

/// Every value of an attribute, in order.
pub(crate) fn attributes(html: &str, name: &str) -> Vec<String> {
    let value = |rest: &str| rest.split('"').next().unwrap_or_default().to_owned();
    html.split(&format!(" {name}=\""))
        .skip(1)
        .map(value)
        .collect()
}

pub(crate) fn desk_keys() -> SigningKeys {
    "desk-desk-desk-desk-desk-desk-desk".parse().expect("a key")
}

pub(crate) fn desk_mail_context() -> MailContext {
    let people = vec![Person::new("Mei Tan", "Sales@zyongrand.example")];
    let people = people.try_into().expect("one person");
    MailContext {
        magic_link_keys: Some(desk_keys()),
        people,
        ..mail_context()
    }
}

/// The magic links in a text, without duplicates.
pub(crate) fn find_magic_links(text: &str) -> Vec<MagicLink> {
    let links = text.split("https://zyongrand.example/desk#").skip(1);
    let texts = links.filter_map(|rest| {
        rest.split(|it: char| it.is_whitespace() || it == '"')
            .next()
    });
    texts
        .map(|text| MagicLink::verify(text, &desk_keys(), now()).expect("a key"))
        .collect()
}
