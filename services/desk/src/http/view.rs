//! Leads as the pages show them, in JSON.

use chrono::{DateTime, Utc};
use contracts::crm::v1::{self as crm, timeline_entry::Event as Happened};
use lead::{
    ClosingReason, FieldError, Interest, Language, Lead, LeadState, Telephone, digits,
    field::{optional_time, required_time},
    recipient,
    text::Paragraphs,
};
use serde::Serialize;
use tracing::error;
use uuid::Uuid;

use super::error::DeskError;

#[derive(Serialize)]
pub(super) struct Progress {
    state: LeadState,
    owner: String,
    next_step_at: Option<DateTime<Utc>>,
    closing_reason: Option<ClosingReason>,
    contacted_at: Option<DateTime<Utc>>,
    /// What a change says that it has seen.
    changed_at: Option<DateTime<Utc>>,
}

/// A lead in a list.
#[derive(Serialize)]
pub(super) struct Row {
    id: Uuid,
    reference: String,
    name: String,
    language: &'static str,
    interests: Vec<&'static str>,
    submitted_at: DateTime<Utc>,
    /// Looks like a robot's.
    automatic: bool,
    do_not_contact: bool,
    progress: Progress,
}

/// A lead on its page.
#[derive(Serialize)]
pub(super) struct LeadView {
    id: Uuid,
    reference: String,
    name: String,
    /// As typed.
    mobile: String,
    /// In E.164; `None` when nothing can be dialled.
    telephone: Option<String>,
    /// `telephone`, if its digits differ from those typed.
    dialled: Option<String>,
    country_code_added: bool,
    email: String,
    language: &'static str,
    interests: Vec<&'static str>,
    questions: String,
    submitted_at: DateTime<Utc>,
    automatic: bool,
    /// References of other people's leads with the same number.
    same_number: Vec<String>,
    policy_version: String,
    /// The channels that the visitor agreed to.
    channels: Vec<&'static str>,
    /// Somebody who must not call may hold no more than the link.
    do_not_contact: bool,
    /// `None` for who is not signed in.
    progress: Option<Progress>,
    /// The same person's other leads, newest first.
    related: Vec<Related>,
    /// Oldest first.
    timeline: Vec<Entry>,
}

#[derive(Serialize)]
struct Related {
    id: String,
    reference: String,
    submitted_at: DateTime<Utc>,
    interests: Vec<&'static str>,
    state: LeadState,
}

#[derive(Serialize)]
struct Entry {
    at: DateTime<Utc>,
    event: &'static str,
    /// Who did it; empty: the visitor, or a machine.
    by: String,
    state: Option<LeadState>,
    owner: Option<String>,
    next_step_at: Option<DateTime<Utc>>,
    closing_reason: Option<ClosingReason>,
    /// `None`: not said.
    do_not_contact: Option<bool>,
    text: String,
}

/// The CRM's answer is not what its contract says.
fn unreadable(error: &FieldError) -> DeskError {
    error!(%error, "invalid lead from the CRM");
    DeskError::Unavailable
}

fn submission(lead: Option<contracts::leads::v1::LeadSubmitted>) -> Result<Lead, DeskError> {
    let lead = lead.ok_or(FieldError::Missing("submission")).map_err(|error| unreadable(&error))?;
    lead.try_into().map_err(|error| {
        error!(%error, "invalid lead from the CRM");
        DeskError::Unavailable
    })
}

/// Whether nobody is to call or write to the lead's visitor.
fn do_not_contact(progress: Option<&crm::Progress>) -> bool {
    progress.is_some_and(|progress| progress.do_not_contact_at.is_some())
}

fn interests(interests: &[Interest]) -> Vec<&'static str> {
    interests.iter().map(|interest| interest.id()).collect()
}

/// The lines without control, direction and invisible characters, as in the sales email.
fn paragraphs(text: &str) -> String {
    Paragraphs::new(text).map(|text| text.lines().collect::<Vec<_>>().join("\n")).unwrap_or_default()
}

impl Row {
    pub(super) fn read(stored: crm::Lead) -> Result<Self, DeskError> {
        let lead = submission(stored.submission)?;
        Ok(Self {
            id: lead.id,
            reference: lead.reference.to_string(),
            name: lead.name.line().as_str().to_owned(),
            language: Language::id(lead.language),
            interests: interests(&lead.interests),
            submitted_at: lead.submitted_at,
            automatic: !lead.signals.is_empty(),
            do_not_contact: do_not_contact(stored.progress.as_ref()),
            progress: Progress::read(stored.progress)?,
        })
    }
}

impl LeadView {
    /// For who is signed in.
    pub(super) fn whole(stored: crm::Lead) -> Result<Self, DeskError> {
        let related = stored.related.iter().map(Related::read).collect::<Result<_, _>>()?;
        let timeline = stored.timeline.iter().map(Entry::read);
        let timeline = timeline.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        let progress = Some(Progress::read(stored.progress.clone())?);
        let same_number = stored.same_number.clone();
        let automatic = stored.submission.as_ref().is_some_and(|lead| !lead.signals.is_empty());
        Ok(Self { related, timeline, progress, same_number, automatic, ..Self::as_in_the_mail(stored)? })
    }

    /// What a reply to the mail would quote, and no more: whoever holds the link has that.
    pub(super) fn as_in_the_mail(stored: crm::Lead) -> Result<Self, DeskError> {
        let lead = submission(stored.submission)?;
        let mobile = lead.mobile.line().as_str().to_owned();
        let telephone = Telephone::read(&mobile);
        let typed = digits(&mobile);
        let dialled = telephone.as_ref().filter(|read| read.digits() != typed);
        Ok(Self {
            id: lead.id,
            reference: lead.reference.to_string(),
            name: lead.name.line().as_str().to_owned(),
            dialled: dialled.map(|read| read.as_str().to_owned()),
            country_code_added: dialled.is_some_and(|read| read.digits().len() > typed.len()),
            telephone: telephone.map(|read| read.as_str().to_owned()),
            mobile,
            email: lead.email.line().as_str().to_owned(),
            language: Language::id(lead.language),
            interests: interests(&lead.interests),
            questions: paragraphs(&lead.questions),
            submitted_at: lead.submitted_at,
            automatic: false,
            same_number: Vec::new(),
            policy_version: lead.privacy_policy_version.line().as_str().to_owned(),
            channels: lead.channels.iter().map(|channel| channel.id()).collect(),
            do_not_contact: do_not_contact(stored.progress.as_ref()),
            progress: None,
            related: Vec::new(),
            timeline: Vec::new(),
        })
    }
}

impl Progress {
    fn read(progress: Option<crm::Progress>) -> Result<Self, DeskError> {
        let progress = progress.unwrap_or_default();
        let time = |time| optional_time("progress", time).map_err(|error| unreadable(&error));
        Ok(Self {
            state: LeadState::from_repr(progress.state).unwrap_or_default(),
            closing_reason: ClosingReason::from_repr(progress.closing_reason),
            next_step_at: time(progress.next_step_at)?,
            contacted_at: time(progress.contacted_at)?,
            changed_at: time(progress.changed_at)?,
            owner: progress.owner,
        })
    }
}

impl Related {
    fn read(related: &crm::RelatedLead) -> Result<Self, DeskError> {
        let at = required_time("related", related.submitted_at).map_err(|error| unreadable(&error))?;
        let interests =
            related.interests().filter_map(|it| Interest::from_contract(it.into()).ok().flatten());
        Ok(Self {
            id: related.lead_id.clone(),
            reference: related.reference.clone(),
            submitted_at: at,
            interests: interests.map(Interest::id).collect(),
            state: LeadState::from_repr(related.state).unwrap_or_default(),
        })
    }
}

impl Entry {
    /// `None` for what only an operator needs to know.
    fn read(entry: &crm::TimelineEntry) -> Result<Option<Self>, DeskError> {
        let time = |time| optional_time("timeline", time).map_err(|error| unreadable(&error));
        let at = time(entry.at)?.ok_or(DeskError::Unavailable)?;
        let plain = |event, by: &str| Self {
            at,
            event,
            by: by.to_owned(),
            state: None,
            owner: None,
            next_step_at: None,
            closing_reason: None,
            do_not_contact: None,
            text: String::new(),
        };
        Ok(match &entry.event {
            Some(Happened::Submitted(_)) => Some(plain("submitted", "")),
            Some(Happened::Conflicting(_)) => Some(plain("repeated", "")),
            Some(Happened::Delivered(_)) if entry.recipient == recipient::VISITOR => {
                Some(plain("acknowledged", ""))
            }
            Some(Happened::Delivered(_)) if entry.recipient == recipient::BROCHURE => {
                Some(plain("brochure", ""))
            }
            Some(Happened::Progressed(it)) => Some(Self {
                state: LeadState::from_repr(it.state),
                owner: Some(it.owner.clone()),
                next_step_at: time(it.next_step_at)?,
                closing_reason: ClosingReason::from_repr(it.closing_reason),
                ..plain("progressed", &it.client)
            }),
            Some(Happened::Noted(it)) => {
                Some(Self { text: paragraphs(&it.text), ..plain("noted", &it.client) })
            }
            Some(Happened::ContactChanged(it)) if it.client == recipient::VISITOR => {
                Some(plain("withdrawn", ""))
            }
            Some(Happened::ErasureRequested(_)) => Some(plain("erasure_requested", "")),
            Some(Happened::ContactChanged(it)) => {
                let do_not_contact = Some(!it.allowed);
                Some(Self { do_not_contact, ..plain("contact_changed", &it.client) })
            }
            Some(
                Happened::Recorded(_)
                | Happened::Delivered(_)
                | Happened::Deferred(_)
                | Happened::Failed(_)
                | Happened::Leased(_)
                | Happened::Retried(_)
                | Happened::Cancelled(_)
                | Happened::Discarded(_)
                | Happened::PersonChanged(_),
            )
            | None => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use contracts::leads::v1::{self as leads, LeadSubmitted};
    use lead::{Reference, field::timestamp};
    use serde_json::{Value, json};

    use super::*;

    fn submission() -> LeadSubmitted {
        let id = Uuid::from_u128(1);
        LeadSubmitted {
            lead_id: id.to_string(),
            reference: Reference::from_id(id).to_string(),
            submitted_at: Some(timestamp(DateTime::UNIX_EPOCH)),
            interests: vec![leads::Interest::Showflat.into()],
            name: "Mei".to_owned(),
            mobile: "9123 4567".to_owned(),
            email: "mei@example.com".to_owned(),
            language: leads::Language::En.into(),
            ..LeadSubmitted::default()
        }
    }

    fn view(submission: LeadSubmitted) -> Value {
        let note = crm::timeline_entry::Noted { text: submission.questions.clone(), ..Default::default() };
        let entry = crm::TimelineEntry {
            at: submission.submitted_at,
            event: Some(Happened::Noted(note)),
            ..Default::default()
        };
        let stored =
            crm::Lead { submission: Some(submission), timeline: vec![entry], ..crm::Lead::default() };
        let row = Row::read(stored.clone()).ok().unwrap();
        let view = LeadView::whole(stored).ok().unwrap();
        assert_eq!(row.name, view.name);
        serde_json::to_value(view).unwrap()
    }

    #[test]
    fn removes_invisible_and_direction_characters() {
        let lead = view(LeadSubmitted {
            name: "\u{202e}Mei\u{ad}ling\u{200b} Ho".to_owned(),
            mobile: "\u{202d}9123 4567\u{202c}".to_owned(),
            email: "\u{feff}mei@example.com\u{2069}".to_owned(),
            questions: "\u{202e}7654321\u{202c}\r\nCall\u{200b} me".to_owned(),
            privacy_policy_version: "\u{2066}2026-11-20".to_owned(),
            ..submission()
        });
        for (field, text) in [
            ("name", "Meiling Ho"),
            ("mobile", "9123 4567"),
            ("email", "mei@example.com"),
            ("questions", "7654321\nCall me"),
            ("policy_version", "2026-11-20"),
        ] {
            assert_eq!(lead[field], text);
        }
        // Colleagues paste what visitors wrote.
        assert_eq!(lead["timeline"][0]["text"], lead["questions"]);
        assert_eq!(view(LeadSubmitted { questions: "\u{200b}".to_owned(), ..submission() })["questions"], "");
    }

    #[test]
    fn marks_completed_and_unreadable_numbers() {
        for (mobile, telephone, dialled, country_code_added) in [
            ("+65 9123 4567", json!("+6591234567"), Value::Null, false),
            ("９１２３ ４５６７", json!("+6591234567"), json!("+6591234567"), true),
            ("0065 9123 4567", json!("+6591234567"), json!("+6591234567"), false),
            ("+44 (0)20 79460958", json!("+442079460958"), json!("+442079460958"), false),
            ("call me please", Value::Null, Value::Null, false),
        ] {
            let lead = view(LeadSubmitted { mobile: mobile.to_owned(), ..submission() });
            let shown = [&lead["telephone"], &lead["dialled"], &lead["country_code_added"]];
            assert_eq!(shown, [&telephone, &dialled, &json!(country_code_added)], "{mobile}");
        }
    }
}
