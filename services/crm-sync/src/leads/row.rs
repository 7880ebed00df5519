//! Maps the rows of `lead`.

use std::str::FromStr;

use contracts::{crm::v1 as crm, leads::v1::LeadSubmitted};
use lead::{
    Channel, ClosingReason, HomePreference, Interest, Language, Lead, LeadState, Plan, SpamSignal,
    UNKNOWN_NUMBER, VisitTime, field::timestamp,
};
use sea_orm::{IntoActiveModel, NotSet, QuerySelect, entity::prelude::*, sea_query::ExprTrait};
use serde_json::json;

use super::{
    earlier::Earlier,
    keys::{Contact, Key, Keys},
    source::Source,
};
use crate::db::{
    Relation, Result,
    error::StoreError,
    transaction::{Transaction, chunks},
};

/// sea-orm requires `Debug`, which omits personal data.
#[derive(
    Clone, Default, PartialEq, derive_more::Debug, DeriveEntityModel, DeriveActiveModelBehavior,
)]
#[debug("lead {id}")]
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
    /// Values of name, mobile and email before their corrections. All keys derive from the current values.
    pub earlier: Option<Earlier>,
    pub questions: String,
    /// Id of a [`Plan`]; empty for none.
    pub plan: String,
    pub visit_times: String,
    pub home_preferences: String,
    pub language: String,
    pub privacy_policy_version: String,
    pub channels: String,
    /// A [`Visit`](lead::Visit).
    pub visit: Option<Json>,
    /// Set by the database on insertion.
    pub recorded_at: DateTimeUtc,
    pub source: String,
    pub signals: String,
    pub email_key: String,
    /// See [`EmailKey::mailbox`](lead::EmailKey::mailbox).
    pub mailbox: String,
    /// See [`SuppressionKey::hash_mailbox`](crate::db::suppression_key::SuppressionKey::hash_mailbox). Empty if the lead was erased before it
    /// was stored.
    pub mailbox_hash: String,
    /// `mailbox_hash` of the submitted address, if the address was corrected.
    pub submitted_mailbox_hash: Option<String>,
    pub digits: String,
    /// See [`Keys::number_and_name`]; empty for `None`.
    pub number_key: String,
    /// See [`Keys::searched`].
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
    /// When the visitor first asked for erasure.
    pub erasure_requested_at: Option<DateTimeUtc>,
    /// When the name, number, address or `do_not_contact_at` last changed; null before the first change.
    pub contact_changed_at: Option<DateTimeUtc>,
    /// The time when erasure cleared the personal columns. Canaries have a value from the start, which hides them.
    pub erased_at: Option<DateTimeUtc>,
    /// Whether a delivery is pending, claimed or deferred, or the lead has no delivery yet.
    pub open: bool,
    pub leased_until: Option<DateTimeUtc>,
    /// Number of leases since the last report.
    pub leases: i32,
    /// Whether the brochure was requested for any lead of the address, or sent with a confirmation. Leads stored later
    /// have `false`.
    pub brochure: bool,
}

/// `ids` must be few or one of the [`chunks`].
pub(crate) fn find<'i>(ids: impl IntoIterator<Item = &'i Uuid>) -> Select<Entity> {
    Entity::find().filter(Column::Id.is_in(ids.into_iter().copied()))
}

/// The rows of any number of leads.
pub(crate) async fn load(tx: &Transaction, ids: &[Uuid]) -> Result<Vec<Model>> {
    let mut rows = Vec::new();
    for ids in chunks(ids) {
        rows.extend(find(ids).all(&tx.db).await?);
    }
    Ok(rows)
}

pub(crate) fn select_ids() -> Select<Entity> {
    Entity::find().select_only().column(Column::Id)
}

pub(crate) async fn update(tx: &Transaction, leads: &[Uuid], columns: ActiveModel) -> Result<()> {
    for leads in chunks(leads) {
        Entity::update_many()
            .set(columns.clone())
            .filter(Column::Id.is_in(leads.iter().copied()))
            .exec(&tx.db)
            .await?;
    }
    Ok(())
}

/// The value of `signals` for a canary.
pub(crate) const CANARY: &str = r#"["canary"]"#;

/// Matches canaries. The first condition allows the use of the partial index `lead_spam`.
pub(crate) fn is_canary() -> Expr {
    Expr::cust("signals <> '[]'").and(Column::Signals.eq(CANARY))
}

/// Formats an id as an element of a JSON array.
pub(crate) fn in_json(id: &str) -> String {
    format!("\"{id}\"")
}

/// The values that a JSON array contains.
fn values_in<T: Copy>(column: &str, all: &[T], id: fn(T) -> &'static str) -> Vec<T> {
    all.iter()
        .copied()
        .filter(|value| column.contains(&in_json(id(*value))))
        .collect()
}

pub(crate) fn interests(column: &str) -> Vec<Interest> {
    values_in(column, Interest::ALL, Interest::id)
}

pub(crate) fn channels(column: &str) -> Vec<Channel> {
    values_in(column, Channel::ALL, Channel::id)
}

/// The column is empty in erased leads.
pub(crate) fn visit_times(column: &str) -> Vec<&'static VisitTime> {
    VisitTime::known_from_contract(&parse_ids(column))
}

/// Parses a list of the site's ids. The column is empty in erased leads.
fn parse_ids(column: &str) -> Vec<String> {
    serde_json::from_str(column).unwrap_or_default()
}

/// Parses a value of the column `name`.
pub(crate) fn parse<T: FromStr>(name: &'static str, column: &str) -> Result<T> {
    column.parse().map_err(|_| StoreError::Unreadable(name))
}

/// The number in messages of the value of a column, which a newer version may have stored.
pub(crate) fn number_of<T: FromStr>(column: &str, number: fn(T) -> i32) -> i32 {
    column.parse().map_or(UNKNOWN_NUMBER, number)
}

pub(crate) fn to_row(
    submission: &Lead,
    keys: &Keys,
    contact: Option<Contact>,
    source: Source,
) -> Model {
    Model {
        id: submission.id,
        reference: submission.reference.to_string(),
        submitted_at: submission.submitted_at,
        interests: json!(submission.interests).to_string(),
        name: submission.name.clone().into(),
        mobile: submission.mobile.clone().into(),
        email: submission.email.clone().into(),
        questions: submission.questions.clone().into(),
        plan: submission
            .plan
            .map(|plan| plan.id.clone())
            .unwrap_or_default(),
        visit_times: json!(submission.visit_times).to_string(),
        home_preferences: json!(submission.home_preferences).to_string(),
        language: submission.language.id().to_owned(),
        privacy_policy_version: submission.privacy_policy_version.clone().into(),
        channels: json!(submission.channels).to_string(),
        visit: submission.visit.as_ref().map(|visit| json!(visit)),
        recorded_at: submission.submitted_at,
        source: source.into_str().to_owned(),
        signals: json!(submission.signals).to_string(),
        email_key: keys.email.as_str().to_owned(),
        mailbox: keys.email.mailbox(),
        digits: keys.digits.clone(),
        number_key: keys.number_and_name.clone().unwrap_or_default(),
        searched: keys.searched(submission.reference.as_str(), &Earlier::default()),
        contact_id: contact.map(|contact| contact.id),
        conflicting_contact_id: contact.and_then(|contact| contact.conflicting),
        state: LeadState::New.id().to_owned(),
        erased_at: submission.is_canary().then_some(submission.submitted_at),
        open: true,
        ..Model::default()
    }
}

impl Model {
    /// Converts to a row to insert. The database sets `recorded_at`.
    pub(crate) fn into_new(self) -> ActiveModel {
        ActiveModel {
            recorded_at: NotSet,
            ..self.into_active_model()
        }
    }

    /// Whether the lead was erased. Canaries also have `erased_at` but are only hidden.
    pub(crate) fn is_erased(&self) -> bool {
        self.erased_at.is_some() && self.signals != CANARY
    }

    /// The keys that identify the person. Erased leads have none.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        Key::from_row(self.email_key.clone(), self.number_key.clone())
    }

    /// Whether `submission` has the same contents as the row, with current or earlier values of corrected fields.
    pub(crate) fn has_same_form(&self, submission: &Lead) -> Result<bool> {
        let stored = self.clone().into_submission()?;
        let sent = match &self.earlier {
            Some(earlier) => earlier.as_sent(stored, submission),
            None => stored,
        };
        Ok(sent.has_same_form(submission))
    }

    /// Whether a copy of the lead has the current values of all corrected fields.
    pub(crate) fn has_current_values(&self, copy: &Lead) -> bool {
        let has_values = || {
            copy.name == self.name.as_str()
                && copy.mobile == self.mobile.as_str()
                && copy.email == self.email.as_str()
        };
        self.earlier.is_none() || has_values()
    }

    /// The hash of the mailbox for which a link without a mailbox stands. Empty if the lead was erased before it was
    /// stored.
    pub(crate) fn submitted_mailbox_hash(&self) -> &str {
        self.submitted_mailbox_hash
            .as_deref()
            .unwrap_or(&self.mailbox_hash)
    }

    pub(crate) fn progress(&self) -> crm::Progress {
        let closing_reason = match self.closing_reason.as_str() {
            "" => ClosingReason::number(None),
            reason => number_of::<ClosingReason>(reason, ClosingReason::number),
        };
        crm::Progress {
            state: number_of::<LeadState>(&self.state, LeadState::number),
            owner: self.owner.clone(),
            changed_at: self.changed_at.map(timestamp),
            changed_by: self.changed_by.clone(),
            contacted_at: self.contacted_at.map(timestamp),
            next_step_at: self.next_step_at.map(timestamp),
            closing_reason,
            do_not_contact_at: self.do_not_contact_at.map(timestamp),
        }
    }

    /// Converts the row to the message for clients. Fields from other tables are empty. A value that only a newer version
    /// defines has [`UNKNOWN_NUMBER`], because a list must not fail for one lead.
    pub(crate) fn into_message(self) -> Result<crm::Lead> {
        let text = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let (contact_id, conflicting_contact_id) =
            (text(self.contact_id), text(self.conflicting_contact_id));
        let language = number_of::<Language>(&self.language, Language::number);
        let consent = crm::Consent {
            policy_version: self.privacy_policy_version.clone(),
            language,
            given_at: Some(timestamp(self.submitted_at)),
            // The only purpose in the form.
            purpose: crm::Purpose::Enquiry.into(),
        };
        Ok(crm::Lead {
            recorded_at: Some(timestamp(self.recorded_at)),
            erasure_requested_at: self.erasure_requested_at.map(timestamp),
            progress: Some(self.progress()),
            submission: Some(LeadSubmitted {
                language,
                ..self.into_lead(Language::default())?.into()
            }),
            contact_id,
            conflicting_contact_id,
            consent: Some(consent),
            ..crm::Lead::default()
        })
    }

    pub(crate) fn into_submission(self) -> Result<Lead> {
        let language = parse("lead.language", &self.language)?;
        self.into_lead(language)
    }

    fn into_lead(self, language: Language) -> Result<Lead> {
        let visit = self.visit.map(serde_json::from_value).transpose();
        Ok(Lead {
            id: self.id,
            reference: parse("lead.reference", &self.reference)?,
            submitted_at: self.submitted_at,
            interests: interests(&self.interests),
            name: self.name.into(),
            mobile: self.mobile.into(),
            email: self.email.into(),
            questions: self.questions.into(),
            plan: Plan::find(&self.plan),
            visit_times: visit_times(&self.visit_times),
            home_preferences: HomePreference::known_from_contract(&parse_ids(
                &self.home_preferences,
            )),
            language,
            privacy_policy_version: self.privacy_policy_version.into(),
            channels: channels(&self.channels),
            visit: visit.map_err(|_| StoreError::Unreadable("lead.visit"))?,
            signals: values_in(&self.signals, SpamSignal::ALL, SpamSignal::id),
        })
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{IdenStatic, Iterable};

    use super::Column;

    const PERSONAL_DATA: &str = include_str!("../../../../docs/personal-data.md");

    /// Columns that derive from documented ones, and the state of the work on a lead.
    const OTHERS: [&str; 20] = [
        "email_key",
        "mailbox",
        "digits",
        "number_key",
        "searched",
        "contact_id",
        "conflicting_contact_id",
        "owner_key",
        "recorded_at",
        "changed_at",
        "changed_by",
        "contacted_at",
        "closing_reason",
        "do_not_contact_at",
        "erasure_requested_at",
        "contact_changed_at",
        "erased_at",
        "open",
        "leased_until",
        "leases",
    ];

    /// The name of a column in the document.
    fn words(column: &str) -> String {
        let words = match column {
            "mobile" => "phone number",
            "email" => "email address",
            "questions" => "question",
            "plan" => "floor plan",
            "privacy_policy_version" => "version of the privacy policy",
            "visit" => "time of the visit",
            "submitted_at" => "times",
            "mailbox_hash" | "submitted_mailbox_hash" => "keyed hashes of the mailboxes",
            "earlier" => "values before a correction",
            "next_step_at" => "follow-ups",
            "brochure" => "delivered emails",
            other => return other.replace('_', " "),
        };
        words.to_owned()
    }

    #[test]
    fn personal_data_names_every_column() {
        let (_, after) = PERSONAL_DATA.split_once("\n## What is stored").unwrap();
        let (section, _) = after.split_once("\n## ").unwrap();
        let data: Vec<_> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split('|').next())
            .collect();
        let columns = Column::iter().map(|column| column.as_str());
        for column in columns.filter(|column| !OTHERS.contains(column)) {
            let words = words(column);
            let is_named = data.iter().any(|cell| cell.contains(&words));
            assert!(is_named, "docs/personal-data.md lacks {words:?}");
        }
    }
}
