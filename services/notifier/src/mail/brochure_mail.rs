//! The mail with the e-brochure that a visitor asked for. Like the acknowledgement it contains no text from the form.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{Language, Lead};
use lettre::message::Mailbox;

use super::{
    brochure::Brochure,
    headers::{self, Origin},
    local_time::LocalTime,
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageBuilder},
    message_id::MessageId,
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
    date: String,
    host: &'a str,
    brochure: String,
    floor_plans: String,
    privacy: String,
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
    let MailContext { sender, bounces, replies, time_zone, site, .. } = mail_context;
    let Some(visitor) = headers::address(lead) else { return Ok(None) };
    let local_time = LocalTime::new(lead.submitted_at, *time_zone);
    let (tag, date, subject) = match lead.language {
        Language::English => ("en", local_time.english_date(), "Your Zyon Grand e-brochure"),
        Language::Chinese => ("zh", local_time.chinese_date(), "您的 Zyon Grand 电子宣传册"),
    };
    let view = &View {
        is_chinese: lead.language == Language::Chinese,
        date,
        host: site.host(),
        brochure: brochure.link(lead.language, site),
        floor_plans: format!("{site}/floor-plans?lang={tag}"),
        privacy: format!("{site}/?lang={tag}#privacy-policy"),
    };
    let content = MailContent {
        subject: format!("{subject} · {}", lead.reference),
        text: Text { view }.render()?,
        html: Html { view }.render()?,
        aside: None,
    };
    let builder = MessageBuilder {
        message_id: MessageId::for_request(lead.id, "brochure", &sender.email),
        content,
        sender,
        recipient: &visitor,
        reply_to: replies.clone().map(|address| Mailbox::new(None, address)),
        thread: None,
        origin: Origin::Generated,
        now,
    };
    let mut mail = builder.encode()?;
    if let Some(bounces) = bounces {
        mail.sender = bounces.clone();
    }
    Ok(Some(mail))
}
