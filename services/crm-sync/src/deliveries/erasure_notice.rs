//! Notifies webhooks that may have received a lead of its erasure. A notice is a delivery of the lead's tombstone.

use ::lead::recipient::{ERASED, WEBHOOK};

use super::{
    delivery::{Deliveries, State},
    lease::{Lease, lock_rows},
};
use crate::db::prelude::*;

/// The tombstones with a due notice.
const CANDIDATES: &str = "
    SELECT * FROM lead WHERE id IN (
        SELECT lead_id FROM delivery
        WHERE recipient LIKE 'erased:%' AND state IN ('pending', 'claimed', 'deferred')
            AND (state = 'pending' OR until <= $1)
        ORDER BY until, lead_id LIMIT $2)
    ORDER BY id LIMIT $3";

/// Same text as in the partial index `delivery_erased`, so databases can use the index.
pub(crate) fn is_notice() -> Expr {
    Expr::cust("recipient LIKE 'erased:%'")
}

/// Adds notices for webhooks to which these leads may have been posted. Must run before the leads' deliveries are
/// deleted.
pub(crate) async fn insert(tx: &Transaction, leads: &[Uuid]) -> Result<()> {
    let now = tx.now().await?;
    let deliveries = delivery::find_by_leads(leads)
        .filter(delivery::Column::Recipient.starts_with(WEBHOOK))
        .order_by_asc(delivery::Column::Recipient)
        .all(&tx.db)
        .await?;
    let notices = deliveries.iter().filter_map(|row| {
        let name = row.recipient.strip_prefix(WEBHOOK)?;
        let was_posted = row.attempts > 0 || row.state == State::Delivered;
        // A claimed delivery may be in flight until its claim expires.
        let due = row
            .until
            .filter(|_| row.state == State::Claimed)
            .map_or(now, |until| until.max(now));
        let notice = delivery::Model::due(row.lead_id, &format!("{ERASED}{name}"), now);
        was_posted.then_some(delivery::Model {
            until: Some(due),
            ..notice
        })
    });
    delivery::insert_missing(tx, notices).await?;
    Ok(())
}

/// Claims at most `limit` due notices for the holder of a lease.
pub(super) async fn claim(
    tx: &Transaction,
    lease: &Lease,
    limit: u32,
) -> Result<Vec<crm::ErasureNotice>> {
    let now = tx.now().await?;
    let tombstones = lock_rows(tx, CANDIDATES, [now.into(), limit.into(), limit.into()]).await?;
    // Loaded after locking the tombstones, because another transaction may have changed the deliveries.
    let ids: Vec<Uuid> = tombstones.iter().map(|it| it.id).collect();
    let mut deliveries = Deliveries::load(tx, &ids).await?;
    let due: Vec<_> = deliveries
        .rows()
        .filter(|row| row.is_due(now))
        .cloned()
        .collect();
    let mut notices = Vec::new();
    for row in due {
        let Some(tombstone) = tombstones.iter().find(|it| it.id == row.lead_id) else {
            continue;
        };
        let row = row.claimed(&lease.holder, lease.lease, now);
        notices.push(crm::ErasureNotice {
            lead_id: row.lead_id.to_string(),
            reference: tombstone.reference.clone(),
            erased_at: tombstone.erased_at.map(timestamp),
            recipient: row.recipient.clone(),
            attempt: row.attempts.unsigned_abs(),
        });
        deliveries.set(row, None);
    }
    deliveries.save(None, false).await?;
    Ok(notices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::tests::query_plan;

    #[tokio::test]
    async fn claiming_notices_uses_their_index() {
        let values = [DateTimeUtc::UNIX_EPOCH.into(), 8u32.into(), 8u32.into()];
        let plan = query_plan(CANDIDATES, values).await;
        assert!(
            plan.contains("delivery_erased") && !plan.contains("SCAN lead"),
            "{plan}"
        );
    }
}
