//! Requests the brochure email for visitors who requested the brochure in the form.

use std::collections::BTreeMap;

use contracts::crm::v1::{SendBrochureRequest, SendBrochureResponse};
use lead::{FieldError, Interest, Recipient, field::optional_time};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Set,
    prelude::{DateTimeUtc, Expr, Uuid},
};

use super::{
    ledger::Delivery,
    row::{self, StateName},
};
use crate::{
    db::{
        Result, Store,
        audit::Call,
        sql,
        transaction::{Transaction, chunks},
        with_timeout,
    },
    error::Invalid,
    leads::{lock::lock_leads, row as lead_row},
};

const LARGEST_LIMIT: u32 = 500;

/// Advisory lock of [`Store::send_brochures`].
const SEND_LOCK: &str = "brochure";

/// Same text as in the partial index `lead_brochure`, so databases can use the index.
const REQUESTED: &str = "erased_at IS NULL AND interests LIKE '%\"brochure\"%'";

/// In addition to [`REQUESTED`]: the conditions for emailing the visitor.
const MAY_EMAIL_VISITOR: &str = "do_not_contact_at IS NULL AND privacy_policy_version <> '' \
                        AND state <> 'invalid' AND signals = '[]'";

/// Returns the submission time from which leads get a brochure.
pub(crate) fn parse_start(request: &SendBrochureRequest) -> Result<DateTimeUtc, Invalid> {
    // The email is written for visitors who requested the brochure.
    if Interest::from_contract(request.interest)? != Some(Interest::Brochure) {
        return Err(FieldError::UnknownValue("interest").into());
    }
    Ok(optional_time("submitted_from", request.submitted_from)?.unwrap_or(DateTimeUtc::UNIX_EPOCH))
}

/// Email addresses that requested the brochure, by outcome.
#[derive(Default, FromQueryResult)]
struct AddressCounts {
    asked: i64,
    delivered: i64,
    waiting: i64,
    failed: i64,
    do_not_contact: i64,
    left: i64,
}

impl AddressCounts {
    fn into_message(self) -> SendBrochureResponse {
        SendBrochureResponse {
            requested: 0,
            asked: self.asked.unsigned_abs(),
            delivered: self.delivered.unsigned_abs(),
            waiting: self.waiting.unsigned_abs(),
            failed: self.failed.unsigned_abs(),
            do_not_contact: self.do_not_contact.unsigned_abs(),
            left: self.left.unsigned_abs(),
        }
    }
}

impl Store {
    /// Counts the email addresses that requested the brochure, by outcome across all leads of the address.
    pub(crate) async fn count_brochures(
        &self,
        submitted_from: DateTimeUtc,
    ) -> Result<SendBrochureResponse> {
        let count = format!(
            "WITH emails AS (
                SELECT email_key AS address,
                    max(CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END) AS delivered,
                    max(CASE WHEN d.state IN ('pending', 'claimed', 'deferred') THEN 1 ELSE 0 END) AS waiting,
                    max(CASE WHEN d.state = 'failed' THEN 1 ELSE 0 END) AS failed
                FROM delivery d JOIN lead ON id = lead_id WHERE recipient = 'brochure' GROUP BY email_key
            ), addresses AS (
                SELECT CASE
                    WHEN max(delivered) = 1 THEN 'delivered'
                    WHEN max(waiting) = 1 THEN 'waiting'
                    WHEN max(failed) = 1 THEN 'failed'
                    WHEN max(address) IS NOT NULL THEN 'cancelled'
                    -- The delivery was erased with its lead.
                    WHEN max(CASE WHEN brochure THEN 1 ELSE 0 END) = 1 THEN 'delivered'
                    WHEN max(do_not_contact_at) IS NOT NULL THEN 'do not contact'
                    WHEN max(CASE WHEN {MAY_EMAIL_VISITOR} THEN 1 ELSE 0 END) = 1 THEN 'left'
                    END AS outcome
                FROM lead LEFT JOIN emails ON address = email_key
                WHERE {REQUESTED} AND submitted_at >= $1
                GROUP BY email_key
            )
            SELECT count(*) AS asked,
                count(CASE WHEN outcome = 'delivered' THEN 1 END) AS delivered,
                count(CASE WHEN outcome = 'waiting' THEN 1 END) AS waiting,
                count(CASE WHEN outcome = 'failed' THEN 1 END) AS failed,
                count(CASE WHEN outcome = 'do not contact' THEN 1 END) AS do_not_contact,
                count(CASE WHEN outcome = 'left' THEN 1 END) AS left
            FROM addresses"
        );
        let count = sql(&self.reader, count, [submitted_from.into()]);
        let counts = with_timeout(AddressCounts::find_by_statement(count).one(&self.reader))
            .await?
            .unwrap_or_default();
        Ok(counts.into_message())
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
            tx.advisory_lock(SEND_LOCK).await?;
            tx.disable_seqscan().await?;
            let leads: Vec<(Uuid, String)> = lead_row::Entity::find()
                .select_only()
                .columns([lead_row::Column::Id, lead_row::Column::EmailKey])
                .filter(may_email().add(Expr::cust("NOT brochure")))
                .filter(lead_row::Column::SubmittedAt.gte(submitted_from))
                .order_by_desc(lead_row::Column::SubmittedAt)
                .order_by_desc(lead_row::Column::Id)
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
            let locked = lock_leads(&tx, &ids).await?;
            set_flag(&tx, &ids, true).await?;
            for row in locked.rows().filter(|row| row.brochure) {
                newest.remove(&row.email_key);
            }
            let now = tx.now().await?;
            let leads: Vec<Uuid> = newest
                .into_values()
                .filter(|id| locked.lead(*id).is_ok())
                .collect();
            let due = leads.iter().map(|id| {
                let delivery = Delivery::due(&Recipient::Brochure, now);
                ((*id, Recipient::Brochure), delivery)
            });
            // Skips leads whose confirmation has delivered the brochure.
            let requested = row::insert_missing(&tx, due).await?;
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

fn may_email() -> Condition {
    Condition::all()
        .add(Expr::cust(REQUESTED))
        .add(Expr::cust(MAY_EMAIL_VISITOR))
}

async fn ids_by_addresses(tx: &Transaction, addresses: &[&String]) -> Result<Vec<Uuid>> {
    let mut leads = Vec::new();
    for addresses in chunks(addresses) {
        let select = lead_row::select_ids()
            .filter(lead_row::Column::EmailKey.is_in(addresses.iter().copied()))
            .filter(lead_row::Column::ErasedAt.is_null());
        leads.extend(select.into_tuple::<Uuid>().all(&tx.db).await?);
    }
    Ok(leads)
}

/// Whether another lead of the address has the `brochure` flag.
pub(crate) async fn has_flag(tx: &Transaction, address: &str, lead: Uuid) -> Result<bool> {
    let others = lead_row::Entity::find()
        .filter(lead_row::Column::EmailKey.eq(address))
        .filter(lead_row::Column::ErasedAt.is_null())
        .filter(lead_row::Column::Id.ne(lead))
        .filter(lead_row::Column::Brochure.eq(true));
    Ok(others.count(&tx.db).await? > 0)
}

/// Sets the `brochure` flag of leads. An address gets one brochure for all its leads.
pub(crate) async fn set_flag(tx: &Transaction, leads: &[Uuid], has_brochure: bool) -> Result<()> {
    lead_row::update(
        tx,
        leads,
        lead_row::ActiveModel {
            brochure: Set(has_brochure),
            ..Default::default()
        },
    )
    .await
}

/// Whether the requested brochure may still be emailed to the lead's address.
pub(crate) async fn is_allowed(tx: &Transaction, lead: &lead_row::Model) -> Result<bool> {
    let is_allowed = lead_row::Entity::find_by_id(lead.id)
        .filter(may_email())
        .count(&tx.db)
        .await?
        > 0;
    Ok(is_allowed && !is_delivered(tx, &leads_of_address(tx, lead).await?).await?)
}

/// Sets the `brochure` flag of the address's leads: whether one of them has a delivered brochure.
pub(crate) async fn update_flag(tx: &Transaction, lead: &lead_row::Model) -> Result<()> {
    let ids = leads_of_address(tx, lead).await?;
    let has_brochure = is_delivered(tx, &ids).await?;
    set_flag(tx, &ids, has_brochure).await
}

async fn leads_of_address(tx: &Transaction, lead: &lead_row::Model) -> Result<Vec<Uuid>> {
    ids_by_addresses(tx, &[&lead.email_key]).await
}

async fn is_delivered(tx: &Transaction, leads: &[Uuid]) -> Result<bool> {
    let brochure = Recipient::Brochure.to_string();
    for leads in chunks(leads) {
        let delivered = row::find_by_leads(leads)
            .filter(row::Column::State.eq(StateName::Delivered))
            .all(&tx.db)
            .await?;
        // Compares the recipient here: in SQL, the database could choose the brochure index and read all brochures.
        if delivered.iter().any(|row| row.recipient == brochure) {
            return Ok(true);
        }
    }
    Ok(false)
}
