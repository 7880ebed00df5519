//! Leases leads with due deliveries to a notifier.

use std::{collections::BTreeMap, time::Duration};

use contracts::{crm::v1 as crm, leads::v1::LeadSubmitted};
use lead::{
    Recipient,
    field::{positive_duration, required_duration, timestamp},
};
use sea_orm::{
    Set,
    prelude::{DateTimeUtc, Uuid},
};
use tracing::error;

use super::{
    ledger::{ClaimTerms, Ledger, after, before},
    parse::parse_holder,
    row::{self, Leases},
    webhook_notice,
};
use crate::{
    db::{Result, Store, transaction::Transaction},
    error::Invalid,
    leads::{
        lock::select_for_update,
        row as lead_row,
        timeline::{self, Event, entry},
    },
};

/// Maximum length of a lease, regardless of the number of leases without a report.
const LONGEST_LEASE: Duration = Duration::from_secs(6 * 60 * 60);

const LARGEST_LIMIT: u32 = 256;

/// Brochures may use one eighth of a response, and notices to webhooks another eighth, so neither delays leads.
const SHARE: u32 = 8;

/// Unleased open leads with a due delivery, without a delivery of the routes, or without an unfinished delivery (to close).
/// Brochures and notices to webhooks have their own statements.
const CANDIDATES: &str = "
    SELECT * FROM lead
    WHERE open AND (leased_until IS NULL OR leased_until <= $1) AND (
        -- A claim expired or a wait ended. No message announces such a lead, so its age does not matter.
        EXISTS (SELECT 1 FROM delivery WHERE lead_id = id
            AND recipient <> 'brochure' AND recipient NOT LIKE 'updated:%'
            AND state IN ('claimed', 'deferred') AND until <= $1)
        OR (source IN ('grpc', 'desk') OR recorded_at <= $2) AND (
            EXISTS (SELECT 1 FROM delivery WHERE lead_id = id
                AND recipient <> 'brochure' AND recipient NOT LIKE 'updated:%' AND state = 'pending')
            OR NOT EXISTS (SELECT 1 FROM delivery WHERE lead_id = id AND NOT requested)
            OR NOT EXISTS (SELECT 1 FROM delivery WHERE lead_id = id
                AND recipient <> 'brochure' AND recipient NOT LIKE 'updated:%'
                AND state IN ('pending', 'claimed', 'deferred'))))
    ORDER BY recorded_at, id LIMIT $3";

/// Unleased leads with a due brochure. `$2` exceeds `$3`, because some of the leads may already be leased.
const BROCHURE_CANDIDATES: &str = "
    SELECT * FROM lead
    WHERE (leased_until IS NULL OR leased_until <= $1) AND id IN (
        SELECT lead_id FROM delivery
        WHERE recipient = 'brochure' AND state IN ('pending', 'claimed', 'deferred')
            AND (state = 'pending' OR until <= $1)
        ORDER BY until, lead_id LIMIT $2)
    ORDER BY recorded_at, id LIMIT $3";

#[derive(Clone)]
pub struct Lease {
    pub holder: String,
    /// Minimum time since a lead was stored. Leads that no message announces are leased at any age.
    pub pending_for: Duration,
    /// Length of a lead's first lease.
    pub lease: Duration,
    pub limit: u32,
    /// Whether to lease leads for the brochure.
    pub brochures: bool,
    /// Whether to claim notices of updates.
    pub updates: bool,
}

impl Store {
    /// Leases leads, oldest first and brochures last, and claims due notices to webhooks.
    pub async fn lease(&self, lease: &Lease) -> Result<crm::LeasePendingResponse> {
        self.write("lease leads", |tx| async move {
            let limit = Ord::min(lease.limit, LARGEST_LIMIT);
            let mut response = crm::LeasePendingResponse::default();
            let terms = ClaimTerms {
                holder: &lease.holder,
                lease: lease.lease,
            };
            let share = limit / SHARE;
            let notices =
                webhook_notice::claim(&tx, terms, lease.updates, share, &mut response).await?;
            let room = u64::from(limit) - notices;
            let leased = lease.lease_leads(&tx, room, &mut response).await?;
            if lease.brochures {
                let room = Ord::min(room - leased, limit.div_ceil(SHARE).into());
                lease.lease_brochures(&tx, room, &mut response).await?;
            }
            Ok(response)
        })
        .await
    }
}

impl Lease {
    pub(crate) fn parse(request: crm::LeasePendingRequest) -> Result<Self, Invalid> {
        Ok(Self {
            holder: parse_holder(&request.holder)?,
            pending_for: required_duration("pending_for", request.pending_for)?,
            lease: positive_duration("lease", request.lease)?,
            limit: request.limit,
            brochures: request.brochures,
            updates: request.updates,
        })
    }

    /// Length of the lease after `before` leases without a report. Doubles each time up to [`LONGEST_LEASE`], so a lead
    /// that crashes notifiers does so rarely.
    fn length(&self, before: u32) -> Duration {
        let doubled = 2u32
            .checked_pow(before)
            .and_then(|factor| self.lease.checked_mul(factor));
        doubled.map_or(LONGEST_LEASE, |length| length.min(LONGEST_LEASE))
    }

    /// Leases leads for all deliveries except brochures and notices to webhooks. Returns the number of leads.
    async fn lease_leads(
        &self,
        tx: &Transaction,
        limit: u64,
        response: &mut crm::LeasePendingResponse,
    ) -> Result<u64> {
        let now = tx.now().await?;
        let stored_before = before(now, self.pending_for);
        let rows = select_for_update(
            tx,
            CANDIDATES,
            [now.into(), stored_before.into(), limit.into()],
        )
        .await?;
        if rows.is_empty() {
            return Ok(0);
        }
        // Loaded after locking the leads, because another transaction may have changed the deliveries.
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let ledger = row::load(tx, &ids).await?;
        // Closes leads without unfinished deliveries.
        row::save(tx, &ledger, &rows, Leases::Continue).await?;
        let mut leased = Vec::new();
        for row in rows {
            let for_routes = is_due_by_routes(&ledger, row.id);
            let requested = find_due_requests(&ledger, row.id);
            if for_routes || !requested.is_empty() {
                leased.push((row.id, row.leases));
                add_lead(response, row, for_routes, requested);
            }
        }
        for (until, ids) in self.extend_leases(tx, &leased).await? {
            let leased = Event::Leased(entry::Leased {
                holder: self.holder.clone(),
                until: Some(timestamp(until)),
            });
            timeline::add(tx, &ids, &leased).await?;
        }
        Ok(leased.len() as u64)
    }

    /// Leases leads for the brochure. Adds no timeline entries, because a waiting brochure may be leased often.
    async fn lease_brochures(
        &self,
        tx: &Transaction,
        wanted: u64,
        response: &mut crm::LeasePendingResponse,
    ) -> Result<()> {
        let values = [
            tx.now().await?.into(),
            (wanted * u64::from(SHARE)).into(),
            wanted.into(),
        ];
        let rows = select_for_update(tx, BROCHURE_CANDIDATES, values).await?;
        let leased: Vec<_> = rows.iter().map(|row| (row.id, row.leases)).collect();
        self.extend_leases(tx, &leased).await?;
        for row in rows {
            add_lead(response, row, false, vec![Recipient::Brochure]);
        }
        Ok(())
    }

    /// Leases locked leads, given with the number of their earlier leases. Returns the leads with the end of their leases.
    async fn extend_leases(
        &self,
        tx: &Transaction,
        leads: &[(Uuid, i32)],
    ) -> Result<Vec<(DateTimeUtc, Vec<Uuid>)>> {
        let mut by_leases: BTreeMap<i32, Vec<Uuid>> = BTreeMap::new();
        for (id, leases) in leads {
            by_leases.entry(*leases).or_default().push(*id);
        }
        let mut extended = Vec::new();
        for (leases, ids) in by_leases {
            let until = after(tx.now().await?, self.length(leases.unsigned_abs()));
            lead_row::update(
                tx,
                &ids,
                lead_row::ActiveModel {
                    leased_until: Set(Some(until)),
                    leases: Set(leases.saturating_add(1)),
                    ..Default::default()
                },
            )
            .await?;
            extended.push((until, ids));
        }
        Ok(extended)
    }
}

/// Whether a delivery of the routes is due, or the lead has none yet.
fn is_due_by_routes(ledger: &Ledger, lead_id: Uuid) -> bool {
    let mut by_routes = ledger
        .of_lead(lead_id)
        .filter(|(_, delivery)| !delivery.is_requested)
        .map(|(_, delivery)| delivery.is_due(ledger.now()))
        .peekable();
    by_routes.peek().is_none() || by_routes.any(|is_due| is_due)
}

/// The recipients of due requests, except of brochures and notices to webhooks, which have their own leases.
fn find_due_requests(ledger: &Ledger, lead_id: Uuid) -> Vec<Recipient> {
    ledger
        .of_lead(lead_id)
        .filter(|(_, delivery)| delivery.is_requested && delivery.is_due(ledger.now()))
        .map(|(recipient, _)| recipient)
        .filter(|recipient| **recipient != Recipient::Brochure)
        .filter(|recipient| recipient.notified_webhook().is_none())
        .cloned()
        .collect()
}

/// Adds a lead for the recipients of the routes, for requested emails, or for both. Logs and omits a lead that this
/// version cannot parse, so other leads are not affected.
fn add_lead(
    response: &mut crm::LeasePendingResponse,
    row: lead_row::Model,
    for_routes: bool,
    requested: Vec<Recipient>,
) {
    let id = row.id;
    let lead: LeadSubmitted = match row.into_submission() {
        Ok(lead) => lead.into(),
        Err(error) => return error!(lead_id = %id, %error, "lead not leased: invalid row"),
    };
    if !requested.is_empty() {
        response.leads.push(crm::PendingLead {
            lead: Some(lead.clone()),
            recipients: requested.iter().map(Recipient::to_string).collect(),
        });
    }
    if for_routes {
        response.leads.push(crm::PendingLead {
            lead: Some(lead),
            recipients: Vec::new(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::tests::query_plan;

    #[test]
    fn lease_doubles_up_to_a_limit() {
        let holder = "notifier-1".to_owned();
        let lease = Duration::from_secs(60);
        let lease = Lease {
            holder,
            pending_for: Duration::ZERO,
            lease,
            limit: 1,
            brochures: false,
            updates: false,
        };
        let lengths =
            [0, 1, 2, 8, 9, 31, 32, u32::MAX].map(|before| lease.length(before).as_secs());
        assert_eq!(
            lengths,
            [60, 120, 240, 15_360, 21_600, 21_600, 21_600, 21_600]
        );
    }

    #[tokio::test]
    async fn leasing_uses_indexes_of_open_leads_and_brochures() {
        let now = DateTimeUtc::UNIX_EPOCH;
        let plan = query_plan(CANDIDATES, [now.into(), now.into(), 1u64.into()]).await;
        assert!(plan.contains("SCAN lead USING INDEX lead_open"), "{plan}");
        assert!(!plan.contains("SCAN delivery"), "{plan}");
        let plan = query_plan(BROCHURE_CANDIDATES, [now.into(), 8u64.into(), 1u64.into()]).await;
        assert!(
            plan.contains("delivery_brochure_waiting") && !plan.contains("SCAN lead"),
            "{plan}"
        );
    }
}
