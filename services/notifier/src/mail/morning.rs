//! The morning mail about uncontacted leads.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{Lead, text::Line};
use lettre::Address;

use super::{
    headers::Origin,
    local_time::{self, LocalTime},
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageBuilder},
    message_id::MessageId,
    notes,
    reach::Reach,
    shown::Shown,
};

/// Leads listed at most; more cannot be called in one morning.
const MOST: usize = 50;

#[derive(Clone)]
pub struct Uncontacted {
    pub lead: Lead,
    /// The member of staff in charge, if assigned.
    pub owner: Option<Line>,
}

#[derive(Template)]
#[template(path = "morning.txt")]
struct Text<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "morning.html")]
struct Html<'a> {
    view: &'a View<'a>,
}

struct View<'a> {
    title: String,
    today: String,
    preheader: String,
    entries: Vec<Entry<'a>>,
    /// Leads that are waiting but not listed.
    more: usize,
}

struct Entry<'a> {
    lead: Shown<'a>,
    reach: Reach<'a>,
    automatic: Option<String>,
    /// `waits 26 h`
    waiting: String,
    owner: Option<&'a str>,
}

/// Writes the mail about uncontacted leads. It lists at most 50 of `leads`, the oldest first, and counts the rest of
/// `total`.
///
/// # Errors
/// [`ComposeError`]; no known leads cause it.
pub fn morning(
    leads: &[Uncontacted],
    total: usize,
    recipient: &Address,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let sender = &mail_context.sender;
    let today = LocalTime::new(now, mail_context.time_zone);
    let mut oldest_first: Vec<_> = leads.iter().collect();
    oldest_first.sort_by_key(|uncontacted| (uncontacted.lead.submitted_at, uncontacted.lead.id));
    let entries: Vec<_> = oldest_first.into_iter().take(MOST).map(|it| Entry::of(it, now)).collect();
    let total = total.max(leads.len());
    let preheader = entries.iter().take(1).map(|entry| format!("The first {}", entry.waiting)).collect();
    let view = &View {
        title: match total {
            1 => "1 enquiry waits for a call".to_owned(),
            _ => format!("{total} enquiries wait for a call"),
        },
        today: today.date(),
        preheader,
        more: total - entries.len(),
        entries,
    };
    let content = MailContent {
        subject: format!("{} · {} · Zyon Grand", view.title, today.short_date()),
        text: Text { view }.render()?,
        html: Html { view }.render()?,
        aside: None,
    };
    MessageBuilder {
        message_id: MessageId::for_morning(today.day(), recipient, &sender.email),
        content,
        sender,
        recipient,
        reply_to: None,
        thread: None,
        origin: Origin::Generated,
        now,
    }
    .encode()
}

impl<'a> Entry<'a> {
    fn of(uncontacted: &'a Uncontacted, now: DateTime<Utc>) -> Self {
        let lead = &uncontacted.lead;
        Self {
            lead: Shown(lead),
            reach: Reach::of(lead),
            automatic: notes::automatic(lead),
            waiting: format!("waits {}", local_time::wait(now - lead.submitted_at)),
            owner: uncontacted.owner.as_ref().map(|owner| owner.as_str()),
        }
    }
}
