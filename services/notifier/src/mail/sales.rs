//! The email to the sales team about one lead.

use std::fmt;

use askama::Template;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{
    Channel, Interest, Language, Lead, NoticeKind, PhoneNumber, Recipient, Reference, RequestKind,
    SpamSignal, text::Line,
};
use lettre::{Address, message::Mailbox};
use serde::Deserialize;
use tokens::{LOGS_IN_FOR, Login, Person, REQUESTED_LOGS_IN_FOR};
use uuid::Uuid;

use super::{
    context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageId, escape_encoded_words},
    view::{self, LeadView},
};

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct RelatedLeads {
    /// Earlier leads of the same mailbox, oldest first.
    pub earlier: Vec<EarlierLead>,
    /// Leads with the same phone number from other mailboxes, newest first.
    pub same_number: Vec<Reference>,
    /// When the visitor of another mailbox with the same phone number asked not to be contacted.
    pub number_withdrawn_at: Option<DateTime<Utc>>,
    /// When the lead was marked as do not contact.
    pub do_not_contact_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Deserialize)]
pub struct EarlierLead {
    pub id: Uuid,
    pub reference: Reference,
    pub submitted_at: DateTime<Utc>,
}

templates! { SalesView:
    SalesText = "sales.txt",
    SalesHtml = "sales.html",
    // Details that a reply must not quote to the visitor.
    SalesAside = "sales-aside.txt",
    LoginText = "login.txt",
    LoginHtml = "login.html",
}

struct SalesView<'a> {
    lead: LeadView<'a>,
    related: &'a RelatedLeads,
    occasion: Occasion,
    /// Whether a note replaces the call and message links.
    do_not_contact: bool,
    /// Whether to read the attached note on the phone number before a call.
    has_number_note: bool,
    zone: Tz,
    /// Name of the recipient, if in the team.
    by: Option<&'a str>,
    can_reply: bool,
    /// Whether the email was requested for this recipient.
    is_personal: bool,
    /// Magic link to the lead's page at the desk.
    desk: Option<String>,
    /// Whether the magic link can log in.
    can_log_in: bool,
}

impl SalesView<'_> {
    /// The number for a link, unless the visitor must not be contacted over the channel.
    fn number_for(&self, channel: Channel) -> Option<&PhoneNumber> {
        self.lead
            .number_for(channel)
            .filter(|_| !self.do_not_contact)
    }

    /// `12 Feb 2026`
    fn date(&self, time: &DateTime<Utc>) -> impl fmt::Display {
        time.with_timezone(&self.zone)
            .format(self.lead.t("%-d %b %Y", "%Y年%-m月%-d日"))
    }

    /// `Sun 1 Mar 2026, 12:05`
    fn received(&self) -> impl fmt::Display {
        let format = self.lead.t("%a %-d %b %Y, %H:%M", "%Y年%-m月%-d日 %H:%M");
        self.lead
            .form
            .submitted_at
            .with_timezone(&self.zone)
            .format(format)
    }
}

/// The reason for an email about a lead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    /// The lead is new, or was assigned or sent to the recipient.
    Enquiry,
    /// The visitor withdrew consent to be contacted.
    Withdrawal,
    /// The visitor requested the erasure of their data.
    Erasure,
}

/// Composes the email about a lead, in the thread of the same mailbox's earlier leads. `request` is the
/// recipient in the CRM if the routes do not name it.
pub fn sales(
    lead: &Lead,
    related: &RelatedLeads,
    recipient: &Address,
    request: Option<&Recipient>,
    context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let MailContext {
        mail_from,
        time_zone: zone,
        ..
    } = context;
    let occasion = match request {
        Some(Recipient::SalesNotice { kind, .. }) => match kind {
            NoticeKind::Withdrawal => Occasion::Withdrawal,
            NoticeKind::Erasure => Occasion::Erasure,
        },
        Some(_) | None => Occasion::Enquiry,
    };
    let address = recipient.to_string().to_ascii_lowercase();
    let message_id = |lead, name: &str| MessageId::new(lead, name, &mail_from.email);
    let own_name = request.map_or_else(|| address.clone(), Recipient::to_string);
    let own_id = message_id(lead.id, &own_name);
    let person = context.people.find_by_email(recipient.as_ref());
    // A requested email may contain a link that logs in, which a reply must not quote to the visitor.
    let reply_to = if request.is_none() {
        reply_to(lead)
    } else {
        None
    };
    let is_login = matches!(
        request,
        Some(Recipient::Requested {
            kind: RequestKind::Login,
            ..
        })
    );
    let until = now
        + if is_login {
            REQUESTED_LOGS_IN_FOR
        } else {
            LOGS_IN_FOR
        };
    let login = reply_to.is_none().then_some(Login {
        email: own_id.id,
        until,
    });
    let desk = context.desk_link(person, lead.id, login, now);
    let mut lead_view = LeadView::new(lead, person.map(Person::language).unwrap_or_default());
    if occasion == Occasion::Withdrawal {
        lead_view.mailbox = None;
    }
    let do_not_contact = occasion != Occasion::Enquiry || related.do_not_contact_at.is_some();
    let view = &SalesView {
        lead: lead_view,
        related,
        occasion,
        do_not_contact,
        has_number_note: related.number_withdrawn_at.is_some() && !do_not_contact,
        zone: *zone,
        by: person.map(Person::name),
        can_reply: reply_to.is_some(),
        is_personal: request.is_some(),
        can_log_in: reply_to.is_none() && desk.is_some(),
        desk,
    };
    if is_login && view.can_log_in {
        let text = LoginText { view }.render()?;
        // Not in the lead's thread, where mail programs would hide the email.
        let login = MailContent {
            html: LoginHtml { view }.render()?,
            ..MailContent::titled(text)
        };
        return login.encode(own_id, context, recipient, now);
    }
    MailContent {
        html: SalesHtml { view }.render()?,
        aside: Some((
            format!("{}.txt", lead.reference),
            SalesAside { view }.render()?,
        )),
        reply_to,
        thread: related
            .earlier
            .first()
            .map(|first| message_id(first.id, &address)),
        ..MailContent::titled(SalesText { view }.render()?)
    }
    .encode(own_id, context, recipient, now)
}

/// Name and address of the visitor; `None` if the address is not allowed in a header.
fn reply_to(lead: &Lead) -> Option<Mailbox> {
    let name = escape_encoded_words(lead.name.line().as_str());
    Some(Mailbox::new(Some(name), view::header_address(lead)?))
}
