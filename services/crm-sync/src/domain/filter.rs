//! Which leads are asked for.

use chrono::{DateTime, Utc};

use super::lead::{Interest, Language};

/// A lead passes when it meets every condition given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Asked for this.
    pub interest: Option<Interest>,
    /// Sent from a page in this language.
    pub language: Option<Language>,
    /// Submitted at or after this.
    pub submitted_from: Option<DateTime<Utc>>,
    /// Submitted before this.
    pub submitted_before: Option<DateTime<Utc>>,
    /// True: somebody was told; false: nobody was.
    pub notified: Option<bool>,
}
