//! The sales team's progress with a lead.

use chrono::{DateTime, Utc};
use clap::ValueEnum;
use contracts::crm::v1 as crm;
use serde::Serialize;
use strum::IntoStaticStr;

use super::contract::optional_time;
use crate::{
    error::Error,
    terminal::{View, single_line},
};

#[derive(Serialize)]
pub(crate) struct Progress {
    pub(crate) state: State,
    /// Empty when unassigned.
    pub(crate) owner: String,
    changed_at: Option<DateTime<Utc>>,
    changed_by: String,
    contacted_at: Option<DateTime<Utc>>,
    next_step_at: Option<DateTime<Utc>>,
    closing_reason: Option<ClosingReason>,
    pub(crate) do_not_contact_at: Option<DateTime<Utc>>,
}

/// Why nothing is left to do about a lead.
#[derive(Clone, Copy, PartialEq, Eq, IntoStaticStr, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub(crate) enum ClosingReason {
    /// The visitor bought a home here
    Bought,
    /// The visitor bought elsewhere
    BoughtElsewhere,
    /// The visitor does not want to buy
    NotInterested,
    /// The visitor never answered
    Unreachable,
    /// Another reason; add it as a note
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, IntoStaticStr, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub(crate) enum State {
    /// Not contacted yet
    New,
    /// The visitor was contacted
    Contacted,
    /// A visit to the show flat is booked
    VisitBooked,
    /// Nothing is left to do
    Closed,
    /// Not a real enquiry
    Invalid,
    /// Not set, or of a newer contract.
    #[value(skip)]
    Unknown,
}

impl Progress {
    pub(crate) fn read(progress: Option<crm::Progress>) -> Result<Self, Error> {
        let progress = progress.unwrap_or_default();
        Ok(Self {
            state: progress.state().into(),
            closing_reason: ClosingReason::read(progress.closing_reason()),
            owner: progress.owner,
            changed_at: optional_time(progress.changed_at)?,
            changed_by: progress.changed_by,
            contacted_at: optional_time(progress.contacted_at)?,
            next_step_at: optional_time(progress.next_step_at)?,
            do_not_contact_at: optional_time(progress.do_not_contact_at)?,
        })
    }

    /// State and owner, last change, first contact; unknown ones are omitted.
    pub(crate) fn texts(&self, view: &View) -> Vec<String> {
        let contacted = self.contacted_at.map(|at| format!("first contact {}", view.zoned(at)));
        let changed = self
            .changed_at
            .map(|at| format!("updated by {} at {}", single_line(&self.changed_by), view.zoned(at)));
        let first = format!("{}, {}", self.state.into_str(), owner(&self.owner));
        let next = self.next_step_at.map(|at| format!("follow-up {}", view.zoned(at)));
        let why = self.closing_reason.map(|reason| format!("reason: {}", reason.into_str()));
        let silent = self.do_not_contact_at.map(|at| format!("do not contact since {}", view.zoned(at)));
        [Some(first), why, next, silent, changed, contacted].into_iter().flatten().collect()
    }
}

pub(super) fn owner(owner: &str) -> String {
    if owner.is_empty() { "unassigned".to_owned() } else { format!("owner {}", single_line(owner)) }
}

impl ClosingReason {
    pub(super) fn read(reason: crm::ClosingReason) -> Option<Self> {
        match reason {
            crm::ClosingReason::Unspecified => None,
            crm::ClosingReason::Bought => Some(Self::Bought),
            crm::ClosingReason::BoughtElsewhere => Some(Self::BoughtElsewhere),
            crm::ClosingReason::NotInterested => Some(Self::NotInterested),
            crm::ClosingReason::Unreachable => Some(Self::Unreachable),
            crm::ClosingReason::Other => Some(Self::Other),
        }
    }
}

impl From<ClosingReason> for crm::ClosingReason {
    fn from(reason: ClosingReason) -> Self {
        match reason {
            ClosingReason::Bought => Self::Bought,
            ClosingReason::BoughtElsewhere => Self::BoughtElsewhere,
            ClosingReason::NotInterested => Self::NotInterested,
            ClosingReason::Unreachable => Self::Unreachable,
            ClosingReason::Other => Self::Other,
        }
    }
}

impl From<crm::LeadState> for State {
    fn from(state: crm::LeadState) -> Self {
        match state {
            crm::LeadState::Unspecified => Self::Unknown,
            crm::LeadState::New => Self::New,
            crm::LeadState::Contacted => Self::Contacted,
            crm::LeadState::VisitBooked => Self::VisitBooked,
            crm::LeadState::Closed => Self::Closed,
            crm::LeadState::Invalid => Self::Invalid,
        }
    }
}

impl From<State> for crm::LeadState {
    fn from(state: State) -> Self {
        match state {
            State::Unknown => Self::Unspecified,
            State::New => Self::New,
            State::Contacted => Self::Contacted,
            State::VisitBooked => Self::VisitBooked,
            State::Closed => Self::Closed,
            State::Invalid => Self::Invalid,
        }
    }
}
