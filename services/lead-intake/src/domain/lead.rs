//! A lead: a registration that was accepted, and what is known around it.

use ::lead::Reference;
use chrono::{DateTime, Utc};
use uuid::{Uuid, uuid};

use super::{registration::Registration, session::Session, text};

/// The namespace of lead ids. For ever: another would make two leads of one intent.
const NAMESPACE: Uuid = uuid!("5f0d9c5e-6a3b-4a53-9f2e-7a4f1c0b8d21");

const LONGEST_POLICY_VERSION: usize = 32;

/// The language of the page a lead was sent from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, also when nothing is said.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// Reads a `Content-Language`; what is not Chinese is English.
    #[must_use]
    pub fn from_tag(tag: &str) -> Self {
        match tag.trim().split('-').next() {
            Some(primary) if primary.eq_ignore_ascii_case("zh") => Self::Chinese,
            _ => Self::English,
        }
    }
}

/// A lead on its way to where it is kept.
#[derive(Clone)]
pub struct Lead {
    /// The same for the same intent.
    pub id: LeadId,
    /// When it was accepted.
    pub submitted_at: DateTime<Utc>,
    /// What the visitor sent.
    pub registration: Registration,
    /// Language of the page.
    pub language: Language,
    /// Version of the policy the visitor accepted; empty when unknown.
    pub privacy_policy_version: String,
    /// The visit.
    pub session: Session,
    /// Whether it is one of ours, sent to see whether leads arrive.
    pub is_canary: bool,
}

/// A policy's version as it is kept: on one line, cut to size.
#[must_use]
pub fn policy_version(given: &str) -> String {
    text::truncated(&text::single_line(given.trim()), LONGEST_POLICY_VERSION).to_owned()
}

/// Names a lead for machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadId(Uuid);

impl LeadId {
    /// The id of the intent that an idempotency key stands for.
    #[must_use]
    pub fn of(idempotency_key: Uuid) -> Self {
        Self(Uuid::new_v5(&NAMESPACE, idempotency_key.as_bytes()))
    }

    /// The id itself.
    #[must_use]
    pub fn uuid(self) -> Uuid {
        self.0
    }

    /// The lead's name for people, e.g. `ZG-7F3K-2Q`.
    #[must_use]
    pub fn reference(self) -> Reference {
        Reference::of(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intent_is_one_lead_whatever_the_spelling_of_its_key() {
        let lower = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e".parse().unwrap();
        let upper = "{0C0F3C5A-5A56-4F5F-8F6E-0A8F6C1B2D3E}".parse().unwrap();
        assert_eq!(LeadId::of(lower), LeadId::of(upper));
        assert_ne!(LeadId::of(lower), LeadId::of(Uuid::nil()));
        // Released: if this changes, retries across a deploy become second leads.
        assert_eq!(LeadId::of(Uuid::nil()).uuid(), uuid!("8bf6c5b6-0fe0-5856-bb54-b075fc5ed029"));
    }

    #[test]
    fn languages_are_read_from_their_tags() {
        assert_eq!(Language::from_tag("zh"), Language::Chinese);
        assert_eq!(Language::from_tag("zh-CN"), Language::Chinese);
        assert_eq!(Language::from_tag("en"), Language::English);
        assert_eq!(Language::from_tag(""), Language::English);
    }
}
