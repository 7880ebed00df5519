//! Has the brochure mailed to visitors who asked for it.

use std::collections::BTreeMap;

use ::lead::{FieldError, Interest, field::optional_time};
use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{SendBrochureRequest, SendBrochureResponse},
    leads::v1::Reason,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, Statement,
    sea_query::{Expr, OnConflict},
};
use tonic::Status;
use tracing::info;
use uuid::Uuid;

use super::delivery::{self, BROCHURE, State, due};
use crate::{
    auth::Caller,
    db::{
        Store, audit,
        chunks::chunks,
        error::StoreError,
        lock::advisory_lock,
        transaction::{UnitOfWork, look_up_by_index, now},
        within,
    },
    error::Invalid,
    leads::{lead, leasing, lock::lock, timeline},
};

const LARGEST_LIMIT: u32 = 500;

/// Written as in the partial index.
const ASKED: &str = "erased_at IS NULL AND interests LIKE '%\"brochure\"%'";

/// Of those who asked: who may be mailed.
const MAY_HAVE: &str = "do_not_contact_at IS NULL AND purpose = 'enquiry' AND privacy_policy_version <> '' \
                        AND state <> 'invalid' AND signals = '[]'";

#[derive(Clone)]
struct Sending {
    submitted_from: DateTime<Utc>,
    limit: u32,
    client: String,
}

pub(crate) async fn send(
    store: &Store,
    caller: &Caller,
    request: &SendBrochureRequest,
) -> Result<SendBrochureResponse, Status> {
    let sending = Sending::read(request, caller.author())?;
    let answer =
        if sending.limit == 0 { sending.count(store).await? } else { store.transact(&sending).await? };
    info!(client = %caller, requested = answer.requested, left = answer.left, "SendBrochure");
    Ok(answer)
}

impl Sending {
    fn read(request: &SendBrochureRequest, client: String) -> Result<Self, Invalid> {
        // The mail says that this was asked for.
        let interest = Interest::from_contract(request.interest)?.filter(|it| *it == Interest::Brochure);
        interest.ok_or(FieldError::UnknownValue("interest"))?;
        let submitted_from = optional_time("submitted_from", request.submitted_from)?;
        Ok(Self {
            submitted_from: submitted_from.unwrap_or(DateTime::UNIX_EPOCH),
            limit: Ord::min(request.limit, LARGEST_LIMIT),
            client,
        })
    }

    /// Counts the addresses that asked by what became of the brochure, on whichever of their leads.
    async fn count(&self, store: &Store) -> Result<SendBrochureResponse, StoreError> {
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
                ) mails ON address = email_key
                WHERE {ASKED} AND submitted_at >= $1
                GROUP BY email_key
            ) addresses GROUP BY what"
        );
        let backend = store.reader.get_database_backend();
        let count = Statement::from_sql_and_values(backend, count, [self.submitted_from.into()]);
        let mut answer = SendBrochureResponse::default();
        for row in within(store.reader.query_all_raw(count)).await? {
            let (what, addresses): (String, i64) = (row.try_get("", "what")?, row.try_get("", "addresses")?);
            let addresses = addresses.unsigned_abs();
            answer.asked += addresses;
            match what.as_str() {
                // Or the lead that it was mailed for is erased.
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
}

impl UnitOfWork for Sending {
    const NAME: &'static str = "send brochure";

    type Outcome = SendBrochureResponse;

    /// Adds a delivery, due at once, for the newest lead of each address: retention erases it last.
    async fn perform(
        &self,
        transaction: &DatabaseTransaction,
        _: &Store,
    ) -> Result<SendBrochureResponse, StoreError> {
        // Two calls at once would not see each other's mails.
        advisory_lock(transaction, BROCHURE).await?;
        look_up_by_index(transaction).await?;
        let leads: Vec<(Uuid, String)> = lead::Entity::find()
            .select_only()
            .columns([lead::Column::Id, lead::Column::EmailKey])
            .filter(may_have().add(Expr::cust("NOT brochure")))
            .filter(lead::Column::SubmittedAt.gte(self.submitted_from))
            .order_by_desc(lead::Column::SubmittedAt)
            .order_by_desc(lead::Column::Id)
            .limit(u64::from(self.limit) + 1)
            .into_tuple()
            .all(transaction)
            .await?;
        // What is left is counted only when nothing is asked for: it takes long.
        let left = u64::from(leads.len() > self.limit as usize);
        let mut newest = BTreeMap::new();
        for (id, address) in leads.into_iter().take(self.limit as usize) {
            newest.entry(address).or_insert(id);
        }
        let of_addresses = of_addresses(transaction, &newest.keys().collect::<Vec<_>>()).await?;
        let ids: Vec<_> = of_addresses.iter().map(|row| row.id).collect();
        let locked = lock(transaction, &ids).await?;
        mark(transaction, &ids, true).await?;
        for row in of_addresses.iter().filter(|row| row.brochure) {
            newest.remove(&row.email_key);
        }
        let now = now(transaction).await?;
        let newest = newest.into_values().filter(|id| locked.is_there(*id));
        let rows: Vec<_> = newest.map(|id| due(id, BROCHURE, now)).collect();
        if rows.is_empty() {
            return Ok(SendBrochureResponse { left, ..SendBrochureResponse::default() });
        }
        // Meanwhile an acknowledgement may have brought it.
        let key = [delivery::Column::LeadId, delivery::Column::Recipient];
        let known = OnConflict::columns(key).do_nothing().to_owned();
        let insert = delivery::Entity::insert_many(rows).on_conflict(known);
        let requested = insert.exec_without_returning(transaction).await?;
        audit::insert(transaction, &self.client, "send-brochure", requested).await?;
        Ok(SendBrochureResponse { requested, left, ..SendBrochureResponse::default() })
    }
}

fn may_have() -> Condition {
    Condition::all().add(Expr::cust(ASKED)).add(Expr::cust(MAY_HAVE))
}

async fn of_addresses(
    transaction: &DatabaseTransaction,
    addresses: &[&String],
) -> Result<Vec<leasing::Model>, StoreError> {
    let mut leads = Vec::new();
    for addresses in chunks(addresses) {
        let of_these = leasing::Entity::find()
            .filter(leasing::Column::EmailKey.is_in(addresses.into_iter().copied()))
            .filter(leasing::Column::ErasedAt.is_null());
        leads.extend(of_these.all(transaction).await?);
    }
    Ok(leads)
}

/// Writes to leads whether their address has a brochure. An address has one, for whichever of its leads.
pub(crate) async fn mark(
    transaction: &DatabaseTransaction,
    leads: &[Uuid],
    has_brochure: bool,
) -> Result<(), StoreError> {
    leasing::Entity::update_many()
        .col_expr(leasing::Column::Brochure, Expr::value(has_brochure))
        .filter(leasing::Column::Id.is_in(leads.iter().copied()))
        .filter(leasing::Column::Brochure.ne(has_brochure))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Whether the brochure that was asked for may still be mailed. If not, it is as if nobody had asked: it may be asked for
/// again once the reason is gone.
pub(crate) async fn is_still_meant(
    transaction: &DatabaseTransaction,
    lead_id: Uuid,
) -> Result<bool, StoreError> {
    let Some(lead) = leasing::Entity::find_by_id(lead_id).one(transaction).await? else { return Ok(false) };
    let of_address = of_addresses(transaction, &[&lead.email_key]).await?;
    let ids: Vec<Uuid> = of_address.into_iter().map(|row| row.id).collect();
    let delivered = delivery::Entity::find()
        .filter(delivery::Column::LeadId.is_in(ids.iter().copied()))
        .filter(delivery::Column::State.eq(State::Delivered.into_str()));
    // By the acknowledgement of another lead. Looked for here: an index of brochures would find all there are.
    let has_one = delivered.all(transaction).await?.iter().any(|row| row.recipient == BROCHURE);
    let may_have = lead::Entity::find_by_id(lead_id).filter(may_have()).count(transaction).await? > 0;
    if may_have && !has_one {
        return Ok(true);
    }
    delivery::Entity::delete_by_id((lead_id, BROCHURE.to_owned())).exec(transaction).await?;
    mark(transaction, &ids, has_one).await?;
    let reason =
        Reason { class: "limit".to_owned(), detail: "the visitor may not be sent the brochure".to_owned() };
    let entry = timeline::cancelled(lead_id, BROCHURE, &reason);
    timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
    Ok(false)
}
