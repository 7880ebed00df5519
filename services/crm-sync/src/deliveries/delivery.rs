//! Reads and writes the rows of `delivery`, one lead's email to one recipient each.

use std::time::Duration;

pub use ::lead::recipient::{BROCHURE, VISITOR, WEBHOOK};
use ::lead::{
    FieldError,
    field::{filled, timestamp},
    recipient::REQUESTED,
};
use chrono::TimeDelta;
use contracts::{crm::v1 as crm, leads::v1::Reason};
use sea_orm::{UpdateMany, sea_query::ExprTrait};

use crate::{
    db::prelude::*,
    leads::{lead, timeline},
};

/// Longest address an SMTP path can hold.
const RECIPIENT_LENGTH: usize = 320;

const HOLDER_LENGTH: usize = 200;

#[derive(Clone, PartialEq, Eq)]
pub struct Delivered {
    /// Address of the recipient, [`WEBHOOK`] and a name, one of [`REQUESTED`] and a name, [`VISITOR`], or [`BROCHURE`].
    pub recipient: String,
    /// `Message-ID` header of the email.
    pub mail_message_id: String,
    pub server_reply: String,
    /// The time of the reply, to the microsecond.
    pub delivered_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum State {
    #[default]
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

/// sea-orm requires `Debug`, which omits addresses.
#[derive(Clone, Default, PartialEq, Eq, derive_more::Debug, DeriveEntityModel)]
#[debug("delivery {lead_id}")]
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

/// The columns of a state. Holder, time and reason are empty unless set.
pub(crate) fn in_state(state: State, now: DateTimeUtc) -> ActiveModel {
    let empty = || Set(String::new());
    ActiveModel {
        state: Set(state),
        holder: empty(),
        until: Set(None),
        reason_class: empty(),
        reason_detail: empty(),
        changed_at: Set(now),
        ..Default::default()
    }
}

/// As [`in_state`], with the reason.
pub(crate) fn because_of(reason: &Reason, state: State, now: DateTimeUtc) -> ActiveModel {
    ActiveModel {
        reason_class: Set(reason.class.clone()),
        reason_detail: Set(reason.detail.clone()),
        ..in_state(state, now)
    }
}

pub(crate) fn new_pending(lead_id: Uuid, recipient: &str, now: DateTimeUtc) -> ActiveModel {
    let requested = is_requested(recipient);
    let row =
        Model { lead_id, recipient: recipient.to_owned(), changed_at: now, requested, ..Model::default() };
    row.into_active_model()
}

/// A delivery that no message announces: it is due immediately, however new its lead is.
pub(crate) fn new_due(lead_id: Uuid, recipient: &str, now: DateTimeUtc) -> ActiveModel {
    let (state, until) = (Set(State::Deferred), Set(Some(now)));
    ActiveModel { state, until, ..new_pending(lead_id, recipient, now) }
}

impl Model {
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

/// Selects the deliveries of these leads.
pub(crate) fn find_by_leads(leads: impl IntoIterator<Item = Uuid>) -> Select<Entity> {
    Entity::find().filter(Column::LeadId.is_in(leads))
}

/// Inserts deliveries, except those that exist; returns the number inserted. The rows of one lead must have the order of
/// their recipients, so that two such statements cannot deadlock.
pub(crate) async fn insert_missing(
    tx: &Transaction,
    rows: impl IntoIterator<Item = ActiveModel>,
) -> Result<u64> {
    let existing = OnConflict::columns([Column::LeadId, Column::Recipient]).do_nothing().to_owned();
    Ok(Entity::insert_many(rows).on_conflict(existing).exec_without_returning(&tx.db).await?)
}

/// A statement that changes deliveries of one lead.
pub(crate) fn update(lead_id: Uuid, recipients: &[&str], change: ActiveModel) -> UpdateMany<Entity> {
    Entity::update_many()
        .set(change)
        .filter(Column::LeadId.eq(lead_id))
        .filter(Column::Recipient.is_in(recipients.iter().copied()))
}

/// Cancels deliveries of one lead, with the reason in the lead's timeline.
pub(crate) async fn cancel(
    tx: &Transaction,
    lead_id: Uuid,
    recipients: &[&str],
    reason: &Reason,
) -> Result<()> {
    let cancelled = because_of(reason, State::Cancelled, tx.now().await?);
    update(lead_id, recipients, cancelled).exec(&tx.db).await?;
    timeline::insert_for(tx, lead_id, recipients, &timeline::cancelled(reason)).await
}

/// Closes those of the leads that have deliveries by the routes but no unfinished ones, and ends their leases. The
/// transaction must hold the leads' locks.
pub(crate) async fn close_finished(tx: &Transaction, leads: &[Uuid]) -> Result<()> {
    lead::Entity::update_many()
        .col_expr(lead::Column::Open, Expr::value(false))
        .col_expr(lead::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .filter(lead::Column::Id.is_in(leads.iter().copied()))
        .filter(has_delivery(Column::Requested.eq(false)))
        .filter(has_delivery(is_unfinished()).not())
        .exec(&tx.db)
        .await?;
    Ok(())
}

/// Sets whether a lead is open, and ends its lease. The next lease is as short as the first: leases grow only over holders
/// that never report. The transaction must hold the lead's lock.
pub(crate) async fn set_open(tx: &Transaction, lead_id: Uuid, open: bool) -> Result<()> {
    lead::Entity::update_many()
        .col_expr(lead::Column::Open, Expr::value(open))
        .col_expr(lead::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .col_expr(lead::Column::Leases, Expr::value(0))
        .filter(lead::Column::Id.eq(lead_id))
        .exec(&tx.db)
        .await?;
    Ok(())
}

/// Whether the outer statement's lead has a delivery that meets `condition`.
pub(crate) fn has_delivery(condition: impl IntoCondition) -> Expr {
    let id = (lead::Entity, lead::Column::Id);
    let deliveries = Query::select()
        .expr(Expr::val(1))
        .from(Entity)
        .and_where(Expr::col((Entity, Column::LeadId)).equals(id))
        .cond_where(condition.into_condition())
        .take();
    Expr::exists(deliveries)
}

/// Keeps its lead open. The brochure does not: many may wait for long, and each is found by its own index.
fn is_unfinished() -> Expr {
    Column::State.is_in([State::Pending, State::Claimed, State::Deferred]).and(Column::Recipient.ne(BROCHURE))
}

/// Whether an email goes to the visitor.
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
pub(crate) fn after(now: DateTimeUtc, wait: Duration) -> DateTimeUtc {
    let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTimeUtc::MAX_UTC)
}

pub(crate) fn parse_recipients(texts: &[String]) -> Result<Vec<String>, FieldError> {
    texts.iter().map(|text| parse_recipient("recipients", text)).collect()
}

pub(crate) fn parse_recipient(field: &'static str, text: &str) -> Result<String, FieldError> {
    filled(field, text, RECIPIENT_LENGTH)
}

pub(crate) fn parse_holder(text: &str) -> Result<String, FieldError> {
    filled("holder", text, HOLDER_LENGTH)
}

pub(crate) fn parse_duration(
    field: &'static str,
    duration: Option<prost_types::Duration>,
) -> Result<Duration, FieldError> {
    let duration = duration.ok_or(FieldError::Missing(field))?;
    Duration::try_from(duration).map_err(|_| FieldError::NotDuration(field))
}

pub(crate) fn parse_positive_duration(
    field: &'static str,
    duration: Option<prost_types::Duration>,
) -> Result<Duration, FieldError> {
    let duration = parse_duration(field, duration)?;
    if duration.is_zero() { Err(FieldError::NotDuration(field)) } else { Ok(duration) }
}
