//! Limits the mails to a visitor's mailbox per day, and to all visitors per hour: the form accepts any address.

use ::lead::{EmailKey, Lead};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::leads::v1::Reason;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, ExprTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, Query, SelectStatement},
};
use uuid::Uuid;

use super::delivery::{self, Change, State, VISITOR, change};
use crate::{
    db::{error::StoreError, lock},
    leads::{lead, timeline},
};

pub(crate) enum Limited {
    /// The mailbox has reached its limit, the address is not the stored lead's, or the lead looks automatic while many
    /// visitors are mailed.
    Settled,
    /// Mails under way may reach the limit; decided again once they are done.
    Deferred,
    /// All visitors together have reached their limit.
    DeferredByAll,
}

const DAY: TimeDelta = TimeDelta::days(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

/// Wait before a mail that the hourly limit has held back is tried again.
const LATER: TimeDelta = TimeDelta::minutes(10);

/// Serialises the checks of one mailbox until the transaction ends: two concurrent leads would not see each other. Must
/// be the transaction's first lock.
pub(crate) async fn advisory_lock(
    transaction: &DatabaseTransaction,
    submission: &Lead,
) -> Result<(), StoreError> {
    let email = EmailKey::of(&submission.email);
    let (name, domain) = email.mailbox();
    lock::advisory_lock(transaction, &format!("{name}@{domain}")).await
}

/// `None` when the visitor may be mailed now.
pub(crate) async fn limit(
    transaction: &DatabaseTransaction,
    submission: &Lead,
    daily_limit: u32,
    hourly_limit: u32,
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
        settle(transaction, submission.id, VISITOR, "the address had its mails of the day", now).await?;
        return Ok(Some(Limited::Settled));
    }
    let under_way = of_others()
        .filter(delivery::Column::State.eq(State::Held.into_str()))
        .filter(delivery::Column::Until.gt(now))
        .order_by_asc(delivery::Column::Until)
        .all(transaction)
        .await?;
    if delivered + (under_way.len() as u64) < limit {
        return of_all(transaction, submission, hourly_limit, now).await;
    }
    // A limit of 0 returns above, so at least one mail is under way here.
    let until = under_way.last().and_then(|row| row.until);
    let deferred = Change { until, ..Change::to(State::Deferred) };
    change(transaction, (submission.id, &[VISITOR]), deferred, None, now).await?;
    Ok(Some(Limited::Deferred))
}

/// Decides by the mails to all visitors. Leads with spam signals get no mail from half the limit on.
async fn of_all(
    transaction: &DatabaseTransaction,
    submission: &Lead,
    hourly_limit: u32,
    now: DateTime<Utc>,
) -> Result<Option<Limited>, StoreError> {
    if hourly_limit == 0 {
        return Ok(None);
    }
    let mailed = delivery::Entity::find()
        // Written out for the partial index.
        .filter(Expr::cust("recipient = 'visitor'"))
        .filter(delivery::Column::ChangedAt.gt(now - HOUR))
        .filter(delivery::Column::State.is_in([State::Held.into_str(), State::Delivered.into_str()]))
        .filter(delivery::Column::LeadId.ne(submission.id))
        .count(transaction)
        .await?;
    let limit = u64::from(hourly_limit);
    if !submission.signals.is_empty() && mailed >= limit / 2 {
        settle(transaction, submission.id, VISITOR, "it looks automatic, and many visitors are mailed", now)
            .await?;
        return Ok(Some(Limited::Settled));
    }
    if mailed < limit {
        return Ok(None);
    }
    let deferred = Change { until: Some(now + LATER), ..Change::to(State::Deferred) };
    change(transaction, (submission.id, &[VISITOR]), deferred, None, now).await?;
    Ok(Some(Limited::DeferredByAll))
}

/// Other leads of the same mailbox.
fn others(email: &EmailKey, lead: Uuid) -> SelectStatement {
    let (name, domain) = email.mailbox();
    // The character after `+` ends the range of tags.
    let tags =
        lead::Column::EmailKey.gte(format!("{name}+")).and(lead::Column::EmailKey.lt(format!("{name},")));
    let tagged = tags.and(lead::Column::EmailKey.ends_with(format!("@{domain}")));
    Query::select()
        .column(lead::Column::Id)
        .from(lead::Entity)
        .and_where(lead::Column::EmailKey.eq(format!("{name}@{domain}")).or(tagged))
        .and_where(lead::Column::Id.ne(lead))
        .take()
}

pub(crate) async fn settle(
    transaction: &DatabaseTransaction,
    lead: Uuid,
    recipient: &str,
    why: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let reason = Reason { class: "limit".to_owned(), detail: why.to_owned() };
    let settled = Change { reason: Some(&reason), ..Change::to(State::Settled) };
    change(transaction, (lead, &[recipient]), settled, None, now).await?;
    let entry = timeline::settled(lead, recipient, &reason);
    timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
    Ok(())
}
