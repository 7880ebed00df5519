//! Limits the mails to a visitor's address per day: the form accepts any address.

use ::lead::{EmailKey, Lead};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::leads::v1::Reason;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Query, SelectStatement},
};
use uuid::Uuid;

use super::delivery::{self, Change, State, VISITOR, change};
use crate::{
    db::{error::StoreError, lock},
    leads::{lead, timeline},
};

pub(crate) enum Limited {
    /// The address has reached its limit, or is not the stored lead's.
    Settled,
    /// Mails under way may reach the limit; decided again once they are done.
    Deferred,
}

const DAY: TimeDelta = TimeDelta::days(1);

/// Serialises the checks of one address until the transaction ends: two concurrent leads would not see each other. Must
/// be the transaction's first lock.
pub(crate) async fn advisory_lock(
    transaction: &DatabaseTransaction,
    submission: &Lead,
) -> Result<(), StoreError> {
    lock::advisory_lock(transaction, EmailKey::of(&submission.email).as_str()).await
}

/// `None` when the visitor may be mailed now.
pub(crate) async fn limit(
    transaction: &DatabaseTransaction,
    submission: &Lead,
    daily_limit: u32,
    now: DateTime<Utc>,
) -> Result<Option<Limited>, StoreError> {
    let email = EmailKey::of(&submission.email);
    let stored: Option<String> = lead::Entity::find_by_id(submission.id)
        .select_only()
        .column(lead::Column::EmailKey)
        .into_tuple()
        .one(transaction)
        .await?;
    if stored.is_some_and(|stored| stored != email.as_str()) {
        return Ok(Some(Limited::Settled));
    }
    let of_others = || {
        delivery::Entity::find()
            .filter(delivery::Column::Recipient.eq(VISITOR))
            .filter(delivery::Column::LeadId.in_subquery(others(&email, submission.id)))
    };
    let delivered = of_others()
        .filter(delivery::Column::State.eq(State::Delivered.into_str()))
        .filter(delivery::Column::ChangedAt.gt(now - DAY))
        .count(transaction)
        .await?;
    let limit = u64::from(daily_limit);
    if delivered >= limit {
        settle(transaction, submission.id, now).await?;
        return Ok(Some(Limited::Settled));
    }
    let under_way = of_others()
        .filter(delivery::Column::State.eq(State::Held.into_str()))
        .filter(delivery::Column::Until.gt(now))
        .order_by_asc(delivery::Column::Until)
        .all(transaction)
        .await?;
    if delivered + (under_way.len() as u64) < limit {
        return Ok(None);
    }
    // A limit of 0 returns above, so at least one mail is under way here.
    let until = under_way.last().and_then(|row| row.until);
    let deferred = Change { until, ..Change::to(State::Deferred) };
    change(transaction, (submission.id, &[VISITOR]), deferred, None, now).await?;
    Ok(Some(Limited::Deferred))
}

fn others(email: &EmailKey, lead: Uuid) -> SelectStatement {
    Query::select()
        .column(lead::Column::Id)
        .from(lead::Entity)
        .and_where(lead::Column::EmailKey.eq(email.as_str()))
        .and_where(lead::Column::Id.ne(lead))
        .take()
}

async fn settle(transaction: &DatabaseTransaction, lead: Uuid, now: DateTime<Utc>) -> Result<(), StoreError> {
    let reason =
        Reason { class: "limit".to_owned(), detail: "the address had its mails of the day".to_owned() };
    let settled = Change { reason: Some(&reason), ..Change::to(State::Settled) };
    change(transaction, (lead, &[VISITOR]), settled, None, now).await?;
    let entry = timeline::settled(lead, VISITOR, &reason);
    timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
    Ok(())
}
