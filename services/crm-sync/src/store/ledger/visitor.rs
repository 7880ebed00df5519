//! How many mails a visitor's address may have in a day, whoever types it into the form.

use chrono::{DateTime, TimeDelta, Utc};
use identifiers::EmailKey;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Query, SelectStatement},
};
use uuid::Uuid;

use super::{close_settled, set_state};
use crate::{
    domain::{
        lead::Submission,
        ledger::{State, VISITOR},
        timeline::Reason,
    },
    store::{
        StoreError,
        entity::{lead, notification, recipient, timeline},
        lock,
    },
};

/// What counts for a day.
const DAY: TimeDelta = TimeDelta::days(1);

/// Whether an address may have another mail.
pub(super) enum Limit {
    /// It may.
    Free,
    /// It may not, should mails that are under way be taken.
    MaybeReached {
        /// The last of them is known of then.
        until: DateTime<Utc>,
    },
    /// It had its mails.
    Reached,
    /// The lead was stored with another address: this copy came later.
    NotTheirs,
}

/// Lets nobody else ask about the visitor's address until the transaction ends: two leads of the same moment would each
/// not see the other. Before anything else is locked.
pub(super) async fn take_turn(
    transaction: &DatabaseTransaction,
    submission: &Submission,
) -> Result<(), StoreError> {
    lock::take_turn(transaction, EmailKey::of(&submission.email).as_str()).await
}

/// Whether the visitor may be mailed about a lead: so many mails in a day, that about this lead aside.
pub(super) async fn limit(
    transaction: &DatabaseTransaction,
    submission: &Submission,
    limit: u32,
    now: DateTime<Utc>,
) -> Result<Limit, StoreError> {
    let email = EmailKey::of(&submission.email);
    let stored: Option<String> = lead::Entity::find_by_id(submission.id)
        .select_only()
        .column(lead::Column::EmailKey)
        .into_tuple()
        .one(transaction)
        .await?;
    // Empty until it is assigned: then the claim's word must do.
    if stored.is_some_and(|stored| !stored.is_empty() && stored != email.as_str()) {
        return Ok(Limit::NotTheirs);
    }
    let others = || others(&email, submission.id);
    let told = notification::Entity::find()
        .filter(notification::Column::Recipient.eq(VISITOR))
        .filter(notification::Column::RecordedAt.gt(now - DAY))
        .filter(notification::Column::LeadId.in_subquery(others()))
        .count(transaction)
        .await?;
    let limit = u64::from(limit);
    if told >= limit {
        return Ok(Limit::Reached);
    }
    let under_way = recipient::Entity::find()
        .filter(recipient::Column::Recipient.eq(VISITOR))
        .filter(recipient::Column::State.eq(State::Held.tag()))
        .filter(recipient::Column::Until.gt(now))
        .filter(recipient::Column::LeadId.in_subquery(others()))
        .order_by_asc(recipient::Column::Until)
        .all(transaction)
        .await?;
    if told + (under_way.len() as u64) < limit {
        return Ok(Limit::Free);
    }
    // Some limit of 0 is reached above, so that somebody is under way here.
    let until = under_way.last().and_then(|row| row.until).unwrap_or(now);
    Ok(Limit::MaybeReached { until })
}

/// The other leads of an address.
fn others(email: &EmailKey, lead: Uuid) -> SelectStatement {
    Query::select()
        .column(lead::Column::Id)
        .from(lead::Entity)
        .and_where(lead::Column::EmailKey.eq(email.as_str()))
        .and_where(lead::Column::Id.ne(lead))
        .take()
}

/// Gives the visitor's mail about a lead up for good.
pub(super) async fn decline(transaction: &DatabaseTransaction, lead: Uuid) -> Result<(), StoreError> {
    let reason =
        Reason { class: "limit".to_owned(), detail: "the address had its mails for today".to_owned() };
    set_state(transaction, (lead, VISITOR), State::Declined, "", None).await?;
    let entry = timeline::declined(lead, VISITOR, &reason);
    timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
    close_settled(transaction, &[lead]).await
}
