//! Emails to visitors, as a mail program reads them.

use contracts::leads::v1::{ContactChannel, Language, LeadSubmitted, SpamSignal};
use lead::Recipient;
use notifier::mail::{self, ComposeError, MailContext, MessageId};
use tokens::{ConsentToken, WithdrawalToken};

use crate::support::{
    attributes, confirmation, filled_with, full, headers, lead, mail_about, mail_context, now,
    parse, sender,
};

/// The link leads to a page with buttons, because mail scanners open links.
#[test]
fn confirmation_offers_calls_to_a_visitor_who_chose_none() {
    for (language, id) in [(Language::En, "en"), (Language::Zh, "zh")] {
        let event = |channels: Vec<i32>| LeadSubmitted {
            channels,
            language: language.into(),
            ..full()
        };
        let silent = event(Vec::new());
        let mail = mail::confirmation(&lead(&silent), Some("0a0b"), &mail_context(), now());
        let mail = mail.expect("a mail").content;
        let (_, after) = mail.text.split_once("/agree?token=").expect("a link");
        let (token, rest) = after.split_once('&').expect("a language");
        assert!(rest.starts_with(&format!("lang={id}\n")), "{rest}");
        let keys = &mail_context().withdrawal_keys;
        let read = ConsentToken::verify(token, keys).expect("a token");
        assert_eq!(read.lead, lead(&silent).id);
        assert_eq!(read.mailbox_hash.as_deref(), Some("0a0b"));
        let question = lead::consent::question(lead(&silent).language);
        for body in [&mail.text, &mail.html] {
            assert!(body.contains(question), "{body}");
        }
        let agreed = confirmation(&event(vec![ContactChannel::Message.into()])).expect("a mail");
        for body in [&agreed.content.text, &agreed.content.html] {
            assert!(!body.contains("/agree"), "{body}");
        }
    }
}

#[test]
fn confirmation_names_the_plan_first() {
    let subject = |plan: &str, language: Language| {
        let event = LeadSubmitted {
            plan: plan.to_owned(),
            language: language.into(),
            ..full()
        };
        confirmation(&event).expect("a mail").content.subject
    };
    for (plan, language, expected) in [
        (
            "C2N",
            Language::En,
            "C2N: your Zyon Grand enquiry · ZG-7F3K-2Q",
        ),
        ("C2N", Language::Zh, "C2N 咨询已收到 · ZG-7F3K-2Q"),
        ("", Language::En, "Your Zyon Grand enquiry · ZG-7F3K-2Q"),
        ("", Language::Zh, "已收到您的 Zyon Grand 登记 · ZG-7F3K-2Q"),
    ] {
        assert_eq!(subject(plan, language), expected);
    }
}

#[test]
fn visitor_who_chose_all_times_is_free_any_day() {
    let all = [
        "weekday-mornings",
        "weekday-afternoons",
        "weekday-evenings",
        "weekend-mornings",
        "weekend-afternoons",
        "weekend-evenings",
    ];
    for (language, any_day, times) in [
        (Language::En, "You are free any day.", "weekday mornings"),
        (Language::Zh, "任何时间均方便。", "平日上午"),
    ] {
        for (count, is_any_day) in [(6, true), (5, false)] {
            let event = LeadSubmitted {
                visit_times: all[..count].iter().map(|id| (*id).to_owned()).collect(),
                language: language.into(),
                ..full()
            };
            let mail = confirmation(&event).expect("a mail").content;
            for body in [&mail.text, &mail.html] {
                assert_eq!(body.contains(any_day), is_any_day, "{body}");
                assert_eq!(body.contains(times), !is_any_day, "{body}");
            }
        }
    }
}

#[test]
fn visitor_emails_repeat_nothing_typed() {
    let marker = "MARKER";
    let brochure_file = Some(r#"{"en": "/en.pdf", "zh": "/zh.pdf"}"#.parse().expect("addresses"));
    let context = MailContext {
        brochure_file,
        ..mail_context()
    };
    let mut event = filled_with(marker);
    event.mobile = format!("{marker} 9123");
    event.privacy_policy_version = marker.to_owned();
    event.signals = vec![SpamSignal::TooFast.into(), SpamSignal::Links.into()];
    for language in [
        contracts::leads::v1::Language::En,
        contracts::leads::v1::Language::Zh,
    ] {
        event.language = language.into();
        let brochure = mail::brochure(&lead(&event), None, &context, now()).expect("a mail");
        for mail in [confirmation(&event).expect("a mail"), brochure] {
            for shown in [
                headers(&mail),
                mail.content.text,
                mail.content.html,
                mail.content.subject,
            ] {
                assert!(
                    !shown.contains(marker) && !shown.contains("utomated:"),
                    "{shown}"
                );
            }
        }
    }
}

#[test]
fn confirmation_answers_plan_and_times() {
    let event = LeadSubmitted {
        questions: "Call <me>".to_owned(),
        plan: "C2N".to_owned(),
        visit_times: ["weekday-evenings", "weekend-mornings"]
            .map(str::to_owned)
            .into(),
        language: contracts::leads::v1::Language::En.into(),
        ..full()
    };
    let mail = confirmation(&event).expect("a mail").content;
    assert_eq!(
        attributes(&mail.html, "src"),
        ["https://zyongrand.example/social/c2n-en.jpg"]
    );
    assert!(
        mail.text.contains("/floor-plans?lang=en&plan=C2N\n"),
        "{}",
        mail.text
    );
    for shown in [&mail.text, &mail.html] {
        assert!(
            shown.contains("3 Bedroom Premium + Study C2N") && shown.contains("1,324 sq ft"),
            "{shown}"
        );
        assert!(
            shown.contains("weekday evenings, weekend mornings") && !shown.contains("Call"),
            "{shown}"
        );
    }

    let unknown = LeadSubmitted {
        plan: "evil.example".to_owned(),
        visit_times: vec!["Mondays".to_owned()],
        ..event
    };
    let mail = confirmation(&unknown).expect("a mail").content;
    assert_eq!(
        attributes(&mail.html, "src"),
        ["https://zyongrand.example/social-en.jpg"]
    );
    for shown in [&mail.text, &mail.html] {
        assert!(
            !shown.contains("evil") && !shown.contains("Mondays"),
            "{shown}"
        );
    }
}

#[test]
fn confirmation_may_have_another_bounce_address() {
    let senders = |bounces: Option<&str>| {
        let visitor_bounces_to = bounces.map(|address| address.parse().expect("an address"));
        let context = MailContext {
            visitor_bounces_to,
            ..mail_context()
        };
        let mail = mail::confirmation(&lead(&full()), None, &context, now()).expect("a mail");
        (
            mail.sender.to_string(),
            mail_about(&full()).sender.to_string(),
        )
    };
    let sales = sender().email.to_string();
    assert_eq!(senders(None), (sales.clone(), sales.clone()));
    let bounces = "bounces@mail.zyongrand.example";
    assert_eq!(senders(Some(bounces)), (bounces.to_owned(), sales));
}

#[test]
fn confirmation_goes_to_the_address_that_its_id_hides() {
    let mail = confirmation(&full()).expect("a mail");
    assert_eq!(mail.recipient.to_string(), "chen.wei@example.com");
    let id = lead(&full()).id;
    assert_eq!(
        mail.message_id,
        MessageId::new(id, "visitor", &sender().email)
    );
    assert_ne!(
        mail.message_id,
        MessageId::new(id, "chen.wei@example.com", &sender().email)
    );
}

#[test]
fn visitor_can_unsubscribe_in_one_click() {
    let mail = confirmation(&full()).expect("a mail");
    let message = parse(&mail.bytes);
    let header = |name| message.header_raw(name).map(str::trim);
    assert_eq!(
        header("List-Unsubscribe-Post"),
        Some("List-Unsubscribe=One-Click")
    );
    let address = header("List-Unsubscribe").and_then(|it| it.strip_prefix('<')?.strip_suffix('>'));
    let query = address
        .and_then(|it| it.strip_prefix("https://zyongrand.example/functions/v1/withdraw?token="));
    let (token, language) = query.and_then(|it| it.split_once('&')).expect("a link");
    assert_eq!(language, "lang=zh");
    let keys = testkit::crm::WITHDRAWAL_KEYS.parse().expect("a key");
    assert_eq!(
        WithdrawalToken::verify(token, &keys),
        Some(WithdrawalToken {
            lead: lead(&full()).id,
            mailbox_hash: None,
        })
    );
    assert!(
        mail.content
            .text
            .contains(&format!("/withdraw?token={token}&lang=zh"))
    );
}

#[test]
fn links_to_a_corrected_address_name_its_mailbox() {
    let brochure_file = Some(r#"{"en": "/en.pdf", "zh": "/zh.pdf"}"#.parse().expect("addresses"));
    let context = MailContext {
        brochure_file,
        ..mail_context()
    };
    let hash = "0a".repeat(32);
    let keys = testkit::crm::WITHDRAWAL_KEYS.parse().expect("a key");
    let emails = [mail::confirmation, mail::brochure]
        .map(|compose| compose(&lead(&full()), Some(&hash), &context, now()).expect("an email"));
    for mail in emails {
        let message = parse(&mail.bytes);
        let button = message.header_raw("List-Unsubscribe").expect("a header");
        for text in [&mail.content.text, &mail.content.html, button] {
            let (_, token) = text.split_once("withdraw?token=").expect("a link");
            let token = token.split(['&', '>', '"']).next().expect("a token");
            let verified = WithdrawalToken::verify(token, &keys).expect("a valid token");
            assert_eq!(verified.mailbox_hash.as_ref(), Some(&hash));
        }
    }
}

#[test]
fn brochure_test_goes_to_the_person_and_withdraws_nothing() {
    let brochure_file = Some(r#"{"en": "/en.pdf", "zh": "/zh.pdf"}"#.parse().expect("addresses"));
    let context = MailContext {
        brochure_file,
        ..mail_context()
    };
    let person = "mei@zyongrand.example".parse().expect("an address");
    let test = |context: &MailContext| {
        mail::brochure_test(
            &lead(&full()),
            &Recipient::from("brochure-test:Mei#1"),
            &person,
            context,
            now(),
        )
    };
    let mail = test(&context).expect("a mail");
    assert_eq!(mail.recipient, person);
    assert!(
        mail.content.subject.starts_with("测试："),
        "{}",
        mail.content.subject
    );
    assert!(
        mail.content
            .text
            .contains("https://zyongrand.example/zh.pdf")
    );
    assert!(
        mail.content.text.contains("/withdraw?token=test&lang=zh"),
        "{}",
        mail.content.text
    );
    assert!(parse(&mail.bytes).header_raw("List-Unsubscribe").is_none());
    assert!(matches!(
        test(&mail_context()),
        Err(ComposeError::NoBrochure)
    ));
}

#[test]
fn address_unfit_for_a_header_gets_no_email() {
    for email in [
        "a..b@b.co",
        "\"mei\r\nBcc: x@y.z\"@b.co",
        "梅@example.com",
        "a@b.co, c@d.co",
        "<a@b.co>",
    ] {
        let refused = confirmation(&LeadSubmitted {
            email: email.to_owned(),
            ..full()
        });
        assert!(
            matches!(refused, Err(ComposeError::Unaddressable)),
            "{email}"
        );
    }
}

#[test]
fn roles_and_our_own_domain_get_no_visitor_email() {
    for email in [
        "Postmaster@example.com",
        "noreply@example.com",
        "mei@ZYONGRAND.example",
    ] {
        let refused = confirmation(&LeadSubmitted {
            email: email.to_owned(),
            ..full()
        });
        assert!(
            matches!(refused, Err(ComposeError::Unaddressable)),
            "{email}"
        );
    }
}
