//! The sales team's progress with a lead.

use ::lead::{ClosingReason, LeadState};
use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;
use serde::Serialize;

use super::contract::optional_time;
use crate::{
    error::Error,
    terminal::{View, single_line},
};

#[derive(Serialize)]
pub(crate) struct Progress {
    pub(crate) state: Option<LeadState>,
    /// Empty when unassigned.
    pub(crate) owner: String,
    changed_at: Option<DateTime<Utc>>,
    changed_by: String,
    contacted_at: Option<DateTime<Utc>>,
    next_step_at: Option<DateTime<Utc>>,
    closing_reason: Option<ClosingReason>,
    pub(crate) do_not_contact_at: Option<DateTime<Utc>>,
}

impl Progress {
    pub(crate) fn read(progress: Option<crm::Progress>) -> Result<Self, Error> {
        let progress = progress.unwrap_or_default();
        Ok(Self {
            state: LeadState::from_repr(progress.state),
            closing_reason: ClosingReason::from_repr(progress.closing_reason),
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
        let first = format!("{}, {}", state_name(self.state), owner(&self.owner));
        let next = self.next_step_at.map(|at| format!("follow-up {}", view.zoned(at)));
        let why = self.closing_reason.map(|reason| format!("reason: {}", reason_name(reason)));
        let silent = self.do_not_contact_at.map(|at| format!("do not contact since {}", view.zoned(at)));
        [Some(first), why, next, silent, changed, contacted].into_iter().flatten().collect()
    }
}

pub(super) fn owner(owner: &str) -> String {
    if owner.is_empty() { "unassigned".to_owned() } else { format!("owner {}", single_line(owner)) }
}

/// A state as typed and shown, such as `visit-booked`.
pub(crate) fn state_name(state: Option<LeadState>) -> String {
    state.map_or("unknown", LeadState::id).replace('_', "-")
}

pub(crate) fn reason_name(reason: ClosingReason) -> String {
    reason.id().replace('_', "-")
}
