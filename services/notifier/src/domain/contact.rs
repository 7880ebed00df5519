//! What the CRM knows around a lead.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{lead::Lead, text::Line};

/// An enquiry that the same person sent before.
#[derive(Clone)]
pub struct Earlier {
    /// Id of that lead.
    pub id: Uuid,
    /// Its short name.
    pub reference: Line,
    /// When it was accepted.
    pub submitted_at: DateTime<Utc>,
}

/// A lead that nobody has contacted yet.
#[derive(Clone)]
pub struct Uncontacted {
    /// The lead.
    pub lead: Lead,
    /// Whose it is, if anybody's.
    pub owner: Option<Line>,
}
