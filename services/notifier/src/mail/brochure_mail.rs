//! The mail with the e-brochure that a visitor asked for.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{Language, Lead, recipient::BROCHURE};

use super::{
    brochure::Brochure,
    headers::Origin,
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent},
    to_visitor::{Common, to_visitor},
};

#[derive(Template)]
#[template(path = "brochure.txt")]
struct Text<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "brochure.html")]
struct Html<'a> {
    view: &'a View<'a>,
}

struct View<'a> {
    is_chinese: bool,
    reference: String,
    brochure: String,
    common: Common<'a>,
}

/// Writes it in the language of the visit; `None` when the address cannot be used in a header.
///
/// # Errors
/// [`ComposeError`]; no known lead causes it.
pub fn brochure_mail(
    lead: &Lead,
    brochure: &Brochure,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    let view = &View {
        is_chinese: lead.language == Language::Chinese,
        reference: lead.reference.to_string(),
        brochure: brochure.link(lead.language, &mail_context.site),
        common: Common::of(lead, mail_context),
    };
    let subject = match lead.language {
        Language::English => "Your Zyon Grand e-brochure",
        Language::Chinese => "您的 Zyon Grand 电子宣传册",
    };
    let content = MailContent {
        subject: format!("{subject} · {}", lead.reference),
        text: Text { view }.render()?,
        html: Html { view }.render()?,
        aside: None,
    };
    to_visitor(lead, BROCHURE, content, Origin::Generated, mail_context, now)
}
