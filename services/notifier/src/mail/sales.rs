//! The mail to sales about one lead.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{
    Lead,
    recipient::{ERASURE, WITHDRAWAL},
};
use lettre::Address;

use super::{
    headers::{self, Origin},
    local_time::LocalTime,
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageBuilder},
    message_id::MessageId,
    notes::{self, FollowUp, Related},
    reach::Reach,
    shown::Shown,
    typed,
};

/// Characters of the question in the preheader.
const GLIMPSE: usize = 50;

#[derive(Template)]
#[template(path = "sales.txt")]
struct Text<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "sales.html")]
struct Html<'a> {
    view: &'a View<'a>,
}

/// What a reply must not quote to the visitor.
#[derive(Template)]
#[template(path = "sales-aside.txt")]
struct Aside<'a> {
    view: &'a View<'a>,
}

struct View<'a> {
    subject: String,
    preheader: String,
    lead: Shown<'a>,
    reach: Reach<'a>,
    /// Takes the place of the links to call and to message.
    do_not_contact: Option<[String; 2]>,
    /// What the visitor agreed to; empty without a number to call.
    channels: &'static str,
    follow_up: Option<FollowUp<'a>>,
    same_number: Option<String>,
    automatic: Option<String>,
    /// `Sun 1 Mar 2026, 12:05`
    day_and_time: String,
    /// `Sun 1 Mar 2026, 12:05 (Singapore, UTC+8)`
    received: String,
    can_reply: bool,
    /// Requested for one recipient, who gets a log-in link if they are in the team.
    is_personal: bool,
    /// The lead's page at the desk.
    desk: Option<String>,
    /// Whether the link to the desk can log a browser in.
    can_log_in: bool,
}

/// Why an email about a lead is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    NewLead,
    /// Somebody sent the lead to a person, or made them its owner.
    Assignment,
    /// The visitor withdrew their consent to be contacted.
    Withdrawal,
    /// The visitor requested the erasure of their data.
    Erasure,
}

impl Occasion {
    /// From the CRM's name of a requested recipient.
    fn of(request: Option<&str>) -> Self {
        match request {
            None => Self::NewLead,
            Some(name) if name.starts_with(WITHDRAWAL) => Self::Withdrawal,
            Some(name) if name.starts_with(ERASURE) => Self::Erasure,
            Some(_) => Self::Assignment,
        }
    }
}

/// Writes the email about the lead. It joins the thread of emails about the same person's earlier leads. `request` is the
/// CRM's name of a requested recipient.
///
/// # Errors
/// [`ComposeError`]; no known lead causes it.
pub fn sales(
    lead: &Lead,
    related: &Related,
    recipient: &Address,
    request: Option<&str>,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let sender = &mail_context.sender;
    // A reply quotes the mail: one whose link signs a browser in must not go to the visitor.
    let reply_to = headers::reply_to(lead).filter(|_| request.is_none());
    let message_id = match request {
        None => MessageId::new(lead.id, recipient, &sender.email),
        Some(name) => MessageId::for_named(lead.id, name, &sender.email),
    };
    let signs_in = reply_to.is_none().then(|| message_id.id());
    let desk = mail_context.desk_link(recipient, lead.id, signs_in, now);
    let shown = Shown(lead);
    let subject = format!("{} · {} · {}", shown.kind(), shown.name(), lead.reference);
    let zone = mail_context.time_zone;
    let occasion = Occasion::of(request);
    let do_not_contact = notes::do_not_contact(related.do_not_contact_at, occasion, zone);
    let mark = if do_not_contact.is_some() { "Do not contact · " } else { "" };
    let subject = match occasion {
        Occasion::NewLead => format!("{mark}{subject}"),
        Occasion::Assignment => format!("For you: {mark}{subject}"),
        Occasion::Withdrawal => format!("Consent withdrawn: {subject}"),
        Occasion::Erasure => format!("Erasure requested: {subject}"),
    };
    let mut reach = Reach::of(lead);
    if occasion == Occasion::Withdrawal {
        reach.mailbox = None;
    }
    let received = LocalTime::new(lead.submitted_at, zone);
    let view = &View {
        subject,
        preheader: preheader(shown, do_not_contact.is_some()),
        do_not_contact,
        lead: shown,
        channels: reach.telephone.as_ref().map_or("", |_| notes::channels(&lead.channels)),
        reach,
        follow_up: FollowUp::to(&related.earlier, zone),
        same_number: notes::same_number(&related.same_number),
        automatic: notes::automatic(lead),
        day_and_time: format!("{}, {}", received.date(), received.time()),
        received: received.in_full(),
        can_reply: reply_to.is_some(),
        is_personal: request.is_some(),
        can_log_in: signs_in.is_some() && desk.is_some(),
        desk,
    };
    let content = MailContent {
        subject: view.subject.clone(),
        text: Text { view }.render()?,
        html: Html { view }.render()?,
        aside: Some((format!("{}.txt", lead.reference), Aside { view }.render()?)),
    };
    MessageBuilder {
        message_id,
        content,
        sender,
        recipient,
        reply_to,
        thread: related.earlier.first().map(|first| MessageId::new(first.id, recipient, &sender.email)),
        unsubscribe: None,
        origin: Origin::Generated,
        now,
    }
    .encode()
}

/// The text that inboxes show beside the subject: number, language, and the start of the question.
fn preheader(lead: Shown<'_>, do_not_contact: bool) -> String {
    let asked = lead.question().map(|question| {
        let words = question.lines().collect::<Vec<_>>().join(" ");
        format!(" · {}", typed::shortened(words.trim(), GLIMPSE))
    });
    let mobile = if do_not_contact { String::new() } else { format!("{} · ", lead.mobile()) };
    format!("{mobile}{}{}", lead.language(), asked.unwrap_or_default())
}
