//! Renders the samples in `templates/samples.json`, which the snapshot tests use too. A test renders all samples, so no
//! `expect` of this file can fail.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use askama::Template;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Language, Lead, Recipient};
use lettre::message::Mailbox;
use serde::Deserialize;
use serde_json::json;

use crate::mail::{self, Backlog, ComposeError, Mail, MailContext, RelatedLeads};

/// The time of all samples: Sunday 1 March 2026, 12:05 in Singapore.
const NOW: DateTime<Utc> = DateTime::from_timestamp(1_772_337_900, 0).expect("a point in time");

const SAMPLES: &str = include_str!("../templates/samples.json");

const BROCHURE: &str = r#"{"en": "/brochure-en.pdf", "zh": "/brochure-zh.pdf"}"#;

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
    /// Whether the email has a magic link.
    #[serde(default)]
    desk: bool,
    /// Language of the person.
    #[serde(default)]
    language: Language,
    /// Whether the site has a brochure, and emails to visitors a Reply-To.
    #[serde(default)]
    brochure: bool,
    #[serde(flatten)]
    email: Email,
}

/// `lead` is the name of a lead in the file.
#[derive(Deserialize)]
#[serde(tag = "email", rename_all = "snake_case")]
enum Email {
    Sales {
        lead: String,
        #[serde(default)]
        related: RelatedLeads,
        request: Option<String>,
    },
    Confirmation {
        lead: String,
    },
    Brochure {
        lead: String,
    },
    DailySummary(Backlog),
}

#[derive(Template)]
#[template(path = "preview.html")]
struct Index<'a> {
    samples: &'a [Sample],
}

/// Writes every sample into a folder as `.eml`, `.html` and `.txt`, and an `index.html` that shows all of them. Creates the
/// folder if needed. Returns the path of the index.
pub fn write(folder: &Path, zone: Tz) -> anyhow::Result<PathBuf> {
    let samples = samples(zone).context("cannot compose an email")?;
    let write = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    for Sample { name, mail } in &samples {
        write(&format!("{name}.eml"), &mail.bytes)?;
        write(&format!("{name}.html"), mail.content.html.as_bytes())?;
        write(&format!("{name}.txt"), mail.content.text.as_bytes())?;
        if let Some((_, aside)) = &mail.content.aside {
            write(&format!("{name}.aside.txt"), aside.as_bytes())?;
        }
    }
    write(
        "index.html",
        Index { samples: &samples }.render()?.as_bytes(),
    )?;
    Ok(folder.join("index.html"))
}

pub fn samples(zone: Tz) -> Result<Vec<Sample>, ComposeError> {
    let SampleFile { leads, samples } = serde_json::from_str(SAMPLES).expect("leads and samples");
    let recipient = &"sales@zyongrand.example".parse().expect("an address");
    let compose = |SampleContent {
                       name,
                       desk,
                       language,
                       brochure,
                       email,
                   }| {
        let context = &mail_context(zone, desk, language, brochure);
        let mail = match &email {
            Email::Sales {
                lead,
                related,
                request,
            } => mail::sales(
                &leads[lead],
                related,
                recipient,
                request.as_deref().map(Recipient::from).as_ref(),
                context,
                NOW,
            ),
            Email::Confirmation { lead } => mail::confirmation(&leads[lead], None, context, NOW),
            Email::Brochure { lead } => mail::brochure(&leads[lead], None, context, NOW),
            Email::DailySummary(backlog) => mail::summary(backlog, recipient, context, NOW),
        };
        Ok(Sample { name, mail: mail? })
    };
    samples.into_iter().map(compose).collect()
}

fn mail_context(
    time_zone: Tz,
    has_desk: bool,
    language: Language,
    has_brochure: bool,
) -> MailContext {
    let keys = || "preview-preview-preview-preview-".parse().expect("a key");
    let person =
        json!({ "name": "Mei Tan", "email": "sales@zyongrand.example", "language": language });
    let sender = "leads@zyongrand.example".parse().expect("an address");
    MailContext {
        mail_from: Mailbox::new(Some("Zyon Grand".to_owned()), sender),
        time_zone,
        visitor_bounces_to: None,
        visitor_reply_to: has_brochure
            .then(|| "hello@zyongrand.example".parse().expect("an address")),
        site_url: "https://zyongrand.example".parse().expect("a site"),
        dkim_selector: None,
        brochure_file: Some(
            if has_brochure { BROCHURE } else { "null" }
                .parse()
                .expect("addresses"),
        ),
        withdrawal_keys: keys(),
        magic_link_keys: has_desk.then(keys),
        people: serde_json::from_value(json!([person])).expect("one person"),
    }
}
