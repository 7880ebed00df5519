//! Whether a visitor may be contacted: said of one lead, it is meant for the person, and each of their leads has it.

use std::collections::BTreeMap;

use ::lead::{
    field::{required_time, uuid},
    recipient::{ERASURE, VISITOR, WITHDRAWAL},
};
use contracts::leads::v1::LeadWithdrawn;

use super::{
    lead,
    lock::{Locked, lock_people},
    suppression,
    timeline::{self, Event, entry},
};
use crate::{db::prelude::*, deliveries::request, error::Invalid};

/// A visitor's withdrawal of consent.
pub(crate) struct Withdrawal {
    pub(crate) lead_id: Uuid,
    pub(crate) withdrawn_at: DateTimeUtc,
    pub(crate) erasure_requested: bool,
}

impl Withdrawal {
    pub(crate) fn parse(message: LeadWithdrawn) -> Result<Self, Invalid> {
        Ok(Self {
            lead_id: uuid("lead_id", &message.lead_id)?,
            withdrawn_at: required_time("withdrawn_at", message.withdrawn_at)?,
            erasure_requested: message.erasure_requested,
        })
    }
}

impl Store {
    /// Marks the leads of the withdrawn lead's person, and tells the sales team once. Returns whether the lead is stored. An erased lead is, and nothing
    /// changes.
    pub(crate) async fn withdraw(&self, withdrawal: &Withdrawal) -> Result<bool> {
        let lead_id = withdrawal.lead_id;
        self.write("withdraw lead", |tx| async move {
            let locked = lock_people(&tx, &[lead_id], None).await?;
            let Some(lead) = locked.lead(lead_id) else { return Ok(locked.is_erased(lead_id)) };
            let mark = Mark {
                since: Some(withdrawal.withdrawn_at.min(tx.now().await?)),
                author: VISITOR,
                reason: suppression::WITHDRAWAL,
            };
            let is_marked = set(&tx, &locked, &mark).await?;
            // One email tells both.
            let (requested, ever) =
                (Event::ErasureRequested(entry::ErasureRequested {}), DateTimeUtc::UNIX_EPOCH);
            if withdrawal.erasure_requested && !timeline::contains(&tx, lead_id, &requested, ever).await? {
                timeline::insert(&tx, [timeline::lead_entry(lead_id, requested)]).await?;
                request::email_sales(&tx, lead, ERASURE).await?;
            } else if is_marked {
                request::email_sales(&tx, lead, WITHDRAWAL).await?;
            }
            Ok(true)
        })
        .await
    }
}

/// Whether visitors may be contacted, and who set it.
pub(crate) struct Mark<'a> {
    /// Since when they must not be contacted; `None`: they may be.
    pub(crate) since: Option<DateTimeUtc>,
    pub(crate) author: &'a str,
    /// Stored with the suppression.
    pub(crate) reason: &'a str,
}

/// Writes the mark to those of these leads that differ, and to their timelines. Adds the leads' senders to the suppressions,
/// or removes them. Returns whether a lead changed.
pub(crate) async fn set(tx: &Transaction, leads: &Locked, mark: &Mark<'_>) -> Result<bool> {
    let Mark { since, author, reason } = *mark;
    let rows: Vec<&lead::Model> = leads.rows().filter(|row| row.erased_at.is_none()).collect();
    let changing = rows.iter().filter(|row| row.do_not_contact_at.is_some() != since.is_some());
    let changing: Vec<Uuid> = changing.map(|row| row.id).collect();
    lead::Entity::update_many()
        .col_expr(lead::Column::DoNotContactAt, Expr::value(since))
        .filter(lead::Column::Id.is_in(changing.iter().copied()))
        .exec(&tx.db)
        .await?;
    let (allowed, client) = (since.is_none(), author.to_owned());
    let changed = Event::ContactChanged(entry::ContactChanged { allowed, client });
    timeline::insert(tx, changing.iter().map(|id| timeline::lead_entry(*id, changed.clone()))).await?;
    match since {
        Some(since) => suppression::add(tx, &rows, since, reason).await?,
        None => suppression::remove(tx, &rows).await?,
    }
    Ok(!changing.is_empty())
}

/// Those of these people who are not to be contacted, and since when.
pub(crate) async fn find_since(tx: &Transaction, people: &[Uuid]) -> Result<BTreeMap<Uuid, DateTimeUtc>> {
    let mut found = BTreeMap::new();
    for people in chunks(people) {
        let said: Vec<(Uuid, DateTimeUtc)> = lead::Entity::find()
            .select_only()
            .column(lead::Column::ContactId)
            .column_as(lead::Column::DoNotContactAt.min(), "since")
            .filter(lead::Column::ContactId.is_in(people.into_iter().copied()))
            .filter(lead::Column::DoNotContactAt.is_not_null())
            .group_by(lead::Column::ContactId)
            .into_tuple()
            .all(&tx.db)
            .await?;
        found.extend(said);
    }
    Ok(found)
}
