//! The email to the sales team about one lead.

use std::fmt;

use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lead::{
    Channel, Interest, Language, Lead, NoticeKind, PhoneNumber, Recipient, Reference, RequestKind,
    SpamSignal, text::Line,
};
use lettre::{Address, message::Mailbox};
use serde::Deserialize;
use tokens::{LOGIN_WINDOW, Login, Person, REQUESTED_LOGIN_WINDOW};
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
    /// What the visitor agreed to after sending the form, oldest first. Only for the emails about it.
    pub later_consents: Vec<LaterConsent>,
}

#[derive(Clone, Deserialize)]
pub struct LaterConsent {
    /// Sorted, without duplicates.
    pub channels: Vec<Channel>,
    pub recorded_at: DateTime<Utc>,
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
    /// Time since the lead was submitted.
    wait: TimeDelta,
}

impl SalesView<'_> {
    /// The number for a link, unless the visitor must not be contacted over the channel.
    fn number_for(&self, channel: Channel) -> Option<&PhoneNumber> {
        self.lead
            .number_for(channel)
            .filter(|_| !self.do_not_contact)
    }

    /// Whether the visitor sent this enquiry, and agreed to calls or messages with it, after the lead's mark began. The
    /// mark stays, because anybody can send an enquiry with the visitor's address.
    fn has_agreed_again(&self) -> bool {
        let form = self.lead.form;
        let marked_at = self.related.do_not_contact_at;
        self.occasion == Occasion::Enquiry
            && !form.channels.is_empty()
            && marked_at.is_some_and(|since| since < form.submitted_at)
    }

    /// `12 Feb 2026`
    fn date(&self, time: &DateTime<Utc>) -> impl fmt::Display {
        time.with_timezone(&self.zone)
            .format(self.lead.t("%-d %b %Y", "%Y年%-m月%-d日"))
    }

    fn received(&self) -> impl fmt::Display {
        self.moment(&self.lead.form.submitted_at)
    }

    /// `Sun 1 Mar 2026, 12:05`
    fn moment(&self, time: &DateTime<Utc>) -> impl fmt::Display {
        let format = self.lead.t("%a %-d %b %Y, %H:%M", "%Y年%-m月%-d日 %H:%M");
        time.with_timezone(&self.zone).format(format)
    }

    /// The consents of the email's occasion.
    fn later_consents(&self) -> &[LaterConsent] {
        match self.occasion {
            Occasion::Consent => &self.related.later_consents,
            Occasion::Enquiry | Occasion::Reminder | Occasion::Withdrawal | Occasion::Erasure => {
                &[]
            }
        }
    }
}

/// The reason for an email about a lead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    /// The lead is new, or was assigned or sent to the recipient.
    Enquiry,
    /// Nobody has contacted the visitor.
    Reminder,
    /// The visitor withdrew consent to be contacted.
    Withdrawal,
    /// The visitor requested the erasure of their data.
    Erasure,
    /// The visitor agreed to calls or messages after they had sent the form.
    Consent,
}

impl Occasion {
    fn from_request(request: Option<&Recipient>) -> Self {
        match request {
            Some(Recipient::SalesNotice { kind, .. }) => match kind {
                NoticeKind::Withdrawal => Self::Withdrawal,
                NoticeKind::Erasure => Self::Erasure,
                NoticeKind::Consent => Self::Consent,
            },
            Some(Recipient::Reminder(_)) => Self::Reminder,
            Some(_) | None => Self::Enquiry,
        }
    }

    /// Whether the visitor asked not to be contacted.
    fn forbids_contact(self) -> bool {
        match self {
            Self::Withdrawal | Self::Erasure => true,
            Self::Enquiry | Self::Reminder | Self::Consent => false,
        }
    }
}

impl<'a> SalesView<'a> {
    /// A view without a reply and without a link to the desk.
    fn new(
        lead: &'a Lead,
        related: &'a RelatedLeads,
        occasion: Occasion,
        person: Option<&'a Person>,
        zone: Tz,
    ) -> Self {
        let mut lead_view = LeadView::new(lead, person.map(Person::language).unwrap_or_default());
        if occasion == Occasion::Withdrawal {
            lead_view.mailbox = None;
        }
        let do_not_contact = occasion.forbids_contact() || related.do_not_contact_at.is_some();
        Self {
            lead: lead_view,
            related,
            occasion,
            do_not_contact,
            has_number_note: related.number_withdrawn_at.is_some() && !do_not_contact,
            zone,
            by: person.map(Person::name),
            can_reply: false,
            is_personal: false,
            desk: None,
            can_log_in: false,
            wait: TimeDelta::zero(),
        }
    }
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
    let address = recipient.to_string().to_ascii_lowercase();
    let message_id = |lead, name: &str| MessageId::new(lead, name, &context.mail_from.email);
    let own_name = request.map_or_else(|| address.clone(), Recipient::to_string);
    let own_id = message_id(lead.id, &own_name);
    // A requested email may contain a login link, which a reply must not quote to the visitor.
    let reply_to = if request.is_none() {
        reply_to(lead)
    } else {
        None
    };
    let login = reply_to.is_none().then(|| Login {
        email: own_id.id,
        until: now + logs_in_for(request),
    });
    let person = context.people.find_by_email(recipient.as_ref());
    let desk = context.desk_link(person, lead.id, login, now);
    let occasion = Occasion::from_request(request);
    let view = &SalesView {
        can_reply: reply_to.is_some(),
        is_personal: request.is_some(),
        can_log_in: reply_to.is_none() && desk.is_some(),
        desk,
        wait: (now - lead.submitted_at).max(TimeDelta::zero()),
        ..SalesView::new(lead, related, occasion, person, context.time_zone)
    };
    if is_login(request) && view.can_log_in {
        // Not in the lead's thread, where mail programs would hide the email.
        return login_content(view)?.encode(own_id, context, recipient, now);
    }
    let thread = related
        .earlier
        .first()
        .map(|first| message_id(first.id, &address));
    MailContent {
        reply_to,
        thread,
        ..lead_content(view)?
    }
    .encode(own_id, context, recipient, now)
}

fn login_content(view: &SalesView<'_>) -> Result<MailContent, ComposeError> {
    Ok(MailContent {
        html: LoginHtml { view }.render()?,
        ..MailContent::titled(LoginText { view }.render()?)
    })
}

fn lead_content(view: &SalesView<'_>) -> Result<MailContent, ComposeError> {
    let name = format!("{}.txt", view.lead.form.reference);
    Ok(MailContent {
        html: SalesHtml { view }.render()?,
        aside: Some((name, SalesAside { view }.render()?)),
        ..MailContent::titled(SalesText { view }.render()?)
    })
}

fn is_login(request: Option<&Recipient>) -> bool {
    matches!(
        request,
        Some(Recipient::Requested {
            kind: RequestKind::Login,
            ..
        })
    )
}

/// How long the link of an email logs in.
fn logs_in_for(request: Option<&Recipient>) -> TimeDelta {
    if is_login(request) {
        REQUESTED_LOGIN_WINDOW
    } else {
        LOGIN_WINDOW
    }
}

/// Name and address of the visitor; `None` if the address is not allowed in a header.
fn reply_to(lead: &Lead) -> Option<Mailbox> {
    let name = escape_encoded_words(lead.name.line().as_str());
    Some(Mailbox::new(Some(name), view::header_address(lead)?))
}
