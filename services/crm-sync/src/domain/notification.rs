//! Who was told of a lead.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use identifiers::Reference;

/// One recipient's mail about a lead was accepted by the mail server.
#[derive(Clone, PartialEq, Eq)]
pub struct Notification {
    /// The lead.
    pub lead_id: Uuid,
    /// The lead's short name.
    pub reference: Reference,
    /// Address of the mailbox that was told.
    pub recipient: String,
    /// `Message-ID` header of the mail.
    pub mail_message_id: String,
    /// What the mail server answered.
    pub server_reply: String,
    /// When it answered, to the microsecond.
    pub notified_at: DateTime<Utc>,
}
