//! The morning mail about what is due today and about uncontacted leads.

use askama::Template;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
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

/// Leads of each kind listed at most; more cannot be called in one morning.
const MOST: usize = 50;

/// A lead that somebody is to do something about.
#[derive(Clone)]
pub struct Waiting {
    pub lead: Lead,
    /// The member of staff in charge, if assigned.
    pub owner: Option<Line>,
    /// What is to be done, and when; `None`: nobody has contacted the visitor.
    pub next_step: Option<(Step, DateTime<Utc>)>,
}

/// What comes next for a lead.
#[derive(Clone, Copy)]
pub enum Step {
    /// Nobody answered.
    TryAgain,
    CallAgain,
    Visit,
}

/// What a morning mail is about.
#[derive(Clone, Default)]
pub struct Backlog {
    /// Leads whose next step is due.
    pub due: Group,
    /// Uncontacted leads.
    pub new: Group,
}

#[derive(Clone, Default)]
pub struct Group {
    /// The most urgent, those first.
    first: Vec<Waiting>,
    total: usize,
}

impl Group {
    pub fn of(leads: impl IntoIterator<Item = Waiting>) -> Self {
        let mut group = Self::default();
        group.add(leads);
        group
    }

    /// Counts all, and keeps those to be listed.
    pub fn add(&mut self, leads: impl IntoIterator<Item = Waiting>) {
        let before = self.first.len();
        self.first.extend(leads);
        self.total += self.first.len() - before;
        self.first.sort_by_key(|it| (it.next_step.map(|(_, at)| at), it.lead.submitted_at, it.lead.id));
        self.first.truncate(MOST);
    }

    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }
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
    /// Due today, then uncontacted.
    groups: [Listed<'a>; 2],
    has_desk: bool,
}

struct Listed<'a> {
    entries: Vec<Entry<'a>>,
    /// Leads that are not listed.
    more: usize,
}

struct Entry<'a> {
    lead: Shown<'a>,
    reach: Reach<'a>,
    automatic: Option<String>,
    /// `waiting 26 h`, `visit at 15:00`
    waiting: String,
    owner: Option<&'a str>,
    /// The lead's page at the desk.
    desk: Option<String>,
}

/// Writes the mail about what is due and about uncontacted leads: the most urgent of each, and the number of all others.
///
/// # Errors
/// [`ComposeError`]; no known leads cause it.
pub fn morning(
    backlog: &Backlog,
    recipient: &Address,
    mail_context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let (sender, zone) = (&mail_context.sender, mail_context.time_zone);
    let today = LocalTime::new(now, zone);
    let message_id = MessageId::for_morning(today.day(), recipient, &sender.email);
    let desk = |lead: &Lead| mail_context.desk_link(recipient, lead.id, Some(message_id.id()), now);
    let groups = [&backlog.due, &backlog.new].map(|group| {
        let entries = group.first.iter().map(|it| Entry { desk: desk(&it.lead), ..Entry::of(it, now, zone) });
        Listed { entries: entries.collect(), more: group.total - group.first.len() }
    });
    let waiting = match backlog.new.total {
        0 => None,
        1 => Some("1 enquiry waiting for a call".to_owned()),
        total => Some(format!("{total} enquiries waiting for a call")),
    };
    let due_today = Some(backlog.due.total).filter(|total| *total > 0);
    let due_today = due_today.map(|total| format!("{total} due today"));
    let mut entries = groups.iter().flat_map(|group| &group.entries);
    let view = &View {
        title: due_today.into_iter().chain(waiting).collect::<Vec<_>>().join(" · "),
        today: today.date(),
        has_desk: entries.clone().any(|entry| entry.desk.is_some()),
        preheader: entries.next().map(|entry| format!("First: {}", entry.waiting)).unwrap_or_default(),
        groups,
    };
    let content = MailContent {
        subject: format!("{} · {} · Zyon Grand", view.title, today.short_date()),
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
        unsubscribe: None,
        origin: Origin::Generated,
        now,
    }
    .encode()
}

impl<'a> Entry<'a> {
    fn of(waiting: &'a Waiting, now: DateTime<Utc>, zone: Tz) -> Self {
        let lead = &waiting.lead;
        Self {
            lead: Shown(lead),
            reach: Reach::of(lead),
            automatic: notes::automatic(lead),
            waiting: match waiting.next_step {
                None => format!("waiting {}", local_time::wait(now - lead.submitted_at)),
                Some((step, at)) => {
                    let (today, at) = (LocalTime::new(now, zone).day(), LocalTime::new(at, zone));
                    let what = match step {
                        Step::TryAgain => "try again",
                        Step::CallAgain => "call again",
                        Step::Visit => "visit",
                    };
                    if at.day() == today {
                        format!("{what} at {}", at.time())
                    } else {
                        format!("{what}, due {}", at.short_date())
                    }
                }
            },
            owner: waiting.owner.as_ref().map(|owner| owner.as_str()),
            desk: None,
        }
    }
}
