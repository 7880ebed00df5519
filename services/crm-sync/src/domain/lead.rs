//! Leads. None of these types prints itself: they hold what visitors wrote.

use chrono::{DateTime, Utc};
use identifiers::Reference;
use uuid::Uuid;

use super::{contact::Contact, progress::Progress, road::Road};
use crate::deliveries::Delivered;

/// A choice of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// E-brochure, floor plans and pricing when released.
    Brochure,
    /// Interested to purchase.
    Purchase,
    /// Early show flat preview.
    Showflat,
}

impl Interest {
    /// All of them, in the form's order.
    pub const ALL: [Self; 3] = [Self::Brochure, Self::Purchase, Self::Showflat];

    /// Its id, e.g. `brochure`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Brochure => "brochure",
            Self::Purchase => "purchase",
            Self::Showflat => "showflat",
        }
    }
}

/// A language of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Its tag, `en` or `zh`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }
}

/// A sign that no person filled in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Sent within seconds of the visit's beginning.
    Haste,
    /// A question stuffed with links.
    Links,
    /// Sent by ourselves, to see whether leads arrive.
    Canary,
}

impl Sign {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Haste, Self::Links, Self::Canary];

    /// Its short name, for the database.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Haste => "haste",
            Self::Links => "links",
            Self::Canary => "canary",
        }
    }
}

/// What personal data may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To answer the enquiry, and to tell the visitor about this project.
    Enquiry,
}

impl Purpose {
    /// All there are.
    pub const ALL: [Self; 1] = [Self::Enquiry];

    /// Its short name, for the database.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Enquiry => "enquiry",
        }
    }
}

/// The `utm_*` parameters of the first page seen, each empty when absent.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Campaign {
    /// `utm_source`
    pub source: String,
    /// `utm_medium`
    pub medium: String,
    /// `utm_campaign`
    pub name: String,
    /// `utm_term`
    pub term: String,
    /// `utm_content`
    pub content: String,
}

/// The visit a lead was sent from.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// The session.
    pub id: Uuid,
    /// When the visit began.
    pub started_at: DateTime<Utc>,
    /// Path of the first page seen; empty when unknown.
    pub landing_path: String,
    /// Host the visitor came from; empty when none.
    pub referrer_host: String,
    /// The campaign that brought the visitor.
    pub campaign: Campaign,
}

/// What a visitor sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Submission {
    /// The same for the same intent, however often it is sent.
    pub id: Uuid,
    /// Short name for people.
    pub reference: Reference,
    /// When lead-intake accepted it, to the microsecond.
    pub submitted_at: DateTime<Utc>,
    /// What was asked for; at least one.
    pub interests: Vec<Interest>,
    /// As typed.
    pub name: String,
    /// As typed.
    pub mobile: String,
    /// As typed.
    pub email: String,
    /// As typed; empty when nothing was asked.
    pub questions: String,
    /// Language of the page the form stood on.
    pub language: Language,
    /// Version of the privacy policy accepted; empty when the client did not say.
    pub privacy_policy_version: String,
    /// The visit, when it is known.
    pub session: Option<Session>,
    /// What makes it look automatic.
    pub signs: Vec<Sign>,
}

impl Submission {
    /// Whether we sent it ourselves, so that nobody is behind it.
    #[must_use]
    pub fn is_canary(&self) -> bool {
        self.signs == [Sign::Canary]
    }

    /// Whether the visitor filled in the same, in two tries at one intent: they differ in nothing else than what a browser
    /// or lead-intake adds to each.
    #[must_use]
    pub fn has_the_form_of(&self, other: &Self) -> bool {
        let added = Self {
            submitted_at: other.submitted_at,
            language: other.language,
            privacy_policy_version: other.privacy_policy_version.clone(),
            session: other.session.clone(),
            signs: other.signs.clone(),
            ..self.clone()
        };
        added == *other
    }
}

/// A lead as the database holds it.
#[derive(Clone, PartialEq, Eq)]
pub struct Lead {
    /// What the visitor sent.
    pub submission: Submission,
    /// When the database first took it.
    pub recorded_at: DateTime<Utc>,
    /// How it came.
    pub road: Road,
    /// Mails that were delivered, oldest first.
    pub deliveries: Vec<Delivered>,
    /// Whose it is; none while that is still to be found out.
    pub contact: Option<Contact>,
    /// How far sales have come.
    pub progress: Progress,
    /// What the visitor agreed to.
    pub purpose: Purpose,
}
