//! A lead and its visit.

use std::ops::Not;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use uuid::{Uuid, uuid};

use crate::{
    enquiry::{
        HomePreference, Plan, VisitTime, deserialize_home_preferences, deserialize_plan,
        deserialize_visit_times,
    },
    enums::{Channel, Interest, Language, SpamSignal},
    reference::Reference,
    text::UserText,
};

/// The namespace of lead ids. Must never change: a retry after a deploy would create a second lead.
const NAMESPACE: Uuid = uuid!("5f0d9c5e-6a3b-4a53-9f2e-7a4f1c0b8d21");

/// A value, or one that only a newer version defines.
#[derive(Deserialize)]
#[serde(untagged)]
enum Known<T> {
    Value(T),
    Unknown(IgnoredAny),
}

impl<T> Known<T> {
    fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unknown(IgnoredAny) => None,
        }
    }
}

fn deserialize_known<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let values = Vec::<Known<T>>::deserialize(deserializer)?;
    Ok(values.into_iter().filter_map(Known::into_value).collect())
}

fn deserialize_known_or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    let value = Known::<T>::deserialize(deserializer)?;
    Ok(value.into_value().unwrap_or_default())
}

/// Derives the lead id from the idempotency key of a submission.
pub fn id_of(idempotency_key: Uuid) -> Uuid {
    Uuid::new_v5(&NAMESPACE, idempotency_key.as_bytes())
}

/// One registration of interest.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// Identical for all retries of a submission.
    pub id: Uuid,
    pub reference: Reference,
    /// Time of acceptance by lead-intake, to the microsecond.
    pub submitted_at: DateTime<Utc>,
    /// Not empty, at most [`Lead::MAX_NAME_LENGTH`] UTF-16 code units.
    pub name: UserText,
    /// [`Lead::MIN_MOBILE_LENGTH`] to [`Lead::MAX_MOBILE_LENGTH`] UTF-16 code units; not necessarily a number.
    pub mobile: UserText,
    /// An address by [`is_email_address`](crate::is_email_address), at most [`Lead::MAX_EMAIL_LENGTH`] UTF-16 code units.
    pub email: UserText,
    /// At most [`Lead::MAX_QUESTIONS_LENGTH`] UTF-16 code units; may be empty.
    pub questions: UserText,
    /// The floor plan that the visitor asks about.
    #[serde(default, deserialize_with = "deserialize_plan")]
    pub plan: Option<&'static Plan>,
    /// When the visitor could come to the show flat; in the order of the form, without duplicates.
    #[serde(default, deserialize_with = "deserialize_visit_times")]
    pub visit_times: Vec<&'static VisitTime>,
    /// The homes that the visitor looks for; in the order of the form, without duplicates.
    #[serde(default, deserialize_with = "deserialize_home_preferences")]
    pub home_preferences: Vec<&'static HomePreference>,
    /// At least one, sorted, without duplicates. Like `language`, `channels` and `signals`, stored without the values that
    /// only a newer version defines.
    #[serde(deserialize_with = "deserialize_known")]
    pub interests: Vec<Interest>,
    /// Language of the page with the form.
    #[serde(deserialize_with = "deserialize_known_or_default")]
    pub language: Language,
    /// The accepted version; empty for canaries.
    pub privacy_policy_version: UserText,
    /// The channels that the visitor agreed to; sorted, without duplicates.
    #[serde(default, deserialize_with = "deserialize_known")]
    pub channels: Vec<Channel>,
    /// `None` when unknown.
    #[serde(rename = "session")]
    pub visit: Option<Visit>,
    /// Sorted, without duplicates.
    #[serde(deserialize_with = "deserialize_known")]
    pub signals: Vec<SpamSignal>,
}

impl Lead {
    // Maximum lengths, and the minimum length of a phone number, in UTF-16 code units.
    pub const MAX_NAME_LENGTH: usize = 100;
    pub const MIN_MOBILE_LENGTH: usize = 8;
    pub const MAX_MOBILE_LENGTH: usize = 19;
    pub const MAX_EMAIL_LENGTH: usize = 255;
    pub const MAX_QUESTIONS_LENGTH: usize = 1000;
    pub const PRIVACY_POLICY_VERSION: usize = 32;

    /// Creates a lead with empty form fields and the reference derived from `id`.
    pub fn empty(id: Uuid, submitted_at: DateTime<Utc>) -> Self {
        Self {
            id,
            reference: Reference::from_id(id),
            submitted_at,
            name: UserText::default(),
            mobile: UserText::default(),
            email: UserText::default(),
            questions: UserText::default(),
            plan: None,
            visit_times: Vec::new(),
            home_preferences: Vec::new(),
            interests: Vec::new(),
            language: Language::English,
            privacy_policy_version: UserText::default(),
            channels: Vec::new(),
            visit: None,
            signals: Vec::new(),
        }
    }

    /// Whether this is a canary: a synthetic lead that tests whether leads arrive.
    pub fn is_canary(&self) -> bool {
        self.signals == [SpamSignal::Canary]
    }

    /// Seconds from the start of the visit to the submission, rounded up, at least 1. `None` if the visit is unknown.
    pub fn form_seconds(&self) -> Option<i64> {
        let duration = self.submitted_at - self.visit.as_ref()?.started_at;
        Some(((duration.num_milliseconds() + 999) / 1000).max(1))
    }

    /// Whether id and form fields are equal. Values added by the browser or by lead-intake may differ between retries.
    pub fn has_same_form(&self, other: &Self) -> bool {
        // Without `..`, the compiler reports each new field that this comparison does not handle.
        let Self {
            id,
            name,
            mobile,
            email,
            questions,
            plan,
            visit_times,
            home_preferences,
            interests,
            reference: _,
            submitted_at: _,
            language: _,
            privacy_policy_version: _,
            channels: _,
            visit: _,
            signals: _,
        } = self;
        (id, name, mobile, email) == (&other.id, &other.name, &other.mobile, &other.email)
            && (questions, interests) == (&other.questions, &other.interests)
            && (plan, visit_times) == (&other.plan, &other.visit_times)
            && home_preferences == &other.home_preferences
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    pub id: Uuid,
    pub started_at: DateTime<Utc>,
    /// Whether the visitor's network had sent several leads within the hour before this one.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub is_network_busy: bool,
    #[serde(flatten)]
    pub attribution: Attribution,
}

/// The origin of a visit, recorded on its first page. Unknown parts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attribution {
    /// Path of the first page, without query.
    pub landing_path: UserText,
    pub referrer_host: UserText,
    pub campaign: Campaign,
}

/// The `utm_*` parameters of the first page; missing ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Campaign {
    pub source: UserText,
    pub medium: UserText,
    /// `utm_campaign`
    pub name: UserText,
    pub term: UserText,
    pub content: UserText,
}

impl Campaign {
    pub fn parts(&self) -> [(&'static str, &UserText); 5] {
        let Self {
            source,
            medium,
            name,
            term,
            content,
        } = self;
        [
            ("source", source),
            ("medium", medium),
            ("campaign", name),
            ("term", term),
            ("content", content),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_ignores_the_spelling_of_the_key() {
        let lower = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e".parse().unwrap();
        let upper = "{0C0F3C5A-5A56-4F5F-8F6E-0A8F6C1B2D3E}".parse().unwrap();
        assert_eq!(id_of(lower), id_of(upper));
        assert_ne!(id_of(lower), id_of(Uuid::nil()));
        // Must not change: with another id, a retry after a deploy would create a second lead.
        assert_eq!(
            id_of(Uuid::nil()),
            uuid!("8bf6c5b6-0fe0-5856-bb54-b075fc5ed029")
        );
    }

    /// Every field, except those that the browser or lead-intake adds.
    #[test]
    fn every_typed_field_makes_another_form() {
        const ADDED: [&str; 7] = [
            "reference",
            "submitted_at",
            "language",
            "privacy_policy_version",
            "channels",
            "session",
            "signals",
        ];
        let lead = Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH);
        let json = serde_json::to_value(&lead).unwrap();
        let fields = json.as_object().unwrap().keys();
        for field in fields.filter(|field| !ADDED.contains(&field.as_str())) {
            let mut changed = json.clone();
            changed[field] = match field.as_str() {
                "id" => Uuid::max().to_string().into(),
                "plan" => "C2N".into(),
                "visit_times" => ["weekday-evenings"].as_slice().into(),
                "home_preferences" => ["3-bedroom"].as_slice().into(),
                "interests" => ["purchase"].as_slice().into(),
                _ => "other".into(),
            };
            let other: Lead = serde_json::from_value(changed).unwrap();
            assert!(!lead.has_same_form(&other), "{field}");
        }
    }

    /// The contents of a conflict, which a newer version may have stored.
    #[test]
    fn drops_values_of_a_newer_version() {
        let stored = Lead {
            interests: vec![Interest::Purchase],
            channels: vec![Channel::Phone],
            language: Language::Chinese,
            ..Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH)
        };
        let mut json = serde_json::to_value(&stored).unwrap();
        assert!(serde_json::from_value::<Lead>(json.clone()).unwrap() == stored);
        json["interests"] = serde_json::json!(["penthouse", "purchase"]);
        json["channels"] = serde_json::json!(["phone", "fax"]);
        json["signals"] = serde_json::json!(["newer"]);
        json["language"] = "ms".into();
        let read: Lead = serde_json::from_value(json).unwrap();
        let expected = Lead {
            language: Language::default(),
            ..stored
        };
        assert!(read == expected);
    }
}
