//! Requests the brochure email for visitors who requested the brochure in the form.

use std::collections::BTreeMap;

use ::lead::{FieldError, Interest, field::optional_time};
use contracts::crm::v1::{SendBrochureRequest, SendBrochureResponse};

use super::delivery::{BROCHURE, State};
use crate::{db::prelude::*, leads::lock::lock};

const LARGEST_LIMIT: u32 = 500;

/// Same text as in the partial index `lead_brochure`, so databases can use the index.
const ASKED: &str = "erased_at IS NULL AND interests LIKE '%\"brochure\"%'";

/// In addition to [`ASKED`]: the conditions for emailing the visitor.
const MAY_HAVE: &str = "do_not_contact_at IS NULL AND privacy_policy_version <> '' \
                        AND state <> 'invalid' AND signals = '[]'";

/// Returns the submission time from which leads get a brochure.
pub(crate) fn parse_start(request: &SendBrochureRequest) -> Result<DateTimeUtc, Invalid> {
    // The email is written for visitors who requested the brochure.
    if Interest::from_contract(request.interest)? != Some(Interest::Brochure) {
        return Err(FieldError::UnknownValue("interest").into());
    }
    Ok(optional_time("submitted_from", request.submitted_from)?.unwrap_or(DateTimeUtc::UNIX_EPOCH))
}

impl Store {
    /// Counts the email addresses that requested the brochure, by outcome across all leads of the address.
    pub(crate) async fn count_brochures(
        &self,
        submitted_from: DateTimeUtc,
    ) -> Result<SendBrochureResponse> {
        let count = format!(
            "SELECT what, count(*) AS addresses FROM (
                SELECT COALESCE(min(became), CASE
                    WHEN max(CASE WHEN brochure THEN 1 ELSE 0 END) = 1 THEN '1 delivered'
                    WHEN max(do_not_contact_at) IS NOT NULL THEN 'do not contact'
                    WHEN max(CASE WHEN {MAY_HAVE} THEN 1 ELSE 0 END) = 1 THEN 'left'
                    ELSE 'none' END) AS what
                FROM lead LEFT JOIN (
                    SELECT email_key AS address, min(CASE d.state
                        WHEN 'delivered' THEN '1 delivered' WHEN 'failed' THEN '3 failed' WHEN 'cancelled' THEN '4 cancelled'
                        ELSE '2 waiting' END) AS became
                    FROM delivery d JOIN lead ON id = lead_id WHERE recipient = 'brochure' GROUP BY email_key
                ) emails ON address = email_key
                WHERE {ASKED} AND submitted_at >= $1
                GROUP BY email_key
            ) addresses GROUP BY what"
        );
        let count = sql(&self.reader, count, [submitted_from.into()]);
        let mut answer = SendBrochureResponse::default();
        for row in with_timeout(self.reader.query_all_raw(count)).await? {
            let (what, addresses): (String, i64) =
                (row.try_get("", "what")?, row.try_get("", "addresses")?);
            let addresses = addresses.unsigned_abs();
            answer.asked += addresses;
            match what.as_str() {
                // Includes addresses whose delivery was erased with its lead.
                "1 delivered" => answer.delivered = addresses,
                "2 waiting" => answer.waiting = addresses,
                "3 failed" => answer.failed = addresses,
                "do not contact" => answer.do_not_contact = addresses,
                "left" => answer.left = addresses,
                _ => {}
            }
        }
        Ok(answer)
    }

    /// Adds a delivery, due immediately, for the newest lead of at most 500 addresses. Retention erases that lead last.
    pub(crate) async fn send_brochures(
        &self,
        submitted_from: DateTimeUtc,
        limit: u32,
        client: &str,
    ) -> Result<SendBrochureResponse> {
        let limit = Ord::min(limit, LARGEST_LIMIT);
        let call = Call {
            author: client,
            action: "send-brochure",
        };
        self.write_audited("send brochure", call, |tx| async move {
            // Without the lock, concurrent calls could email an address twice.
            tx.advisory_lock(BROCHURE).await?;
            tx.disable_seqscan().await?;
            let leads: Vec<(Uuid, String)> = lead::Entity::find()
                .select_only()
                .columns([lead::Column::Id, lead::Column::EmailKey])
                .filter(may_have().add(Expr::cust("NOT brochure")))
                .filter(lead::Column::SubmittedAt.gte(submitted_from))
                .order_by_desc(lead::Column::SubmittedAt)
                .order_by_desc(lead::Column::Id)
                .limit(u64::from(limit) + 1)
                .into_tuple()
                .all(&tx.db)
                .await?;
            // Reports only whether leads are left. `count_brochures` counts them, which is slow.
            let left = u64::from(leads.len() > limit as usize);
            let mut newest = BTreeMap::new();
            for (id, address) in leads.into_iter().take(limit as usize) {
                newest.entry(address).or_insert(id);
            }
            let ids = ids_by_addresses(&tx, &newest.keys().collect::<Vec<_>>()).await?;
            let locked = lock(&tx, &ids).await?;
            set_flag(&tx, &ids, true).await?;
            for row in locked.rows().filter(|row| row.brochure) {
                newest.remove(&row.email_key);
            }
            let now = tx.now().await?;
            let newest = newest.into_values().filter(|id| locked.lead(*id).is_ok());
            let rows: Vec<_> = newest
                .map(|id| delivery::Model::due(id, BROCHURE, now))
                .collect();
            let leads = rows.iter().map(|row| row.lead_id).collect();
            let requested = if rows.is_empty() {
                0
            } else {
                // Skips leads whose confirmation has delivered the brochure.
                delivery::insert_missing(&tx, rows).await?
            };
            let sent = SendBrochureResponse {
                requested,
                left,
                ..SendBrochureResponse::default()
            };
            Ok((sent, leads))
        })
        .await
    }
}

fn may_have() -> Condition {
    Condition::all()
        .add(Expr::cust(ASKED))
        .add(Expr::cust(MAY_HAVE))
}

async fn ids_by_addresses(tx: &Transaction, addresses: &[&String]) -> Result<Vec<Uuid>> {
    let mut leads = Vec::new();
    for addresses in chunks(addresses) {
        let select = lead::select_ids()
            .filter(lead::Column::EmailKey.is_in(addresses.into_iter().copied()))
            .filter(lead::Column::ErasedAt.is_null());
        leads.extend(select.into_tuple::<Uuid>().all(&tx.db).await?);
    }
    Ok(leads)
}

/// Whether another lead of the address has the `brochure` flag.
pub(crate) async fn has_flag(tx: &Transaction, address: &str, lead: Uuid) -> Result<bool> {
    let others = lead::Entity::find()
        .filter(lead::Column::EmailKey.eq(address))
        .filter(lead::Column::ErasedAt.is_null())
        .filter(lead::Column::Id.ne(lead))
        .filter(lead::Column::Brochure.eq(true));
    Ok(others.count(&tx.db).await? > 0)
}

/// Sets the `brochure` flag of leads. An address gets one brochure for all its leads.
pub(crate) async fn set_flag(tx: &Transaction, leads: &[Uuid], has_brochure: bool) -> Result<()> {
    lead::update(
        tx,
        leads,
        lead::ActiveModel {
            brochure: Set(has_brochure),
            ..Default::default()
        },
    )
    .await
}

/// Whether the requested brochure may still be emailed. Otherwise deletes the request, so the brochure can be requested
/// again once the reason no longer applies.
pub(crate) async fn can_still_send(tx: &Transaction, lead: &lead::Model) -> Result<bool> {
    let lead_id = lead.id;
    let ids = ids_by_addresses(tx, &[&lead.email_key]).await?;
    let delivered =
        delivery::find_by_leads(&ids).filter(delivery::Column::State.eq(State::Delivered));
    // Compares the recipient here: in SQL, the database could choose the brochure index and read all brochures.
    let has_one = delivered
        .all(&tx.db)
        .await?
        .iter()
        .any(|row| row.recipient == BROCHURE);
    let may_have = lead::Entity::find_by_id(lead_id)
        .filter(may_have())
        .count(&tx.db)
        .await?
        > 0;
    if may_have && !has_one {
        return Ok(true);
    }
    delivery::Entity::delete_by_id((lead_id, BROCHURE.to_owned()))
        .exec(&tx.db)
        .await?;
    set_flag(tx, &ids, has_one).await?;
    let reason = delivery::reason("limit", "the visitor may not be sent the brochure");
    let cancelled = timeline::cancelled(&reason);
    timeline::insert(
        tx,
        [timeline::delivery_entry(lead_id, BROCHURE, &cancelled)],
    )
    .await?;
    Ok(false)
}
