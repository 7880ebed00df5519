//! Tracks the sales team's progress with a lead.

use ::lead::{FieldError, field::timestamp};
use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

/// A step of the work on a lead, stored under its snake_case name.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum LeadState {
    /// The visitor has not been contacted.
    #[default]
    New,
    Contacted,
    /// The visitor will visit, or has visited, the show flat.
    Visiting,
    /// No work is left.
    Closed,
    /// Not a real enquiry.
    NotALead,
}

impl LeadState {
    /// The state of a message; `None` when unspecified.
    pub(crate) fn from_contract(number: i32) -> Result<Option<Self>, FieldError> {
        Ok(match crm::LeadState::try_from(number).map_err(|_| FieldError::UnknownValue("state"))? {
            crm::LeadState::Unspecified => None,
            crm::LeadState::New => Some(Self::New),
            crm::LeadState::Contacted => Some(Self::Contacted),
            crm::LeadState::Visiting => Some(Self::Visiting),
            crm::LeadState::Closed => Some(Self::Closed),
            crm::LeadState::NotALead => Some(Self::NotALead),
        })
    }

    /// Whether the visitor must have been contacted to reach this state.
    fn is_contact(self) -> bool {
        match self {
            Self::Contacted | Self::Visiting => true,
            Self::New | Self::Closed | Self::NotALead => false,
        }
    }
}

impl From<LeadState> for crm::LeadState {
    fn from(state: LeadState) -> Self {
        match state {
            LeadState::New => Self::New,
            LeadState::Contacted => Self::Contacted,
            LeadState::Visiting => Self::Visiting,
            LeadState::Closed => Self::Closed,
            LeadState::NotALead => Self::NotALead,
        }
    }
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Progress {
    pub state: LeadState,
    /// The responsible person; empty when unassigned.
    pub owner: String,
    /// The last change of state or owner.
    pub changed_at: Option<DateTime<Utc>>,
    /// The client of the last change; empty before the first.
    pub changed_by: String,
    pub contacted_at: Option<DateTime<Utc>>,
}

impl From<Progress> for crm::Progress {
    fn from(progress: Progress) -> Self {
        Self {
            state: crm::LeadState::from(progress.state).into(),
            owner: progress.owner,
            changed_at: progress.changed_at.map(timestamp),
            changed_by: progress.changed_by,
            contacted_at: progress.contacted_at.map(timestamp),
        }
    }
}

impl Progress {
    /// The progress after a change at `now`; `None` when nothing changes.
    pub(super) fn after(&self, change: &Change, now: DateTime<Utc>) -> Option<Self> {
        let state = change.state.unwrap_or(self.state);
        let owner = change.owner.clone().unwrap_or_else(|| self.owner.clone());
        if state == self.state && owner == self.owner {
            return None;
        }
        let contacted_at = self.contacted_at.or_else(|| state.is_contact().then_some(now));
        Some(Self { state, owner, changed_at: Some(now), changed_by: change.client.clone(), contacted_at })
    }
}

/// A client's change to a lead's progress; `None` leaves a field as it is.
#[derive(Clone)]
pub struct Change {
    pub lead_id: Uuid,
    pub state: Option<LeadState>,
    pub owner: Option<String>,
    pub client: String,
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
