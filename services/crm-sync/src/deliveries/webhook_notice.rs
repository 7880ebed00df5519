//! Notifies webhooks that may have received a lead of its erasure, a correction or a changed do-not-contact mark. A
//! notice is a delivery. The transaction that claims it also reads the lead, so a notice has the lead's newest state.

use contracts::crm::v1 as crm;
use lead::{Channel, Recipient, field::timestamp};
use sea_orm::prelude::{DateTimeUtc, Expr, Uuid};

use super::{
    ledger::{ClaimTerms, Ledger},
    row::{self, Leases},
};
use crate::{
    db::{Result, transaction::Transaction},
    leads::{lock::select_for_update, row as lead_row},
};

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

/// Claims at most `limit` due notices, and adds them to the response. Returns their number. Without `updates`, claims only
/// notices of erasures.
pub(super) async fn claim(
    tx: &Transaction,
    terms: ClaimTerms<'_>,
    updates: bool,
    limit: u32,
    response: &mut crm::LeasePendingResponse,
) -> Result<u64> {
    let now = tx.now().await?;
    let values = [now.into(), updates.into(), limit.into()];
    let leads = select_for_update(tx, CANDIDATES, values).await?;
    // Loaded after locking the leads, because another transaction may have changed the deliveries.
    let ids: Vec<Uuid> = leads.iter().map(|it| it.id).collect();
    let mut ledger = row::load(tx, &ids).await?;
    let mut claimed = 0;
    for lead in &leads {
        for recipient in find_notices(&ledger, lead.id, updates) {
            if claimed == limit {
                break;
            }
            let Some(attempt) = ledger.claim_notice(lead.id, &recipient, terms) else {
                continue;
            };
            claimed += 1;
            if is_erasure_notice(&recipient) {
                let notice = to_erasure(lead, &recipient, attempt);
                response.erasure_notices.push(notice);
            } else {
                let notice = to_update(lead, &recipient, attempt, now);
                response.update_notices.push(notice);
            }
        }
    }
    row::save(tx, &ledger, None, Leases::Continue).await?;
    Ok(u64::from(claimed))
}

/// The notices of a lead's erasure, and with `updates` those of its updates.
fn find_notices(ledger: &Ledger, lead_id: Uuid, updates: bool) -> Vec<Recipient> {
    ledger
        .of_lead(lead_id)
        .map(|(recipient, _)| recipient)
        .filter(|recipient| recipient.notified_webhook().is_some())
        .filter(|recipient| updates || is_erasure_notice(recipient))
        .cloned()
        .collect()
}

fn is_erasure_notice(recipient: &Recipient) -> bool {
    matches!(recipient, Recipient::ErasureNotice(_))
}

fn to_erasure(
    tombstone: &lead_row::Model,
    recipient: &Recipient,
    attempt: u32,
) -> crm::ErasureNotice {
    crm::ErasureNotice {
        lead_id: tombstone.id.to_string(),
        reference: tombstone.reference.clone(),
        erased_at: tombstone.erased_at.map(timestamp),
        recipient: recipient.to_string(),
        attempt,
    }
}

fn to_update(
    lead: &lead_row::Model,
    recipient: &Recipient,
    attempt: u32,
    now: DateTimeUtc,
) -> crm::UpdateNotice {
    let channels = lead_row::channels(&lead.channels).into_iter();
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
        recipient: recipient.to_string(),
        attempt,
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
