//! What emails to visitors have in common. They contain no text from the form, as the address may be another person's.

use chrono::{DateTime, Utc};
use lead::{Language, Lead};
use lettre::message::Mailbox;
use tokens::WithdrawalToken;

use super::{
    headers::{self, Origin},
    local_time::LocalTime,
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageBuilder},
    message_id::MessageId,
};

/// The date, links and reply address of every visitor email, in the language of the visit.
pub(super) struct Common<'a> {
    /// When the form was sent.
    pub(super) date: String,
    pub(super) host: &'a str,
    pub(super) floor_plans: String,
    pub(super) privacy: String,
    /// The page where the visitor can withdraw their consent.
    pub(super) withdrawal: String,
    /// The configured address for replies.
    pub(super) replies: Option<String>,
}

impl<'a> Common<'a> {
    pub(super) fn of(lead: &Lead, mail_context: &'a MailContext) -> Self {
        let site = &mail_context.site;
        let submitted = LocalTime::new(lead.submitted_at, mail_context.time_zone);
        let (tag, date) = match lead.language {
            Language::English => ("en", submitted.english_date()),
            Language::Chinese => ("zh", submitted.chinese_date()),
        };
        Self {
            date,
            host: site.host(),
            floor_plans: format!("{site}/floor-plans?lang={tag}"),
            withdrawal: withdrawal_link(lead, "withdraw", mail_context),
            privacy: format!("{site}/?lang={tag}#privacy-policy"),
            replies: mail_context.replies.as_ref().map(ToString::to_string),
        }
    }
}

fn withdrawal_link(lead: &Lead, path: &str, mail_context: &MailContext) -> String {
    let token = WithdrawalToken { lead: lead.id }.sign(&mail_context.withdrawal_keys);
    let language = match lead.language {
        Language::English => "",
        Language::Chinese => "&lang=zh",
    };
    format!("{}/{path}?token={token}{language}", mail_context.site)
}

/// Addresses a mail; `None` when the address cannot be used in a header, or is no visitor's. `recipient` is the CRM's name of the visitor.
pub(super) fn to_visitor(
    lead: &Lead,
    recipient: &str,
    content: MailContent,
    origin: Origin,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    let MailContext { sender, bounces, replies, .. } = mail_context;
    let address = headers::address(lead).filter(|it| headers::is_of_visitor(it, &sender.email));
    let Some(visitor) = address else { return Ok(None) };
    let mut mail = MessageBuilder {
        message_id: MessageId::for_named(lead.id, recipient, &sender.email),
        content,
        sender,
        recipient: &visitor,
        reply_to: replies.clone().map(|address| Mailbox::new(None, address)),
        thread: None,
        unsubscribe: Some(withdrawal_link(lead, "functions/v1/withdraw", mail_context)),
        origin,
        now,
    }
    .encode()?;
    if let Some(bounces) = bounces {
        mail.sender = bounces.clone();
    }
    Ok(Some(mail))
}
