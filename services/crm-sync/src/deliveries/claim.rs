//! Claims a lead's deliveries for one holder.

use ::lead::Lead;
use std::{collections::BTreeSet, slice, time::Duration};

use chrono::{DateTime, Utc};
use contracts::{crm::v1 as crm, leads::v1::Reason};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, sea_query::Expr};

use super::{
    brochure,
    delivery::{
        self, BROCHURE, DeliveryUpdate, State, add, after, close, is_requested, is_visitor, open,
        update_deliveries,
    },
    visitor::{self, Limited},
};
use crate::{
    db::{Store, error::StoreError, transaction::now},
    leads::{
        lock::lock,
        record::{Recorded, record},
        related,
        stored::Source,
        suppression::SuppressionKey,
        timeline::{self, Event},
    },
};

/// Reason class of deliveries whose recipient the latest claim did not name. A claim that names it reopens them.
const UNROUTED: &str = "routes";

/// A request to deliver a lead.
#[derive(Clone)]
pub struct Claim {
    /// Stored if it is missing.
    pub submission: Lead,
    pub recipients: Vec<String>,
    pub holder: String,
    /// Lifetime of the claim.
    pub lease: Duration,
    /// Maximum mails to the visitor's address within 24 hours.
    pub visitor_daily_limit: u32,
    /// Maximum mails to all visitors within an hour; 0: no limit.
    pub visitors_hourly_limit: u32,
}

/// The answer for one recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Granted {
        /// The number of claims granted and counted for this recipient, including this one.
        attempt: u32,
    },
    Delivered,
    Claimed,
    /// Waits for a later attempt.
    Deferred,
    /// Waits because all visitors together had their mails of the hour.
    DeferredByAll,
    Failed,
    /// Final without delivery.
    Cancelled,
    Erased,
}

impl Answer {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Granted { .. } => "granted",
            Self::Delivered => "delivered",
            Self::Claimed => "claimed",
            Self::Deferred => "deferred",
            Self::DeferredByAll => "hourly_limit",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Erased => "erased",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// One per recipient, in the claim's order.
    pub answers: Vec<Answer>,
    /// Leads of the same person submitted before this one, oldest first, at most 50. Empty unless a delivery to the
    /// sales team was granted.
    pub earlier: Vec<crm::RelatedLead>,
    /// If any recipient was granted: references of other people's leads with the same telephone number.
    pub same_number: Vec<String>,
    /// If any recipient was granted: when the person was marked as not to be contacted.
    pub do_not_contact_at: Option<DateTime<Utc>>,
    pub recorded: Recorded,
}

impl Store {
    /// Claims deliveries and stores the lead if it is missing.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was granted, or it is unknown whether it was. The holder may repeat the claim.
    pub async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreError> {
        self.write("claim deliveries", |transaction| async move {
            claim.grant(&transaction, &self.suppression).await
        })
        .await
    }
}

impl Claim {
    async fn grant(
        &self,
        transaction: &DatabaseTransaction,
        key: &SuppressionKey,
    ) -> Result<Claimed, StoreError> {
        let lead_id = self.submission.id;
        if self.recipients.iter().any(|recipient| is_visitor(recipient)) {
            visitor::advisory_lock(transaction, &self.submission).await?;
        }
        let recorded = record(transaction, key, Source::Claim, slice::from_ref(&self.submission)).await?;
        let locked = lock(transaction, &[lead_id]).await?;
        if locked.is_erased(lead_id) {
            let answers = vec![Answer::Erased; self.recipients.len()];
            let (earlier, same_number, do_not_contact_at) = (Vec::new(), Vec::new(), None);
            return Ok(Claimed { answers, earlier, same_number, do_not_contact_at, recorded });
        }
        let named: BTreeSet<&str> = self.recipients.iter().map(String::as_str).collect();
        add(transaction, lead_id, &named).await?;
        let rows = delivery::Entity::find().filter(delivery::Column::LeadId.eq(lead_id));
        let rows = rows.all(transaction).await?;
        let now = now(transaction).await?;
        self.settle_unnamed(transaction, &rows, &named, now).await?;
        let mut answers = Vec::with_capacity(self.recipients.len());
        for recipient in &self.recipients {
            let row = rows.iter().find(|row| row.recipient == *recipient);
            let row = row.ok_or_else(|| StoreError::Failed("inserted row not found".to_owned()))?;
            answers.push(self.answer(transaction, row, now).await?);
        }
        let granted = self.granted(&answers);
        self.claim_granted(transaction, &granted, now).await?;
        let keeps_open = |(recipient, answer): (&String, &Answer)| {
            let is_to_be_mailed =
                matches!(answer, Answer::Granted { .. } | Answer::Deferred | Answer::DeferredByAll);
            is_to_be_mailed && recipient != BROCHURE
        };
        if !self.recipients.iter().zip(&answers).any(keeps_open) {
            close(transaction, &[lead_id]).await?;
        } else if granted.is_empty() || !locked.is_open(lead_id) {
            // A holder that may mail nobody now has nothing to report that would end its lease. A closed lead has got
            // another recipient since everything was delivered.
            open(transaction, &[lead_id]).await?;
        }
        let (mut earlier, mut same_number) = (Vec::new(), Vec::new());
        let is_of_sales = |recipient: &&str| !is_visitor(recipient);
        if let Some(contact) = locked.contact(lead_id).filter(|_| granted.iter().any(is_of_sales)) {
            earlier = related::earlier(transaction, contact, &self.submission).await?;
            let leads = related::same_number(transaction, &[(Some(contact), &self.submission)]).await?;
            same_number = leads.concat();
        }
        let do_not_contact_at = locked.do_not_contact_at(lead_id).filter(|_| !granted.is_empty());
        Ok(Claimed { answers, earlier, same_number, do_not_contact_at, recorded })
    }

    /// Cancels unclaimed deliveries that the claim does not name: they would keep their lead open forever. What somebody
    /// asked for is claimed by itself.
    async fn settle_unnamed(
        &self,
        transaction: &DatabaseTransaction,
        rows: &[delivery::Model],
        named: &BTreeSet<&str>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if named.iter().any(|recipient| is_requested(recipient)) {
            return Ok(());
        }
        let mut unnamed = Vec::new();
        let of_routes = rows.iter().filter(|row| !row.requested);
        for row in of_routes.filter(|row| !named.contains(row.recipient.as_str())) {
            let is_free = match row.state {
                State::Pending | State::Deferred => true,
                State::Claimed => row.until.is_none_or(|until| until <= now),
                State::Delivered | State::Failed | State::Cancelled => false,
            };
            if is_free {
                unnamed.push(row.recipient.as_str());
            }
        }
        if unnamed.is_empty() {
            return Ok(());
        }
        let lead_id = self.submission.id;
        let reason =
            Reason { class: UNROUTED.to_owned(), detail: "recipient no longer in the routes".to_owned() };
        let cancelled = DeliveryUpdate { reason: Some(&reason), ..DeliveryUpdate::to(State::Cancelled) };
        update_deliveries(transaction, (lead_id, &unnamed), cancelled, None, now).await?;
        let cancelled = Event::Cancelled((&reason).into());
        let entries = unnamed.iter().map(|it| timeline::delivery_entry(lead_id, it, cancelled.clone()));
        timeline::insert(transaction, entries).await
    }

    async fn answer(
        &self,
        transaction: &DatabaseTransaction,
        row: &delivery::Model,
        now: DateTime<Utc>,
    ) -> Result<Answer, StoreError> {
        let waits = row.until.is_some_and(|until| until > now);
        match row.state {
            State::Delivered => return Ok(Answer::Delivered),
            State::Failed => return Ok(Answer::Failed),
            State::Cancelled if row.reason_class != UNROUTED => return Ok(Answer::Cancelled),
            State::Claimed if waits && row.holder != self.holder => return Ok(Answer::Claimed),
            State::Deferred if waits => return Ok(Answer::Deferred),
            State::Pending | State::Claimed | State::Deferred | State::Cancelled => {}
        }
        if row.recipient == BROCHURE && !brochure::may_still_send(transaction, row.lead_id).await? {
            return Ok(Answer::Cancelled);
        }
        let limits = (self.visitor_daily_limit, self.visitors_hourly_limit);
        if is_visitor(&row.recipient)
            && let Some(limited) =
                visitor::limit(transaction, &self.submission, &row.recipient, limits, now).await?
        {
            return Ok(match limited {
                Limited::Cancelled => Answer::Cancelled,
                Limited::Deferred => Answer::Deferred,
                Limited::DeferredByAll => Answer::DeferredByAll,
            });
        }
        Ok(Answer::Granted { attempt: row.attempts.unsigned_abs().saturating_add(1) })
    }

    fn granted(&self, answers: &[Answer]) -> Vec<&str> {
        let with_answers = self.recipients.iter().zip(answers);
        let granted = with_answers.filter(|(_, answer)| matches!(answer, Answer::Granted { .. }));
        granted.map(|(recipient, _)| recipient.as_str()).collect()
    }

    async fn claim_granted(
        &self,
        transaction: &DatabaseTransaction,
        granted: &[&str],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let until = Some(after(now, self.lease));
        let held = DeliveryUpdate { holder: &self.holder, until, ..DeliveryUpdate::to(State::Claimed) };
        let attempts = Expr::col(delivery::Column::Attempts).add(1);
        update_deliveries(transaction, (self.submission.id, granted), held, Some(attempts), now).await
    }
}
