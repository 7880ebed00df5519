//! The acknowledgement mail. It contains no text from the form, as the address may be another person's.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{Interest, Language, Lead};
use lettre::message::Mailbox;

use super::{
    headers::{self, Origin},
    local_time::LocalTime,
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageBuilder},
    message_id::MessageId,
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
    date: String,
    wants_brochure: bool,
    wants_showflat: bool,
    host: &'a str,
    floor_plans: String,
    brochure: Option<String>,
    privacy: String,
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
    let MailContext { sender, bounces, replies, time_zone, site, brochure, .. } = mail_context;
    let Some(visitor) = headers::address(lead) else { return Ok(None) };
    let local_time = LocalTime::new(lead.submitted_at, *time_zone);
    let (tag, date) = match lead.language {
        Language::English => ("en", local_time.english_date()),
        Language::Chinese => ("zh", local_time.chinese_date()),
    };
    let wants = |interest| lead.interests.contains(&interest);
    let view = &View {
        reference: lead.reference.to_string(),
        date,
        wants_brochure: wants(Interest::Brochure),
        wants_showflat: wants(Interest::Showflat),
        host: site.host(),
        floor_plans: format!("{site}/floor-plans?lang={tag}"),
        brochure: brochure.as_ref().map(|brochure| brochure.link(lead.language, site)),
        privacy: format!("{site}/?lang={tag}#privacy-policy"),
    };
    let content = match lead.language {
        Language::English => MailContent {
            subject: format!("Your Zyon Grand registration · {}", view.reference),
            text: EnglishText { view }.render()?,
            html: EnglishHtml { view }.render()?,
            aside: None,
        },
        Language::Chinese => MailContent {
            subject: format!("已收到您的 Zyon Grand 登记 · {}", view.reference),
            text: ChineseText { view }.render()?,
            html: ChineseHtml { view }.render()?,
            aside: None,
        },
    };
    let builder = MessageBuilder {
        message_id: MessageId::for_visitor(lead.id, &sender.email),
        content,
        sender,
        recipient: &visitor,
        reply_to: replies.clone().map(|address| Mailbox::new(None, address)),
        thread: None,
        origin: Origin::Replied,
        now,
    };
    let mut mail = builder.encode()?;
    if let Some(bounces) = bounces {
        mail.sender = bounces.clone();
    }
    Ok(Some(mail))
}
