//! What happened to a lead. None of these types prints itself: they hold addresses and what people wrote.

use super::{lead::StoredLead, progress::LeadState, source::Source};
use ::lead::Lead;
use chrono::{DateTime, Utc};

/// Why a mail was not delivered. Nothing personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Reason {
    /// The kind of error, one of few.
    pub class: String,
    /// What happened, for a person.
    pub detail: String,
}

/// What can happen.
#[derive(Clone, PartialEq, Eq)]
pub enum Event {
    /// The visitor was answered, or about to be.
    Submitted,
    /// The database took the lead.
    Recorded(Source),
    /// The same key came again with other contents.
    Conflicting,
    /// The mail server took the mail.
    Delivered {
        /// What it answered.
        server_reply: String,
    },
    /// Not delivered yet, and tried again.
    Deferred {
        /// Until then at least.
        until: DateTime<Utc>,
        /// Why.
        reason: Reason,
    },
    /// Not delivered: an operator has to decide.
    Dead(Reason),
    /// Not delivered, and nobody has to decide.
    Settled(Reason),
    /// A notifier was given the lead, as deliveries were due.
    Leased {
        /// To whom.
        holder: String,
        /// It is given to another after that.
        until: DateTime<Utc>,
    },
    /// An operator had a dead delivery tried again.
    Replayed {
        /// The client that said so.
        client: String,
    },
    /// An operator settled a dead delivery.
    Discarded {
        /// Why.
        why: String,
        /// The client that said so.
        client: String,
    },
    /// Sales came further, or the lead went to another.
    Progressed {
        /// Where to.
        state: LeadState,
        /// Whose it is then; may be empty.
        owner: String,
        /// The client that said so.
        client: String,
    },
}

/// One thing that happened.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: DateTime<Utc>,
    /// The recipient it is about; empty when it is about the lead as a whole.
    pub recipient: String,
    /// What.
    pub event: Event,
}

/// All that happened to a lead.
pub struct History {
    /// Oldest first.
    pub timeline: Vec<Entry>,
    /// What was sent with the same key and other contents, oldest first.
    pub conflicts: Vec<Lead>,
}

impl History {
    /// The history of `lead`, of which its own row and its deliveries tell a part; `kept` is the rest, in order.
    #[must_use]
    pub fn of(lead: &StoredLead, kept: Vec<Entry>, conflicts: Vec<Lead>) -> Self {
        let of_lead = |at, event| Entry { at, recipient: String::new(), event };
        let mut timeline = vec![
            of_lead(lead.submission.submitted_at, Event::Submitted),
            of_lead(lead.recorded_at, Event::Recorded(lead.source)),
        ];
        timeline.extend(kept);
        timeline.extend(lead.deliveries.iter().map(|delivery| Entry {
            at: delivery.delivered_at,
            recipient: delivery.recipient.clone(),
            event: Event::Delivered { server_reply: delivery.server_reply.clone() },
        }));
        // Stable: what happened in the same moment stays as it is above.
        timeline.sort_by_key(|entry| entry.at);
        Self { timeline, conflicts }
    }
}
