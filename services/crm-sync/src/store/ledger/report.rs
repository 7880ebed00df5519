//! What came of mailing.

use std::collections::BTreeMap;

use runtime::crash;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter,
    sea_query::{Expr, OnConflict},
};
use uuid::Uuid;

use super::{Recipients, add_recipients, close_settled, end_lease, set_state};
use crate::{
    domain::{
        ledger::{Outcome, Setback, State, Told, after},
        road::Road,
    },
    store::{
        Store, StoreError,
        entity::{notification, recipient, timeline},
        lock::lock,
        transaction::{Work, now},
    },
};

impl Store {
    /// Records who was told, all or none, and says how many were new; the leads themselves may come later.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was recorded, or it is not known whether it was.
    pub async fn record_told(&self, road: Road, told: &[Told]) -> Result<u64, StoreError> {
        self.transact(&Tell { road, told }).await
    }

    /// Records a setback, and says whether it counted: it does from the claim's holder, once.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was recorded, or it is not known whether it was.
    pub async fn record_setback(&self, setback: &Setback) -> Result<bool, StoreError> {
        self.transact(setback).await
    }
}

struct Tell<'a> {
    road: Road,
    told: &'a [Told],
}

impl Work for Tell<'_> {
    const NAME: &'static str = "record told";

    type Outcome = u64;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<u64, StoreError> {
        let (mut told, mut others) = (BTreeMap::new(), Recipients::new());
        for one in self.told {
            let lead_id = one.notification.lead_id;
            // The first stands, within a batch as between two.
            told.entry((lead_id, one.notification.recipient.as_str())).or_insert(&one.notification);
            others.extend(one.recipients.iter().map(|address| ((lead_id, address.as_str()), State::Untold)));
        }
        others.retain(|key, _| !told.contains_key(key));
        let mut leads: Vec<Uuid> = told.keys().map(|(lead_id, _)| *lead_id).collect();
        leads.dedup();
        let locked = lock(transaction, &leads).await?;
        told.retain(|(lead_id, _), _| !locked.is_erased(*lead_id));
        others.retain(|(lead_id, _), _| !locked.is_erased(*lead_id));
        if told.is_empty() {
            return Ok(0);
        }

        let key = [notification::Column::LeadId, notification::Column::Recipient];
        let known = OnConflict::columns(key).do_nothing().to_owned();
        let rows = told.values().map(|notification| notification::to_row(notification));
        let insert = notification::Entity::insert_many(rows).on_conflict(known);
        let created = insert.exec_without_returning(transaction).await?;

        let key = [recipient::Column::LeadId, recipient::Column::Recipient];
        let changes = [recipient::Column::State, recipient::Column::Holder, recipient::Column::Until];
        let whatever_it_was = OnConflict::columns(key).update_columns(changes).to_owned();
        let rows = told.keys().map(|(lead_id, address)| recipient::to_row(*lead_id, address, State::Told));
        recipient::Entity::insert_many(rows)
            .on_conflict(whatever_it_was)
            .exec_without_returning(transaction)
            .await?;
        if !others.is_empty() {
            add_recipients(transaction, &others).await?;
        }
        close_settled(transaction, &leads).await?;
        if self.road == Road::Broker {
            crash::point("crm-sync-before-commit");
        }
        Ok(created)
    }
}

impl Work for Setback {
    const NAME: &'static str = "record setback";

    type Outcome = bool;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<bool, StoreError> {
        let Self { lead_id, recipient, holder, outcome } = self;
        lock(transaction, &[*lead_id]).await?;
        let row = recipient::Entity::find_by_id((*lead_id, recipient.clone())).one(transaction).await?;
        let Some(row) = row else { return Ok(false) };
        if row.state()? != State::Held || row.holder != *holder {
            return Ok(false);
        }
        let whose = (*lead_id, recipient.as_str());
        match outcome {
            Outcome::Waiting { at_least, reason } => {
                let until = after(now(transaction).await?, *at_least);
                set_state(transaction, whose, State::Waiting, "", Some(until)).await?;
                let entry = timeline::waiting(*lead_id, recipient, until, reason);
                timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
                end_lease(transaction, *lead_id).await?;
            }
            Outcome::Parked(reason) => {
                set_state(transaction, whose, State::Parked, "", None).await?;
                let entry = timeline::parked(*lead_id, recipient, reason);
                timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
                close_settled(transaction, &[*lead_id]).await?;
            }
            Outcome::Declined(reason) => {
                set_state(transaction, whose, State::Declined, "", None).await?;
                let entry = timeline::declined(*lead_id, recipient, reason);
                timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
                close_settled(transaction, &[*lead_id]).await?;
            }
            Outcome::Released => {
                set_state(transaction, whose, State::Untold, "", None).await?;
                recipient::Entity::update_many()
                    .col_expr(recipient::Column::Attempts, Expr::value(row.attempts - 1))
                    .filter(recipient::Column::LeadId.eq(*lead_id))
                    .filter(recipient::Column::Recipient.eq(recipient.as_str()))
                    .exec(transaction)
                    .await?;
                end_lease(transaction, *lead_id).await?;
            }
        }
        Ok(true)
    }
}
