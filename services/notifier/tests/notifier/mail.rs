//! Sales emails and samples, as a mail program reads them.

use std::collections::HashMap;

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::TimeDelta;
use contracts::leads::v1::{ContactChannel, Interest, Language, LeadSubmitted, SpamSignal};
use lead::{Channel, Recipient};
use mail_parser::MimeHeaders;
use notifier::{
    mail::{self, EarlierLead, LaterConsent, Mail, MessageId, RelatedLeads},
    preview,
};
use prost_types::Timestamp;
use serde_json::Value;
use similar::{DiffTag, TextDiff};
use tokens::{LOGIN_WINDOW, Login, MagicLink, REQUESTED_LOGIN_WINDOW};
use uuid::Uuid;

use crate::support::{
    attributes, confirmation, desk_mail_context, filled_with, find_magic_links, full, headers,
    lead, mail_about, mail_context, now, parse, sales, sender,
};

fn subject(event: &LeadSubmitted) -> String {
    parse(&mail_about(event).bytes)
        .subject()
        .expect("a subject")
        .to_owned()
}

fn text(event: &LeadSubmitted) -> String {
    parse(&mail_about(event).bytes)
        .body_text(0)
        .expect("text")
        .replace("\r\n", "\n")
}

fn html(event: &LeadSubmitted) -> String {
    parse(&mail_about(event).bytes)
        .body_html(0)
        .expect("HTML")
        .replace("\r\n", "\n")
}

/// The links, without their drafted greetings.
fn links_without_greeting(html: &str) -> Vec<String> {
    let links = attributes(html, "href").into_iter();
    links
        .map(|link| link.split('?').next().unwrap_or_default().to_owned())
        .collect()
}

/// The text of the attachment.
fn attachment(event: &LeadSubmitted) -> String {
    let mail = mail_about(event);
    let message = parse(&mail.bytes);
    let file = message.attachment(0).expect("a file");
    assert_eq!(file.attachment_name(), Some("ZG-7F3K-2Q.txt"));
    file.text_contents().expect("text").replace("\r\n", "\n")
}

const SAMPLES: &str = include_str!("../../templates/samples.json");

/// The first part of the name, the lead and the person's language. Emails with the same key have most lines in common.
type SampleKey = (String, Value, Value);

/// The key of each sample, in the order of the file.
fn sample_keys() -> Vec<SampleKey> {
    let file: Value = serde_json::from_str(SAMPLES).expect("samples");
    let samples = file["samples"].as_array().expect("a list").iter();
    samples
        .map(|sample| {
            let name = sample["name"].as_str().expect("a name");
            // Emails that are not about one lead have few lines in common.
            let kind = if sample["lead"].is_null() {
                name
            } else {
                name.split('-').next().unwrap_or(name)
            };
            let language = sample["language"].clone();
            (kind.to_owned(), sample["lead"].clone(), language)
        })
        .collect()
}

/// The lines that differ. A line that two emails share is only in the snapshot of the first email.
fn difference(first: &str, text: &str) -> String {
    let diff = TextDiff::from_lines(first, text);
    let differing = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    let runs: Vec<_> = differing
        .map(|op| {
            let changes = diff.iter_changes(op);
            changes
                .map(|change| format!("{} {change}", change.tag()))
                .collect::<String>()
        })
        .collect();
    runs.join("⋮\n")
}

#[test]
fn emails_match_snapshots() {
    let samples = preview::samples("Asia/Singapore".parse().unwrap()).unwrap();
    let keys = sample_keys();
    assert_eq!(samples.len(), keys.len());
    let mut firsts = HashMap::new();
    for (sample, key) in samples.iter().zip(&keys) {
        let (name, mail) = (&sample.name, &sample.mail);
        let message = parse(&mail.bytes);
        let read = |text: Option<std::borrow::Cow<'_, str>>| text.unwrap().replace("\r\n", "\n");
        assert_eq!(
            message.subject(),
            Some(mail.content.subject.as_str()),
            "{name}"
        );
        assert_eq!(read(message.body_text(0)), mail.content.text, "{name}");
        assert_eq!(read(message.body_html(0)), mail.content.html, "{name}");
        insta::assert_snapshot!(format!("{name}.headers"), headers(mail));
        let first = *firsts.entry(key).or_insert(sample);
        let content = |select: fn(&Mail) -> &str| {
            let text = select(mail);
            if first.name == sample.name {
                return text.to_owned();
            }
            let differing = difference(select(&first.mail), text);
            format!("Compared with {}:\n{differing}", first.name)
        };
        let text = content(|mail| &mail.content.text);
        insta::assert_snapshot!(format!("{name}.txt"), text);
        let html = content(|mail| &mail.content.html);
        insta::assert_snapshot!(format!("{name}.html"), html);
    }
}

#[test]
fn template_lines_fit_eighty_columns() {
    for sample in preview::samples("Asia/Singapore".parse().unwrap()).unwrap() {
        if sample.name == "sales-long" {
            continue;
        }
        // A visitor's question is indented and not wrapped. A link is one word.
        let is_ours = |line: &&str| {
            !line.starts_with("    ")
                && !["/desk#", "/withdraw?", "/agree?"]
                    .iter()
                    .any(|link| line.contains(link))
        };
        // The subject contains a name.
        for line in sample.mail.content.text.lines().skip(1).filter(is_ours) {
            assert!(line.chars().count() <= 80, "{}: {line}", sample.name);
        }
    }
}

#[test]
fn greeting_without_a_person_names_the_team() {
    let name = "O'Brien & <Co>".to_owned();
    let mail = mail_about(&LeadSubmitted {
        language: Language::En.into(),
        name,
        ..full()
    });
    let links = attributes(&mail.content.html, "href");
    let expected = "Hello O'Brien & <Co>, this is the Zyon Grand sales team. Thank you for your interest \
                    (ZG-7F3K-2Q). When may I call you?";
    let expected = askama::filters::urlencode_strict(expected)
        .unwrap()
        .to_string();
    for parameter in ["?text=", "body="] {
        let greeting = links
            .iter()
            .find_map(|link| link.split_once(parameter))
            .unwrap()
            .1;
        assert_eq!(greeting, expected);
    }
}

#[test]
fn requested_login_email_logs_in_with_a_desk_only() {
    let (event, related, context) = (full(), RelatedLeads::default(), desk_mail_context());
    let login = Recipient::from("login:Mei Tan#1");
    let request = Some(&login);
    let mail = mail::sales(&lead(&event), &related, &sales(), request, &context, now()).unwrap();
    let key = MagicLink {
        person: context.people.find_by_name("Mei Tan").unwrap().id(),
        lead: lead(&event).id,
        login: Some(Login {
            email: mail.message_id.id,
            until: now() + REQUESTED_LOGIN_WINDOW,
        }),
    };
    assert_eq!(find_magic_links(&mail.content.html), [key]);
    assert_eq!(find_magic_links(&mail.content.text), [key]);
    let mail = mail::sales(
        &lead(&event),
        &related,
        &sales(),
        request,
        &mail_context(),
        now(),
    )
    .unwrap();
    let subject = mail.content.subject;
    assert!(
        subject.starts_with("For you: Show flat preview · 陈伟"),
        "{subject}"
    );
}

#[test]
fn text_part_is_first_and_parts_are_utf8() {
    let mail = mail_about(&full());
    let message = parse(&mail.bytes);
    let types: Vec<_> = message
        .parts
        .iter()
        .map(|part| {
            let content_type = part.content_type().unwrap();
            let charset = content_type
                .attribute("charset")
                .unwrap_or_default()
                .to_owned();
            (
                content_type.ctype().to_owned(),
                content_type.subtype().unwrap().to_owned(),
                charset,
            )
        })
        .collect();
    let expected = [
        ("multipart", "mixed", ""),
        ("multipart", "alternative", ""),
        ("text", "plain", "utf-8"),
        ("text", "html", "utf-8"),
        ("text", "plain", "utf-8"),
    ];
    assert_eq!(
        types,
        expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()))
    );
    assert!(mail.bytes.is_ascii());
}

#[test]
fn invalid_address_leaves_out_reply_to() {
    for email in [
        "a..b@b.co".to_owned(),
        ".a@b.co".to_owned(),
        "a.@b.co".to_owned(),
        format!("{}@example.com", "l".repeat(71)),
        "\"mei\r\nBcc: x@y.z\"@b.co".to_owned(),
        "\"mei,x\"@b.co".to_owned(),
        "梅@example.com".to_owned(),
        "no address at all".to_owned(),
    ] {
        let event = LeadSubmitted {
            email: email.clone(),
            ..full()
        };
        let mail = mail_about(&event);
        assert!(parse(&mail.bytes).reply_to().is_none(), "{email}");
        let typed = email.replace("\r\n", " ");
        assert!(
            text(&event).contains(&format!("Email:      {typed}\n")),
            "{email}"
        );
        assert!(
            text(&event).contains("does not reach the visitor"),
            "{email}"
        );
        assert!(
            html(&event).contains("does not reach the visitor"),
            "{email}"
        );
    }
}

/// Pages of the previous version append sentences to the question, which the email shows as typed.
#[test]
fn sentences_of_the_previous_version_are_part_of_the_question() {
    let event = LeadSubmitted {
        questions: "我想进一步了解两卧房豪华型 B2。\n方便参观的时间：平日傍晚。".to_owned(),
        ..full()
    };
    let text = text(&event);
    let shown = "\n    我想进一步了解两卧房豪华型 B2。\n    方便参观的时间：平日傍晚。\n";
    assert!(text.contains(shown), "{text}");
    assert!(
        !text.contains("Plan:") && !text.contains("Can visit:"),
        "{text}"
    );
}

#[test]
fn unusual_valid_addresses_get_a_reply_to() {
    for (email, link) in [
        ("o'brien@example.com", "mailto:o%27brien@example.com"),
        ("mei+zyon@example.com", "mailto:mei%2Bzyon@example.com"),
        (
            "a/b?c=d&e@example.com",
            "mailto:a%2Fb%3Fc%3Dd%26e@example.com",
        ),
    ] {
        let event = LeadSubmitted {
            email: email.to_owned(),
            ..full()
        };
        let mail = mail_about(&event);
        assert_eq!(
            parse(&mail.bytes)
                .reply_to()
                .unwrap()
                .first()
                .unwrap()
                .address(),
            Some(email)
        );
        assert!(
            links_without_greeting(&html(&event)).contains(&link.to_owned()),
            "{email}"
        );
    }
}

#[test]
fn only_valid_numbers_get_call_buttons() {
    const MAILTO: &str = "mailto:chen.wei@example.com";
    let with = |mobile: &str| LeadSubmitted {
        mobile: mobile.to_owned(),
        ..full()
    };
    let links = |mobile: &str| links_without_greeting(&html(&with(mobile)));
    for (mobile, number) in [
        ("(+65) 9123-4567", "6591234567"),
        ("9123 4567", "6591234567"),
        ("138 0013 8000", "8613800138000"),
        ("1-415-555-0199", "14155550199"),
    ] {
        let expected = [
            format!("tel:+{number}"),
            format!("https://wa.me/{number}"),
            MAILTO.to_owned(),
        ];
        assert_eq!(links(mobile), expected, "{mobile}");
        assert!(text(&with(mobile)).contains(&format!(
            "\nMobile:     {mobile}\nCall:       tel:+{number}\n"
        )));
        assert!(html(&with(mobile)).contains(&format!(">Call <bdi>{mobile}</bdi>")));
    }
    assert!(html(&with("9123 4567")).contains("dials +6591234567"));
    assert!(!html(&with("+65 9123 4567")).contains("dials"));
    let unclear = ["1 (650) 253-0000", "+65 8123 45678"];
    for mobile in [
        "91234567 ext 1",
        "call me please",
        "12345678",
        "91234567;ext=+1",
    ]
    .into_iter()
    .chain(unclear)
    {
        assert_eq!(links(mobile), [MAILTO], "{mobile}");
        assert!(
            text(&with(mobile)).contains(&format!("\nMobile:     {mobile}\nCall:       no number"))
        );
    }
}

#[test]
fn later_consent_is_the_subject_of_its_email() {
    let notice = Recipient::from("consent:mei@zyongrand.example");
    let subject = |channels: &[ContactChannel], related: &RelatedLeads| {
        let event = LeadSubmitted {
            channels: channels.iter().map(|channel| i32::from(*channel)).collect(),
            ..full()
        };
        let context = mail_context();
        let to = sales();
        let mail = mail::sales(&lead(&event), related, &to, Some(&notice), &context, now());
        mail.unwrap().content.subject
    };
    let calls = ContactChannel::Phone;
    let messages = ContactChannel::Message;
    let none = RelatedLeads::default();
    assert!(subject(&[calls], &none).starts_with("Now agrees to calls: "));
    assert!(subject(&[messages], &none).starts_with("Now agrees to messages: "));
    assert!(subject(&[calls, messages], &none).starts_with("Now agrees to calls and messages: "));
    // The visitor withdrew before the email was sent.
    let marked = RelatedLeads {
        do_not_contact_at: Some(now()),
        ..none
    };
    assert!(subject(&[calls], &marked).starts_with("Do not contact · "));
}

#[test]
fn homes_replace_the_plan_in_subject_and_preheader() {
    let event = |plan: &str| LeadSubmitted {
        plan: plan.to_owned(),
        home_preferences: ["3-bedroom", "4-bedroom", "own-use", "villa"]
            .map(str::to_owned)
            .into(),
        ..full()
    };
    let homes = "3 or 4 bedrooms, to live in";
    let without_plan = event("");
    assert!(subject(&without_plan).contains(&format!(" · {homes} · ")));
    assert!(html(&without_plan).contains(&format!(">{homes} · ")));
    let with_plan = event("B2");
    assert!(!subject(&with_plan).contains(homes));
    for shown in [&without_plan, &with_plan] {
        assert!(text(shown).contains(&format!("\nHome:       {homes}\n")));
        assert!(html(shown).contains(&format!("Home: <bdi>{homes}</bdi>")));
    }
}

#[test]
fn later_consents_are_in_the_first_lines() {
    let related = RelatedLeads {
        later_consents: vec![
            LaterConsent {
                channels: vec![Channel::Phone],
                recorded_at: now(),
            },
            LaterConsent {
                channels: vec![Channel::Message],
                recorded_at: now() + TimeDelta::hours(1),
            },
        ],
        ..RelatedLeads::default()
    };
    let context = mail_context();
    let event = lead(&full());
    let to = sales();
    let sent = |request: Option<&Recipient>| {
        let mail = mail::sales(&event, &related, &to, request, &context, now());
        mail.expect("a mail").content
    };
    let notice = Recipient::from("consent:mei@zyongrand.example");
    let mail = sent(Some(&notice));
    let calls = " agreed to calls\nafter the enquiry, on Sun 1 Mar 2026, 12:05.";
    let messages = " agreed to WhatsApp and SMS\nafter the enquiry, on Sun 1 Mar 2026, 13:05.";
    let (_, body) = mail.text.split_once('\n').expect("a subject");
    assert!(
        body.starts_with(&format!("陈伟{calls}\n陈伟{messages}\n")),
        "{body}"
    );
    for words in [calls, messages] {
        assert!(mail.html.contains(&format!("<bdi>陈伟</bdi>{words}")));
    }
    let other = sent(None);
    assert!(!other.text.contains("after the enquiry"));
    assert!(!other.html.contains("after the enquiry"));
}

#[test]
fn fetches_only_pictures_of_the_site_and_runs_nothing() {
    for sample in preview::samples("Asia/Singapore".parse().unwrap()).unwrap() {
        let (name, html) = (sample.name, sample.mail.content.html);
        for forbidden in ["url(", "@import", "<script", "<link", "<iframe", "onclick"] {
            assert!(!html.contains(forbidden), "{name}: {forbidden}");
        }
        // One picture of the site, the same for every visitor who asked about the same plan.
        let has_picture = name.starts_with("confirmation") || name.starts_with("brochure");
        let pictures = attributes(&html, "src");
        let is_known =
            |it: &String| it.starts_with("https://zyongrand.example/social") && !it.contains('?');
        assert_eq!(
            pictures.iter().filter(|it| is_known(it)).count(),
            usize::from(has_picture),
            "{name}"
        );
        assert_eq!(pictures.len(), html.matches("src=").count(), "{name}");
        assert_eq!(pictures.len(), usize::from(has_picture), "{name}");
        for link in attributes(&html, "href") {
            let known = [
                "tel:+",
                "mailto:",
                "https://wa.me/",
                "https://zyongrand.example/",
            ];
            assert!(
                known.iter().any(|known| link.starts_with(known)),
                "{name}: {link}"
            );
        }
    }
}

#[test]
fn visitor_text_is_escaped_in_html() {
    let markup = r#"<script>alert("1")</script><a href='https://evil.example'>x</a>&amp;"#;
    let mut event = filled_with(markup);
    event.mobile = "\"><b>9123 4567".to_owned();
    let html = html(&event);
    assert!(
        !html.contains("<script") && !html.contains("<a href='") && !html.contains("<b>"),
        "{html}"
    );
    assert!(
        html.contains("&#60;script&#62;alert(&#34;1&#34;)"),
        "{html}"
    );
    assert!(
        !html.contains("https://evil"),
        "a mail program would turn it into a link: {html}"
    );
    assert_eq!(attributes(&html, "href").len(), 1);
    assert!(attributes(&html, "href")[0].starts_with("mailto:"));
    // The text part has it as typed.
    assert!(text(&event).contains(markup));
}

#[test]
fn visitor_text_adds_no_header() {
    let names = |event: &LeadSubmitted| {
        let mail = mail_about(event);
        parse(&mail.bytes)
            .headers()
            .iter()
            .map(|header| header.name().to_owned())
            .collect::<Vec<_>>()
    };
    let usual = names(&full());
    for end_of_line in [
        "\r\n", "\n", "\r", "\u{85}", "\u{b}", "\u{c}", "\u{2028}", "\u{2029}",
    ] {
        let name = format!("Mei{end_of_line}Bcc: spy@evil.example{end_of_line}{end_of_line}body");
        let event = LeadSubmitted {
            name: name.clone(),
            email: format!("mei@b.co{end_of_line}Bcc: a@b.c"),
            ..full()
        };
        let without_reply_to: Vec<_> = usual
            .iter()
            .filter(|name| *name != "Reply-To")
            .cloned()
            .collect();
        assert_eq!(names(&event), without_reply_to, "{name:?}");
        let event = LeadSubmitted { name, ..full() };
        assert_eq!(names(&event), usual);
        assert!(
            subject(&event).starts_with("Show flat preview · Mei Bcc: spy")
                || end_of_line == "\r\n"
        );
        assert!(!subject(&event).contains(['\r', '\n', '\u{2028}']));
    }
}

#[test]
fn removes_invisible_characters() {
    let event = filled_with("\u{feff}M\u{200b}e\u{2060}i\u{ad} <b>");
    for shown in [subject(&event), text(&event)] {
        assert!(shown.contains("Mei <b>"), "{shown}");
    }
    assert!(html(&event).contains("Mei &#60;b&#62;"));
}

#[test]
fn removes_direction_characters() {
    let event = filled_with("moc.elpmaxe\u{202e}\u{2066}\u{200f}@ieM");
    for shown in [
        subject(&event),
        text(&event),
        html(&event).replace("<wbr>", ""),
    ] {
        assert!(shown.contains("moc.elpmaxe@ieM"), "{shown}");
        assert!(
            !shown.contains(['\u{202e}', '\u{2066}', '\u{200f}']),
            "{shown}"
        );
    }
}

#[test]
fn text_like_an_encoded_word_stays_text() {
    let name = "=?utf-8?Q?=0D=0ABcc:_x@y.z?=";
    let event = LeadSubmitted {
        name: name.to_owned(),
        ..full()
    };
    let mail = mail_about(&event);
    assert!(
        subject(&event).contains("= ?utf-8?Q?=0D=0ABcc:_x@y.z?="),
        "{}",
        subject(&event)
    );
    let reply_to = parse(&mail.bytes)
        .reply_to()
        .unwrap()
        .first()
        .unwrap()
        .name()
        .unwrap()
        .to_owned();
    assert_eq!(reply_to, "= ?utf-8?Q?=0D=0ABcc:_x@y.z?=");
    assert!(text(&event).contains(name));
}

#[test]
fn names_in_all_scripts_arrive_as_typed() {
    for name in [
        "陈伟",
        "👩‍👩‍👧 🏙️ Mei",
        r#"Mei "the \ boss" <x@y.z>, Tan; (Co)"#,
        "José Ñuñez",
        &"陈".repeat(100),
        &"😀".repeat(50),
    ] {
        let event = LeadSubmitted {
            name: name.to_owned(),
            ..full()
        };
        let mail = mail_about(&event);
        assert_eq!(
            subject(&event),
            format!("Show flat preview · {name} · ZG-7F3K-2Q")
        );
        assert_eq!(
            parse(&mail.bytes)
                .reply_to()
                .unwrap()
                .first()
                .unwrap()
                .name(),
            Some(name)
        );
        assert!(text(&event).contains(&format!("Name:       {name}\n")));
    }
}

/// RFC 2047, section 2: the limits of an encoded word, and of a line that contains one.
#[test]
fn lines_with_encoded_words_fit_76_characters() {
    for name in [
        "محمد بن سلمان",
        "O'Brien-D’Arcy & Söhne",
        "陈伟",
        &"陈".repeat(100),
        &"é x ".repeat(25),
    ] {
        let email = "a.rather.long.address.of.somebody@subdomain.example.com".to_owned();
        let mail = mail_about(&LeadSubmitted {
            name: name.to_owned(),
            email: email.clone(),
            ..full()
        });
        for line in headers(&mail).lines().filter(|line| line.contains("=?")) {
            assert!(line.len() <= 76, "{} characters: {line}", line.len());
            for word in line
                .split("=?utf-8?b?")
                .skip(1)
                .map(|rest| rest.split("?=").next().unwrap())
            {
                let bytes = BASE64_STANDARD.decode(word).unwrap();
                assert!(
                    String::from_utf8(bytes).is_ok() && word.len() <= 75 - 12,
                    "{line}"
                );
            }
        }
        let message = parse(&mail.bytes);
        let reply_to = message.reply_to().unwrap().first().unwrap();
        assert_eq!(
            (reply_to.name(), reply_to.address()),
            (Some(name.trim()), Some(email.as_str()))
        );
    }
}

#[test]
fn question_cannot_end_a_mime_part() {
    let questions = "\n--=_part\n--=_part--\n--=_file--\n.\nlast words".to_owned();
    let event = LeadSubmitted {
        questions,
        ..full()
    };
    let mail = mail_about(&event);
    assert_eq!(parse(&mail.bytes).parts.len(), 5);
    assert!(text(&event).contains("\n    --=_part--\n    --=_file--\n    .\n    last words\n"));
}

#[test]
fn largest_email_stays_small() {
    let domain = "d.".repeat(90);
    let addresses = [
        format!("{}@{domain}example", "e".repeat(64)),
        format!("{}@{domain}example", "e.".repeat(32)),
    ];
    for (character, email) in ["陈", "&", "\"", "😀", "\n", "a.", "@a", "=", "é"]
        .into_iter()
        .flat_map(|character| addresses.iter().map(move |email| (character, email)))
    {
        let fill = |units: usize| character.repeat(units / character.encode_utf16().count());
        let cut = |characters: usize| {
            fill(2 * characters)
                .chars()
                .take(characters)
                .collect::<String>()
        };
        let mut event = filled_with(&cut(100));
        event.name = fill(100);
        event.mobile = fill(19);
        event.questions = fill(1000);
        event.session.as_mut().unwrap().landing_path = cut(200);
        event.email.clone_from(email);
        event.interests = vec![
            Interest::Brochure.into(),
            Interest::Purchase.into(),
            Interest::Showflat.into(),
        ];
        event.signals = vec![SpamSignal::TooFast.into(), SpamSignal::Links.into()];
        let first = EarlierLead {
            id: Uuid::nil(),
            reference: "ZG-0000-01".parse().unwrap(),
            submitted_at: now(),
        };
        let related = RelatedLeads {
            earlier: vec![first; 999],
            ..RelatedLeads::default()
        };
        let mail = mail::sales(
            &lead(&event),
            &related,
            &sales(),
            None,
            &mail_context(),
            now(),
        )
        .unwrap();
        let size = mail.bytes.len();
        assert!(size < 30_000, "{size} bytes of {character:?}");
        if let Ok(mail) = confirmation(&event) {
            assert!(mail.bytes.len() < 12_000, "{} bytes", mail.bytes.len());
        }
    }
}

#[test]
fn shared_number_is_noted_without_a_thread() {
    for (others, note) in [
        (
            &["ZG-0000-01"][..],
            "Same phone number as ZG-0000-01, different email address",
        ),
        (
            &["ZG-0000-02", "ZG-0000-01"],
            "Same phone number as ZG-0000-02 and 1 more, different email address",
        ),
    ] {
        let same_number = others.iter().map(|it| it.parse().unwrap()).collect();
        let related = RelatedLeads {
            same_number,
            ..RelatedLeads::default()
        };
        let mail = mail::sales(
            &lead(&full()),
            &related,
            &sales(),
            None,
            &mail_context(),
            now(),
        )
        .unwrap();
        let (text, aside) = (&mail.content.text, &mail.content.aside.as_ref().unwrap().1);
        assert!(
            aside.contains(&format!("\nNumber:     {note}\n")),
            "{aside}"
        );
        assert!(
            !mail.content.html.contains(others[0]) && !text.contains(others[0]),
            "a reply would quote the note"
        );
        assert!(!text.contains("from this visitor"), "{text}");
        assert!(parse(&mail.bytes).in_reply_to().as_text().is_none());
    }
}

#[test]
fn consent_after_a_withdrawal_is_shown_with_both_dates() {
    let compose = |channels: &[ContactChannel], since| {
        let related = RelatedLeads {
            do_not_contact_at: Some(since),
            ..RelatedLeads::default()
        };
        let mut event = full();
        event.channels = channels.iter().map(|it| *it as i32).collect();
        let lead = lead(&event);
        mail::sales(&lead, &related, &sales(), None, &mail_context(), now())
            .unwrap()
            .content
    };
    let earlier = now() - TimeDelta::days(17);
    let both = [ContactChannel::Phone, ContactChannel::Message];
    let again = "On 1 Mar 2026 the visitor agreed to calls, WhatsApp and SMS again.";
    let content = compose(&both, earlier);
    for text in [content.text, content.html] {
        assert!(
            text.contains("On 12 Feb 2026 this person asked not"),
            "{text}"
        );
        assert!(text.contains(again), "{text}");
        assert!(text.contains("Do not call or message."), "{text}");
    }
    let only_calls = compose(&both[..1], earlier).text;
    assert!(
        only_calls.contains("agreed to calls again."),
        "{only_calls}"
    );
    for content in [
        compose(&[], earlier),
        compose(&both, now() + TimeDelta::days(1)),
    ] {
        assert!(!content.text.contains("again"), "{}", content.text);
    }
}

/// A reply may quote the email to a stranger who entered the number.
#[test]
fn withdrawal_of_the_number_is_noted_in_the_attachment() {
    let compose = |do_not_contact_at| {
        let related = RelatedLeads {
            number_withdrawn_at: Some(now() - TimeDelta::days(17)),
            do_not_contact_at,
            ..RelatedLeads::default()
        };
        let lead = lead(&full());
        let content = mail::sales(&lead, &related, &sales(), None, &mail_context(), now());
        content.unwrap().content
    };
    let hint = "Before you call or message, read the attached notes.";
    let content = compose(None);
    let aside = content.aside.unwrap().1;
    assert!(
        aside.contains("somebody with this phone number asked not"),
        "{aside}"
    );
    for quoted in [content.text, content.html] {
        assert!(quoted.contains(hint), "{quoted}");
        assert!(!quoted.contains("somebody"), "{quoted}");
    }
    let content = compose(Some(now()));
    for quoted in [content.text, content.html] {
        assert!(!quoted.contains(hint), "there is no number to call");
    }
}

#[test]
fn reply_quotes_no_internal_details() {
    let event = LeadSubmitted {
        signals: vec![SpamSignal::Links.into()],
        ..full()
    };
    let attached = attachment(&event);
    let campaign = event.session.as_ref().unwrap().campaign.as_ref().unwrap();
    for note in [
        "suspicious links",
        "Consent:",
        "privacy policy",
        &campaign.source,
        &event.lead_id,
    ] {
        assert!(attached.contains(note), "{note} is not in {attached}");
    }
    for quoted in [text(&event), html(&event)] {
        for note in [
            "suspicious links",
            "Consent",
            "Campaign",
            &format!("source</span> <bdi>{}", campaign.source),
        ] {
            assert!(!quoted.contains(note), "{note} is in {quoted}");
        }
    }
}

fn earlier(id: u128, reference: &str, days: i64) -> EarlierLead {
    let submitted_at = now() - TimeDelta::days(days);
    EarlierLead {
        id: Uuid::from_u128(id),
        reference: reference.parse().expect("a reference"),
        submitted_at,
    }
}

#[test]
fn ordinals_are_english() {
    for (number, ordinal) in [
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (22, "22nd"),
        (103, "103rd"),
        (111, "111th"),
    ] {
        let earlier = vec![earlier(1, "ZG-0000-01", 17); number - 1];
        let related = RelatedLeads {
            earlier,
            ..RelatedLeads::default()
        };
        let mail = mail::sales(
            &lead(&full()),
            &related,
            &sales(),
            None,
            &mail_context(),
            now(),
        )
        .unwrap();
        assert!(
            mail.content
                .text
                .contains(&format!("\n{ordinal} enquiry from")),
            "{ordinal}"
        );
    }
}

#[test]
fn later_enquiry_joins_the_thread() {
    let earlier = vec![earlier(1, "ZG-0000-01", 17), earlier(2, "ZG-0000-02", 3)];
    let related = RelatedLeads {
        earlier,
        ..RelatedLeads::default()
    };
    let mail = mail::sales(
        &lead(&full()),
        &related,
        &sales(),
        None,
        &mail_context(),
        now(),
    )
    .unwrap();
    let first = MessageId::new(Uuid::from_u128(1), sales().as_ref(), &sender().email).to_string();
    let message = parse(&mail.bytes);
    for header in [message.references(), message.in_reply_to()] {
        assert_eq!(format!("<{}>", header.as_text().unwrap()), first);
    }
}

#[test]
fn message_id_ignores_the_case_of_the_address() {
    let id = |recipient: &str| {
        let recipient = recipient.parse().unwrap();
        let related = RelatedLeads::default();
        let mail = mail::sales(
            &lead(&full()),
            &related,
            &recipient,
            None,
            &mail_context(),
            now(),
        );
        mail.unwrap().message_id
    };
    assert_eq!(id("sales@zyongrand.example"), id("SALES@zyongrand.example"));
}

#[test]
fn spam_signals_are_listed() {
    let signed = |began: Option<i64>, signals: &[SpamSignal]| {
        let mut event = full();
        let submitted = event.submitted_at.unwrap().seconds;
        event.session = event.session.filter(|_| began.is_some());
        for (session, seconds) in event.session.iter_mut().zip(began) {
            session.started_at = Some(Timestamp {
                seconds: submitted - seconds,
                nanos: 0,
            });
        }
        event.signals = signals
            .iter()
            .map(|sign| (*sign).into())
            .chain([99])
            .collect();
        attachment(&event)
    };
    for (began, signals, note) in [
        (Some(3), &[SpamSignal::TooFast][..], "filled in within 3 s"),
        (Some(0), &[SpamSignal::TooFast], "filled in within 1 s"),
        (None, &[SpamSignal::TooFast], "filled in very quickly"),
        (
            Some(3),
            &[SpamSignal::Links],
            "suspicious links in the question",
        ),
        (
            Some(4),
            &[SpamSignal::TooFast, SpamSignal::Links],
            "filled in within 4 s; suspicious links in the question",
        ),
    ] {
        assert!(
            signed(began, signals).contains(&format!("Spam check: {note}\n")),
            "{note}"
        );
    }
    assert!(!signed(Some(3), &[]).contains("Spam check"));
}

#[test]
fn sales_email_has_links_for_agreed_channels_only() {
    let phone = ContactChannel::Phone.into();
    let message = ContactChannel::Message.into();
    for (channels, note) in [
        (
            vec![],
            "Did not agree to calls, WhatsApp or SMS: check the Do Not Call registry first.",
        ),
        (
            vec![phone],
            "Agreed to calls, not to WhatsApp or SMS: check the Do Not Call registry first.",
        ),
        (
            vec![message],
            "Agreed to WhatsApp and SMS, not to calls: check the Do Not Call registry first.",
        ),
        (vec![phone, message], "Agreed to calls, WhatsApp and SMS."),
    ] {
        let mail = mail_about(&LeadSubmitted {
            channels: channels.clone(),
            ..full()
        });
        for shown in [&mail.content.text, &mail.content.html] {
            assert!(shown.contains(note), "{note}");
            assert!(shown.contains("+65 9123 4567"), "{note}");
            assert_eq!(shown.contains("tel:"), channels.contains(&phone), "{note}");
            assert_eq!(
                shown.contains("https://wa.me/"),
                channels.contains(&message),
                "{note}"
            );
        }
        // A lock screen shows the preheader without the note.
        let (preheader, _) = mail.content.html.split_once("ZYON GRAND").unwrap();
        assert_eq!(
            preheader.contains("+65 9123 4567"),
            channels.contains(&phone),
            "{note}"
        );
    }
}

#[test]
fn a_fixed_line_has_no_whatsapp_link() {
    let mail = mail_about(&LeadSubmitted {
        mobile: "6123 4567".to_owned(),
        channels: vec![ContactChannel::Phone.into(), ContactChannel::Message.into()],
        ..full()
    });
    for shown in [&mail.content.text, &mail.content.html] {
        assert!(shown.contains("tel:+6561234567"), "{shown}");
        assert!(!shown.contains("https://wa.me/"), "{shown}");
    }
}

#[test]
fn every_accepted_form_makes_an_email() {
    let cases = include_str!("../../../lead-intake/tests/registration-cases.json");
    let cases: Vec<serde_json::Value> = serde_json::from_str(cases).unwrap();
    let accepted = cases
        .iter()
        .filter(|case| case["errors"].as_object().unwrap().is_empty());
    // Like JavaScript.
    let trimmed = |c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}');
    let mut count = 0;
    for case in accepted {
        let title = case["title"].as_str().unwrap();
        let cleaned = |field: &str, usual: &str| {
            let value = case["cleaned"][field]
                .as_str()
                .or_else(|| case["set"][field].as_str());
            value.unwrap_or(usual).trim_matches(trimmed).to_owned()
        };
        let event = LeadSubmitted {
            name: cleaned("name", "Tan Mei Ling"),
            mobile: cleaned("mobile", "+65 9123 4567"),
            email: cleaned("email", "mei@example.com"),
            questions: cleaned("questions", ""),
            ..full()
        };
        let mail = mail_about(&event);
        assert!(
            parse(&mail.bytes)
                .subject()
                .unwrap()
                .ends_with(" · ZG-7F3K-2Q"),
            "{title}"
        );
        assert!(
            text(&event)
                .lines()
                .next()
                .unwrap()
                .ends_with(" · ZG-7F3K-2Q"),
            "{title}"
        );
        count += 1;
    }
    assert!(count > 30, "only {count} accepted cases found");
}

#[test]
fn reply_quotes_no_login_link() {
    let (event, related, context) = (full(), RelatedLeads::default(), desk_mail_context());
    let mail = |request: Option<&str>| {
        let request = request.map(Recipient::from);
        mail::sales(
            &lead(&event),
            &related,
            &sales(),
            request.as_ref(),
            &context,
            now(),
        )
        .unwrap()
    };
    let person = context.people.find_by_name("Mei Tan").unwrap().id();
    let routed = mail(None);
    let key = MagicLink {
        person,
        lead: lead(&event).id,
        login: None,
    };
    assert!(parse(&routed.bytes).reply_to().is_some());
    assert_eq!(
        (
            find_magic_links(&routed.content.text),
            find_magic_links(&routed.content.html)
        ),
        (vec![key], vec![key])
    );

    let personal = mail(Some("person:Mei Tan#1"));
    assert!(
        parse(&personal.bytes).reply_to().is_none(),
        "replies to a personal email do not go to the visitor"
    );
    let login = Some(Login {
        email: personal.message_id.id,
        until: now() + LOGIN_WINDOW,
    });
    let logging_in = MagicLink { login, ..key };
    assert_eq!(find_magic_links(&personal.content.text), [logging_in]);
    assert_eq!(find_magic_links(&personal.content.html), [logging_in]);
    assert!(personal.content.text.contains("its link is for you only"));
    assert_ne!(personal.message_id, routed.message_id);
    assert_ne!(
        personal.message_id,
        mail(Some("person:Mei Tan#2")).message_id
    );
}
