//! The email to the sales team about one lead.

use askama::Template;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{
    Lead, Reference,
    recipient::{ERASURE, WITHDRAWAL},
};
use lettre::{Address, message::Mailbox};
use serde::Deserialize;
use uuid::Uuid;

use super::{
    context::MailContext,
    local_time::{self, DATE_AND_TIME, DATE_WITHOUT_WEEKDAY},
    message::{ComposeError, Mail, MailContent, MessageBuilder, Origin, without_encoded_words},
    message_id::MessageId,
    view::{self, LeadView},
};

/// Characters of the question in the preheader.
const GLIMPSE: usize = 50;

/// What the CRM stores about a lead's sender.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct Related {
    /// Earlier leads of the same person, oldest first.
    pub earlier: Vec<Earlier>,
    /// Leads with the same telephone number from other people, newest first.
    pub same_number: Vec<Reference>,
    /// When the sender was marked as not to be contacted.
    pub do_not_contact_at: Option<DateTime<Utc>>,
}

/// An earlier enquiry of the same person.
#[derive(Clone, Deserialize)]
pub struct Earlier {
    pub id: Uuid,
    pub reference: Reference,
    pub submitted_at: DateTime<Utc>,
}

templates! { SalesView:
    SalesText = "sales.txt",
    SalesHtml = "sales.html",
    // What a reply must not quote to the visitor.
    SalesAside = "sales-aside.txt",
}

struct SalesView<'a> {
    subject: String,
    preheader: String,
    lead: LeadView<'a>,
    related: &'a Related,
    /// Takes the place of the links to call and to message: the request, and what to do.
    do_not_contact: Option<[String; 2]>,
    follow_up: Option<FollowUp<'a>>,
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

/// The note about earlier enquiries.
struct FollowUp<'a> {
    /// `3rd enquiry`
    count: String,
    /// Date of the first enquiry: `12 Feb 2026`.
    date: String,
    reference: &'a Reference,
}

/// Why an email about a lead is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    NewLead,
    /// Somebody sent the lead to a person, or made them its owner.
    Assignment,
    /// The visitor withdrew their consent to be contacted.
    Withdrawal,
    /// The visitor requested the erasure of their data.
    Erasure,
}

/// Composes the email about the lead. It joins the thread of emails about the same person's earlier leads. `request` is the
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
    let MailContext { sender, time_zone: zone, .. } = mail_context;
    let occasion = Occasion::from_request(request);
    // A personal mail may have a link that logs in: no reply may quote it to the visitor.
    let reply_to = if request.is_none() { reply_to(lead) } else { None };
    let message_id = match request {
        None => MessageId::new(lead.id, recipient, &sender.email),
        Some(name) => MessageId::for_named(lead.id, name, &sender.email),
    };
    let signs_in = reply_to.is_none().then(|| message_id.id());
    let desk = mail_context.desk_link(recipient, lead.id, signs_in, now);
    let do_not_contact = do_not_contact(related.do_not_contact_at, occasion, *zone);
    let mut lead_view = LeadView::new(lead);
    if occasion == Occasion::Withdrawal {
        lead_view.mailbox = None;
    }
    let received = lead.submitted_at.with_timezone(zone);
    let view = &SalesView {
        subject: subject(&lead_view, occasion, do_not_contact.is_some()),
        preheader: preheader(&lead_view, do_not_contact.is_some()),
        lead: lead_view,
        related,
        do_not_contact,
        follow_up: FollowUp::new(&related.earlier, *zone),
        day_and_time: received.format(DATE_AND_TIME).to_string(),
        received: local_time::in_full(received),
        can_reply: reply_to.is_some(),
        is_personal: request.is_some(),
        can_log_in: signs_in.is_some() && desk.is_some(),
        desk,
    };
    let content = MailContent {
        subject: view.subject.clone(),
        text: SalesText { view }.render()?,
        html: SalesHtml { view }.render()?,
        aside: Some((format!("{}.txt", lead.reference), SalesAside { view }.render()?)),
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

impl Occasion {
    fn from_request(request: Option<&str>) -> Self {
        match request {
            None => Self::NewLead,
            Some(name) if name.starts_with(WITHDRAWAL) => Self::Withdrawal,
            Some(name) if name.starts_with(ERASURE) => Self::Erasure,
            Some(_) => Self::Assignment,
        }
    }
}

/// The visitor with their address; `None` when no header can hold it.
fn reply_to(lead: &Lead) -> Option<Mailbox> {
    let name = without_encoded_words(lead.name.line().as_str());
    Some(Mailbox::new(Some(name), view::header_address(lead)?))
}

fn subject(lead: &LeadView<'_>, occasion: Occasion, is_not_to_be_contacted: bool) -> String {
    let subject = format!("{} · {} · {}", lead.kind(), lead.name(), lead.reference());
    let mark = if is_not_to_be_contacted { "Do not contact · " } else { "" };
    match occasion {
        Occasion::NewLead => format!("{mark}{subject}"),
        Occasion::Assignment => format!("For you: {mark}{subject}"),
        Occasion::Withdrawal => format!("Consent withdrawn: {subject}"),
        Occasion::Erasure => format!("Erasure requested: {subject}"),
    }
}

/// The text that inboxes show beside the subject: number, language, and the start of the question.
fn preheader(lead: &LeadView<'_>, is_not_to_be_contacted: bool) -> String {
    let question = lead.question().map(|question| {
        let words = question.lines().collect::<Vec<_>>().join(" ");
        format!(" · {}", view::shortened(words.trim(), GLIMPSE))
    });
    let mobile = if is_not_to_be_contacted { String::new() } else { format!("{} · ", lead.mobile()) };
    format!("{mobile}{}{}", lead.language(), question.unwrap_or_default())
}

/// What the visitor asked for and what sales must do; `None` when the visitor may be contacted.
fn do_not_contact(since: Option<DateTime<Utc>>, occasion: Occasion, zone: Tz) -> Option<[String; 2]> {
    let asked = match since.map(|since| since.with_timezone(&zone).format(DATE_WITHOUT_WEEKDAY)) {
        Some(date) => format!("On {date} this person asked not to be contacted."),
        None => "This person asked not to be contacted.".to_owned(),
    };
    match occasion {
        Occasion::Withdrawal => Some([asked, "Do not call, message or email.".to_owned()]),
        Occasion::Erasure => Some([
            "This person asked us to erase their details, and not to contact them.".to_owned(),
            "Ask your administrator to erase them, and confirm it by email within 30 days.".to_owned(),
        ]),
        Occasion::NewLead | Occasion::Assignment => {
            since.map(|_| [asked, "Do not call or message. Answer this enquiry by email only.".to_owned()])
        }
    }
}

impl<'a> FollowUp<'a> {
    /// `None` without an earlier enquiry.
    fn new(earlier: &'a [Earlier], zone: Tz) -> Option<Self> {
        let first = earlier.first()?;
        Some(Self {
            count: format!("{} enquiry", ordinal(earlier.len() + 1)),
            date: first.submitted_at.with_timezone(&zone).format(DATE_WITHOUT_WEEKDAY).to_string(),
            reference: &first.reference,
        })
    }
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_english() {
        let ordinals: Vec<_> = [2, 3, 4, 11, 12, 13, 21, 22, 103, 111].map(ordinal).into();
        assert_eq!(ordinals, ["2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "103rd", "111th"]);
    }
}
