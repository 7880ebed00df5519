//! Renders the samples in `templates/samples.json`, which the snapshot tests use too, without broker or mail server.
//! `expect` is used on constants of this file and on the samples, all of which a test renders.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use askama::Template;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Lead, text::Line};
use lettre::message::Mailbox;
use serde::Deserialize;
use tokens::{Person, Team};

use crate::mail::{
    self, Backlog, Brochure, ComposeError, Desk, Group, Mail, MailContext, NextStep, Related, Waiting,
};

/// The time of all samples: Sunday 1 March 2026, 12:05 in Singapore.
const NOW: DateTime<Utc> = DateTime::from_timestamp(1_772_337_900, 0).expect("a point in time");

const SAMPLES: &str = include_str!("../templates/samples.json");

pub struct Sample {
    /// A file name without extension, e.g. `sales-follow-up`.
    pub name: String,
    pub mail: Mail,
}

#[derive(Deserialize)]
struct SampleFile {
    leads: BTreeMap<String, Lead>,
    samples: Vec<SampleContent>,
}

#[derive(Deserialize)]
struct SampleContent {
    name: String,
    /// Whether the recipient of the sample is a person at the desk.
    #[serde(default)]
    desk: bool,
    /// Whether the site has a brochure, and visitors have an address for replies.
    #[serde(default)]
    brochure: bool,
    #[serde(flatten)]
    email: Email,
}

/// `lead` is a name among those of the file.
#[derive(Deserialize)]
#[serde(tag = "email", rename_all = "snake_case")]
enum Email {
    Sales {
        lead: String,
        #[serde(default)]
        related: Related,
        request: Option<String>,
    },
    Acknowledgement {
        lead: String,
    },
    Brochure {
        lead: String,
    },
    Morning {
        due: Vec<WaitingLead>,
        new: Vec<WaitingLead>,
    },
}

#[derive(Deserialize)]
struct WaitingLead {
    lead: Lead,
    owner: String,
    next_step: Option<(NextStep, DateTime<Utc>)>,
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
    let SampleFile { leads, samples } = serde_json::from_str(SAMPLES).expect("leads and samples");
    let compose = |SampleContent { name, desk, brochure, email }| {
        let mail = compose(&leads, &email, &mail_context(zone, desk, brochure))?;
        Ok(Sample { name, mail: mail.expect("samples have addresses that can be used") })
    };
    samples.into_iter().map(compose).collect()
}

fn compose(
    leads: &BTreeMap<String, Lead>,
    email: &Email,
    mail_context: &MailContext,
) -> Result<Option<Mail>, ComposeError> {
    let recipient = &"sales@zyongrand.example".parse().expect("an address");
    match email {
        Email::Sales { lead, related, request } => {
            let request = request.as_deref();
            mail::sales(&leads[lead], related, recipient, request, mail_context, NOW).map(Some)
        }
        Email::Acknowledgement { lead } => mail::acknowledgement(&leads[lead], mail_context, NOW),
        Email::Brochure { lead } => {
            let brochure = mail_context.brochure.as_ref().expect("the sample has a brochure");
            mail::brochure_mail(&leads[lead], brochure, mail_context, NOW)
        }
        Email::Morning { due, new } => {
            let group = |leads: &[WaitingLead]| Group::new(leads.iter().map(WaitingLead::waiting));
            let backlog = Backlog { due: group(due), new: group(new) };
            mail::morning(&backlog, recipient, mail_context, NOW).map(Some)
        }
    }
}

fn mail_context(zone: Tz, has_desk: bool, has_brochure: bool) -> MailContext {
    let keys = || "preview-preview-preview-preview-".parse().expect("a key");
    let brochure = Brochure::read(r#"{"en": "/brochure-en.pdf", "zh": "/brochure-zh.pdf"}"#);
    let people = Team::new(vec![Person::new("Mei Tan", "sales@zyongrand.example").expect("a person")]);
    let people = people.expect("one person");
    MailContext {
        sender: Mailbox::new(
            Some("Zyon Grand".to_owned()),
            "leads@zyongrand.example".parse().expect("an address"),
        ),
        bounces: None,
        replies: has_brochure.then(|| "hello@zyongrand.example".parse().expect("an address")),
        time_zone: zone,
        site: "https://zyongrand.example".parse().expect("a site"),
        brochure: brochure.expect("two addresses").filter(|_| has_brochure),
        withdrawal_keys: keys(),
        desk: has_desk.then(|| Desk { keys: keys(), people }),
    }
}

impl WaitingLead {
    fn waiting(&self) -> Waiting {
        Waiting { lead: self.lead.clone(), owner: Line::new(&self.owner), next_step: self.next_step }
    }
}
