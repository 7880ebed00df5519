//! Notifies webhooks that may have received a lead of its erasure, a correction or a changed do-not-contact mark. A
//! notice is a delivery. The transaction that claims it also reads the lead, so a notice has the lead's newest state.

use ::lead::{
    Channel,
    recipient::{ERASED, UPDATED, WEBHOOK, notified_webhook},
};

use super::{
    delivery::{Deliveries, State},
    lease::{Lease, lock_rows},
};
use crate::db::prelude::*;

/// The leads and tombstones with a due notice. Without `$2`, only tombstones.
const CANDIDATES: &str = "
    SELECT * FROM lead WHERE id IN (
        SELECT lead_id FROM delivery
        WHERE (recipient LIKE 'erased:%' OR recipient LIKE 'updated:%')
            AND state IN ('pending', 'claimed', 'deferred')
            AND (state = 'pending' OR until <= $1) AND ($2 OR recipient LIKE 'erased:%')
        ORDER BY until, lead_id LIMIT $3)
    ORDER BY id LIMIT $3";

/// Same text as in the partial index `delivery_notice`, so databases can use the index.
pub(crate) fn is_notice() -> Expr {
    Expr::cust("(recipient LIKE 'erased:%' OR recipient LIKE 'updated:%')")
}

pub(crate) fn is_erasure() -> Expr {
    Expr::cust("recipient LIKE 'erased:%'")
}

/// Adds notices of an erasure for webhooks to which these leads may have been posted. Must run before the leads'
/// deliveries are deleted.
pub(crate) async fn insert_erasures(tx: &Transaction, leads: &[Uuid]) -> Result<()> {
    let deliveries = Deliveries::load(tx, leads).await?;
    let now = deliveries.now;
    let received = deliveries.rows().filter(|row| may_have_arrived(row));
    let notices = received.filter_map(|row| {
        let name = row.recipient.strip_prefix(WEBHOOK)?;
        let due = end_of_claims(deliveries.of_lead(row.lead_id), name, now);
        let notice = delivery::Model::due(row.lead_id, &format!("{ERASED}{name}"), now);
        Some(delivery::Model {
            until: Some(due),
            ..notice
        })
    });
    delivery::insert_missing(tx, notices).await?;
    Ok(())
}

/// Adds notices of an update for webhooks to which these leads may have been posted. The transaction must have locked the
/// leads.
pub(crate) async fn insert_updates(tx: &Transaction, leads: &[Uuid]) -> Result<()> {
    if leads.is_empty() {
        return Ok(());
    }
    let mut deliveries = Deliveries::load(tx, leads).await?;
    let received = deliveries.rows().filter(|row| may_have_arrived(row));
    let webhooks: Vec<(Uuid, String)> = received
        .filter_map(|row| Some((row.lead_id, row.recipient.strip_prefix(WEBHOOK)?.to_owned())))
        .collect();
    for (lead_id, name) in webhooks {
        add_update(&mut deliveries, lead_id, &name);
    }
    deliveries.save(None, false).await
}

/// Adds a notice of an update for a webhook, unless an unclaimed one waits, which will have the newest state too. A notice
/// that is claimed or has failed has an older state, so the new notice replaces it.
pub(crate) fn add_update(deliveries: &mut Deliveries<'_>, lead_id: Uuid, name: &str) {
    let now = deliveries.now;
    let due = end_of_claims(deliveries.of_lead(lead_id), name, now);
    let mut last_number = 0;
    let mut waiting = None;
    let mut outdated = Vec::new();
    for row in deliveries.of_lead(lead_id) {
        let Some(number) = update_number(&row.recipient, name) else {
            continue;
        };
        last_number = number.max(last_number);
        match row.state {
            State::Pending | State::Deferred => waiting = Some(row.clone()),
            State::Claimed | State::Failed => outdated.push(row.clone()),
            State::Delivered | State::Cancelled => {}
        }
    }
    if let Some(waiting) = waiting {
        let until = waiting.until.map_or(due, |until| until.max(due));
        deliveries.set(
            delivery::Model {
                state: State::Deferred,
                until: Some(until),
                ..waiting
            },
            None,
        );
        return;
    }
    for row in outdated {
        deliveries.cancel(row, "superseded", "a newer update follows");
    }
    let recipient = format!("{UPDATED}{name}#{}", last_number + 1);
    let notice = delivery::Model::due(lead_id, &recipient, now);
    deliveries.set(
        delivery::Model {
            until: Some(due),
            ..notice
        },
        None,
    );
}

/// Whether the webhook may have received the lead.
fn may_have_arrived(row: &delivery::Model) -> bool {
    row.attempts > 0 || row.state == State::Delivered
}

/// The number of an update for this webhook. `None` for other recipients.
fn update_number(recipient: &str, webhook: &str) -> Option<u32> {
    let (name, number) = recipient.strip_prefix(UPDATED)?.split_once('#')?;
    number.parse().ok().filter(|_| name == webhook)
}

/// When no call of the webhook about the lead is in flight any more: a claimed delivery may be in flight until its claim
/// expires, and so may one that an unclaimed update replaces.
fn end_of_claims<'a>(
    rows: impl Iterator<Item = &'a delivery::Model>,
    webhook: &str,
    now: DateTimeUtc,
) -> DateTimeUtc {
    let may_be_in_flight = |row: &&delivery::Model| {
        let is_update = update_number(&row.recipient, webhook).is_some();
        match row.state {
            State::Claimed => is_update || row.recipient.strip_prefix(WEBHOOK) == Some(webhook),
            State::Deferred => is_update && row.attempts == 0,
            State::Pending | State::Delivered | State::Failed | State::Cancelled => false,
        }
    };
    rows.filter(may_be_in_flight)
        .filter_map(|row| row.until)
        .fold(now, Ord::max)
}

/// Claims at most `limit` due notices for the holder of a lease, and adds them to the response. Returns their number.
pub(super) async fn claim(
    tx: &Transaction,
    lease: &Lease,
    limit: u32,
    response: &mut crm::LeasePendingResponse,
) -> Result<u64> {
    let now = tx.now().await?;
    let values = [now.into(), lease.updates.into(), limit.into()];
    let leads = lock_rows(tx, CANDIDATES, values).await?;
    // Loaded after locking the leads, because another transaction may have changed the deliveries.
    let ids: Vec<Uuid> = leads.iter().map(|it| it.id).collect();
    let mut deliveries = Deliveries::load(tx, &ids).await?;
    let is_wanted = |row: &&delivery::Model| {
        let is_update = row.recipient.starts_with(UPDATED);
        notified_webhook(&row.recipient).is_some() && (lease.updates || !is_update)
    };
    let due: Vec<_> = deliveries
        .rows()
        .filter(is_wanted)
        .filter(|row| row.is_due(now))
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
        .cloned()
        .collect();
    for row in &due {
        let Some(lead) = leads.iter().find(|it| it.id == row.lead_id) else {
            continue;
        };
        let claimed = row.clone().claimed(&lease.holder, lease.lease, now);
        if row.recipient.starts_with(UPDATED) {
            response.update_notices.push(to_update(lead, &claimed, now));
        } else {
            response.erasure_notices.push(to_erasure(lead, &claimed));
        }
        deliveries.set(claimed, None);
    }
    deliveries.save(None, false).await?;
    Ok(due.len() as u64)
}

fn to_erasure(tombstone: &lead::Model, claimed: &delivery::Model) -> crm::ErasureNotice {
    crm::ErasureNotice {
        lead_id: tombstone.id.to_string(),
        reference: tombstone.reference.clone(),
        erased_at: tombstone.erased_at.map(timestamp),
        recipient: claimed.recipient.clone(),
        attempt: claimed.attempts.unsigned_abs(),
    }
}

fn to_update(lead: &lead::Model, claimed: &delivery::Model, now: DateTimeUtc) -> crm::UpdateNotice {
    let channels = lead::channels(&lead.channels).into_iter();
    // A restored backup may lack the time of a change.
    let updated_at = lead.contact_changed_at.unwrap_or(now);
    crm::UpdateNotice {
        lead_id: lead.id.to_string(),
        reference: lead.reference.clone(),
        name: lead.name.clone(),
        mobile: lead.mobile.clone(),
        email: lead.email.clone(),
        channels: channels.map(Channel::number).collect(),
        do_not_contact_at: lead.do_not_contact_at.map(timestamp),
        updated_at: Some(timestamp(updated_at)),
        recipient: claimed.recipient.clone(),
        attempt: claimed.attempts.unsigned_abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::tests::query_plan;

    #[tokio::test]
    async fn claiming_notices_uses_their_index() {
        let values = [DateTimeUtc::UNIX_EPOCH.into(), true.into(), 8u32.into()];
        let plan = query_plan(CANDIDATES, values).await;
        assert!(
            plan.contains("delivery_notice") && !plan.contains("SCAN lead"),
            "{plan}"
        );
    }
}
