//! Who is told of a lead, and by whom. None of these types prints itself: they hold addresses.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{lead::Submission, notification::Notification, timeline::Reason};

/// What the visitor is called as a recipient of their own lead, so that no address is kept twice.
pub const VISITOR: &str = "visitor";

/// However often a lead was leased in vain, it is tried again after this.
const LONGEST_LEASE: Duration = Duration::from_secs(6 * 60 * 60);

/// Where telling one recipient of a lead has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody has begun.
    Untold,
    /// Somebody is at it, for a while.
    Held,
    /// To be tried again after a while.
    Waiting,
    /// Done.
    Told,
    /// Given up until a person has looked.
    Parked,
    /// Given up for good: nobody has to look.
    Declined,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Untold, Self::Held, Self::Waiting, Self::Told, Self::Parked, Self::Declined];

    /// Its short name, for the database.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Untold => "untold",
            Self::Held => "held",
            Self::Waiting => "waiting",
            Self::Told => "told",
            Self::Parked => "parked",
            Self::Declined => "declined",
        }
    }
}

/// Somebody is about to mail one recipient of a lead.
#[derive(Clone)]
pub struct Claim {
    /// The lead, stored unless it is there.
    pub submission: Submission,
    /// Who is to be mailed.
    pub recipient: String,
    /// Everybody who is to be told, `recipient` included.
    pub recipients: Vec<String>,
    /// Who asks.
    pub holder: String,
    /// How long the mail may take.
    pub lease: Duration,
    /// When `recipient` is the visitor: so many mails at most to the visitor's address within 24 hours.
    pub daily_limit: Option<u32>,
}

/// What the ledger says to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Mail, and report.
    Granted {
        /// How many claims for the recipient have been granted, this one included.
        attempt: u32,
    },
    /// Nothing is left to do.
    AlreadyTold,
    /// Another is at it.
    Held {
        /// For so long at most.
        remaining: Duration,
    },
    /// The lead was erased: forget it.
    Erased,
    /// Not to be told, for good.
    Declined,
}

/// Somebody asks for leads that nobody is telling.
#[derive(Clone)]
pub struct Lease {
    /// Who asks.
    pub holder: String,
    /// Only leads stored at least so long ago, but for those that have no message.
    pub untold_for: Duration,
    /// How long a lead is the holder's the first time.
    pub lease: Duration,
    /// At most so many.
    pub limit: u32,
}

impl Lease {
    /// How long a lead is the holder's that was leased `before` times: doubled each time, so that a lead that ends
    /// every notifier it is given to does so rarely.
    #[must_use]
    pub fn length(&self, before: u32) -> Duration {
        let doubled = 2u32.checked_pow(before).and_then(|factor| self.lease.checked_mul(factor));
        doubled.map_or(LONGEST_LEASE, |length| length.min(LONGEST_LEASE))
    }
}

/// A recipient was told.
#[derive(Clone)]
pub struct Told {
    /// By which mail.
    pub notification: Notification,
    /// Everybody who is to be told of the lead; may be empty.
    pub recipients: Vec<String>,
    /// The lead, when it may not be stored.
    pub lead: Option<Box<Submission>>,
}

/// What came of a claim, short of a mail taken. Counts only from the claim's holder.
#[derive(Clone)]
pub struct Setback {
    /// The lead.
    pub lead_id: Uuid,
    /// Who was to be mailed.
    pub recipient: String,
    /// Who reports.
    pub holder: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// See [`Setback`].
#[derive(Clone)]
pub enum Outcome {
    /// To be tried again.
    Waiting {
        /// Not sooner than that.
        at_least: Duration,
        /// Why.
        reason: Reason,
    },
    /// A person has to look at it.
    Parked(Reason),
    /// Not tried after all.
    Released,
    /// Will not be told, and nobody has to look at it.
    Declined(Reason),
}

/// A time from now; the end of time for what is longer than time.
#[must_use]
pub fn after(now: DateTime<Utc>, wait: Duration) -> DateTime<Utc> {
    let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_that_was_leased_before_is_leased_for_longer_but_not_for_ever() {
        let holder = "notifier-1".to_owned();
        let lease = Lease { holder, untold_for: Duration::ZERO, lease: Duration::from_secs(60), limit: 1 };
        let lengths = [0, 1, 2, 8, 9, 31, 32, u32::MAX].map(|before| lease.length(before).as_secs());
        assert_eq!(lengths, [60, 120, 240, 15_360, 21_600, 21_600, 21_600, 21_600]);
    }
}
