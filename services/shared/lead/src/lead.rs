//! A lead and its visit.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::{Uuid, uuid};

use crate::{reference::Reference, text::Typed};

/// The namespace of lead ids. For ever: another would make two leads of one intent.
const NAMESPACE: Uuid = uuid!("5f0d9c5e-6a3b-4a53-9f2e-7a4f1c0b8d21");

/// The id of the lead of the intent that an idempotency key stands for.
#[must_use]
pub fn id_of(idempotency_key: Uuid) -> Uuid {
    Uuid::new_v5(&NAMESPACE, idempotency_key.as_bytes())
}

/// One registration of interest.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Lead {
    /// The same for the same intent, however often it is sent.
    pub id: Uuid,
    /// Its short name.
    pub reference: Reference,
    /// When lead-intake accepted it, to the microsecond.
    pub submitted_at: DateTime<Utc>,
    /// At most [`Lead::NAME`] UTF-16 code units; not empty.
    pub name: Typed,
    /// At most [`Lead::MOBILE`]; not empty, not always a number.
    pub mobile: Typed,
    /// At most [`Lead::EMAIL`]; not empty.
    pub email: Typed,
    /// At most [`Lead::QUESTIONS`]; empty when nothing was asked.
    pub questions: Typed,
    /// At least one, sorted, each once.
    pub interests: Vec<Interest>,
    /// Language of the page the form stood on.
    pub language: Language,
    /// Version of the privacy policy that was accepted; empty when unknown.
    pub privacy_policy_version: Typed,
    /// The visit, when it is known.
    #[serde(rename = "session")]
    pub visit: Option<Visit>,
    /// What makes it look as if no person had sent it; sorted, each once.
    pub signals: Vec<SpamSignal>,
}

impl Lead {
    /// Longest name, in UTF-16 code units.
    pub const NAME: usize = 100;
    /// Longest telephone number.
    pub const MOBILE: usize = 19;
    /// Longest e-mail address.
    pub const EMAIL: usize = 255;
    /// Longest question.
    pub const QUESTIONS: usize = 1000;

    /// A lead in which the visitor said nothing.
    #[must_use]
    pub fn empty(id: Uuid, submitted_at: DateTime<Utc>) -> Self {
        Self {
            id,
            reference: Reference::of(id),
            submitted_at,
            name: Typed::default(),
            mobile: Typed::default(),
            email: Typed::default(),
            questions: Typed::default(),
            interests: Vec::new(),
            language: Language::English,
            privacy_policy_version: Typed::default(),
            visit: None,
            signals: Vec::new(),
        }
    }

    /// Whether we sent it ourselves, to see whether leads arrive.
    #[must_use]
    pub fn is_canary(&self) -> bool {
        self.signals == [SpamSignal::Canary]
    }

    /// Whether the visitor filled in the same, in two tries at one intent. What a browser or lead-intake adds to each
    /// try may differ.
    #[must_use]
    pub fn has_the_form_of(&self, other: &Self) -> bool {
        // No `..`: a new field has to be named, here or below.
        let Self {
            id,
            name,
            mobile,
            email,
            questions,
            interests,
            reference: _,
            submitted_at: _,
            language: _,
            privacy_policy_version: _,
            visit: _,
            signals: _,
        } = self;
        (id, name, mobile, email) == (&other.id, &other.name, &other.mobile, &other.email)
            && (questions, interests) == (&other.questions, &other.interests)
    }
}

/// A choice of the form, in the form's order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Interest {
    /// E-brochure, floor plans and pricing when released.
    Brochure,
    /// To purchase.
    Purchase,
    /// Early show flat preview.
    Showflat,
}

/// A language of the site.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
pub enum Language {
    /// English, also when nothing is said.
    #[default]
    #[serde(rename = "en")]
    #[strum(serialize = "en")]
    English,
    /// Chinese.
    #[serde(rename = "zh")]
    #[strum(serialize = "zh")]
    Chinese,
}

/// What makes a lead look as if no person had sent it. Noted for sales, and never a reason to refuse.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SpamSignal {
    /// Sent within seconds of the visit's beginning.
    TooFast,
    /// A question stuffed with links.
    Links,
    /// Sent by ourselves, to see whether leads arrive.
    Canary,
}

impl Interest {
    /// Every one, in order.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Its id, e.g. `brochure`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

impl Language {
    /// Every one, in order.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Its tag, `en` or `zh`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        self.into()
    }
}

impl SpamSignal {
    /// Every one, in order.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Its id, e.g. `links`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// The anonymous visit a lead was sent from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Visit {
    /// The visit's own id.
    pub id: Uuid,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Where the visitor came from.
    #[serde(flatten)]
    pub attribution: Attribution,
}

/// Where a visitor came from, as the first page saw it. Each part is empty when unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attribution {
    /// Path of the first page, without query.
    pub landing_path: Typed,
    /// Host of the page before it.
    pub referrer_host: Typed,
    /// The campaign that brought the visitor.
    pub campaign: Campaign,
}

/// The `utm_*` parameters of the first page, each empty when absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Campaign {
    /// `utm_source`
    pub source: Typed,
    /// `utm_medium`
    pub medium: Typed,
    /// `utm_campaign`
    pub name: Typed,
    /// `utm_term`
    pub term: Typed,
    /// `utm_content`
    pub content: Typed,
}

impl Campaign {
    /// Each part with its name.
    pub fn parts(&self) -> [(&'static str, &Typed); 5] {
        let Self { source, medium, name, term, content } = self;
        [("source", source), ("medium", medium), ("campaign", name), ("term", term), ("content", content)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intent_is_one_lead_whatever_the_spelling_of_its_key() {
        let lower = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e".parse().unwrap();
        let upper = "{0C0F3C5A-5A56-4F5F-8F6E-0A8F6C1B2D3E}".parse().unwrap();
        assert_eq!(id_of(lower), id_of(upper));
        assert_ne!(id_of(lower), id_of(Uuid::nil()));
        // Released: if this changes, retries across a deploy become second leads.
        assert_eq!(id_of(Uuid::nil()), uuid!("8bf6c5b6-0fe0-5856-bb54-b075fc5ed029"));
    }
}
