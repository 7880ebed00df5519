//! The acknowledgement mail.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{Channel, Interest, Language, Lead, recipient::VISITOR};

use super::{
    headers::Origin,
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent},
    to_visitor::{Common, to_visitor},
};

#[derive(Template)]
#[template(path = "acknowledgement.en.txt")]
struct EnglishText<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "acknowledgement.en.html")]
struct EnglishHtml<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "acknowledgement.zh.txt")]
struct ChineseText<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "acknowledgement.zh.html")]
struct ChineseHtml<'a> {
    view: &'a View<'a>,
}

struct View<'a> {
    reference: String,
    wants_brochure: bool,
    wants_showflat: bool,
    /// Whether the visitor agreed to calls.
    may_call: bool,
    brochure: Option<String>,
    common: Common<'a>,
}

/// Writes the acknowledgement in the language of the visit; `None` when the address cannot be used in a header.
///
/// # Errors
/// [`ComposeError`]; no known lead causes it.
pub fn acknowledgement(
    lead: &Lead,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    let MailContext { brochure, site, .. } = mail_context;
    let wants = |interest| lead.interests.contains(&interest);
    let view = &View {
        reference: lead.reference.to_string(),
        wants_brochure: wants(Interest::Brochure),
        wants_showflat: wants(Interest::Showflat),
        may_call: lead.channels.contains(&Channel::Phone),
        brochure: brochure.as_ref().map(|brochure| brochure.link(lead.language, site)),
        common: Common::of(lead, mail_context),
    };
    let (subject, text, html) = match lead.language {
        Language::English => {
            ("Your Zyon Grand enquiry", EnglishText { view }.render()?, EnglishHtml { view }.render()?)
        }
        Language::Chinese => {
            ("已收到您的 Zyon Grand 登记", ChineseText { view }.render()?, ChineseHtml { view }.render()?)
        }
    };
    let content =
        MailContent { subject: format!("{subject} · {}", view.reference), text, html, aside: None };
    to_visitor(lead, VISITOR, content, Origin::Replied, mail_context, now)
}
