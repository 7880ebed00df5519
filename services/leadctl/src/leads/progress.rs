//! The sales team's progress with a lead.

use chrono::{DateTime, Utc};
use clap::ValueEnum;
use contracts::crm::v1 as crm;
use serde::Serialize;
use strum::IntoStaticStr;

use super::contract::optional_time;
use crate::{
    error::Error,
    terminal::{View, one_line},
};

#[derive(Serialize)]
pub(crate) struct Progress {
    pub(crate) state: State,
    /// Empty when unassigned.
    pub(crate) owner: String,
    changed_at: Option<DateTime<Utc>>,
    changed_by: String,
    contacted_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Copy, PartialEq, Eq, IntoStaticStr, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub(crate) enum State {
    /// Nobody has spoken to the visitor.
    New,
    /// Somebody has.
    Contacted,
    /// The visitor comes, or came, to see the show flat.
    Visiting,
    /// Nothing is left to do.
    Closed,
    /// Nobody was behind it.
    NotALead,
    /// Not set, or of a newer contract.
    #[value(skip)]
    Unknown,
}

impl Progress {
    pub(crate) fn read(progress: Option<crm::Progress>) -> Result<Self, Error> {
        let progress = progress.unwrap_or_default();
        Ok(Self {
            state: progress.state().into(),
            owner: progress.owner,
            changed_at: optional_time(progress.changed_at)?,
            changed_by: progress.changed_by,
            contacted_at: optional_time(progress.contacted_at)?,
        })
    }

    /// State and owner, last change, first contact; unknown ones are omitted.
    pub(crate) fn texts(&self, view: &View) -> Vec<String> {
        let contacted = self.contacted_at.map(|at| format!("first contact {}", view.zoned(at)));
        let changed =
            self.changed_at.map(|at| format!("said {} at {}", one_line(&self.changed_by), view.zoned(at)));
        let first = format!("{}, {}", self.state.into_str(), owner(&self.owner));
        [Some(first), changed, contacted].into_iter().flatten().collect()
    }
}

pub(super) fn owner(owner: &str) -> String {
    if owner.is_empty() { "nobody's".to_owned() } else { format!("{}'s", one_line(owner)) }
}

impl From<crm::LeadState> for State {
    fn from(state: crm::LeadState) -> Self {
        match state {
            crm::LeadState::Unspecified => Self::Unknown,
            crm::LeadState::New => Self::New,
            crm::LeadState::Contacted => Self::Contacted,
            crm::LeadState::Visiting => Self::Visiting,
            crm::LeadState::Closed => Self::Closed,
            crm::LeadState::NotALead => Self::NotALead,
        }
    }
}

impl From<State> for crm::LeadState {
    fn from(state: State) -> Self {
        match state {
            State::Unknown => Self::Unspecified,
            State::New => Self::New,
            State::Contacted => Self::Contacted,
            State::Visiting => Self::Visiting,
            State::Closed => Self::Closed,
            State::NotALead => Self::NotALead,
        }
    }
}
