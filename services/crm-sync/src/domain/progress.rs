//! How far sales have come with a lead.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A step of the work on a lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeadState {
    /// Nobody has spoken to the visitor.
    #[default]
    New,
    /// Somebody has.
    Contacted,
    /// The visitor comes, or came, to see the show flat.
    Visiting,
    /// Nothing is left to do.
    Closed,
    /// Nobody was behind it.
    NotALead,
}

impl LeadState {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::New, Self::Contacted, Self::Visiting, Self::Closed, Self::NotALead];

    /// Its short name, for the database.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Contacted => "contacted",
            Self::Visiting => "visiting",
            Self::Closed => "closed",
            Self::NotALead => "not_a_lead",
        }
    }

    /// Whether somebody has spoken to the visitor to get there.
    #[must_use]
    pub fn is_contact(self) -> bool {
        match self {
            Self::Contacted | Self::Visiting => true,
            Self::New | Self::Closed | Self::NotALead => false,
        }
    }
}

/// Where a lead stands.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// The step.
    pub state: LeadState,
    /// Whose lead it is; empty when nobody's.
    pub owner: String,
    /// When either was last changed.
    pub changed_at: Option<DateTime<Utc>>,
    /// The client that changed it; empty when nobody did.
    pub changed_by: String,
    /// When somebody first spoke to the visitor.
    pub contacted_at: Option<DateTime<Utc>>,
}

/// A wish to change it.
#[derive(Clone)]
pub struct Change {
    /// The lead.
    pub lead_id: Uuid,
    /// Where to; none: as it is.
    pub state: Option<LeadState>,
    /// Whose then; none: as it is.
    pub owner: Option<String>,
    /// The client that wishes it.
    pub client: String,
}

impl Progress {
    /// Where the lead stands after a change at this time; none when that is where it stands already.
    #[must_use]
    pub fn after(&self, change: &Change, now: DateTime<Utc>) -> Option<Self> {
        let state = change.state.unwrap_or(self.state);
        let owner = change.owner.clone().unwrap_or_else(|| self.owner.clone());
        if state == self.state && owner == self.owner {
            return None;
        }
        let contacted_at = self.contacted_at.or_else(|| state.is_contact().then_some(now));
        Some(Self { state, owner, changed_at: Some(now), changed_by: change.client.clone(), contacted_at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(state: Option<LeadState>, owner: Option<&str>) -> Change {
        let owner = owner.map(str::to_owned);
        Change { lead_id: Uuid::from_u128(1), state, owner, client: "leadctl".to_owned() }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn the_first_contact_stands() {
        let new = Progress::default();
        let visiting = new.after(&change(Some(LeadState::Visiting), None), at(1)).unwrap();
        assert_eq!((visiting.contacted_at, visiting.changed_at), (Some(at(1)), Some(at(1))));
        let back = visiting.after(&change(Some(LeadState::New), None), at(2)).unwrap();
        let contacted = back.after(&change(Some(LeadState::Contacted), None), at(3)).unwrap();
        assert_eq!((contacted.contacted_at, contacted.changed_at), (Some(at(1)), Some(at(3))));
    }

    #[test]
    fn closing_is_no_contact() {
        for state in [LeadState::Closed, LeadState::NotALead] {
            let closed = Progress::default().after(&change(Some(state), None), at(1)).unwrap();
            assert_eq!(closed.contacted_at, None);
        }
    }

    #[test]
    fn what_is_not_said_stays_and_what_stays_is_no_change() {
        let taken = Progress::default().after(&change(None, Some("Mei")), at(1)).unwrap();
        assert_eq!((taken.state, taken.owner.as_str()), (LeadState::New, "Mei"));
        assert!(taken.after(&change(Some(LeadState::New), Some("Mei")), at(2)).is_none());
        assert!(taken.after(&change(None, None), at(2)).is_none());
        let free = taken.after(&change(Some(LeadState::Closed), Some("")), at(2)).unwrap();
        assert_eq!((free.state, free.owner.as_str()), (LeadState::Closed, ""));
    }
}
