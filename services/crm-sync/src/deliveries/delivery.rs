//! Reads and writes the rows of `delivery`, one lead's mail to one recipient each.

use std::{collections::BTreeSet, fmt, time::Duration};

pub use ::lead::recipient::{BROCHURE, PERSON, VISITOR, WEBHOOK};
use ::lead::{field::timestamp, recipient::REQUESTED};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::{crm::v1 as crm, leads::v1::Reason};
use sea_orm::{
    ActiveValue::NotSet,
    Condition, DatabaseTransaction, Set,
    entity::prelude::*,
    sea_query::{Expr, ExprTrait, IntoCondition, OnConflict, Query, SelectStatement},
};

use crate::{db::error::StoreError, leads::lead};

#[derive(Clone, PartialEq, Eq)]
pub struct Delivered {
    /// Address of the recipient, [`WEBHOOK`] and a name, one of [`REQUESTED`] and a name, [`VISITOR`], or [`BROCHURE`].
    pub recipient: String,
    /// `Message-ID` header of the mail.
    pub mail_message_id: String,
    pub server_reply: String,
    /// The time of the reply, to the microsecond.
    pub delivered_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum State {
    Pending,
    /// Claimed until a time.
    Claimed,
    /// Waits until a time.
    Deferred,
    /// Accepted by the mail server.
    Delivered,
    /// Not delivered: an operator has to decide.
    Failed,
    /// Not delivered; no operator has to decide.
    Cancelled,
}

#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub lead_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub recipient: String,
    pub state: State,
    /// Empty unless claimed.
    pub holder: String,
    /// The end of the claim or the wait; null unless claimed or deferred.
    pub until: Option<DateTimeUtc>,
    pub attempts: i32,
    /// Empty unless deferred, failed or cancelled.
    pub reason_class: String,
    pub reason_detail: String,
    /// The time of the last state change, by the database's clock.
    pub changed_at: DateTimeUtc,
    pub mail_message_id: String,
    pub server_reply: String,
    /// Null unless delivered.
    pub delivered_at: Option<DateTimeUtc>,
    /// As [`is_requested`] says of the recipient.
    pub requested: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Required by sea-orm; omits addresses.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("delivery").field("lead_id", &self.lead_id).finish_non_exhaustive()
    }
}

pub(crate) fn pending(lead_id: Uuid, recipient: &str) -> ActiveModel {
    let empty = || Set(String::new());
    ActiveModel {
        lead_id: Set(lead_id),
        recipient: Set(recipient.to_owned()),
        state: Set(State::Pending),
        holder: empty(),
        until: Set(None),
        attempts: Set(0),
        reason_class: empty(),
        reason_detail: empty(),
        changed_at: NotSet,
        mail_message_id: empty(),
        server_reply: empty(),
        delivered_at: Set(None),
        requested: Set(is_requested(recipient)),
    }
}

/// A delivery that no message announces: it is due at once, however new its lead is.
pub(crate) fn due(lead_id: Uuid, recipient: &str, now: DateTimeUtc) -> ActiveModel {
    ActiveModel { state: Set(State::Deferred), until: Set(Some(now)), ..pending(lead_id, recipient) }
}

impl Model {
    /// As the conditions of a lease have it.
    pub(crate) fn is_due(&self, now: DateTimeUtc) -> bool {
        match self.state {
            State::Pending => true,
            State::Claimed | State::Deferred => self.until.is_some_and(|until| until <= now),
            State::Delivered | State::Failed | State::Cancelled => false,
        }
    }

    pub(crate) fn into_message(self) -> crm::Delivery {
        crm::Delivery {
            recipient: self.recipient,
            mail_message_id: self.mail_message_id,
            server_reply: self.server_reply,
            delivered_at: self.delivered_at.map(timestamp),
        }
    }
}

/// Adds pending deliveries for the recipients that have none.
pub(crate) async fn add(
    transaction: &DatabaseTransaction,
    lead_id: Uuid,
    recipients: &BTreeSet<&str>,
) -> Result<(), StoreError> {
    if recipients.is_empty() {
        return Ok(());
    }
    let key = [Column::LeadId, Column::Recipient];
    let known = OnConflict::columns(key).do_nothing().to_owned();
    // Inserted in the same order everywhere, so that two such statements cannot deadlock.
    let rows = recipients.iter().map(|recipient| pending(lead_id, recipient));
    Entity::insert_many(rows).on_conflict(known).exec_without_returning(transaction).await?;
    Ok(())
}

/// The new state of deliveries. Holder, time and reason are cleared unless given.
pub(crate) struct DeliveryUpdate<'a> {
    pub(crate) state: State,
    pub(crate) holder: &'a str,
    pub(crate) until: Option<DateTimeUtc>,
    pub(crate) reason: Option<&'a Reason>,
    pub(crate) delivered: Option<&'a Delivered>,
}

impl DeliveryUpdate<'_> {
    pub(crate) fn to(state: State) -> Self {
        Self { state, holder: "", until: None, reason: None, delivered: None }
    }
}

/// Changes deliveries of one lead. `attempts` replaces the number of attempts; `None` keeps it.
pub(crate) async fn update_deliveries(
    transaction: &DatabaseTransaction,
    (lead_id, recipients): (Uuid, &[&str]),
    update: DeliveryUpdate<'_>,
    attempts: Option<Expr>,
    now: DateTimeUtc,
) -> Result<(), StoreError> {
    if recipients.is_empty() {
        return Ok(());
    }
    let (class, detail) = update.reason.map_or(("", ""), |it| (it.class.as_str(), it.detail.as_str()));
    let mut query = Entity::update_many()
        .col_expr(Column::State, Expr::value(update.state))
        .col_expr(Column::Holder, Expr::value(update.holder))
        .col_expr(Column::Until, Expr::value(update.until))
        .col_expr(Column::ReasonClass, Expr::value(class))
        .col_expr(Column::ReasonDetail, Expr::value(detail))
        .col_expr(Column::ChangedAt, Expr::value(now));
    if let Some(attempts) = attempts {
        query = query.col_expr(Column::Attempts, attempts);
    }
    if let Some(delivered) = update.delivered {
        query = query
            .col_expr(Column::MailMessageId, Expr::value(delivered.mail_message_id.as_str()))
            .col_expr(Column::ServerReply, Expr::value(delivered.server_reply.as_str()))
            .col_expr(Column::DeliveredAt, Expr::value(Some(delivered.delivered_at)));
    }
    query
        .filter(Column::LeadId.eq(lead_id))
        .filter(Column::Recipient.is_in(recipients.iter().copied()))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Closes those of the leads that have deliveries by the routes but no open ones, and ends their leases. The transaction
/// must hold the leads' locks.
pub(crate) async fn close(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    lead::Entity::update_many()
        .col_expr(lead::Column::Open, Expr::value(false))
        .col_expr(lead::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .filter(lead::Column::Id.is_in(ids.iter().copied()))
        .filter(Expr::exists(of_lead(is_of_routes())))
        .filter(Expr::exists(of_lead(is_open())).not())
        .exec(transaction)
        .await?;
    Ok(())
}

/// Opens a lead, whose lock the transaction must hold, and frees it.
pub(crate) async fn open(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    free(transaction, ids, true).await
}

/// Frees leads, whose locks the transaction must hold. The next lease is as short as the first: leases grow only over
/// holders that never report.
pub(crate) async fn free(
    transaction: &DatabaseTransaction,
    ids: &[Uuid],
    open: bool,
) -> Result<(), StoreError> {
    lead::Entity::update_many()
        .col_expr(lead::Column::Open, Expr::value(open))
        .col_expr(lead::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .col_expr(lead::Column::Leases, Expr::value(0))
        .filter(lead::Column::Id.is_in(ids.iter().copied()))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Selects the deliveries of the outer statement's lead that meet `condition`.
pub(crate) fn of_lead(condition: Condition) -> SelectStatement {
    let id = (lead::Entity, lead::Column::Id);
    Query::select()
        .expr(Expr::val(1))
        .from(Entity)
        .and_where(Expr::col((Entity, Column::LeadId)).equals(id))
        .cond_where(condition)
        .take()
}

/// Keeps its lead open. The brochure does not: many may wait for long, and each is found by its own index.
pub(crate) fn is_open() -> Condition {
    Column::State
        .is_in([State::Pending, State::Claimed, State::Deferred])
        .and(Column::Recipient.ne(BROCHURE))
        .into_condition()
}

/// Selects deliveries that the routes name.
pub(crate) fn is_of_routes() -> Condition {
    Column::Requested.eq(false).into_condition()
}

/// Whether a mail goes to the visitor.
pub(crate) fn is_visitor(recipient: &str) -> bool {
    [VISITOR, BROCHURE].contains(&recipient)
}

/// Named by a request instead of the routes, and claimed separately.
pub(crate) fn is_requested(recipient: &str) -> bool {
    recipient == BROCHURE || REQUESTED.iter().any(|prefix| recipient.starts_with(prefix))
}

/// Whether the recipient is an address of the sales team. No other recipient contains `@` without a prefix.
pub(crate) fn is_address(recipient: &str) -> bool {
    recipient.contains('@') && !is_requested(recipient) && !recipient.starts_with(WEBHOOK)
}

/// `now` plus `wait`, at most the latest representable time.
pub(crate) fn after(now: DateTime<Utc>, wait: Duration) -> DateTime<Utc> {
    let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
