//! The mail of the leads that nobody has contacted yet.

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

/// More than that nobody calls in a morning.
const MOST: usize = 50;

/// A lead that nobody has contacted yet.
#[derive(Clone)]
pub struct Uncontacted {
    pub lead: Lead,
    /// Whose it is, if anybody's.
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
    /// How many wait besides.
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

/// Writes the mail that reminds `recipient` of leads that nobody has contacted: of `total`, those that are given,
/// the first 50 of them at most, the oldest first.
///
/// # Errors
/// [`ComposeError`], for no leads that are known.
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
