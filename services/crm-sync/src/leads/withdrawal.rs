//! Stores a visitor's withdrawal of consent, and tells the sales team once.

use ::lead::recipient::{ERASURE, VISITOR, WITHDRAWAL};
use sea_orm::{EntityTrait, prelude::DateTimeUtc};
use uuid::Uuid;

use super::{
    do_not_contact, lead,
    lock::lock,
    suppression,
    timeline::{self, Event},
};
use crate::{
    db::{Store, error::StoreError, transaction::now},
    deliveries::request,
};

pub(crate) struct Withdrawal {
    pub(crate) lead_id: Uuid,
    pub(crate) withdrawn_at: DateTimeUtc,
    pub(crate) erasure_requested: bool,
}

impl Store {
    /// Marks the leads of the withdrawn lead's person. Returns whether the lead is stored. An erased lead is, and nothing
    /// changes.
    pub(crate) async fn withdraw(&self, withdrawal: &Withdrawal) -> Result<bool, StoreError> {
        let lead_id = withdrawal.lead_id;
        self.write("withdraw lead", |transaction| async move {
            let leads = do_not_contact::leads_of_person(&transaction, lead_id).await?;
            let locked = lock(&transaction, &leads).await?;
            if !locked.is_there(lead_id) {
                return Ok(locked.is_erased(lead_id));
            }
            let Some(lead) = lead::Entity::find_by_id(lead_id).one(&*transaction).await? else {
                return Ok(false);
            };
            let now = now(&transaction).await?;
            let mark = do_not_contact::Mark {
                since: Some(withdrawal.withdrawn_at.min(now)),
                author: VISITOR,
                reason: suppression::WITHDRAWAL,
            };
            let marked = do_not_contact::set(&transaction, &self.suppression, &leads, &mark).await?;
            // One email tells both.
            let (requested, ever) = (Event::ErasureRequested, DateTimeUtc::UNIX_EPOCH);
            if withdrawal.erasure_requested
                && !timeline::contains(&transaction, lead_id, &requested, ever).await?
            {
                timeline::insert(&transaction, [timeline::lead_entry(lead_id, requested)]).await?;
                request::mail_sales(&transaction, &lead, ERASURE, now).await?;
            } else if !marked.is_empty() {
                request::mail_sales(&transaction, &lead, WITHDRAWAL, now).await?;
            }
            Ok(true)
        })
        .await
    }
}
