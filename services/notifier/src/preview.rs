//! Renders every kind of mail to files for inspection, without broker or mail server. `expect` is used on constants of
//! this file only; a test renders every sample.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lead::{
    Attribution, Campaign, Interest, Language, Lead, Reference, SpamSignal, Typed, Visit, text::Line,
};
use lettre::{Address, message::Mailbox};
use uuid::Uuid;

use crate::mail::{
    self, Backlog, Brochure, ComposeError, Desk, Earlier, Group, Mail, MailContext, Related, Step, Waiting,
};
use jwt::SigningKeys;
use magic_link::{Person, Team};

/// The time of all samples: Sunday 1 March 2026, 12:05 in Singapore.
const NOW: DateTime<Utc> = DateTime::from_timestamp(1_772_337_900, 0).expect("a point in time");

pub struct Sample {
    /// A file name without extension, e.g. `sales-follow-up`.
    pub name: &'static str,
    pub mail: Mail,
}

/// Composing a sample or writing a file failed.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    #[error("cannot compose an email")]
    Compose(#[from] ComposeError),
    #[error("cannot write {}", .0.display())]
    Write(PathBuf, #[source] io::Error),
}

impl From<askama::Error> for PreviewError {
    fn from(error: askama::Error) -> Self {
        Self::Compose(error.into())
    }
}

const INDEX: &str = "index.html";

#[derive(Template)]
#[template(path = "preview.html")]
struct Index<'a> {
    samples: &'a [Sample],
}

/// Writes every sample into a folder as `.eml`, `.html` and `.txt`, with an `index.html` that shows them. Creates the
/// folder if needed. Returns the path of the index.
///
/// # Errors
/// [`PreviewError`] when a mail cannot be composed, or with the file that cannot be written.
pub fn write(folder: &Path, zone: Tz) -> Result<PathBuf, PreviewError> {
    let samples = samples(zone)?;
    let write = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| PreviewError::Write(path, error))
    };
    fs::create_dir_all(folder).map_err(|error| PreviewError::Write(folder.to_owned(), error))?;
    for Sample { name, mail } in &samples {
        write(&format!("{name}.eml"), &mail.bytes)?;
        write(&format!("{name}.html"), mail.content.html.as_bytes())?;
        write(&format!("{name}.txt"), mail.content.text.as_bytes())?;
        if let Some((_, aside)) = &mail.content.aside {
            write(&format!("{name}.aside.txt"), aside.as_bytes())?;
        }
    }
    write(INDEX, Index { samples: &samples }.render()?.as_bytes())?;
    Ok(folder.join(INDEX))
}

/// Every sample, with times in this zone.
///
/// # Errors
/// [`ComposeError`]; none of the samples causes it.
pub fn samples(zone: Tz) -> Result<Vec<Sample>, ComposeError> {
    let mail_context = &MailContext {
        sender: Mailbox::new(Some("Zyon Grand".to_owned()), address("leads@zyongrand.example")),
        bounces: None,
        replies: None,
        time_zone: zone,
        site: "https://zyongrand.example".parse().expect("a site"),
        brochure: None,
        desk: None,
    };
    let person = Person::new("Mei Tan", "sales@zyongrand.example").expect("a person");
    let desk = Desk {
        keys: SigningKeys::new("preview-preview-preview-preview-").expect("a key"),
        people: Team::new(vec![person]).expect("one person"),
    };
    let with_desk = &MailContext { desk: Some(desk), ..mail_context.clone() };
    let recipient = &address("sales@zyongrand.example");
    let one = |name, lead: &Lead, related: &Related| {
        mail::sales(lead, related, recipient, None, mail_context, NOW).map(|mail| Sample { name, mail })
    };
    let (first, again) = (&Related::default(), &Related { earlier: earlier().into(), ..Related::default() });
    let others = vec![reference("ZG-4M2P-9K"), reference("ZG-1T6W-0C")];
    let same_number = &Related { same_number: others, ..Related::default() };
    let do_not_contact = &Related { do_not_contact_at: Some(minutes_ago(9 * 24 * 60)), ..again.clone() };
    let thanks = |name, lead: &Lead, mail_context| {
        let mail = mail::acknowledgement(lead, mail_context, NOW)?;
        Ok::<_, ComposeError>(mail.map(|mail| Sample { name, mail }))
    };
    let brochure =
        Brochure::read(r#"{"en": "/brochure-en.pdf", "zh": "/brochure-zh.pdf"}"#).expect("two addresses");
    let replies = Some(address("hello@zyongrand.example"));
    let published = &MailContext { brochure, replies, ..mail_context.clone() };
    let sent = |name, lead: &Lead| {
        let brochure = published.brochure.as_ref().expect("just read");
        let mail = mail::brochure_mail(lead, brochure, published, NOW)?;
        Ok::<_, ComposeError>(mail.map(|mail| Sample { name, mail }))
    };
    let (english, chinese) = (english(), chinese());
    let several = [
        one("sales-english", &english, first)?,
        one("sales-chinese", &chinese, first)?,
        one("sales-follow-up", &chinese, again)?,
        one("sales-same-number", &english, same_number)?,
        one("sales-do-not-contact", &english, do_not_contact)?,
        one("sales-nothing-asked", &nothing_asked(), first)?,
        one("sales-no-number", &no_number(), first)?,
        one("sales-automatic", &automatic(), first)?,
        one("sales-no-reply", &Lead { email: "mei..ling@example.com".into(), ..english.clone() }, first)?,
        one("sales-long", &long(), again)?,
        Sample { name: "morning", mail: mail::morning(&waiting(3), recipient, mail_context, NOW)? },
        Sample { name: "morning-many", mail: mail::morning(&waiting(87), recipient, mail_context, NOW)? },
        Sample { name: "morning-due", mail: mail::morning(&with_due(), recipient, with_desk, NOW)? },
        Sample { name: "sales-desk", mail: mail::sales(&english, first, recipient, None, with_desk, NOW)? },
        Sample {
            name: "sales-personal",
            mail: mail::sales(&english, again, recipient, Some("person:Mei Tan#1"), with_desk, NOW)?,
        },
    ];
    let acknowledgements = [
        thanks("acknowledgement-english", &english, mail_context)?,
        thanks("acknowledgement-chinese", &chinese, mail_context)?,
        thanks("acknowledgement-english-brochure", &english, published)?,
        thanks("acknowledgement-chinese-brochure", &chinese, published)?,
        thanks("acknowledgement-purchase", &no_number(), mail_context)?,
        sent("brochure-english", &english)?,
        sent("brochure-chinese", &chinese)?,
    ];
    Ok(several.into_iter().chain(acknowledgements.into_iter().flatten()).collect())
}

fn address(text: &str) -> Address {
    text.parse().expect("an address")
}

fn minutes_ago(minutes: i64) -> DateTime<Utc> {
    NOW - TimeDelta::minutes(minutes)
}

fn reference(text: &str) -> Reference {
    text.parse().expect("a reference")
}

fn visit(started_at: DateTime<Utc>, attribution: Attribution) -> Option<Visit> {
    Some(Visit { id: Uuid::from_u128(1), started_at, attribution })
}

fn landed_on(path: &str) -> Attribution {
    Attribution { landing_path: path.into(), ..Attribution::default() }
}

fn english() -> Lead {
    let id = Uuid::from_u128(0x5e1d_9b40_7c2a_5f36_8d04_1a2b_3c4d_5e6f);
    Lead {
        reference: reference("ZG-BRES-T0"),
        interests: vec![Interest::Purchase, Interest::Showflat, Interest::Brochure],
        name: "Tan Mei Ling".into(),
        mobile: "9123 4567".into(),
        email: "mei.ling.tan@example.com".into(),
        questions:
            "Which stack of the 3-bedroom C1 faces south, and from which floor is the river in view?\n\n\
             We could come on a Saturday morning."
                .into(),
        privacy_policy_version: "2026-11-20".into(),
        visit: visit(
            minutes_ago(31),
            Attribution {
                landing_path: "/floor-plans".into(),
                referrer_host: "www.google.com".into(),
                campaign: Campaign {
                    source: "google".into(),
                    medium: "cpc".into(),
                    name: "preview 2026".into(),
                    ..Campaign::default()
                },
            },
        ),
        ..Lead::empty(id, minutes_ago(8))
    }
}

fn chinese() -> Lead {
    Lead {
        id: Uuid::from_u128(0x8a3c_5d1e_6f70_5b42_9c1d_2e3f_4a5b_6c7d),
        reference: reference("ZG-H8Y5-T7"),
        submitted_at: minutes_ago(5),
        interests: vec![Interest::Showflat, Interest::Brochure],
        name: "陈伟".into(),
        mobile: "138 0013 8000".into(),
        email: "chen.wei@example.cn".into(),
        questions: "请问三房的户型，哪几层可以看到河景？\n\n价格大概多少？谢谢 🏙️".into(),
        language: Language::Chinese,
        visit: visit(
            minutes_ago(20),
            Attribution {
                landing_path: "/?lang=zh".into(),
                campaign: Campaign { source: "xiaohongshu".into(), ..Campaign::default() },
                ..Attribution::default()
            },
        ),
        ..english()
    }
}

fn nothing_asked() -> Lead {
    Lead {
        id: Uuid::from_u128(0x0044_3214_0000_5000_8000_0000_0000_0001),
        reference: reference("ZG-0123-45"),
        submitted_at: minutes_ago(2),
        interests: vec![Interest::Brochure],
        name: "Arjun Raman".into(),
        mobile: "+44 (0)20 7946 0958".into(),
        email: "arjun@example.co.uk".into(),
        questions: Typed::default(),
        privacy_policy_version: Typed::default(),
        visit: None,
        ..english()
    }
}

fn no_number() -> Lead {
    Lead {
        id: Uuid::from_u128(0x1c2d_3e4f_5a6b_5c7d_8e9f_a0b1_c2d3_e4f5),
        reference: reference("ZG-3GPK-WK"),
        submitted_at: minutes_ago(7),
        interests: vec![Interest::Purchase],
        name: "Siti Rahman".into(),
        mobile: "call after 7pm".into(),
        email: "siti@example.com".into(),
        questions: "Is there a unit with two car park lots?".into(),
        visit: visit(minutes_ago(30), landed_on("/")),
        ..english()
    }
}

fn automatic() -> Lead {
    Lead {
        id: Uuid::from_u128(0x9f8e_7d6c_5b4a_5938_8271_6050_4030_2010),
        reference: reference("ZG-KY77-VB"),
        submitted_at: minutes_ago(4),
        interests: vec![Interest::Purchase],
        name: "Best Offers".into(),
        mobile: "+1 212 555 0100".into(),
        email: "offers@example.net".into(),
        questions: "Cheap traffic! https://a.example/x https://b.example/y www.c.example <a href=\"https://d.example\">here</a>".into(),
        visit: visit(minutes_ago(4) - TimeDelta::seconds(3), landed_on("/")),
        signals: vec![SpamSignal::TooFast, SpamSignal::Links],
        ..english()
    }
}

fn long() -> Lead {
    let promoted = || Typed::from("海外推广".repeat(25));
    Lead {
        id: Uuid::from_u128(0x7777_7777_7777_5777_8777_7777_7777_7777),
        name: "欧阳".repeat(50).into(),
        email: format!("{}@{}.example", "very-long-local-part.".repeat(3), "sub-domain.".repeat(14)).into(),
        questions: "请问三房的户型，哪几层可以看到河景？".repeat(55).into(),
        visit: visit(
            minutes_ago(5) - TimeDelta::seconds(2),
            Attribution {
                landing_path: format!("/?{}", "a-very-long-address-".repeat(9)).into(),
                referrer_host: "news.".repeat(20).into(),
                campaign: Campaign {
                    source: promoted(),
                    medium: promoted(),
                    name: promoted(),
                    term: promoted(),
                    content: promoted(),
                },
            },
        ),
        signals: vec![SpamSignal::TooFast, SpamSignal::Links],
        ..chinese()
    }
}

fn earlier() -> [Earlier; 2] {
    let enquiry = |id, reference, minutes| Earlier {
        id: Uuid::from_u128(id),
        reference: self::reference(reference),
        submitted_at: minutes_ago(minutes),
    };
    [enquiry(1, "ZG-4M2P-9K", 17 * 24 * 60), enquiry(2, "ZG-1T6W-0C", 3 * 24 * 60)]
}

fn of_a_flood(number: u8) -> Lead {
    let lead = match number % 5 {
        0 => english(),
        1 => chinese(),
        2 => nothing_asked(),
        3 => no_number(),
        _ => automatic(),
    };
    let submitted_at = minutes_ago(10) + TimeDelta::seconds(14 * i64::from(number));
    Lead {
        id: Uuid::from_u128(u128::from(number) << 98),
        reference: reference(&format!("ZG-{number:04}-00")),
        submitted_at,
        visit: visit(
            submitted_at - TimeDelta::seconds(4),
            lead.visit.map(|visit| visit.attribution).unwrap_or_default(),
        ),
        ..lead
    }
}

fn waiting(count: u8) -> Backlog {
    let uncontacted = |number: u8| Waiting {
        lead: Lead {
            submitted_at: minutes_ago(12 * 60 + 45 + i64::from(count.min(50).saturating_sub(number)) * 500),
            ..of_a_flood(number)
        },
        owner: (number % 3 == 1).then(|| Line::new("grace.lim")).flatten(),
        next_step: None,
    };
    Backlog { new: Group::of((0..count).map(uncontacted)), ..Backlog::default() }
}

fn with_due() -> Backlog {
    let due = |lead, step, minutes| Waiting {
        lead,
        owner: Line::new("Mei Tan"),
        next_step: Some((step, NOW + TimeDelta::minutes(minutes))),
    };
    let due = [
        due(english(), Step::Visit, 175),
        due(chinese(), Step::CallAgain, 60),
        due(no_number(), Step::TryAgain, -1500),
    ];
    Backlog { due: Group::of(due), ..waiting(1) }
}
