//! Limits the mails to a visitor's mailbox per day, and to all visitors per hour: the form accepts any address.

use ::lead::{EmailKey, Lead};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::leads::v1::Reason;
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
    sea_query::{Expr, LikeExpr, Query, SelectStatement},
};
use uuid::Uuid;

use super::delivery::{self, BROCHURE, DeliveryUpdate, State, VISITOR, update_deliveries};
use crate::{
    db::{error::StoreError, transaction},
    leads::{
        lead,
        timeline::{self, Event},
    },
    search::condition::escaped,
};

pub(crate) enum Limited {
    /// The mailbox has reached its limit or rejected an email, the address is not the stored lead's, the visitor is not to
    /// be contacted, or the lead looks automatic while many visitors are mailed.
    Cancelled,
    /// Mails under way may reach the limit, the domain has reached its own, or a brochure has to wait; decided again later.
    Deferred,
    /// All visitors together have reached their limit.
    DeferredByAll,
}

const DAY: TimeDelta = TimeDelta::days(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

/// Wait before a mail that the hourly limit has held back is tried again.
const LATER: TimeDelta = TimeDelta::minutes(10);

/// The share of the hourly limit that one domain may use, 20 of 300: a domain may accept every address, and one client
/// could use up the limit of all visitors.
const SHARE_OF_DOMAIN: u32 = 15;

/// Domains with so many mailboxes that the limit of a domain does not apply.
const LARGE_PROVIDERS: [&str; 20] = [
    "126.com",
    "163.com",
    "aol.com",
    "foxmail.com",
    "gmail.com",
    "gmx.com",
    "hotmail.com",
    "icloud.com",
    "live.com",
    "me.com",
    "msn.com",
    "outlook.com",
    "proton.me",
    "qq.com",
    "sina.com",
    "singnet.com.sg",
    "starhub.net.sg",
    "yahoo.com",
    "yahoo.com.sg",
    "ymail.com",
];

/// The notifier's class for an address that its mail server rejects permanently.
const REJECTED: &str = "smtp-rejected";

/// Mails to visitors, written out for the partial indexes. A brochure that came with its lead's acknowledgement was never
/// claimed, and is no mail of its own.
const IS_A_MAIL: &str = "(recipient = 'visitor' OR recipient = 'brochure' AND attempts > 0)";

/// Serialises the checks of one mailbox until the transaction ends: two concurrent leads would not see each other. Must
/// be the transaction's first lock.
pub(crate) async fn advisory_lock(
    transaction: &DatabaseTransaction,
    submission: &Lead,
) -> Result<(), StoreError> {
    transaction::advisory_lock(transaction, &EmailKey::of(&submission.email).mailbox()).await
}

/// `None` when the visitor may be mailed now. `recipient` is [`VISITOR`] or [`BROCHURE`], which waits where an
/// acknowledgement would be cancelled: somebody asked for it.
pub(crate) async fn limit(
    transaction: &DatabaseTransaction,
    submission: &Lead,
    recipient: &str,
    (daily_limit, hourly_limit): (u32, u32),
    now: DateTime<Utc>,
) -> Result<Option<Limited>, StoreError> {
    let email = EmailKey::of(&submission.email);
    let stored: Option<(String, Option<DateTime<Utc>>)> = lead::Entity::find_by_id(submission.id)
        .select_only()
        .columns([lead::Column::EmailKey, lead::Column::DoNotContactAt])
        .into_tuple()
        .one(transaction)
        .await?;
    if let Some((stored, do_not_contact_at)) = stored {
        if stored != email.as_str() {
            return Ok(Some(Limited::Cancelled));
        }
        if do_not_contact_at.is_some() {
            settle(transaction, submission.id, recipient, "the visitor is marked as do not contact", now)
                .await?;
            return Ok(Some(Limited::Cancelled));
        }
    }
    let of_mailbox = || {
        delivery::Entity::find()
            .filter(Expr::cust(IS_A_MAIL))
            .filter(delivery::Column::LeadId.in_subquery(leads_of(&email)))
            .filter(is_other(submission.id, recipient))
    };
    if of_mailbox().filter(delivery::Column::ReasonClass.eq(REJECTED)).count(transaction).await? > 0 {
        settle(transaction, submission.id, recipient, "the address rejected an earlier email", now).await?;
        return Ok(Some(Limited::Cancelled));
    }
    let delivered = of_mailbox()
        .filter(delivery::Column::State.eq(State::Delivered))
        .filter(delivery::Column::ChangedAt.gt(now - DAY))
        .count(transaction)
        .await?;
    let limit = u64::from(daily_limit);
    if delivered >= limit {
        if recipient == BROCHURE {
            return wait(transaction, submission.id, BROCHURE, Some(now + DAY), now).await;
        }
        settle(transaction, submission.id, VISITOR, "daily email limit of the address reached", now).await?;
        return Ok(Some(Limited::Cancelled));
    }
    let under_way = of_mailbox()
        .filter(delivery::Column::State.eq(State::Claimed))
        .filter(delivery::Column::Until.gt(now))
        .order_by_asc(delivery::Column::Until)
        .all(transaction)
        .await?;
    if delivered + (under_way.len() as u64) < limit {
        return of_all(transaction, submission, recipient, hourly_limit, now).await;
    }
    // A limit of 0 returns above, so at least one mail is under way here.
    let until = under_way.last().and_then(|row| row.until);
    wait(transaction, submission.id, recipient, until, now).await
}

/// Whether the lead's domain has used up its share of the hourly limit.
async fn has_used_up_share(
    transaction: &DatabaseTransaction,
    submission: &Lead,
    recipient: &str,
    hourly_limit: u32,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let mailbox = EmailKey::of(&submission.email).mailbox();
    let Some((_, domain)) = mailbox.rsplit_once('@') else { return Ok(false) };
    if LARGE_PROVIDERS.contains(&domain) {
        return Ok(false);
    }
    let of_domain = lead::Column::Mailbox.like(LikeExpr::new(format!("%@{}", escaped(domain))).escape('\\'));
    let leads = Query::select().column(lead::Column::Id).from(lead::Entity).and_where(of_domain).take();
    let others =
        of_last_hour(submission.id, recipient, now).filter(delivery::Column::LeadId.in_subquery(leads));
    Ok(others.count(transaction).await? >= u64::from(hourly_limit.div_ceil(SHARE_OF_DOMAIN)))
}

/// Other emails to visitors that were sent within an hour or are under way.
fn of_last_hour(lead: Uuid, recipient: &str, now: DateTime<Utc>) -> Select<delivery::Entity> {
    delivery::Entity::find()
        .filter(Expr::cust(IS_A_MAIL))
        .filter(delivery::Column::ChangedAt.gt(now - HOUR))
        .filter(delivery::Column::State.is_in([State::Claimed, State::Delivered]))
        .filter(is_other(lead, recipient))
}

/// Decides by the mails to all visitors. Brochures leave half of the limit to acknowledgements, and leads with spam signals
/// get no acknowledgement from there on.
async fn of_all(
    transaction: &DatabaseTransaction,
    submission: &Lead,
    recipient: &str,
    hourly_limit: u32,
    now: DateTime<Utc>,
) -> Result<Option<Limited>, StoreError> {
    if hourly_limit == 0 {
        return Ok(None);
    }
    if has_used_up_share(transaction, submission, recipient, hourly_limit, now).await? {
        return wait(transaction, submission.id, recipient, Some(now + LATER), now).await;
    }
    let mailed = of_last_hour(submission.id, recipient, now).count(transaction).await?;
    let limit = u64::from(hourly_limit);
    if recipient == BROCHURE {
        if mailed < limit.div_ceil(2) {
            return Ok(None);
        }
        return wait(transaction, submission.id, BROCHURE, Some(now + HOUR), now).await;
    }
    if !submission.signals.is_empty() && mailed >= limit / 2 {
        let why = "possible spam while half of the hourly email limit is used";
        settle(transaction, submission.id, VISITOR, why, now).await?;
        return Ok(Some(Limited::Cancelled));
    }
    if mailed < limit {
        return Ok(None);
    }
    wait(transaction, submission.id, VISITOR, Some(now + LATER), now).await?;
    Ok(Some(Limited::DeferredByAll))
}

async fn wait(
    transaction: &DatabaseTransaction,
    lead: Uuid,
    recipient: &str,
    until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Option<Limited>, StoreError> {
    update_deliveries(
        transaction,
        (lead, &[recipient]),
        DeliveryUpdate { until, ..DeliveryUpdate::to(State::Deferred) },
        None,
        now,
    )
    .await?;
    Ok(Some(Limited::Deferred))
}

fn is_other(lead: Uuid, recipient: &str) -> Condition {
    Condition::any().add(delivery::Column::LeadId.ne(lead)).add(delivery::Column::Recipient.ne(recipient))
}

/// The leads of a mailbox.
fn leads_of(email: &EmailKey) -> SelectStatement {
    let is_theirs = lead::Column::Mailbox.eq(email.mailbox());
    Query::select().column(lead::Column::Id).from(lead::Entity).and_where(is_theirs).take()
}

/// Cancels an email of the lead, with the reason in the lead's timeline.
async fn settle(
    transaction: &DatabaseTransaction,
    lead: Uuid,
    recipient: &str,
    why: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let reason = Reason { class: "limit".to_owned(), detail: why.to_owned() };
    let cancelled = DeliveryUpdate { reason: Some(&reason), ..DeliveryUpdate::to(State::Cancelled) };
    update_deliveries(transaction, (lead, &[recipient]), cancelled, None, now).await?;
    let cancelled = Event::Cancelled((&reason).into());
    timeline::insert(transaction, [timeline::delivery_entry(lead, recipient, cancelled)]).await
}
