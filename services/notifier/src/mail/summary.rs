//! The daily summary of what is due today and of uncontacted leads.

use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lead::{Interest, Language, Lead, LeadState, SpamSignal, text::Line};
use lettre::Address;
use serde::Deserialize;
use tokens::{LOGS_IN_FOR, Login, Person};
use uuid::{Uuid, uuid};

use super::{
    context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageId},
    view::{LeadView, translated},
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
    pub state: LeadState,
    /// When something is to be done; `None`: nobody has contacted the visitor.
    pub next_step_at: Option<DateTime<Utc>>,
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
        self.listed.sort_by_key(|it| (it.next_step_at, it.lead.submitted_at, it.lead.id));
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
    language: Language,
    title: String,
    today: String,
    preheader: String,
    /// Due today, then uncontacted: the leads listed, and the number of others.
    groups: [(Vec<Entry<'a>>, usize); 2],
    has_desk: bool,
}

impl SummaryView<'_> {
    fn t<'t>(&self, english: &'t str, chinese: &'t str) -> &'t str {
        translated(self.language, english, chinese)
    }
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
    let person = context.people.with_email(recipient.as_ref());
    let language = person.map(Person::language).unwrap_or_default();
    let login = Login { email: message_id.id, until: now + LOGS_IN_FOR };
    let groups = [&backlog.due, &backlog.new].map(|group| {
        let entries = group.listed.iter().map(|waiting| Entry {
            lead: LeadView::new(&waiting.lead, language),
            waiting: match waiting.next_step_at {
                None => wait(today.signed_duration_since(waiting.lead.submitted_at), language),
                Some(at) => due(waiting.state, at.with_timezone(&zone), today, language),
            },
            owner: Line::new(&waiting.owner),
            desk: context.desk_link(person, waiting.lead.id, Some(login), now),
        });
        (entries.collect::<Vec<_>>(), group.total - group.listed.len())
    });
    let (due, new) = (backlog.due.total, backlog.new.total);
    let enquiries = if new == 1 { "enquiry" } else { "enquiries" };
    let counts = match language {
        Language::English => [format!("{due} due today"), format!("{new} {enquiries} waiting for a call")],
        Language::Chinese => [format!("今天跟进 {due} 位"), format!("未联系 {new} 位")],
    };
    let title = counts.into_iter().zip([due, new]).filter(|(_, total)| *total > 0).map(|(count, _)| count);
    let short_date = translated(language, "%-d %b", "%-m月%-d日");
    let mut entries = groups.iter().flat_map(|(entries, _)| entries);
    let view = &SummaryView {
        language,
        title: title.collect::<Vec<_>>().join(" · "),
        today: today.format(translated(language, "%a %-d %b %Y", "%Y年%-m月%-d日")).to_string(),
        has_desk: entries.clone().any(|entry| entry.desk.is_some()),
        preheader: entries.next().map(|entry| entry.waiting.clone()).unwrap_or_default(),
        groups,
    };
    MailContent {
        subject: format!("{} · {} · Zyon Grand", view.title, today.format(short_date)),
        text: SummaryText { view }.render()?,
        html: SummaryHtml { view }.render()?,
        ..MailContent::default()
    }
    .encode(message_id, context, recipient, now)
}

/// A waiting time in coarse units: `waiting 40 min`, `waiting 26 h`, `waiting 3 days`.
fn wait(time: TimeDelta, language: Language) -> String {
    let (number, english, chinese) = match time.num_hours() {
        ..1 => (time.num_minutes().max(0), "min", "分钟"),
        hours @ 1..48 => (hours, "h", "小时"),
        48.. => (time.num_days(), "days", "天"),
    };
    format!("{} {number} {}", translated(language, "waiting", "已等"), translated(language, english, chinese))
}

/// `visit at 15:00`, `call again, due 28 Feb`
fn due(state: LeadState, at: DateTime<Tz>, now: DateTime<Tz>, language: Language) -> String {
    let action = match state {
        // Nobody answered.
        LeadState::New => translated(language, "try again", "再次致电"),
        LeadState::Contacted => translated(language, "call again", "再次联系"),
        LeadState::VisitBooked | LeadState::Closed | LeadState::Invalid => {
            translated(language, "visit", "参观")
        }
    };
    let (english, chinese) = if at.date_naive() == now.date_naive() {
        (" at %H:%M", " %H:%M")
    } else {
        (", due %-d %b", "，原定%-m月%-d日")
    };
    format!("{action}{}", at.format(translated(language, english, chinese)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_have_coarse_units() {
        for (minutes, text) in [
            (-5, "waiting 0 min"),
            (59, "waiting 59 min"),
            (60, "waiting 1 h"),
            (26 * 60 + 59, "waiting 26 h"),
            (48 * 60, "waiting 2 days"),
            (99_999, "waiting 69 days"),
        ] {
            assert_eq!(wait(TimeDelta::minutes(minutes), Language::English), text);
        }
    }
}
