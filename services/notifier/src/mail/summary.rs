//! The daily summary of what is due today and of uncontacted leads.

use askama::Template;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Lead, text::Line};
use lettre::Address;
use serde::Deserialize;
use uuid::{Uuid, uuid};

use super::{
    context::MailContext,
    local_time::{self, DATE, SHORT_DATE},
    message::{ComposeError, Mail, MailContent, MessageId},
    view::LeadView,
};

/// Leads of each kind listed at most; more cannot be called in one morning.
const MOST: usize = 50;

/// Keeps the message ids of summaries apart from those about leads.
const SUMMARIES: Uuid = uuid!("b7a2f6de-3c19-4c0f-9a37-1e5d8c42f690");

/// A lead that somebody is to do something about.
#[derive(Clone, Deserialize)]
pub struct Waiting {
    pub lead: Lead,
    /// The member of staff in charge; empty: nobody.
    pub owner: String,
    /// What is to be done, and when; `None`: nobody has contacted the visitor.
    pub next_step: Option<(NextStep, DateTime<Utc>)>,
}

/// What comes next for a lead.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// Nobody answered.
    TryAgain,
    CallAgain,
    Visit,
}

/// What a summary is about.
#[derive(Clone, Default, Deserialize)]
pub struct Backlog {
    /// Leads whose next step is due.
    pub due: Group,
    /// Uncontacted leads.
    pub new: Group,
}

#[derive(Clone, Default, Deserialize)]
#[serde(from = "Vec<Waiting>")]
pub struct Group {
    /// The most urgent, those first.
    listed: Vec<Waiting>,
    pub total: usize,
}

impl Group {
    /// Counts all, and keeps those to be listed.
    pub fn add(&mut self, leads: impl IntoIterator<Item = Waiting>) {
        let before = self.listed.len();
        self.listed.extend(leads);
        self.total += self.listed.len() - before;
        self.listed.sort_by_key(|it| (it.next_step.map(|(_, at)| at), it.lead.submitted_at, it.lead.id));
        self.listed.truncate(MOST);
    }
}

impl From<Vec<Waiting>> for Group {
    fn from(leads: Vec<Waiting>) -> Self {
        let mut group = Self::default();
        group.add(leads);
        group
    }
}

templates! { SummaryView:
    SummaryText = "daily-summary.txt",
    SummaryHtml = "daily-summary.html",
}

struct SummaryView<'a> {
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
    lead: LeadView<'a>,
    /// `waiting 26 h`, `visit at 15:00`
    waiting: String,
    owner: Option<Line>,
    /// The lead's page at the desk.
    desk: Option<String>,
}

/// Composes the summary: the most urgent leads that are due and that are uncontacted, and the number of all others.
///
/// # Errors
/// [`ComposeError`]; no known leads cause it.
pub fn summary(
    backlog: &Backlog,
    recipient: &Address,
    context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let (sender, zone) = (&context.mail_from, context.time_zone);
    let today = now.with_timezone(&zone);
    let name = format!("{} {recipient}", today.date_naive()).to_ascii_lowercase();
    let message_id = MessageId::new(SUMMARIES, &name, &sender.email);
    let desk = |lead: &Lead| context.desk_link(recipient, lead.id, Some(message_id.id), now);
    let groups = [&backlog.due, &backlog.new].map(|group| {
        let entries = group.listed.iter().map(|waiting| Entry::new(waiting, desk(&waiting.lead), now, zone));
        Listed { entries: entries.collect(), more: group.total - group.listed.len() }
    });
    let waiting = match backlog.new.total {
        0 => None,
        1 => Some("1 enquiry waiting for a call".to_owned()),
        total => Some(format!("{total} enquiries waiting for a call")),
    };
    let due_today = Some(backlog.due.total).filter(|total| *total > 0);
    let due_today = due_today.map(|total| format!("{total} due today"));
    let mut entries = groups.iter().flat_map(|group| &group.entries);
    let view = &SummaryView {
        title: due_today.into_iter().chain(waiting).collect::<Vec<_>>().join(" · "),
        today: today.format(DATE).to_string(),
        has_desk: entries.clone().any(|entry| entry.desk.is_some()),
        preheader: entries.next().map(|entry| format!("First: {}", entry.waiting)).unwrap_or_default(),
        groups,
    };
    MailContent {
        subject: format!("{} · {} · Zyon Grand", view.title, today.format(SHORT_DATE)),
        text: SummaryText { view }.render()?,
        html: SummaryHtml { view }.render()?,
        ..MailContent::default()
    }
    .encode(message_id, sender, recipient, now)
}

impl<'a> Entry<'a> {
    fn new(waiting: &'a Waiting, desk: Option<String>, now: DateTime<Utc>, zone: Tz) -> Self {
        Self {
            lead: LeadView::new(&waiting.lead),
            waiting: match waiting.next_step {
                None => format!("waiting {}", local_time::wait(now - waiting.lead.submitted_at)),
                Some((step, at)) => due(step, at.with_timezone(&zone), now.with_timezone(&zone)),
            },
            owner: Line::new(&waiting.owner),
            desk,
        }
    }
}

fn due(step: NextStep, at: DateTime<Tz>, now: DateTime<Tz>) -> String {
    let action = match step {
        NextStep::TryAgain => "try again",
        NextStep::CallAgain => "call again",
        NextStep::Visit => "visit",
    };
    if at.date_naive() == now.date_naive() {
        format!("{action} at {}", at.format("%H:%M"))
    } else {
        format!("{action}, due {}", at.format(SHORT_DATE))
    }
}
