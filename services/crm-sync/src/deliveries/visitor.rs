//! Limits the emails to a visitor's mailbox per day, and to all visitors per hour: the form accepts any address.

use ::lead::{EmailKey, Lead};
use chrono::TimeDelta;
use contracts::leads::v1::Reason;

use super::{
    claim::{Answer, Claim},
    delivery::{self, BROCHURE, State, VISITOR},
};
use crate::{db::prelude::*, leads::lead, search::filter::escaped};

const DAY: TimeDelta = TimeDelta::days(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

/// Wait before an email that exceeds the hourly limit is retried.
const LATER: TimeDelta = TimeDelta::minutes(10);

/// The share of the hourly limit that one domain may use, 20 of 300: a domain may accept every address, and one client
/// could use up the limit of all visitors.
const SHARE_OF_DOMAIN: u32 = 15;

/// Domains with so many mailboxes that the limit of a domain does not apply.
const LARGE_PROVIDERS: &str = "126.com 163.com aol.com foxmail.com gmail.com gmx.com hotmail.com icloud.com live.com me.com \
    msn.com outlook.com proton.me qq.com sina.com singnet.com.sg starhub.net.sg yahoo.com yahoo.com.sg ymail.com";

/// Counts the other emails to a mailbox, and the emails of the last hour to all visitors. A brochure that came with its
/// lead's confirmation was never claimed, and is not a separate email. `smtp-rejected` is the notifier's class for an
/// address that its mail server rejects permanently.
const COUNT_EMAILS: &str = "
    WITH of_mailbox AS (
        SELECT delivery.* FROM lead JOIN delivery ON lead_id = id
        WHERE mailbox = $1 AND (recipient = 'visitor' OR recipient = 'brochure' AND attempts > 0)
            AND NOT (lead_id = $2 AND recipient = $3)
    ), of_hour AS (
        SELECT lead_id FROM delivery
        WHERE (recipient = 'visitor' OR recipient = 'brochure' AND attempts > 0)
            AND changed_at > $4 AND state IN ('claimed', 'delivered') AND NOT (lead_id = $2 AND recipient = $3)
    )
    SELECT
        (SELECT count(*) FROM of_mailbox WHERE reason_class = 'smtp-rejected') AS rejected,
        (SELECT count(*) FROM of_mailbox WHERE state = 'delivered' AND changed_at > $5) AS delivered,
        (SELECT count(*) FROM of_mailbox WHERE state = 'claimed' AND until > $6) AS under_way,
        (SELECT max(until) FROM of_mailbox WHERE state = 'claimed' AND until > $6) AS under_way_until,
        (SELECT count(*) FROM of_hour) AS to_all,
        (SELECT count(*) FROM of_hour JOIN lead ON id = lead_id WHERE mailbox LIKE $7 ESCAPE '\\') AS to_domain";

#[derive(FromQueryResult)]
struct EmailCounts {
    rejected: i64,
    delivered: i64,
    under_way: i64,
    under_way_until: Option<DateTimeUtc>,
    to_all: i64,
    to_domain: i64,
}

/// Serialises the checks of one mailbox until the transaction ends: two concurrent leads would not see each other. Must
/// be the transaction's first lock.
pub(crate) async fn lock_mailbox(tx: &Transaction, submission: &Lead) -> Result<()> {
    tx.advisory_lock(&EmailKey::new(&submission.email).mailbox()).await
}

/// `None` when the visitor may be emailed now; otherwise the delivery is cancelled or deferred. It is a
/// confirmation, or the brochure, which waits where a confirmation would be cancelled, because the visitor asked for it.
pub(crate) async fn apply_limits(
    tx: &Transaction,
    claim: &Claim,
    stored: &lead::Model,
    row: &delivery::Model,
) -> Result<Option<Answer>> {
    let (lead, recipient, now) = (&claim.submission, row.recipient.as_str(), tx.now().await?);
    let email = EmailKey::new(&lead.email);
    if stored.email_key != email.as_str() {
        // The stored address is to be emailed.
        delivery::insert_missing(tx, [row.clone()]).await?;
        return Ok(Some(Answer::Cancelled));
    }
    if stored.do_not_contact_at.is_some() {
        return cancel(tx, row, "the visitor is marked as do not contact").await;
    }
    let mailbox = email.mailbox();
    let (_, domain) = mailbox.rsplit_once('@').unwrap_or_default();
    let values = [
        mailbox.as_str().into(),
        lead.id.into(),
        recipient.into(),
        (now - HOUR).into(),
        (now - DAY).into(),
        now.into(),
        format!("%@{}", escaped(domain)).into(),
    ];
    let counts = EmailCounts::find_by_statement(sql(&tx.db, COUNT_EMAILS, values)).one(&tx.db).await?;
    let counts = counts.ok_or_else(|| StoreError::Failed("emails not counted".to_owned()))?;

    if counts.rejected > 0 {
        return cancel(tx, row, "the address rejected an earlier email").await;
    }
    let daily_limit = i64::from(claim.visitor_daily_limit);
    if counts.delivered >= daily_limit {
        if recipient == BROCHURE {
            return defer(tx, row, Some(now + DAY), Answer::Deferred).await;
        }
        return cancel(tx, row, "daily email limit of the address reached").await;
    }
    if counts.delivered + counts.under_way >= daily_limit {
        return defer(tx, row, counts.under_way_until, Answer::Deferred).await;
    }
    if claim.visitors_hourly_limit == 0 {
        return Ok(None);
    }
    let share_of_domain = i64::from(claim.visitors_hourly_limit.div_ceil(SHARE_OF_DOMAIN));
    if counts.to_domain >= share_of_domain && !LARGE_PROVIDERS.split(' ').any(|it| it == domain) {
        return defer(tx, row, Some(now + LATER), Answer::Deferred).await;
    }
    // Brochures leave half of the limit to confirmations. Above that half, leads with spam signals get no confirmation, and
    // leads of busy networks wait, so that one network cannot use up the limit of all.
    let hourly_limit = i64::from(claim.visitors_hourly_limit);
    if recipient == BROCHURE && counts.to_all >= (hourly_limit + 1) / 2 {
        return defer(tx, row, Some(now + HOUR), Answer::Deferred).await;
    }
    if recipient == VISITOR && !lead.signals.is_empty() && counts.to_all >= hourly_limit / 2 {
        let reason = "possible spam while half of the hourly email limit is used";
        return cancel(tx, row, reason).await;
    }
    let is_network_busy = lead.visit.as_ref().is_some_and(|visit| visit.is_network_busy);
    if recipient == VISITOR && is_network_busy && counts.to_all >= hourly_limit / 2 {
        return defer(tx, row, Some(now + LATER), Answer::Deferred).await;
    }
    if recipient == VISITOR && counts.to_all >= hourly_limit {
        return defer(tx, row, Some(now + LATER), Answer::DeferredByAll).await;
    }
    Ok(None)
}

/// Defers an email; a later claim applies the limits again.
async fn defer(
    tx: &Transaction,
    row: &delivery::Model,
    until: Option<DateTimeUtc>,
    answer: Answer,
) -> Result<Option<Answer>> {
    let deferred = row.clone().in_state(State::Deferred, tx.now().await?);
    delivery::save(tx, [delivery::Model { until, ..deferred }]).await?;
    Ok(Some(answer))
}

async fn cancel(tx: &Transaction, row: &delivery::Model, reason: &str) -> Result<Option<Answer>> {
    let reason = Reason { class: "limit".to_owned(), detail: reason.to_owned() };
    delivery::cancel(tx, vec![row.clone()], &reason).await?;
    Ok(Some(Answer::Cancelled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::tests::query_plan;

    #[tokio::test]
    async fn counting_emails_uses_indexes() {
        let now = || DateTimeUtc::UNIX_EPOCH.into();
        let values =
            ["a@b.co".into(), Uuid::nil().into(), VISITOR.into(), now(), now(), now(), "%@b.co".into()];
        let plan = query_plan(COUNT_EMAILS, values).await;
        assert!(
            ["lead_mailbox", "delivery_visitor", "delivery_brochure"].iter().all(|it| plan.contains(it)),
            "{plan}"
        );
        assert!(!plan.contains("SCAN lead") && !plan.contains("SCAN delivery"), "{plan}");
    }
}
