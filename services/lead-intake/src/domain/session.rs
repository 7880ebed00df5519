//! The anonymous visit a lead comes from.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::text::{self, truncated};

const LONGEST_PATH: usize = 200;
const LONGEST_VALUE: usize = 100;

/// A visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Which one.
    pub id: Uuid,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Where the visitor came from.
    pub attribution: Attribution,
}

/// Where a visitor came from, as the first page saw it. Each part is empty when unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attribution {
    /// Path of the first page, without query.
    pub landing_path: String,
    /// Host of the page before it.
    pub referrer_host: String,
    /// `utm_source`
    pub source: String,
    /// `utm_medium`
    pub medium: String,
    /// `utm_campaign`
    pub campaign: String,
    /// `utm_term`
    pub term: String,
    /// `utm_content`
    pub content: String,
}

impl Attribution {
    /// The same on one line each, cut to lengths that fit a token, and without the path's query.
    #[must_use]
    pub fn capped(self) -> Self {
        let path = self.landing_path.split(['?', '#']).next().unwrap_or_default();
        let value = |value: String| truncated(&text::single_line(&value), LONGEST_VALUE).to_owned();
        Self {
            landing_path: truncated(&text::single_line(path), LONGEST_PATH).to_owned(),
            referrer_host: value(self.referrer_host),
            source: value(self.source),
            medium: value(self.medium),
            campaign: value(self.campaign),
            term: value(self.term),
            content: value(self.content),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribution_is_cut_to_size_and_loses_the_query() {
        let attribution = Attribution {
            landing_path: format!("/floor-plans?email=mei@example.com{}", "x".repeat(500)),
            source: "宝".repeat(200),
            ..Attribution::default()
        };
        let capped = attribution.capped();
        assert_eq!(capped.landing_path, "/floor-plans");
        assert_eq!(capped.source.chars().count(), 100);
    }
}
