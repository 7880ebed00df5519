//! Leases leads with due deliveries to a notifier.

use std::{collections::BTreeMap, time::Duration};

use ::lead::recipient::notified_webhook;
use contracts::leads::v1::LeadSubmitted;
use sea_orm::DbBackend;
use tracing::error;

use super::{
    delivery::{
        BROCHURE, Deliveries, after, parse_duration, parse_holder, parse_positive_duration,
    },
    webhook_notice,
};
use crate::db::prelude::*;

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
            let notices = webhook_notice::claim(&tx, lease, limit / SHARE, &mut response).await?;
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
            pending_for: parse_duration("pending_for", request.pending_for)?,
            lease: parse_positive_duration("lease", request.lease)?,
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
        let stored_before = now - TimeDelta::from_std(self.pending_for).unwrap_or(TimeDelta::MAX);
        let rows = lock_rows(
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
        let deliveries = Deliveries::load(tx, &ids).await?;
        // Closes leads without unfinished deliveries.
        deliveries.save(&rows, false).await?;
        let is_due = |delivery: &&delivery::Model| delivery.is_due(now);
        let mut leased = Vec::new();
        for row in rows {
            let (requested, by_routes): (Vec<_>, Vec<_>) = deliveries
                .of_lead(row.id)
                .partition(|delivery| delivery.requested);
            let for_routes = by_routes.is_empty() || by_routes.iter().any(is_due);
            let requested = requested
                .into_iter()
                .filter(is_due)
                .map(|delivery| delivery.recipient.clone());
            let requested: Vec<String> = requested
                .filter(|recipient| recipient != BROCHURE && notified_webhook(recipient).is_none())
                .collect();
            if for_routes || !requested.is_empty() {
                leased.push((row.id, row.leases));
                add_lead(response, row, for_routes, requested);
            }
        }
        for (until, ids) in self.extend_leases(tx, &leased).await? {
            let (holder, until) = (self.holder.clone(), Some(timestamp(until)));
            timeline::add(tx, &ids, &Event::Leased(entry::Leased { holder, until })).await?;
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
        let rows = lock_rows(tx, BROCHURE_CANDIDATES, values).await?;
        let leased: Vec<_> = rows.iter().map(|row| (row.id, row.leases)).collect();
        self.extend_leases(tx, &leased).await?;
        rows.into_iter()
            .for_each(|row| add_lead(response, row, false, vec![BROCHURE.to_owned()]));
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
            let (leased_until, leases) = (Set(Some(until)), Set(leases.saturating_add(1)));
            lead::update(
                tx,
                &ids,
                lead::ActiveModel {
                    leased_until,
                    leases,
                    ..Default::default()
                },
            )
            .await?;
            extended.push((until, ids));
        }
        Ok(extended)
    }
}

/// Adds a lead for the recipients of the routes, for requested emails, or for both. Logs and omits a lead that this
/// version cannot parse, so other leads are not affected.
fn add_lead(
    response: &mut crm::LeasePendingResponse,
    row: lead::Model,
    for_routes: bool,
    requested: Vec<String>,
) {
    let id = row.id;
    let lead: LeadSubmitted = match row.into_submission() {
        Ok(lead) => lead.into(),
        Err(error) => return error!(lead_id = %id, %error, "lead not leased: invalid row"),
    };
    if !requested.is_empty() {
        response.leads.push(crm::PendingLead {
            lead: Some(lead.clone()),
            recipients: requested,
        });
    }
    if for_routes {
        response.leads.push(crm::PendingLead {
            lead: Some(lead),
            recipients: Vec::new(),
        });
    }
}

/// Selects leads. On PostgreSQL, locks them and skips leads that other transactions have locked.
pub(super) async fn lock_rows(
    tx: &Transaction,
    select: &str,
    values: [Value; 3],
) -> Result<Vec<lead::Model>> {
    let is_postgres = tx.db.get_database_backend() == DbBackend::Postgres;
    let lock = if is_postgres {
        " FOR UPDATE SKIP LOCKED"
    } else {
        ""
    };
    let select = sql(&tx.db, format!("{select}{lock}"), values);
    Ok(lead::Model::find_by_statement(select).all(&tx.db).await?)
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
