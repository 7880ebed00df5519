//! What happened to a lead. None of these types prints itself: they hold addresses and what people wrote.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    lead::{Lead, Submission},
    progress::LeadState,
    road::Road,
};

/// Why a recipient was not told. Nothing personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Reason {
    /// The kind of error, one of few.
    pub class: String,
    /// What happened, for a person.
    pub detail: String,
}

/// What an operator did with a parked message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Put back to be dealt with.
    Replayed,
    /// Thrown away.
    Discarded,
}

impl Action {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Replayed, Self::Discarded];

    /// Its short name, for the database.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Replayed => "replayed",
            Self::Discarded => "discarded",
        }
    }
}

/// What an operator did about a lead.
#[derive(Clone, PartialEq, Eq)]
pub struct Note {
    /// The lead; it need not be stored yet.
    pub lead_id: Uuid,
    /// What was done.
    pub action: Action,
    /// Why; may be empty.
    pub why: String,
    /// The client that said so.
    pub client: String,
}

/// What can happen.
#[derive(Clone, PartialEq, Eq)]
pub enum Event {
    /// The visitor was answered, or about to be.
    Submitted,
    /// The database took the lead.
    Recorded(Road),
    /// The same key came again with other contents.
    Conflicting,
    /// The recipient's mail server took the mail.
    Told {
        /// What it answered.
        server_reply: String,
    },
    /// The recipient could not be told, and will be tried again.
    Waiting {
        /// Until then at least.
        until: DateTime<Utc>,
        /// Why.
        reason: Reason,
    },
    /// The recipient could not be told, and a person has to look at it.
    Parked(Reason),
    /// The recipient will not be told, and nobody has to look at it.
    Declined(Reason),
    /// A notifier was given the lead because nobody had told it.
    Leased {
        /// To whom.
        holder: String,
        /// It is given to another after that.
        until: DateTime<Utc>,
    },
    /// An operator acted.
    Noted {
        /// What was done.
        action: Action,
        /// Why; may be empty.
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
    pub conflicts: Vec<Submission>,
}

impl History {
    /// The history of `lead`, of which its own row and its notifications tell a part; `kept` is the rest, in order.
    #[must_use]
    pub fn of(lead: &Lead, kept: Vec<Entry>, conflicts: Vec<Submission>) -> Self {
        let of_lead = |at, event| Entry { at, recipient: String::new(), event };
        let mut timeline = vec![
            of_lead(lead.submission.submitted_at, Event::Submitted),
            of_lead(lead.recorded_at, Event::Recorded(lead.road)),
        ];
        timeline.extend(kept);
        timeline.extend(lead.notifications.iter().map(|told| Entry {
            at: told.notified_at,
            recipient: told.recipient.clone(),
            event: Event::Told { server_reply: told.server_reply.clone() },
        }));
        // Stable: what happened in the same moment stays as it is above.
        timeline.sort_by_key(|entry| entry.at);
        Self { timeline, conflicts }
    }
}
