//! Leads. None of these types prints itself: they hold what visitors wrote.

use ::lead::Lead;
use chrono::{DateTime, Utc};

use super::{contact::Contact, progress::Progress, source::Source};
use crate::deliveries::Delivered;

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

/// A lead as the database holds it.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredLead {
    /// What the visitor sent.
    pub submission: Lead,
    /// When the database first took it.
    pub recorded_at: DateTime<Utc>,
    /// How it came.
    pub source: Source,
    /// Mails that were delivered, oldest first.
    pub deliveries: Vec<Delivered>,
    /// Whose it is; none while that is still to be found out.
    pub contact: Option<Contact>,
    /// How far sales have come.
    pub progress: Progress,
    /// What the visitor agreed to.
    pub purpose: Purpose,
}
