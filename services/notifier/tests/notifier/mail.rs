//! The mail as a mail program reads it.

use crate::support::{bare, full, mail_about, written_by};
use contracts::leads::v1::{Interest, LeadSubmitted};
use mail_parser::{Message, MessageParser, MimeHeaders};

fn parse(bytes: &[u8]) -> Message<'_> {
    MessageParser::default().parse(bytes).expect("a message")
}

fn subject(event: &LeadSubmitted) -> String {
    parse(&mail_about(event).bytes).subject().expect("a subject").to_owned()
}

fn text(event: &LeadSubmitted) -> String {
    parse(&mail_about(event).bytes).body_text(0).expect("text").replace("\r\n", "\n")
}

fn html(event: &LeadSubmitted) -> String {
    parse(&mail_about(event).bytes).body_html(0).expect("HTML").replace("\r\n", "\n")
}

fn headers(event: &LeadSubmitted) -> String {
    let raw = String::from_utf8(mail_about(event).bytes).expect("ASCII");
    raw.split_once("\r\n\r\n").expect("a body").0.replace("\r\n", "\n")
}

/// Every value of an attribute, in order.
fn attributes(html: &str, name: &str) -> Vec<String> {
    let value = |rest: &str| rest.split('"').next().unwrap_or_default().to_owned();
    html.split(&format!(" {name}=\"")).skip(1).map(value).collect()
}

#[test]
fn the_whole_mail() {
    insta::assert_snapshot!("headers", headers(&full()));
    insta::assert_snapshot!("full.txt", text(&full()));
    insta::assert_snapshot!("full.html", html(&full()));
    insta::assert_snapshot!("bare.txt", text(&bare()));
    insta::assert_snapshot!("bare.html", html(&bare()));
}

#[test]
fn the_subject_says_leading_interest_name_and_reference() {
    assert_eq!(subject(&full()), "Showflat preview · 陈伟 · ZG-7F3K-2Q");
    let of = |interests: &[Interest]| {
        subject(&LeadSubmitted { interests: interests.iter().map(|i| (*i).into()).collect(), ..bare() })
    };
    assert_eq!(
        of(&[Interest::Brochure, Interest::Purchase, Interest::Showflat]),
        "Purchase · Tan Mei Ling · ZG-7F3K-2Q"
    );
    assert_eq!(of(&[Interest::Brochure]), "Brochure · Tan Mei Ling · ZG-7F3K-2Q");
}

#[test]
fn text_comes_first_and_both_parts_are_utf8() {
    let mail = mail_about(&full());
    let message = parse(&mail.bytes);
    let types: Vec<_> = message
        .parts
        .iter()
        .map(|part| {
            let content_type = part.content_type().unwrap();
            let charset = content_type.attribute("charset").unwrap_or_default().to_owned();
            (content_type.ctype().to_owned(), content_type.subtype().unwrap().to_owned(), charset)
        })
        .collect();
    let expected = [("multipart", "alternative", ""), ("text", "plain", "utf-8"), ("text", "html", "utf-8")];
    assert_eq!(types, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    assert!(mail.bytes.is_ascii());
}

#[test]
fn a_reply_reaches_the_visitor() {
    let mail = mail_about(&full());
    let message = parse(&mail.bytes);
    let reply_to = message.reply_to().unwrap().first().unwrap();
    assert_eq!(reply_to.address(), Some("chen.wei@example.com"));
    assert_eq!(reply_to.name(), Some("陈伟"));
    assert_eq!(message.from().unwrap().first().unwrap().address(), Some("leads@zyongrand.example"));
}

#[test]
fn an_address_that_no_header_can_hold_is_mailed_without_a_reply_to() {
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
        let event = LeadSubmitted { email: email.clone(), ..full() };
        let mail = mail_about(&event);
        assert!(parse(&mail.bytes).reply_to().is_none(), "{email}");
        let typed = email.replace("\r\n", "  ");
        assert!(text(&event).contains(&format!("E-mail:     {typed}\n")), "{email}");
        assert!(text(&event).contains("does not reach the visitor"), "{email}");
        assert!(html(&event).contains("does not reach the visitor"), "{email}");
    }
}

#[test]
fn addresses_with_odd_but_lawful_characters_can_be_replied_to() {
    for (email, link) in [
        ("o'brien@example.com", "mailto:o%27brien@example.com"),
        ("mei+zyon@example.com", "mailto:mei%2Bzyon@example.com"),
        ("a/b?c=d&e@example.com", "mailto:a%2Fb%3Fc%3Dd%26e@example.com"),
    ] {
        let event = LeadSubmitted { email: email.to_owned(), ..full() };
        let mail = mail_about(&event);
        assert_eq!(parse(&mail.bytes).reply_to().unwrap().first().unwrap().address(), Some(email));
        assert!(attributes(&html(&event), "href").contains(&link.to_owned()), "{email}");
    }
}

#[test]
fn only_what_is_a_number_can_be_called() {
    let links =
        |mobile: &str| attributes(&html(&LeadSubmitted { mobile: mobile.to_owned(), ..full() }), "href");
    assert_eq!(links("(+65) 9123-4567")[0], "tel:+6591234567");
    assert_eq!(links("91234567 ext 1"), ["mailto:chen.wei@example.com"]);
    assert!(text(&bare()).contains("Mobile:     call me please\n"));
}

#[test]
fn nothing_is_fetched_and_nothing_runs() {
    let html = html(&full());
    for forbidden in
        ["http:", "https:", "src=", "url(", "@import", "<img", "<script", "<link", "<iframe", "onclick"]
    {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn what_a_visitor_types_is_text_in_html() {
    let markup = r#"<script>alert("1")</script><a href='https://evil.example'>x</a>&amp;"#;
    let mut event = written_by(markup);
    event.mobile = "\"><b>9123 4567".to_owned();
    let html = html(&event);
    assert!(!html.contains("<script") && !html.contains("<a href='") && !html.contains("<b>"), "{html}");
    assert!(html.contains("&#60;script&#62;alert(&#34;1&#34;)"), "{html}");
    assert!(attributes(&html, "href").iter().all(|href| href.starts_with("mailto:")));
    // As typed, in the text.
    assert!(text(&event).contains(markup));
}

#[test]
fn what_a_visitor_types_makes_no_header() {
    let names = |event: &LeadSubmitted| {
        let mail = mail_about(event);
        parse(&mail.bytes).headers().iter().map(|header| header.name().to_owned()).collect::<Vec<_>>()
    };
    let usual = names(&full());
    for end_of_line in ["\r\n", "\n", "\r", "\u{85}", "\u{b}", "\u{c}", "\u{2028}", "\u{2029}", "\0"] {
        let name = format!("Mei{end_of_line}Bcc: spy@evil.example{end_of_line}{end_of_line}body");
        let event =
            LeadSubmitted { name: name.clone(), email: format!("mei@b.co{end_of_line}Bcc: a@b.c"), ..full() };
        let without_reply_to: Vec<_> = usual.iter().filter(|name| *name != "Reply-To").cloned().collect();
        assert_eq!(names(&event), without_reply_to, "{name:?}");
        let event = LeadSubmitted { name, ..full() };
        assert_eq!(names(&event), usual);
        assert!(subject(&event).starts_with("Showflat preview · Mei Bcc: spy") || end_of_line == "\r\n");
        assert!(!subject(&event).contains(['\r', '\n', '\u{2028}']));
    }
}

#[test]
fn writing_is_not_turned_around() {
    let event = written_by("moc.elpmaxe\u{202e}\u{2066}\u{200f}@ieM");
    for shown in [subject(&event), text(&event), html(&event)] {
        assert!(shown.contains("moc.elpmaxe@ieM"), "{shown}");
        assert!(!shown.contains(['\u{202e}', '\u{2066}', '\u{200f}']), "{shown}");
    }
}

#[test]
fn what_looks_like_an_encoded_word_is_not_decoded() {
    let name = "=?utf-8?Q?=0D=0ABcc:_x@y.z?=";
    let event = LeadSubmitted { name: name.to_owned(), ..full() };
    let mail = mail_about(&event);
    assert!(subject(&event).contains("= ?utf-8?Q?=0D=0ABcc:_x@y.z?="), "{}", subject(&event));
    let reply_to = parse(&mail.bytes).reply_to().unwrap().first().unwrap().name().unwrap().to_owned();
    assert_eq!(reply_to, "= ?utf-8?Q?=0D=0ABcc:_x@y.z?=");
    assert!(text(&event).contains(name));
}

#[test]
fn names_of_every_kind_arrive_as_typed() {
    for name in [
        "陈伟",
        "👩‍👩‍👧 Mei 🏙️",
        r#"Mei "the \ boss" <x@y.z>, Tan; (Co)"#,
        "José Ñuñez",
        &"陈".repeat(100),
        &"😀".repeat(50),
    ] {
        let event = LeadSubmitted { name: name.to_owned(), ..full() };
        let mail = mail_about(&event);
        assert_eq!(subject(&event), format!("Showflat preview · {name} · ZG-7F3K-2Q"));
        assert_eq!(parse(&mail.bytes).reply_to().unwrap().first().unwrap().name(), Some(name));
        assert!(text(&event).contains(&format!("Name:       {name}\n")));
    }
}

#[test]
fn no_text_ends_its_part() {
    let event = LeadSubmitted { questions: "\n--=_part\n--=_part--\n.\nlast words".to_owned(), ..full() };
    let mail = mail_about(&event);
    assert_eq!(parse(&mail.bytes).parts.len(), 3);
    assert!(text(&event).contains("\n    --=_part--\n    .\n    last words\n"));
}

#[test]
fn the_largest_mail_stays_small() {
    for character in ["陈", "&", "😀", "\n"] {
        let fill = |units: usize| character.repeat(units / character.encode_utf16().count());
        let mut event = written_by(&fill(100));
        event.questions = fill(1000);
        event.session.as_mut().unwrap().landing_path = fill(200);
        event.email = format!("{}@{}.example", "e".repeat(64), "d".repeat(60));
        let size = mail_about(&event).bytes.len();
        assert!(size < 30_000, "{size} bytes of {character:?}");
    }
}

#[test]
fn every_form_that_intake_accepts_makes_a_mail() {
    let cases = include_str!("../../../lead-intake/tests/registration-cases.json");
    let cases: Vec<serde_json::Value> = serde_json::from_str(cases).unwrap();
    let accepted = cases.iter().filter(|case| case["errors"].as_object().unwrap().is_empty());
    // As JavaScript does.
    let trimmed = |c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}');
    let mut count = 0;
    for case in accepted {
        let title = case["title"].as_str().unwrap();
        let typed = |field: &str, usual: &str| {
            case["set"][field].as_str().unwrap_or(usual).trim_matches(trimmed).to_owned()
        };
        let event = LeadSubmitted {
            name: typed("name", "Tan Mei Ling"),
            mobile: typed("mobile", "+65 9123 4567"),
            email: typed("email", "mei@example.com"),
            questions: case["set"]["questions"].as_str().unwrap_or_default().to_owned(),
            ..full()
        };
        let mail = mail_about(&event);
        assert!(parse(&mail.bytes).subject().unwrap().ends_with(" · ZG-7F3K-2Q"), "{title}");
        assert!(text(&event).contains("Reference:  ZG-7F3K-2Q\n"), "{title}");
        count += 1;
    }
    assert!(count > 30, "only {count} accepted cases found");
}
