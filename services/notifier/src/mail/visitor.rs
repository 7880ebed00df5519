//! The emails to visitors: the confirmation and the e-brochure. They contain no text from the form, as the address may be
//! another person's.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{
    Channel, Interest, Language, Lead,
    recipient::{BROCHURE, VISITOR},
};
use lettre::{Address, message::Mailbox};
use tokens::WithdrawalToken;

use super::{
    brochure::Brochure,
    context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageBuilder, Origin},
    message_id::MessageId,
    view,
};

/// Local parts of mailboxes that belong to no visitor.
const ROLES: [&str; 8] =
    ["abuse", "hostmaster", "mailer-daemon", "no-reply", "noreply", "postmaster", "root", "webmaster"];

templates! { VisitorView:
    EnglishText = "acknowledgement.en.txt",
    EnglishHtml = "acknowledgement.en.html",
    ChineseText = "acknowledgement.zh.txt",
    ChineseHtml = "acknowledgement.zh.html",
    BrochureText = "brochure.txt",
    BrochureHtml = "brochure.html",
}

/// Texts are in the language of the visit.
struct VisitorView<'a> {
    is_chinese: bool,
    reference: String,
    wants_brochure: bool,
    wants_showflat: bool,
    /// Whether the visitor agreed to calls.
    may_call: bool,
    brochure: Option<String>,
    /// When the form was sent.
    date: String,
    host: &'a str,
    floor_plans: String,
    privacy: String,
    /// The page where the visitor can withdraw their consent.
    withdrawal: String,
    /// The configured address for replies.
    replies: Option<String>,
}

impl<'a> VisitorView<'a> {
    fn new(lead: &Lead, brochure: Option<&Brochure>, mail_context: &'a MailContext) -> Self {
        let MailContext { site, replies, time_zone, .. } = mail_context;
        let (language, date_format) = match lead.language {
            Language::English => ("en", "%-d %B %Y"),
            Language::Chinese => ("zh", "%Y年%-m月%-d日"),
        };
        Self {
            is_chinese: lead.language == Language::Chinese,
            reference: lead.reference.to_string(),
            wants_brochure: lead.interests.contains(&Interest::Brochure),
            wants_showflat: lead.interests.contains(&Interest::Showflat),
            may_call: lead.channels.contains(&Channel::Phone),
            brochure: brochure.map(|brochure| brochure.link(lead.language, site)),
            date: lead.submitted_at.with_timezone(time_zone).format(date_format).to_string(),
            host: site.host(),
            floor_plans: format!("{site}/floor-plans?lang={language}"),
            privacy: format!("{site}/?lang={language}#privacy-policy"),
            withdrawal: withdrawal_link(lead, "withdraw", mail_context),
            replies: replies.as_ref().map(ToString::to_string),
        }
    }
}

/// Composes the confirmation; `None` when the address is no visitor's, or cannot be used in a header.
///
/// # Errors
/// [`ComposeError`]; no known lead causes it.
pub fn acknowledgement(
    lead: &Lead,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    let view = &VisitorView::new(lead, mail_context.brochure.as_ref(), mail_context);
    let (subject, text, html) = match lead.language {
        Language::English => {
            ("Your Zyon Grand enquiry", EnglishText { view }.render()?, EnglishHtml { view }.render()?)
        }
        Language::Chinese => {
            ("已收到您的 Zyon Grand 登记", ChineseText { view }.render()?, ChineseHtml { view }.render()?)
        }
    };
    encode(lead, VISITOR, (subject, text, html), Origin::Replied, mail_context, now)
}

/// Composes the email with the e-brochure that a visitor asked for; `None` as for the confirmation.
///
/// # Errors
/// [`ComposeError`]; no known lead causes it.
pub fn brochure_mail(
    lead: &Lead,
    brochure: &Brochure,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    let view = &VisitorView::new(lead, Some(brochure), mail_context);
    let subject = match lead.language {
        Language::English => "Your Zyon Grand e-brochure",
        Language::Chinese => "您的 Zyon Grand 电子宣传册",
    };
    let content = (subject, BrochureText { view }.render()?, BrochureHtml { view }.render()?);
    encode(lead, BROCHURE, content, Origin::Generated, mail_context, now)
}

/// `name` is the CRM's name of the recipient.
fn encode(
    lead: &Lead,
    name: &str,
    (subject, text, html): (&str, String, String),
    origin: Origin,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    let MailContext { sender, bounces, replies, .. } = mail_context;
    let address = view::header_address(lead).filter(|address| is_of_visitor(address, &sender.email));
    let Some(visitor) = address else { return Ok(None) };
    let mail = MessageBuilder {
        message_id: MessageId::for_named(lead.id, name, &sender.email),
        content: MailContent { subject: format!("{subject} · {}", lead.reference), text, html, aside: None },
        sender,
        recipient: &visitor,
        reply_to: replies.clone().map(|address| Mailbox::new(None, address)),
        thread: None,
        unsubscribe: Some(withdrawal_link(lead, "functions/v1/withdraw", mail_context)),
        origin,
        now,
    }
    .encode()?;
    Ok(Some(Mail { sender: bounces.clone().unwrap_or(mail.sender), ..mail }))
}

fn withdrawal_link(lead: &Lead, path: &str, mail_context: &MailContext) -> String {
    let token = WithdrawalToken { lead: lead.id }.sign(&mail_context.withdrawal_keys);
    let language = match lead.language {
        Language::English => "",
        Language::Chinese => "&lang=zh",
    };
    format!("{}/{path}?token={token}{language}", mail_context.site)
}

/// Whether emails to visitors may go to this address: not to a role, and not to the domain of the sender, whose mailboxes
/// are our own.
fn is_of_visitor(address: &Address, sender: &Address) -> bool {
    let local_part = address.user().to_ascii_lowercase();
    !ROLES.contains(&local_part.as_str()) && !address.domain().eq_ignore_ascii_case(sender.domain())
}
