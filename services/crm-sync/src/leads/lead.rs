//! Maps the rows of `lead`.

use ::lead::{Attribution, Campaign, Channel, Interest, Language, Lead, LeadState, SpamSignal, Visit};
use std::fmt;

use contracts::crm::v1 as crm;
use sea_orm::{
    ActiveValue::NotSet,
    IntoActiveModel,
    entity::prelude::*,
    sea_query::{Expr, ExprTrait},
};

use super::{
    keys::{Contact, Keys},
    progress::{self, Progress},
    reference,
    stored::Source,
    stored::{Purpose, StoredLead},
};
use crate::db::error::StoreError;

#[derive(Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "lead")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub reference: String,
    pub submitted_at: DateTimeUtc,
    pub interests: String,
    pub name: String,
    pub mobile: String,
    pub email: String,
    pub questions: String,
    pub language: String,
    pub privacy_policy_version: String,
    pub channels: String,
    pub session_id: Option<Uuid>,
    pub session_started_at: Option<DateTimeUtc>,
    pub landing_path: String,
    pub referrer_host: String,
    pub utm_source: String,
    pub utm_medium: String,
    pub utm_campaign: String,
    pub utm_term: String,
    pub utm_content: String,
    /// Of a new row the database's time.
    pub recorded_at: DateTimeUtc,
    pub source: String,
    pub signals: String,
    pub purpose: String,
    pub email_key: String,
    /// See [`EmailKey::mailbox`](::lead::EmailKey::mailbox).
    pub mailbox: String,
    pub digits: String,
    /// What a search looks into, see [`Keys::searched`].
    pub searched: String,
    /// Null for canaries and erased leads.
    pub contact_id: Option<Uuid>,
    pub conflicting_contact_id: Option<Uuid>,
    pub state: String,
    pub owner: String,
    pub owner_key: String,
    pub changed_at: Option<DateTimeUtc>,
    pub changed_by: String,
    pub contacted_at: Option<DateTimeUtc>,
    pub next_step_at: Option<DateTimeUtc>,
    /// Empty unless closed for a reason.
    pub closing_reason: String,
    pub do_not_contact_at: Option<DateTimeUtc>,
    /// The time of the erasure, which emptied the personal columns. Canaries have it from the start, which hides them.
    pub erased_at: Option<DateTimeUtc>,
    /// Whether a delivery is pending, claimed or deferred, or none is known yet.
    pub open: bool,
    pub leased_until: Option<DateTimeUtc>,
    /// Leases without a report.
    pub leases: i32,
    /// Whether the brochure was asked for, for whichever lead of the address, or came with an acknowledgement. A lead that
    /// came later does not know.
    pub brochure: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Required by sea-orm; omits personal data.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("lead").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The value of `signals` for a canary.
pub(crate) const CANARY: &str = r#"["canary"]"#;

/// Selects canaries. The first half matches the partial index.
pub(crate) fn is_canary() -> Expr {
    Expr::cust("signals <> '[]'").and(Column::Signals.eq(CANARY))
}

/// An id as it is written in a column that is a JSON array.
pub(crate) fn in_json(id: &str) -> String {
    format!("\"{id}\"")
}

fn list_in_json(ids: impl Iterator<Item = &'static str>) -> String {
    format!("[{}]", ids.map(in_json).collect::<Vec<_>>().join(","))
}

pub(crate) fn interests(column: &str) -> impl Iterator<Item = Interest> {
    Interest::ALL.iter().copied().filter(|interest| column.contains(&in_json(interest.id())))
}

fn channels(column: &str) -> impl Iterator<Item = Channel> {
    Channel::ALL.iter().copied().filter(|channel| column.contains(&in_json(channel.id())))
}

pub(crate) fn signals(column: &str) -> impl Iterator<Item = SpamSignal> {
    SpamSignal::ALL.iter().copied().filter(|signal| column.contains(&in_json(signal.id())))
}

pub(crate) fn language(column: &str) -> Result<Language, StoreError> {
    column.parse().map_err(|_| StoreError::Unreadable("lead.language"))
}

pub(crate) fn state(column: &str) -> Result<LeadState, StoreError> {
    column.parse().map_err(|_| StoreError::Unreadable("lead.state"))
}

/// A new row. A conflict has no contact.
pub(crate) fn to_row(submission: &Lead, keys: &Keys, contact: Option<Contact>, source: Source) -> Model {
    let visit = submission.visit.clone();
    let (session_id, session_started_at) =
        (visit.as_ref().map(|it| it.id), visit.as_ref().map(|it| it.started_at));
    let Attribution { landing_path, referrer_host, campaign } =
        visit.map(|it| it.attribution).unwrap_or_default();
    Model {
        id: submission.id,
        reference: submission.reference.to_string(),
        submitted_at: submission.submitted_at,
        interests: list_in_json(submission.interests.iter().map(|it| it.id())),
        name: submission.name.clone().into(),
        mobile: submission.mobile.clone().into(),
        email: submission.email.clone().into(),
        questions: submission.questions.clone().into(),
        language: submission.language.id().to_owned(),
        privacy_policy_version: submission.privacy_policy_version.clone().into(),
        channels: list_in_json(submission.channels.iter().map(|it| it.id())),
        session_id,
        session_started_at,
        landing_path: landing_path.into(),
        referrer_host: referrer_host.into(),
        utm_source: campaign.source.into(),
        utm_medium: campaign.medium.into(),
        utm_campaign: campaign.name.into(),
        utm_term: campaign.term.into(),
        utm_content: campaign.content.into(),
        recorded_at: submission.submitted_at,
        source: source.into_str().to_owned(),
        signals: list_in_json(submission.signals.iter().map(|it| it.id())),
        purpose: Purpose::Enquiry.into_str().to_owned(),
        email_key: keys.email.as_str().to_owned(),
        mailbox: keys.email.mailbox(),
        digits: keys.digits.clone(),
        searched: keys.searched(&submission.reference),
        contact_id: contact.map(|contact| contact.id),
        conflicting_contact_id: contact.and_then(|contact| contact.conflicting),
        state: LeadState::New.id().to_owned(),
        owner: String::new(),
        owner_key: String::new(),
        changed_at: None,
        changed_by: String::new(),
        contacted_at: None,
        next_step_at: None,
        closing_reason: String::new(),
        do_not_contact_at: None,
        erased_at: submission.is_canary().then_some(submission.submitted_at),
        open: true,
        leased_until: None,
        leases: 0,
        brochure: false,
    }
}

impl Model {
    /// A row to insert, whose `recorded_at` is the database's time.
    pub(crate) fn into_new(self) -> ActiveModel {
        ActiveModel { recorded_at: NotSet, ..self.into_active_model() }
    }

    pub(crate) fn progress(&self) -> Result<Progress, StoreError> {
        Ok(Progress {
            state: state(&self.state)?,
            owner: self.owner.clone(),
            changed_at: self.changed_at,
            changed_by: self.changed_by.clone(),
            contacted_at: self.contacted_at,
            next_step_at: self.next_step_at,
            closing_reason: progress::closing_reason(&self.closing_reason)?,
            do_not_contact_at: self.do_not_contact_at,
        })
    }

    pub(crate) fn into_lead(self, deliveries: Vec<crm::Delivery>) -> Result<StoredLead, StoreError> {
        let recorded_at = self.recorded_at;
        let source = self.source.parse().map_err(|_| StoreError::Unreadable("lead.source"))?;
        let purpose = self.purpose.parse().map_err(|_| StoreError::Unreadable("lead.purpose"))?;
        let contact = self.contact_id.map(|id| Contact { id, conflicting: self.conflicting_contact_id });
        let progress = self.progress()?;
        let submission = self.into_submission()?;
        Ok(StoredLead { submission, recorded_at, source, deliveries, contact, progress, purpose })
    }

    pub(crate) fn into_submission(self) -> Result<Lead, StoreError> {
        let visit = match (self.session_id, self.session_started_at) {
            (Some(id), Some(started_at)) => Some(Visit {
                id,
                started_at,
                attribution: Attribution {
                    landing_path: self.landing_path.into(),
                    referrer_host: self.referrer_host.into(),
                    campaign: Campaign {
                        source: self.utm_source.into(),
                        medium: self.utm_medium.into(),
                        name: self.utm_campaign.into(),
                        term: self.utm_term.into(),
                        content: self.utm_content.into(),
                    },
                },
            }),
            _ => None,
        };
        Ok(Lead {
            id: self.id,
            reference: reference(&self.reference)?,
            submitted_at: self.submitted_at,
            interests: interests(&self.interests).collect(),
            name: self.name.into(),
            mobile: self.mobile.into(),
            email: self.email.into(),
            questions: self.questions.into(),
            language: language(&self.language)?,
            privacy_policy_version: self.privacy_policy_version.into(),
            channels: channels(&self.channels).collect(),
            visit,
            signals: signals(&self.signals).collect(),
        })
    }
}
