//! Rows of `lead`.

use std::fmt;

use sea_orm::{ActiveValue::NotSet, Set, entity::prelude::*};

use crate::{
    domain::{
        lead::{Campaign, Interest, Language, Lead, Session, Submission},
        notification::Notification,
        road::Road,
    },
    store::{
        entity::{by_tag, reference},
        error::StoreError,
    },
};

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
    pub session_id: Option<Uuid>,
    pub session_started_at: Option<DateTimeUtc>,
    pub landing_path: String,
    pub referrer_host: String,
    pub utm_source: String,
    pub utm_medium: String,
    pub utm_campaign: String,
    pub utm_term: String,
    pub utm_content: String,
    pub recorded_at: DateTimeUtc,
    pub road: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// sea-orm asks for it; personal data stays out.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("lead").field("id", &self.id).finish_non_exhaustive()
    }
}

/// How an interest stands in the column `interests`, which is a JSON array.
pub(in crate::store) fn interest_in_json(interest: Interest) -> String {
    format!("\"{}\"", interest.id())
}

fn interests_in_json(submission: &Submission) -> String {
    let interests: Vec<_> = submission.interests.iter().copied().map(interest_in_json).collect();
    format!("[{}]", interests.join(","))
}

/// A row to insert; the database says when.
pub(in crate::store) fn to_row(submission: &Submission, road: Road) -> ActiveModel {
    let session = submission.session.as_ref();
    let text = |field: fn(&Session) -> &String| Set(session.map(field).cloned().unwrap_or_default());
    ActiveModel {
        id: Set(submission.id),
        reference: Set(submission.reference.to_string()),
        submitted_at: Set(submission.submitted_at),
        interests: Set(interests_in_json(submission)),
        name: Set(submission.name.clone()),
        mobile: Set(submission.mobile.clone()),
        email: Set(submission.email.clone()),
        questions: Set(submission.questions.clone()),
        language: Set(submission.language.tag().to_owned()),
        privacy_policy_version: Set(submission.privacy_policy_version.clone()),
        session_id: Set(session.map(|session| session.id)),
        session_started_at: Set(session.map(|session| session.started_at)),
        landing_path: text(|session| &session.landing_path),
        referrer_host: text(|session| &session.referrer_host),
        utm_source: text(|session| &session.campaign.source),
        utm_medium: text(|session| &session.campaign.medium),
        utm_campaign: text(|session| &session.campaign.name),
        utm_term: text(|session| &session.campaign.term),
        utm_content: text(|session| &session.campaign.content),
        recorded_at: NotSet,
        road: Set(road.tag().to_owned()),
    }
}

impl Model {
    /// Whether the five fields of the form are the same. Time, session and language may differ between two tries.
    pub(in crate::store) fn has_the_form_of(&self, submission: &Submission) -> bool {
        self.interests == interests_in_json(submission)
            && self.name == submission.name
            && self.mobile == submission.mobile
            && self.email == submission.email
            && self.questions == submission.questions
    }

    /// The lead of this row, with the notifications of another table.
    pub(in crate::store) fn into_lead(self, notifications: Vec<Notification>) -> Result<Lead, StoreError> {
        let recorded_at = self.recorded_at;
        let road = by_tag(Road::ALL, Road::tag, &self.road).ok_or(StoreError::Unreadable("lead.road"))?;
        Ok(Lead { submission: self.into_submission()?, recorded_at, road, notifications })
    }

    /// What the visitor sent.
    pub(in crate::store) fn into_submission(self) -> Result<Submission, StoreError> {
        let interests = Interest::ALL
            .into_iter()
            .filter(|interest| self.interests.contains(&interest_in_json(*interest)));
        let language = Language::ALL.into_iter().find(|language| language.tag() == self.language);
        let session = match (self.session_id, self.session_started_at) {
            (Some(id), Some(started_at)) => Some(Session {
                id,
                started_at,
                landing_path: self.landing_path,
                referrer_host: self.referrer_host,
                campaign: Campaign {
                    source: self.utm_source,
                    medium: self.utm_medium,
                    name: self.utm_campaign,
                    term: self.utm_term,
                    content: self.utm_content,
                },
            }),
            _ => None,
        };
        Ok(Submission {
            id: self.id,
            reference: reference(&self.reference)?,
            submitted_at: self.submitted_at,
            interests: interests.collect(),
            name: self.name,
            mobile: self.mobile,
            email: self.email,
            questions: self.questions,
            language: language.ok_or(StoreError::Unreadable("lead.language"))?,
            privacy_policy_version: self.privacy_policy_version,
            session,
        })
    }
}
