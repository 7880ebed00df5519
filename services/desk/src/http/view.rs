//! Converts leads to the JSON that the pages display.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::crm::v1::{
    self as crm, Progress, RelatedLead, TimelineEntry, timeline_entry::Event,
};
use lead::{
    Channel, FieldError, HomePreference, Interest, Language, Lead, LeadState, PhoneNumber,
    Recipient, SpamSignal, VisitTime, Words, digits,
    field::optional_time,
    text::{several_lines, single_line},
};
use serde::Serialize;
use uuid::Uuid;

/// The fields that lists and pages display.
#[derive(Default, Serialize)]
struct Summary {
    id: Uuid,
    reference: String,
    name: String,
    interests: Vec<Interest>,
    submitted_at: DateTime<Utc>,
    /// In E.164; `None` if the typed number is invalid or ambiguous.
    phone: Option<String>,
    /// See [`PhoneNumber::takes_messages`].
    takes_messages: bool,
    plan: Option<AskedPlan>,
    /// The homes that the visitor looks for.
    homes: Option<WantedHomes>,
    /// Reasons to suspect an automatic submission. Empty without a login.
    signals: Vec<SpamSignal>,
    /// Seconds from the start of the visit to the submission. `None` without a login.
    form_seconds: Option<i64>,
    /// Also shown without a login, because a person with only the link might call.
    do_not_contact: bool,
    /// The channels that the visitor agreed to.
    channels: Vec<Channel>,
}

/// The plan that the visitor asks about.
#[derive(Serialize)]
struct AskedPlan {
    id: &'static str,
    /// The plan's name in the language of the form, for messages to the visitor.
    name: &'static str,
    /// The plan's name in each language.
    names: &'static Words,
    /// In square feet.
    area: &'static str,
}

/// The homes that the visitor looks for, e.g. `3 or 4 bedrooms, to live in`, in each language.
#[derive(Serialize)]
struct WantedHomes {
    en: String,
    zh: String,
}

impl WantedHomes {
    fn new(preferences: &[&HomePreference]) -> Option<Self> {
        Some(Self {
            en: HomePreference::describe(preferences, Language::English)?,
            zh: HomePreference::describe(preferences, Language::Chinese)?,
        })
    }
}

/// A part of the week in which the visitor could come to the show flat.
#[derive(Serialize)]
struct AskedTime {
    id: &'static str,
    name: &'static Words,
}

impl From<&'static VisitTime> for AskedTime {
    fn from(time: &'static VisitTime) -> Self {
        Self {
            id: &time.id,
            name: &time.name,
        }
    }
}

/// How long a visit keeps the salesperson busy in calendars.
const VISIT_DURATION: TimeDelta = TimeDelta::hours(1);

/// A lead in a list.
#[derive(Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    summary: Summary,
    progress: Progress,
    /// When the visitor asked for erasure.
    erasure_requested_at: Option<DateTime<Utc>>,
    /// `utm_source` of the visit; empty without one, like the next two.
    source: String,
    /// `utm_campaign` of the visit.
    campaign: String,
    /// Host of the page that referred to the site.
    referrer: String,
}

/// A lead on its page.
#[derive(Default, Serialize)]
pub(super) struct LeadView {
    #[serde(flatten)]
    summary: Summary,
    /// The phone number as typed.
    mobile: String,
    /// The number to dial, if its digits differ from the typed digits.
    dialled: Option<String>,
    country_code_added: bool,
    email: String,
    language: Language,
    questions: String,
    /// When the visitor could come to the show flat.
    visit_times: Vec<AskedTime>,
    /// References of other people's leads with the same number.
    same_number: Vec<String>,
    /// When the visitor of another mailbox with the same number asked not to be contacted.
    number_withdrawn_at: Option<DateTime<Utc>>,
    /// When the visitor withdrew consent, if the lead is marked because of it.
    withdrawn_at: Option<DateTime<Utc>>,
    /// The last result of the Do Not Call registry for the current number.
    dnc_check: Option<crm::DncCheck>,
    /// Without a login, whether a person corrected a field after the email. The view then has the submitted value.
    was_corrected: bool,
    /// `None` without a login.
    progress: Option<Progress>,
    /// The same person's other leads, newest first.
    related: Vec<RelatedLead>,
    /// Events, oldest first.
    timeline: Vec<TimelineEntry>,
}

impl Summary {
    fn new(lead: &Lead, progress: Option<&Progress>) -> Self {
        let phone = PhoneNumber::parse(lead.mobile.line().as_str());
        Self {
            id: lead.id,
            reference: lead.reference.to_string(),
            name: lead.name.line().to_string(),
            interests: lead.interests.clone(),
            submitted_at: lead.submitted_at,
            takes_messages: phone.as_ref().is_some_and(PhoneNumber::takes_messages),
            phone: phone.map(|number| number.as_str().to_owned()),
            plan: lead.plan.map(|plan| AskedPlan {
                id: &plan.id,
                name: plan.name.get(lead.language),
                names: &plan.name,
                area: &plan.area,
            }),
            homes: WantedHomes::new(&lead.home_preferences),
            signals: lead.signals.clone(),
            form_seconds: lead.form_seconds(),
            do_not_contact: progress.is_some_and(|progress| progress.do_not_contact_at.is_some()),
            channels: lead.channels.clone(),
        }
    }

    /// The number to call, if the visitor agreed to calls.
    fn number_to_call(&self) -> Option<&str> {
        let may_call = self.channels.contains(&Channel::Phone) && !self.do_not_contact;
        self.phone.as_deref().filter(|_| may_call)
    }
}

impl Row {
    pub(super) fn from_contract(stored: crm::Lead) -> Result<Self, FieldError> {
        let lead = Lead::from_stored(stored.submission.unwrap_or_default())?;
        let summary = Summary::new(&lead, stored.progress.as_ref());
        let origin = lead
            .visit
            .map(|visit| visit.attribution)
            .unwrap_or_default();
        Ok(Self {
            summary,
            source: single_line(&origin.campaign.source),
            campaign: single_line(&origin.campaign.name),
            referrer: single_line(&origin.referrer_host),
            erasure_requested_at: optional_time(
                "erasure_requested_at",
                stored.erasure_requested_at,
            )?,
            progress: stored.progress.unwrap_or_default(),
        })
    }
}

impl LeadView {
    /// The view for people who are logged in.
    pub(super) fn full(stored: crm::Lead) -> Result<Self, FieldError> {
        let mut view = Self::from_contract(&stored)?;
        view.dnc_check = last_dnc_check(&stored.timeline);
        view.timeline = stored.timeline.into_iter().filter_map(for_sales).collect();
        view.progress = Some(stored.progress.unwrap_or_default());
        view.related = stored.related;
        view.same_number = stored.same_number;
        view.number_withdrawn_at =
            optional_time("number_withdrawn_at", stored.number_withdrawn_at)?;
        view.withdrawn_at = optional_time("withdrawn_at", stored.withdrawn_at)?;
        Ok(view)
    }

    /// The view for the link alone, with only the contents of the email, which everyone with the link may have read. A
    /// number that was corrected later is shown as submitted, but cannot be dialled.
    pub(super) fn public(stored: &crm::Lead) -> Result<Self, FieldError> {
        let submitted = as_submitted(stored);
        let mut view = Self::from_contract(&submitted)?;
        (view.summary.signals, view.summary.form_seconds) = (Vec::new(), None);
        view.was_corrected = submitted.submission != stored.submission;
        let has_same_number = mobile_of(&submitted) == mobile_of(stored);
        if !has_same_number {
            (view.summary.phone, view.dialled) = (None, None);
        }
        Ok(view)
    }

    /// Formats a booked visit as iCalendar (RFC 5545). `None` if no visit is booked.
    pub(super) fn visit_event(&self, now: DateTime<Utc>) -> Result<Option<String>, FieldError> {
        const FORMAT: &str = "%Y%m%dT%H%M%SZ";
        let booked = LeadState::number(LeadState::VisitBooked);
        let Some(progress) = self
            .progress
            .as_ref()
            .filter(|progress| progress.state == booked)
        else {
            return Ok(None);
        };
        let Summary {
            id,
            name,
            reference,
            ..
        } = &self.summary;
        let name = name
            .replace('\\', "\\\\")
            .replace(',', "\\,")
            .replace(';', "\\;");
        let summary = fold_line(&format!("SUMMARY:{name} · Zyon Grand"));
        // Calendars offer to call a number in the description.
        let phone = self.summary.number_to_call().unwrap_or_default();
        let now = now.format(FORMAT);
        let at = optional_time("next_step_at", progress.next_step_at)?;
        // Calendars that have the event take a changed time only with a higher number.
        let sequence = optional_time("changed_at", progress.changed_at)?
            .map_or(0, |changed_at| changed_at.timestamp());
        Ok(at.map(|at| {
            format!(
                "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Zyon Grand//desk//EN\r\nBEGIN:VEVENT\r\nUID:{id}\r\n\
                 DTSTAMP:{now}\r\nSEQUENCE:{sequence}\r\nDTSTART:{}\r\nDTEND:{}\r\n{summary}\r\nDESCRIPTION:{reference} {phone}\r\n\
                 END:VEVENT\r\nEND:VCALENDAR\r\n",
                at.format(FORMAT),
                (at + VISIT_DURATION).format(FORMAT)
            )
        }))
    }

    fn from_contract(stored: &crm::Lead) -> Result<Self, FieldError> {
        let lead = Lead::from_stored(stored.submission.clone().unwrap_or_default())?;
        let summary = Summary::new(&lead, stored.progress.as_ref());
        // Without `..`, the compiler reports a new field. Decide whether the page shows it.
        let Lead {
            mobile,
            email,
            questions,
            visit_times,
            language,
            // In the summary.
            id: _,
            reference: _,
            submitted_at: _,
            name: _,
            plan: _,
            home_preferences: _,
            interests: _,
            channels: _,
            visit: _,
            signals: _,
            // Only exports show it.
            privacy_policy_version: _,
        } = lead;
        let mobile = mobile.line().to_string();
        let typed = digits(&mobile);
        let dialled = PhoneNumber::parse(&mobile).filter(|read| read.digits() != typed);
        Ok(Self {
            summary,
            country_code_added: dialled
                .as_ref()
                .is_some_and(|read| read.digits().len() > typed.len()),
            dialled: dialled.map(|read| read.as_str().to_owned()),
            mobile,
            email: email.line().to_string(),
            language,
            questions: several_lines(&questions),
            visit_times: visit_times.into_iter().map(AskedTime::from).collect(),
            ..Self::default()
        })
    }
}

/// The lead with the submitted values of corrected fields.
fn as_submitted(stored: &crm::Lead) -> crm::Lead {
    let mut submitted = stored.clone();
    let Some(form) = &mut submitted.submission else {
        return submitted;
    };
    // Newest first, so the first correction of a field decides.
    for entry in stored.timeline.iter().rev() {
        match &entry.event {
            Some(Event::NameCorrected(corrected)) => form.name.clone_from(&corrected.from),
            Some(Event::NumberCorrected(corrected)) => form.mobile.clone_from(&corrected.from),
            Some(Event::EmailCorrected(corrected)) => form.email.clone_from(&corrected.from),
            _ => {}
        }
    }
    submitted
}

/// The last result of the Do Not Call registry since the number was last corrected.
fn last_dnc_check(timeline: &[TimelineEntry]) -> Option<crm::DncCheck> {
    let newest_first = timeline
        .iter()
        .rev()
        .filter_map(|entry| entry.event.as_ref());
    newest_first
        .take_while(|event| !matches!(event, Event::NumberCorrected(_)))
        .find_map(|event| {
            if let Event::DncChecked(checked) = event {
                checked.check.clone()
            } else {
                None
            }
        })
}

fn mobile_of(lead: &crm::Lead) -> Option<&str> {
    lead.submission.as_ref().map(|form| form.mobile.as_str())
}

/// Folds an iCalendar line after 75 octets (RFC 5545, section 3.1).
fn fold_line(line: &str) -> String {
    let (mut folded, mut octets) = (String::new(), 0);
    for c in line.chars() {
        octets += c.len_utf8();
        if octets > 75 {
            folded.push_str("\r\n ");
            octets = 1 + c.len_utf8();
        }
        folded.push(c);
    }
    folded
}

/// Removes invisible characters from the event's texts. Returns `None` for events that only operators need.
fn for_sales(mut entry: TimelineEntry) -> Option<TimelineEntry> {
    match entry.event.as_mut()? {
        Event::Noted(it) => it.text = several_lines(&it.text),
        Event::NameCorrected(it) => {
            it.from = single_line(&it.from);
            it.to = single_line(&it.to);
        }
        Event::NumberCorrected(it) => {
            it.from = single_line(&it.from);
            it.to = single_line(&it.to);
        }
        Event::EmailCorrected(it) => {
            it.from = single_line(&it.from);
            it.to = single_line(&it.to);
        }
        Event::Delivered(_) if Recipient::from(entry.recipient.as_str()).is_visitor() => {}
        Event::Submitted(_)
        | Event::Entered(_)
        | Event::Conflicting(_)
        | Event::Progressed(_)
        | Event::ContactChanged(_)
        | Event::DncChecked(_)
        | Event::Consented(_)
        | Event::ErasureRequested(_) => {}
        Event::Recorded(_)
        | Event::Delivered(_)
        | Event::Deferred(_)
        | Event::Failed(_)
        | Event::Leased(_)
        | Event::Retried(_)
        | Event::Cancelled(_)
        | Event::Discarded(_)
        | Event::PersonChanged(_) => return None,
    }
    Some(entry)
}
