//! Has the brochure mailed to visitors who asked for it.

use std::collections::BTreeMap;

use ::lead::{FieldError, Interest, field::optional_time};
use chrono::{DateTime, Utc};
use contracts::crm::v1::{SendBrochureRequest, SendBrochureResponse};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Set,
    sea_query::{Expr, ExprTrait},
};
use tonic::Status;
use tracing::info;
use uuid::Uuid;

use super::delivery::{self, BROCHURE, State, is_open, open, pending};
use crate::{
    auth::Caller,
    db::{
        Store, audit,
        error::StoreError,
        lock::advisory_lock,
        transaction::{UnitOfWork, now},
        within,
    },
    error::Invalid,
    leads::{lead, lock::lock},
};

const LARGEST_LIMIT: u32 = 500;

/// An address has one brochure, for whichever of its leads.
const HAS_ONE: &str = "EXISTS (SELECT 1 FROM lead l JOIN delivery d ON d.lead_id = l.id AND d.recipient = 'brochure' \
                       WHERE l.email_key = lead.email_key)";

/// Who said of one lead that nobody is to write, said it for all of theirs.
const IS_SILENT: &str = "EXISTS (SELECT 1 FROM lead l WHERE l.do_not_contact_at IS NOT NULL \
                         AND (l.email_key = lead.email_key OR l.contact_id = lead.contact_id))";

const HAS_CONSENT: &str = "purpose = 'enquiry' AND privacy_policy_version <> ''";

#[derive(Clone)]
struct Sending {
    interest: Interest,
    submitted_from: Option<DateTime<Utc>>,
    limit: u32,
    client: String,
}

pub(crate) async fn send(
    store: &Store,
    caller: &Caller,
    request: &SendBrochureRequest,
) -> Result<SendBrochureResponse, Status> {
    let sending = Sending::read(request, caller.author())?;
    let requested = if sending.limit == 0 { 0 } else { store.transact(&sending).await? };
    let answer = sending.count(store, requested).await?;
    info!(client = %caller, requested = answer.requested, left = answer.left, "SendBrochure");
    Ok(answer)
}

impl Sending {
    fn read(request: &SendBrochureRequest, client: String) -> Result<Self, Invalid> {
        Ok(Self {
            interest: Interest::from_contract(request.interest)?
                .ok_or(FieldError::UnknownValue("interest"))?,
            submitted_from: optional_time("submitted_from", request.submitted_from)?,
            limit: Ord::min(request.limit, LARGEST_LIMIT),
            client,
        })
    }

    fn asked(&self) -> Condition {
        Condition::all()
            .add(lead::Column::ErasedAt.is_null())
            .add(lead::Column::Interests.contains(lead::in_json(self.interest.id())))
            .add_option(self.submitted_from.map(|it| lead::Column::SubmittedAt.gte(it)))
    }

    fn left(&self) -> Condition {
        self.asked()
            .add(Expr::cust(HAS_ONE).not())
            .add(Expr::cust(IS_SILENT).not())
            .add(Expr::cust(HAS_CONSENT))
            .add(lead::Column::State.ne("not_a_lead"))
    }

    /// Adds a delivery, due at once, for the oldest lead of each address. Returns how many.
    async fn request(&self, transaction: &DatabaseTransaction) -> Result<u64, StoreError> {
        let leads: Vec<(Uuid, String)> = lead::Entity::find()
            .select_only()
            .columns([lead::Column::Id, lead::Column::EmailKey])
            .filter(self.left())
            .order_by_asc(lead::Column::SubmittedAt)
            .order_by_asc(lead::Column::Id)
            .limit(u64::from(self.limit))
            .into_tuple()
            .all(transaction)
            .await?;
        let mut by_address = BTreeMap::new();
        for (id, address) in leads {
            by_address.entry(address).or_insert(id);
        }
        let ids: Vec<_> = by_address.into_values().collect();
        let locked = lock(transaction, &ids).await?;
        let ids: Vec<_> = ids.into_iter().filter(|id| !locked.is_erased(*id)).collect();
        if ids.is_empty() {
            return Ok(0);
        }
        let now = now(transaction).await?;
        // Not pending: no message announces it.
        let rows = ids.iter().map(|id| delivery::ActiveModel {
            state: Set(State::Deferred.into_str().to_owned()),
            until: Set(Some(now)),
            ..pending(*id, BROCHURE)
        });
        delivery::Entity::insert_many(rows).exec_without_returning(transaction).await?;
        open(transaction, &ids).await?;
        let requested = ids.len() as u64;
        audit::insert(transaction, &self.client, "send-brochure", requested).await?;
        Ok(requested)
    }

    async fn count(&self, store: &Store, requested: u64) -> Result<SendBrochureResponse, StoreError> {
        let is = |state: State| Condition::all().add(delivery::Column::State.eq(state.into_str()));
        let silent = self.asked().add(Expr::cust(HAS_ONE).not()).add(Expr::cust(IS_SILENT));
        Ok(SendBrochureResponse {
            asked: addresses(store, self.asked()).await?,
            requested,
            waiting: self.mails(store, is_open()).await?,
            delivered: self.mails(store, is(State::Delivered)).await?,
            dead: self.mails(store, is(State::Dead)).await?,
            do_not_contact: addresses(store, silent).await?,
            left: addresses(store, self.left()).await?,
        })
    }

    /// Mails in such a state.
    async fn mails(&self, store: &Store, state: Condition) -> Result<u64, StoreError> {
        let asked = lead::Entity::find().select_only().column(lead::Column::Id).filter(self.asked());
        let mails = delivery::Entity::find()
            // Written out for the partial index.
            .filter(Expr::cust("recipient = 'brochure'"))
            .filter(state)
            .filter(delivery::Column::LeadId.in_subquery(asked.into_query()));
        within(mails.count(&store.reader)).await
    }
}

impl UnitOfWork for Sending {
    const NAME: &'static str = "send brochure";

    /// How many mails were asked for.
    type Outcome = u64;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<u64, StoreError> {
        // Two calls at once would not see each other's mails.
        advisory_lock(transaction, BROCHURE).await?;
        self.request(transaction).await
    }
}

async fn addresses(store: &Store, leads: Condition) -> Result<u64, StoreError> {
    let count = lead::Entity::find()
        .select_only()
        .expr(Expr::cust("count(DISTINCT email_key)"))
        .filter(leads)
        .into_tuple::<i64>();
    let count = within(count.one(&store.reader)).await?;
    Ok(u64::try_from(count.unwrap_or_default()).unwrap_or_default())
}

/// Whether nobody is to write to the lead's visitor.
pub(crate) async fn is_silent(transaction: &DatabaseTransaction, lead_id: Uuid) -> Result<bool, StoreError> {
    let silent = lead::Entity::find_by_id(lead_id).filter(Expr::cust(IS_SILENT));
    Ok(silent.count(transaction).await? > 0)
}
