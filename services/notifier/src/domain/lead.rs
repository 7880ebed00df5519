//! What is known about a lead.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::text::{Line, Paragraphs};

/// Somebody registered interest. Prints nothing: most of it is personal.
#[derive(Clone)]
pub struct Lead {
    /// Its id.
    pub id: Uuid,
    /// Its short name, e.g. `ZG-7F3K-2Q`.
    pub reference: Line,
    /// When it was accepted.
    pub submitted_at: DateTime<Utc>,
    /// What the visitor asked for.
    pub interests: Interests,
    /// As typed.
    pub name: Line,
    /// As typed: not always a number.
    pub mobile: Line,
    /// As typed: what a browser takes for an address.
    pub email: Line,
    /// As typed, when anything was asked.
    pub question: Option<Paragraphs>,
    /// Language of the page the form stood on.
    pub language: Language,
    /// Version of the privacy policy that was accepted, when known.
    pub privacy_policy_version: Option<Line>,
    /// Where the visitor came from.
    pub visit: Visit,
    /// What makes it look as if no person had sent it.
    pub signs: Vec<Sign>,
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

impl Lead {
    /// Whether we sent it ourselves: sales is not told of it.
    #[must_use]
    pub fn is_canary(&self) -> bool {
        self.signs == [Sign::Canary]
    }
}

/// Where a visitor came from, as far as it is known.
#[derive(Clone, Default)]
pub struct Visit {
    /// When it began.
    pub started_at: Option<DateTime<Utc>>,
    /// Path of the first page seen.
    pub landing_path: Option<Line>,
    /// Host of the page that linked there.
    pub referrer_host: Option<Line>,
    /// Name and value of each campaign parameter.
    pub campaign: Vec<(&'static str, Line)>,
}

/// A choice of the form, the most committed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// To buy.
    Purchase,
    /// To see the show flat.
    Showflat,
    /// To read about it.
    Brochure,
}

impl Interest {
    /// A few words, for a subject line.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Self::Purchase => "Purchase",
            Self::Showflat => "Showflat preview",
            Self::Brochure => "Brochure",
        }
    }

    /// The words the visitor ticked, as the form has them.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Purchase => "Interested to Purchase",
            Self::Showflat => "Interested in Early Brid Showflat Preview when Ready",
            Self::Brochure => "Send me E-Brochure, Floor Plan & Pricing when Released!",
        }
    }
}

/// One or more choices, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interests {
    leading: Interest,
    all: Vec<Interest>,
}

impl Interests {
    /// `None` when there is no choice.
    #[must_use]
    pub fn new(mut all: Vec<Interest>) -> Option<Self> {
        all.sort_unstable();
        all.dedup();
        all.first().copied().map(|leading| Self { leading, all })
    }

    /// The most committed one.
    #[must_use]
    pub fn leading(&self) -> Interest {
        self.leading
    }

    /// All of them, the most committed first.
    #[must_use]
    pub fn all(&self) -> &[Interest] {
        &self.all
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
    /// Its name in itself.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "中文",
        }
    }

    /// Its name for who may not read it.
    #[must_use]
    pub fn in_english(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "Chinese (中文)",
        }
    }

    /// Its tag, as HTML has it.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_committed_interest_leads_and_each_is_there_once() {
        let interests =
            Interests::new(vec![Interest::Brochure, Interest::Showflat, Interest::Brochure]).unwrap();
        assert_eq!(interests.leading(), Interest::Showflat);
        assert_eq!(interests.all(), [Interest::Showflat, Interest::Brochure]);
        assert_eq!(Interests::new(Vec::new()), None);
    }
}
