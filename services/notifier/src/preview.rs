//! Renders every kind of mail to files for inspection, without broker or mail server. `expect` is used on constants of
//! this file only; a test renders every sample.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lead::{Lead, Reference, text::Line};
use lettre::{Address, message::Mailbox};
use serde::Deserialize;
use tokens::{Person, Team};
use uuid::Uuid;

use crate::mail::{
    self, Backlog, Brochure, ComposeError, Desk, Earlier, Group, Mail, MailContext, Related, Step, Waiting,
};

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
        withdrawal_keys: "preview-preview-preview-preview-".parse().expect("a key"),
        desk: None,
    };
    let person = Person::new("Mei Tan", "sales@zyongrand.example").expect("a person");
    let desk = Desk {
        keys: "preview-preview-preview-preview-".parse().expect("a key"),
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
    let leads = &Leads::read();
    let Leads { english, chinese, nothing_asked, no_number, automatic, long } = leads;
    let several = [
        one("sales-english", english, first)?,
        one("sales-chinese", chinese, first)?,
        one("sales-follow-up", chinese, again)?,
        one("sales-same-number", english, same_number)?,
        one("sales-do-not-contact", english, do_not_contact)?,
        one("sales-nothing-asked", nothing_asked, first)?,
        one("sales-no-number", no_number, first)?,
        one("sales-automatic", automatic, first)?,
        one("sales-no-reply", &Lead { email: "mei..ling@example.com".into(), ..english.clone() }, first)?,
        one("sales-long", long, again)?,
        Sample { name: "morning", mail: mail::morning(&waiting(leads, 3), recipient, mail_context, NOW)? },
        Sample {
            name: "morning-many",
            mail: mail::morning(&waiting(leads, 87), recipient, mail_context, NOW)?,
        },
        Sample { name: "morning-due", mail: mail::morning(&with_due(leads), recipient, with_desk, NOW)? },
        Sample { name: "sales-desk", mail: mail::sales(english, first, recipient, None, with_desk, NOW)? },
        Sample {
            name: "sales-personal",
            mail: mail::sales(english, again, recipient, Some("person:Mei Tan#1"), with_desk, NOW)?,
        },
        Sample {
            name: "sales-withdrawal",
            mail: mail::sales(
                english,
                do_not_contact,
                recipient,
                Some("withdrawal:Mei Tan"),
                with_desk,
                NOW,
            )?,
        },
        Sample {
            name: "sales-erasure",
            mail: mail::sales(english, do_not_contact, recipient, Some("erasure:Mei Tan"), with_desk, NOW)?,
        },
    ];
    let acknowledgements = [
        thanks("acknowledgement-english", english, mail_context)?,
        thanks("acknowledgement-chinese", chinese, mail_context)?,
        thanks("acknowledgement-english-brochure", english, published)?,
        thanks("acknowledgement-chinese-brochure", chinese, published)?,
        thanks("acknowledgement-purchase", no_number, mail_context)?,
        sent("brochure-english", english)?,
        sent("brochure-chinese", chinese)?,
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

/// The samples' leads.
#[derive(Deserialize)]
struct Leads {
    english: Lead,
    chinese: Lead,
    nothing_asked: Lead,
    no_number: Lead,
    automatic: Lead,
    long: Lead,
}

impl Leads {
    fn read() -> Self {
        serde_json::from_str(include_str!("../templates/preview-leads.json")).expect("six leads")
    }

    /// One of many, all different.
    fn numbered(&self, number: u8) -> Lead {
        let Self { english, chinese, nothing_asked, no_number, automatic, long: _ } = self;
        let lead = [english, chinese, nothing_asked, no_number, automatic][usize::from(number % 5)];
        Lead {
            id: Uuid::from_u128(u128::from(number) << 98),
            reference: reference(&format!("ZG-{number:04}-00")),
            ..lead.clone()
        }
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

fn waiting(leads: &Leads, count: u8) -> Backlog {
    let uncontacted = |number: u8| Waiting {
        lead: Lead {
            submitted_at: minutes_ago(12 * 60 + 45 + i64::from(count.min(50).saturating_sub(number)) * 500),
            ..leads.numbered(number)
        },
        owner: (number % 3 == 1).then(|| Line::new("grace.lim")).flatten(),
        next_step: None,
    };
    Backlog { new: Group::of((0..count).map(uncontacted)), ..Backlog::default() }
}

fn with_due(leads: &Leads) -> Backlog {
    let due = |lead: &Lead, step, minutes| Waiting {
        lead: lead.clone(),
        owner: Line::new("Mei Tan"),
        next_step: Some((step, NOW + TimeDelta::minutes(minutes))),
    };
    let due = [
        due(&leads.english, Step::Visit, 175),
        due(&leads.chinese, Step::CallAgain, 60),
        due(&leads.no_number, Step::TryAgain, -1500),
    ];
    Backlog { due: Group::of(due), ..waiting(leads, 1) }
}
