//! Settings common to all mails.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lettre::{Address, message::Mailbox};
use tokens::{MagicLink, SigningKeys, Team};
use uuid::Uuid;

use super::{brochure::Brochure, site::SiteUrl};

#[derive(Clone)]
pub struct MailContext {
    pub sender: Mailbox,
    /// Envelope sender of acknowledgements, by default the sender's.
    pub bounces: Option<Address>,
    /// Where replies to acknowledgements go, by default the sender's.
    pub replies: Option<Address>,
    /// The zone of all times in mails.
    pub time_zone: Tz,
    /// Base of all links to the site.
    pub site: SiteUrl,
    /// `None`: the site has none yet.
    pub brochure: Option<Brochure>,
    /// Signs the links by which visitors withdraw their consent.
    pub withdrawal_keys: SigningKeys,
    /// `None`: mails link to no desk.
    pub desk: Option<Desk>,
}

/// What a link to the desk is made of. Not `Debug`, as it holds a secret.
#[derive(Clone)]
pub struct Desk {
    pub keys: SigningKeys,
    pub people: Team,
}

impl MailContext {
    /// The link of one person to one lead; `None` where there is no desk, or the recipient is nobody's own mailbox.
    pub(super) fn desk_link(
        &self,
        recipient: &Address,
        lead: Uuid,
        signs_in: Option<Uuid>,
        now: DateTime<Utc>,
    ) -> Option<String> {
        let desk = self.desk.as_ref()?;
        let person = desk.people.with_email(recipient.as_ref())?.id();
        let key = MagicLink { person, lead, signs_in }.sign(&desk.keys, now);
        // In the fragment, which reaches no server's log and no other site.
        Some(format!("{}/desk#{key}", self.site))
    }
}
