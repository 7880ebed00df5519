//! Tracks the sales team's progress with a lead.

use ::lead::{ClosingReason, LeadState, field::timestamp, text::search_key};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::crm::v1 as crm;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::Expr};
use uuid::Uuid;

use super::{
    do_not_contact, lead,
    lock::lock,
    suppression::{self, SuppressionKey},
    timeline::{self, Event},
};
use crate::{
    db::{Store, error::StoreError, transaction::now},
    deliveries::request,
};

const NOTED_ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

/// The name of a reason that a column holds, empty for none.
pub(crate) fn stored(reason: Option<ClosingReason>) -> &'static str {
    reason.map_or("", ClosingReason::id)
}

/// The reason of a column.
pub(super) fn closing_reason(column: &str) -> Result<Option<ClosingReason>, StoreError> {
    if column.is_empty() {
        return Ok(None);
    }
    column.parse().map(Some).map_err(|_| StoreError::Unreadable("closing_reason"))
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Progress {
    pub state: LeadState,
    /// The responsible person; empty when unassigned.
    pub owner: String,
    /// The last change of state or owner.
    pub changed_at: Option<DateTime<Utc>>,
    /// The author of the last change; empty before the first.
    pub changed_by: String,
    pub contacted_at: Option<DateTime<Utc>>,
    /// When to do what comes next.
    pub next_step_at: Option<DateTime<Utc>>,
    pub closing_reason: Option<ClosingReason>,
    /// Since when the visitor must not be contacted.
    pub do_not_contact_at: Option<DateTime<Utc>>,
}

impl From<Progress> for crm::Progress {
    fn from(progress: Progress) -> Self {
        Self {
            state: LeadState::number(Some(progress.state)),
            owner: progress.owner,
            changed_at: progress.changed_at.map(timestamp),
            changed_by: progress.changed_by,
            contacted_at: progress.contacted_at.map(timestamp),
            next_step_at: progress.next_step_at.map(timestamp),
            closing_reason: ClosingReason::number(progress.closing_reason),
            do_not_contact_at: progress.do_not_contact_at.map(timestamp),
        }
    }
}

impl Progress {
    /// The progress after a change at `now`; `None` when nothing changes.
    pub(crate) fn after(&self, change: &Change, now: DateTime<Utc>) -> Option<Self> {
        let mut after = self.clone();
        if let Some(state) = change.state {
            let closing_reason = change.closing_reason.filter(|_| state == LeadState::Closed);
            after = Self { state, closing_reason, next_step_at: change.next_step_at, ..after };
        }
        after.owner = change.owner.clone().unwrap_or(after.owner);
        after.next_step_at = change.next_step_at.or(after.next_step_at);
        if let Some(do_not_contact) = change.do_not_contact {
            after.do_not_contact_at = do_not_contact.then(|| self.do_not_contact_at.unwrap_or(now));
        }
        if after == *self {
            return None;
        }
        let is_contacted = matches!(after.state, LeadState::Contacted | LeadState::VisitBooked);
        after.contacted_at = self.contacted_at.or_else(|| is_contacted.then_some(now));
        Some(Self { changed_at: Some(now), changed_by: change.author.clone(), ..after })
    }
}

/// When the lead had last been changed as it was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen(pub Option<DateTime<Utc>>);

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum NotChanged {
    #[error("the lead does not exist")]
    NoSuchLead,
    #[error("the lead has changed since it was read: read it again and repeat the change")]
    Meanwhile,
    /// Or it is unknown whether it was. May be repeated.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A change to a lead's progress; `None` leaves a field as it is, but a state replaces the next step.
#[derive(Clone)]
pub struct Change {
    pub lead_id: Uuid,
    pub state: Option<LeadState>,
    pub owner: Option<String>,
    pub next_step_at: Option<DateTime<Utc>>,
    pub closing_reason: Option<ClosingReason>,
    pub do_not_contact: Option<bool>,
    /// For the timeline; empty: none.
    pub note: String,
    /// What the author saw; `None`: the change is made whatever happened meanwhile.
    pub seen: Option<Seen>,
    /// The client, or the person at the desk.
    pub author: String,
}

impl Store {
    /// Changes a lead's progress and returns it.
    ///
    /// # Errors
    /// [`NotChanged`]
    pub async fn progress(&self, change: &Change) -> Result<Progress, NotChanged> {
        self.write(
            "update lead",
            |transaction| async move { change.apply(&transaction, &self.suppression).await },
        )
        .await?
    }
}

impl Change {
    async fn apply(
        &self,
        transaction: &DatabaseTransaction,
        key: &SuppressionKey,
    ) -> Result<Result<Progress, NotChanged>, StoreError> {
        let leads = match self.do_not_contact {
            Some(_) => do_not_contact::leads_of_person(transaction, self.lead_id).await?,
            None => vec![self.lead_id],
        };
        if !lock(transaction, &leads).await?.is_there(self.lead_id) {
            return Ok(Err(NotChanged::NoSuchLead));
        }
        let row = lead::Entity::find_by_id(self.lead_id).one(transaction).await?;
        let Some(before) = row.map(|row| row.progress()).transpose()? else {
            return Ok(Err(NotChanged::NoSuchLead));
        };
        let now = now(transaction).await?;
        let after = before.after(self, now);
        // What is stored already is no change: it may be this one, whose answer was lost.
        if after.is_some() && self.seen.is_some_and(|seen| seen != Seen(before.changed_at)) {
            return Ok(Err(NotChanged::Meanwhile));
        }
        let noted = Event::Noted { text: self.note.clone(), client: self.author.clone() };
        // A client repeats a call that was not answered.
        let since = before.changed_at.max(Some(now - NOTED_ONCE_WITHIN)).unwrap_or(now);
        if !self.note.is_empty() && !timeline::contains(transaction, self.lead_id, &noted, since).await? {
            timeline::insert(transaction, [timeline::lead_entry(self.lead_id, noted)]).await?;
        }
        let Some(after) = after else { return Ok(Ok(before)) };
        lead::Entity::update_many()
            .col_expr(lead::Column::State, Expr::value(after.state.id()))
            .col_expr(lead::Column::Owner, Expr::value(after.owner.as_str()))
            .col_expr(lead::Column::OwnerKey, Expr::value(search_key(&after.owner)))
            .col_expr(lead::Column::ChangedAt, Expr::value(after.changed_at))
            .col_expr(lead::Column::ChangedBy, Expr::value(after.changed_by.as_str()))
            .col_expr(lead::Column::ContactedAt, Expr::value(after.contacted_at))
            .col_expr(lead::Column::NextStepAt, Expr::value(after.next_step_at))
            .col_expr(lead::Column::ClosingReason, Expr::value(stored(after.closing_reason)))
            .filter(lead::Column::Id.eq(self.lead_id))
            .exec(transaction)
            .await?;
        if after.do_not_contact_at != before.do_not_contact_at {
            let mark = do_not_contact::Mark {
                since: after.do_not_contact_at,
                author: &self.author,
                reason: suppression::DO_NOT_CONTACT,
            };
            do_not_contact::set(transaction, key, &leads, &mark).await?;
        }
        let said = |it: &Progress| (it.state, it.owner.clone(), it.next_step_at, it.closing_reason);
        if said(&after) != said(&before) {
            let progressed = Event::Progressed {
                state: after.state,
                owner: after.owner.clone(),
                client: after.changed_by.clone(),
                next_step_at: after.next_step_at,
                closing_reason: after.closing_reason,
            };
            timeline::insert(transaction, [timeline::lead_entry(self.lead_id, progressed)]).await?;
        }
        if !after.owner.is_empty() && after.owner != before.owner && after.owner != self.author {
            request::mail(transaction, self.lead_id, &after.owner, now).await?;
        }
        Ok(Ok(after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(state: Option<LeadState>, owner: Option<&str>) -> Change {
        Change {
            lead_id: Uuid::from_u128(1),
            state,
            owner: owner.map(str::to_owned),
            next_step_at: None,
            closing_reason: None,
            do_not_contact: None,
            note: String::new(),
            seen: None,
            author: "leadctl".to_owned(),
        }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn the_first_contact_stands() {
        let new = Progress::default();
        let visiting = new.after(&change(Some(LeadState::VisitBooked), None), at(1)).unwrap();
        assert_eq!((visiting.contacted_at, visiting.changed_at), (Some(at(1)), Some(at(1))));
        let back = visiting.after(&change(Some(LeadState::New), None), at(2)).unwrap();
        let contacted = back.after(&change(Some(LeadState::Contacted), None), at(3)).unwrap();
        assert_eq!((contacted.contacted_at, contacted.changed_at), (Some(at(1)), Some(at(3))));
    }

    #[test]
    fn state_replaces_next_step_and_only_closed_has_reason() {
        let step = |at| Change { next_step_at: Some(at), ..change(None, None) };
        let again = Progress::default().after(&step(at(50)), at(1)).unwrap();
        assert_eq!(
            (again.state, again.next_step_at, again.contacted_at),
            (LeadState::New, Some(at(50)), None)
        );
        let given = again.after(&change(None, Some("Mei")), at(2)).unwrap();
        assert_eq!(given.next_step_at, Some(at(50)), "another owner has the same to do");
        let closing =
            |state| Change { closing_reason: Some(ClosingReason::Bought), ..change(Some(state), None) };
        let closed = given.after(&closing(LeadState::Closed), at(3)).unwrap();
        assert_eq!((closed.next_step_at, closed.closing_reason), (None, Some(ClosingReason::Bought)));
        let open = closed.after(&closing(LeadState::New), at(4)).unwrap();
        assert_eq!(open.closing_reason, None);
    }

    #[test]
    fn who_asked_not_to_be_contacted_first_did_so_then() {
        let asked = |do_not_contact| Change { do_not_contact: Some(do_not_contact), ..change(None, None) };
        let silent = Progress::default().after(&asked(true), at(1)).unwrap();
        assert_eq!(silent.do_not_contact_at, Some(at(1)));
        assert!(silent.after(&asked(true), at(2)).is_none());
        assert_eq!(silent.after(&asked(false), at(3)).unwrap().do_not_contact_at, None);
    }

    #[test]
    fn closing_is_no_contact() {
        for state in [LeadState::Closed, LeadState::Invalid] {
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
