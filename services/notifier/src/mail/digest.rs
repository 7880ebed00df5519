//! The digest: one mail to sales about many leads.

use askama::Template;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Interest, Language, Lead};
use lettre::Address;

use super::{
    headers::Origin,
    local_time::{self, LocalTime},
    mail_context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageBuilder},
    message_id::MessageId,
    notes,
    reach::Reach,
    shown::{Shown, leading},
};

#[derive(Template)]
#[template(path = "digest.txt")]
struct Text<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "digest.html")]
struct Html<'a> {
    view: &'a View<'a>,
}

struct View<'a> {
    title: String,
    when: String,
    counts: String,
    /// Leads with one spam signal at most, then those with more; each group oldest first.
    groups: [Vec<Entry<'a>>; 2],
    has_desk: bool,
}

struct Entry<'a> {
    lead: Shown<'a>,
    reach: Reach<'a>,
    automatic: Option<String>,
    time: String,
    /// The lead's page at the desk.
    desk: Option<String>,
}

/// Writes the digest of `leads`, which must not be empty.
///
/// # Errors
/// [`ComposeError`]; no known leads cause it.
pub fn digest(
    leads: &[&Lead],
    recipient: &Address,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let (sender, zone) = (&mail_context.sender, mail_context.time_zone);
    let mut leads = leads.to_vec();
    leads.sort_by_key(|lead| (lead.submitted_at, lead.id));
    let local_time = |lead: Option<&&Lead>| LocalTime::new(lead.map_or(now, |lead| lead.submitted_at), zone);
    let (first, last) = (local_time(leads.first()), local_time(leads.last()));
    let message_id = MessageId::for_digest(leads.iter().map(|lead| lead.id), recipient, &sender.email);
    let desk = |lead: &Lead| mail_context.desk_link(recipient, lead.id, Some(message_id.id()), now);
    let entry = |lead| Entry { desk: desk(lead), ..Entry::of(lead, first, last, zone) };
    let (automatic, personal): (Vec<_>, Vec<_>) = leads.iter().partition(|lead| lead.signals.len() > 1);
    let title = format!("{} {}", leads.len(), if leads.len() == 1 { "enquiry" } else { "enquiries" });
    let groups: [Vec<Entry<'_>>; 2] =
        [personal, automatic].map(|group: Vec<&Lead>| group.into_iter().map(entry).collect());
    let view = &View {
        when: when(first, last),
        counts: counts(&leads),
        has_desk: groups.iter().flatten().any(|entry| entry.desk.is_some()),
        groups,
        title,
    };
    let content = MailContent {
        subject: format!("{}, {} · Zyon Grand", view.title, local_time::span(first, last)),
        text: Text { view }.render()?,
        html: Html { view }.render()?,
        aside: None,
    };
    MessageBuilder {
        message_id,
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
    fn of(lead: &'a Lead, first: LocalTime, last: LocalTime, zone: Tz) -> Self {
        let local_time = LocalTime::new(lead.submitted_at, zone);
        let time = if first.day() == last.day() {
            local_time.time()
        } else {
            format!("{}, {}", local_time.short_date(), local_time.time())
        };
        Self {
            lead: Shown(lead),
            reach: Reach::of(lead),
            automatic: notes::automatic(lead),
            time,
            desk: None,
        }
    }
}

/// `Sun 1 Mar 2026, 14:00–14:10 (Singapore, UTC+8)`
fn when(first: LocalTime, last: LocalTime) -> String {
    let span = local_time::span(first, last);
    if first.day() == last.day() {
        format!("{}, {span} ({})", first.date(), first.zone())
    } else {
        format!("{span} ({})", first.zone())
    }
}

/// `5 purchase · 4 show flat preview · 3 brochure · 7 in Chinese · 2 look automated`, without zero counts.
fn counts(leads: &[&Lead]) -> String {
    let count = |matches: &dyn Fn(&Lead) -> bool| leads.iter().filter(|lead| matches(lead)).count();
    let leading = |interest| count(&|lead| leading(lead) == Some(interest));
    let automatic = count(&|lead| lead.signals.len() > 1);
    [
        (leading(Interest::Purchase), "purchase"),
        (leading(Interest::Showflat), "show flat preview"),
        (leading(Interest::Brochure), "brochure"),
        (count(&|lead| lead.language == Language::Chinese), "in Chinese"),
        (automatic, if automatic == 1 { "looks automated" } else { "look automated" }),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect::<Vec<_>>()
    .join(" · ")
}
