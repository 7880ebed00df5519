//! Handles UpdateLead, which changes a lead's progress.

use ::lead::{
    ClosingReason, FieldError, LeadState,
    field::{limited, optional_time, uuid},
    text::search_key,
};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::crm::v1::{UpdateLeadRequest, UpdateLeadResponse, update_lead_request};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::Expr};
use tonic::Status;
use tracing::info;

use crate::{
    auth::{Caller, PERSON_LENGTH},
    db::{
        Store,
        error::StoreError,
        transaction::{UnitOfWork, now},
    },
    deliveries::request,
    error::Invalid,
    leads::{
        do_not_contact, lead,
        lock::lock,
        progress::{self, Change, NotChanged, Progress, Seen},
        suppression, timeline,
    },
};

const NOTE_LENGTH: usize = 2000;

const NOTED_ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

impl Change {
    fn of(request: UpdateLeadRequest, author: String) -> Result<Self, Invalid> {
        let owner = request.owner.map(|owner| limited("owner", owner.trim(), PERSON_LENGTH)).transpose()?;
        let state = LeadState::from_contract(request.state)?;
        Ok(Self {
            lead_id: uuid("lead_id", &request.lead_id)?,
            state,
            owner,
            next_step_at: optional_time("next_step_at", request.next_step_at)?,
            closing_reason: ClosingReason::from_contract(request.closing_reason)?,
            do_not_contact: request.do_not_contact,
            note: limited("note", request.note.trim(), NOTE_LENGTH)?,
            seen: request.seen.map(seen).transpose()?,
            author,
        })
    }
}

fn seen(seen: update_lead_request::Seen) -> Result<Seen, FieldError> {
    optional_time("seen", seen.changed_at).map(Seen)
}

pub(crate) async fn update_lead(
    store: &Store,
    caller: &Caller,
    request: UpdateLeadRequest,
) -> Result<UpdateLeadResponse, Status> {
    let change = Change::of(request, caller.author())?;
    let id = change.lead_id;
    let progress = store.progress(&change).await.map_err(|error| match error {
        NotChanged::NoSuchLead => Status::not_found(format!("there is no lead {id}")),
        NotChanged::Meanwhile => Status::aborted(error.to_string()),
        NotChanged::Store(failure) => failure.into(),
    })?;
    if caller.role().is_audited() {
        store.audit_lead(&change.author, "change", id).await?;
    }
    info!(client = %caller, lead_id = %id, state = progress.state.id(), "UpdateLead");
    Ok(UpdateLeadResponse { progress: Some(progress.into()) })
}

impl Store {
    /// Changes a lead's progress and returns it.
    ///
    /// # Errors
    /// [`NotChanged`]
    pub async fn progress(&self, change: &Change) -> Result<Progress, NotChanged> {
        self.transact(change).await?
    }
}

impl UnitOfWork for Change {
    const NAME: &'static str = "update lead";

    type Outcome = Result<Progress, NotChanged>;

    async fn perform(
        &self,
        transaction: &DatabaseTransaction,
        store: &Store,
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
        if !self.note.is_empty() && !self.is_noted(transaction, &before, now).await? {
            let entry = timeline::noted(self.lead_id, &self.note, &self.author);
            timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
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
            .col_expr(lead::Column::ClosingReason, Expr::value(progress::stored(after.closing_reason)))
            .filter(lead::Column::Id.eq(self.lead_id))
            .exec(transaction)
            .await?;
        if after.do_not_contact_at != before.do_not_contact_at {
            let mark = do_not_contact::Mark {
                since: after.do_not_contact_at,
                author: &self.author,
                reason: suppression::DO_NOT_CONTACT,
            };
            do_not_contact::set(transaction, &store.suppression, &leads, &mark).await?;
        }
        let said = |it: &Progress| (it.state, it.owner.clone(), it.next_step_at, it.closing_reason);
        if said(&after) != said(&before) {
            let entry = timeline::progressed(self.lead_id, &after);
            timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
        }
        if !after.owner.is_empty() && after.owner != before.owner && after.owner != self.author {
            request::mail(transaction, self.lead_id, &after.owner, now).await?;
        }
        Ok(Ok(after))
    }
}

impl Change {
    /// Whether the same was noted just now, and nothing was changed since: a client repeats a call that was not answered.
    async fn is_noted(
        &self,
        transaction: &DatabaseTransaction,
        before: &Progress,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let since = before.changed_at.max(Some(now - NOTED_ONCE_WITHIN));
        let same = timeline::Entity::find()
            .filter(timeline::Column::LeadId.eq(self.lead_id))
            // A reason of closing is a `why` as well.
            .filter(timeline::Column::Event.eq(timeline::NOTED))
            .filter(timeline::Column::Why.eq(self.note.as_str()))
            .filter(timeline::Column::Client.eq(self.author.as_str()))
            .filter(timeline::Column::At.gte(since));
        Ok(same.one(transaction).await?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(state: i32, owner: Option<&str>) -> Result<Change, Invalid> {
        let lead_id = "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned();
        let owner = owner.map(str::to_owned);
        let request = UpdateLeadRequest { lead_id, state, owner, ..UpdateLeadRequest::default() };
        Change::of(request, "leadctl".to_owned())
    }

    #[test]
    fn what_is_not_said_is_told_from_what_is_nobody() {
        let nothing = said(0, None).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(nothing.state.is_none() && nothing.owner.is_none());
        let nobodys = said(4, Some(" ")).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(nobodys.state == Some(LeadState::Closed) && nobodys.owner.as_deref() == Some(""));
    }

    #[test]
    fn what_there_is_not_is_refused() {
        assert_eq!(said(9, None).err(), Some(FieldError::UnknownValue("state").into()));
        assert_eq!(said(1, Some(&"x".repeat(101))).err(), Some(FieldError::TooLong("owner", 100).into()));
    }
}
