//! The daily summary of due follow-ups and uncontacted leads.

use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lead::{Channel, Interest, Language, Lead, LeadState, SpamSignal, text::Line};
use lettre::Address;
use serde::Deserialize;
use tokens::{LOGIN_WINDOW, Login, Person};
use uuid::{Uuid, uuid};

use super::{
    context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageId},
    view::{LeadView, translated},
};

/// Maximum number of listed leads in each group: nobody can call more in a morning.
const MAX_LISTED: usize = 50;

/// Namespace of message ids. Emails about a lead use the lead's id instead.
const SUMMARY_NAMESPACE: Uuid = uuid!("b7a2f6de-3c19-4c0f-9a37-1e5d8c42f690");

/// A lead with a due follow-up, or without contact.
#[derive(Clone, Deserialize)]
pub struct WaitingLead {
    pub lead: Lead,
    /// The owner's name; empty if the lead has no owner.
    pub owner: String,
    pub state: LeadState,
    /// `None` if nobody has contacted the visitor.
    pub next_step_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Default, Deserialize)]
pub struct Backlog {
    /// Leads with a due follow-up.
    pub due: LeadGroup,
    /// Uncontacted leads.
    pub new: LeadGroup,
    /// `None` if the CRM did not compute it.
    #[serde(default)]
    pub headline: Option<Headline>,
}

/// How the launch goes: the headline of the CRM's report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Headline {
    /// Leads since Monday.
    pub this_week: u64,
    /// Leads of the week before until the same weekday and time.
    pub week_before_so_far: u64,
    /// People without a first contact.
    pub waiting: u64,
    /// Median time from submission to first contact; `None` without contacts.
    pub median_to_contact_seconds: Option<i64>,
    /// Share of leads whose visitors agreed to calls; `None` without leads.
    pub agreed_to_calls_percent: Option<u64>,
}

impl Headline {
    fn median_to_contact(&self) -> Option<TimeDelta> {
        self.median_to_contact_seconds
            .and_then(TimeDelta::try_seconds)
    }
}

#[derive(Clone, Default, Deserialize)]
#[serde(from = "Vec<WaitingLead>")]
pub struct LeadGroup {
    /// The most urgent leads, sorted by urgency.
    listed: Vec<WaitingLead>,
    pub total: usize,
}

impl LeadGroup {
    /// Counts all leads, and keeps the most urgent.
    pub fn add(&mut self, leads: impl IntoIterator<Item = WaitingLead>) {
        let before = self.listed.len();
        self.listed.extend(leads);
        self.total += self.listed.len() - before;
        self.listed
            .sort_by_key(|it| (it.next_step_at, it.lead.submitted_at, it.lead.id));
        self.listed.truncate(MAX_LISTED);
    }
}

impl From<Vec<WaitingLead>> for LeadGroup {
    fn from(leads: Vec<WaitingLead>) -> Self {
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
    language: Language,
    today: DateTime<Tz>,
    /// Number of leads with a due follow-up.
    due: usize,
    new: usize,
    /// Due, then uncontacted: the listed leads, and the number of further leads.
    groups: [(Vec<Entry<'a>>, usize); 2],
    headline: Option<Headline>,
}

impl<'a> SummaryView<'a> {
    fn t<'t>(&self, english: &'t str, chinese: &'t str) -> &'t str {
        translated(self.language, english, chinese)
    }

    fn first(&self) -> Option<&Entry<'a>> {
        self.groups.iter().find_map(|(entries, _)| entries.first())
    }

    fn has_desk(&self) -> bool {
        self.first().is_some_and(|entry| entry.desk.is_some())
    }
}

struct Entry<'a> {
    lead: LeadView<'a>,
    state: LeadState,
    next_step: Option<DateTime<Tz>>,
    /// Time since the lead was submitted.
    wait: TimeDelta,
    owner: Option<Line>,
    /// The lead's page at the desk.
    desk: Option<String>,
}

/// Composes the summary, which lists the most urgent leads and counts the others.
pub fn summary(
    backlog: &Backlog,
    recipient: &Address,
    context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let (sender, zone) = (&context.mail_from, context.time_zone);
    let today = now.with_timezone(&zone);
    let name = format!("{} {recipient}", today.date_naive()).to_ascii_lowercase();
    let message_id = MessageId::new(SUMMARY_NAMESPACE, &name, &sender.email);
    let person = context.people.find_by_email(recipient.as_ref());
    let language = person.map(Person::language).unwrap_or_default();
    let login = Login {
        email: message_id.id,
        until: now + LOGIN_WINDOW,
    };
    let groups = [&backlog.due, &backlog.new].map(|group| {
        let entries = group.listed.iter().map(|waiting| Entry {
            lead: LeadView::new(&waiting.lead, language),
            state: waiting.state,
            next_step: waiting.next_step_at.map(|at| at.with_timezone(&zone)),
            wait: today
                .signed_duration_since(waiting.lead.submitted_at)
                .max(TimeDelta::zero()),
            owner: Line::new(&waiting.owner),
            desk: context.desk_link(person, waiting.lead.id, Some(login), now),
        });
        (
            entries.collect::<Vec<_>>(),
            group.total - group.listed.len(),
        )
    });
    let (due, new) = (backlog.due.total, backlog.new.total);
    let view = &SummaryView {
        language,
        today,
        due,
        new,
        groups,
        headline: backlog.headline,
    };
    let text = SummaryText { view }.render()?;
    let content = MailContent {
        html: SummaryHtml { view }.render()?,
        ..MailContent::with_subject(&text)
    };
    content.encode(message_id, context, recipient, now)
}
