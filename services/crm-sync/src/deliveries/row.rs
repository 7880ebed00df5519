//! Loads and saves the deliveries of locked leads, and maps the rows of `delivery`. The table is the only schedule of
//! deliveries.

use contracts::crm::v1 as crm;
use lead::{Reason, Receipt, Recipient, field::timestamp};
use sea_orm::{
    Condition, ExprTrait, IntoActiveModel, Iterable, Set,
    entity::prelude::*,
    sea_query::{IntoCondition, OnConflict, Query},
};

use super::ledger::{Delivery, Key, Ledger, State};
use crate::{
    db::{
        Relation, Result,
        transaction::{Transaction, chunks},
    },
    leads::{row as lead_row, timeline},
};

/// The name of a [`State`] in the column `state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub(crate) enum StateName {
    #[default]
    Pending,
    Claimed,
    Deferred,
    Delivered,
    Failed,
    Cancelled,
}

/// The states in which an email may still be sent without an operator.
pub(crate) const UNFINISHED: [StateName; 3] =
    [StateName::Pending, StateName::Claimed, StateName::Deferred];

/// sea-orm requires `Debug`, which omits addresses.
#[derive(Clone, Default, PartialEq, Eq, derive_more::Debug, DeriveEntityModel)]
#[debug("delivery {lead_id}")]
#[sea_orm(table_name = "delivery")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub lead_id: Uuid,
    /// The text of a [`Recipient`].
    #[sea_orm(primary_key, auto_increment = false)]
    pub recipient: String,
    pub state: StateName,
    /// Empty unless claimed.
    pub holder: String,
    /// The end of the claim or the wait; null unless claimed or deferred.
    pub until: Option<DateTimeUtc>,
    pub attempts: i32,
    /// Empty unless deferred, failed or cancelled.
    pub reason_class: String,
    pub reason_detail: String,
    pub changed_at: DateTimeUtc,
    /// `Message-ID` header of the email. Empty unless delivered.
    pub mail_message_id: String,
    pub server_reply: String,
    /// The time of the reply; null unless delivered.
    pub delivered_at: Option<DateTimeUtc>,
    /// See [`Recipient::is_requested`].
    pub requested: bool,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    pub(crate) fn from_delivery((lead_id, recipient): &Key, delivery: &Delivery) -> Self {
        let row = Self {
            lead_id: *lead_id,
            recipient: recipient.to_string(),
            attempts: i32::try_from(delivery.attempts).unwrap_or(i32::MAX),
            changed_at: delivery.changed_at,
            requested: delivery.is_requested,
            ..Self::default()
        };
        match delivery.state.clone() {
            State::Pending => Self {
                state: StateName::Pending,
                ..row
            },
            State::Claimed { holder, until } => Self {
                state: StateName::Claimed,
                holder,
                until: Some(until),
                ..row
            },
            State::Deferred { until, reason } => Self {
                state: StateName::Deferred,
                until: Some(until),
                ..row.with_reason(reason.unwrap_or_default())
            },
            State::Delivered(receipt) => Self {
                state: StateName::Delivered,
                mail_message_id: receipt.mail_message_id,
                server_reply: receipt.server_reply,
                delivered_at: Some(receipt.delivered_at),
                ..row
            },
            State::Failed(reason) => Self {
                state: StateName::Failed,
                ..row.with_reason(reason)
            },
            State::Cancelled(reason) => Self {
                state: StateName::Cancelled,
                ..row.with_reason(reason)
            },
        }
    }

    fn with_reason(self, reason: Reason) -> Self {
        Self {
            reason_class: reason.class,
            reason_detail: reason.detail,
            ..self
        }
    }

    pub(crate) fn into_delivery(self) -> (Key, Delivery) {
        let key = (self.lead_id, Recipient::from(self.recipient.as_str()));
        // A row without its time is due since its last change.
        let until = self.until.unwrap_or(self.changed_at);
        let reason = Reason {
            class: self.reason_class,
            detail: self.reason_detail,
        };
        let state = match self.state {
            StateName::Pending => State::Pending,
            StateName::Claimed => State::Claimed {
                holder: self.holder,
                until,
            },
            StateName::Deferred => State::Deferred {
                until,
                reason: Some(reason).filter(|reason| !reason.class.is_empty()),
            },
            StateName::Delivered => State::Delivered(Receipt {
                mail_message_id: self.mail_message_id,
                server_reply: self.server_reply,
                delivered_at: self.delivered_at.unwrap_or(self.changed_at),
            }),
            StateName::Failed => State::Failed(reason),
            StateName::Cancelled => State::Cancelled(reason),
        };
        let delivery = Delivery {
            state,
            attempts: self.attempts.unsigned_abs(),
            changed_at: self.changed_at,
            is_requested: self.requested,
        };
        (key, delivery)
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

/// `leads` must be few or one of the [`chunks`].
pub(crate) fn find_by_leads<'i>(leads: impl IntoIterator<Item = &'i Uuid>) -> Select<Entity> {
    Entity::find().filter(Column::LeadId.is_in(leads.into_iter().copied()))
}

/// Whether the outer statement's lead has a delivery that meets `condition`.
pub(crate) fn has_delivery(condition: impl IntoCondition) -> Expr {
    let id = (lead_row::Entity, lead_row::Column::Id);
    let deliveries = Query::select()
        .expr(Expr::val(1))
        .from(Entity)
        .and_where(Expr::col((Entity, Column::LeadId)).equals(id))
        .cond_where(condition.into_condition())
        .take();
    Expr::exists(deliveries)
}

/// Inserts deliveries that do not exist and returns their number. To prevent deadlocks, the deliveries of a lead must be
/// sorted by recipient.
pub(crate) async fn insert_missing(
    tx: &Transaction,
    deliveries: impl IntoIterator<Item = (Key, Delivery)>,
) -> Result<u64> {
    let rows: Vec<ActiveModel> = deliveries
        .into_iter()
        .map(|(key, delivery)| Model::from_delivery(&key, &delivery).into_active_model())
        .collect();
    let existing = OnConflict::columns([Column::LeadId, Column::Recipient])
        .do_nothing()
        .to_owned();
    let mut inserted = 0;
    for rows in chunks(&rows) {
        inserted += Entity::insert_many(rows.iter().cloned())
            .on_conflict(existing.clone())
            .exec_without_returning(&tx.db)
            .await?;
    }
    Ok(inserted)
}

/// Whether saving a ledger ends the leases of its leads. A lease that ends also resets the length of the next one, because
/// leases grow only while holders do not report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leases {
    /// The leases of leads that stay open go on.
    Continue,
    /// Other due deliveries of the leads do not wait for the end of the lease.
    End,
}

/// Loads the deliveries of leads that the transaction has locked.
pub(crate) async fn load(tx: &Transaction, leads: &[Uuid]) -> Result<Ledger> {
    let mut rows = Vec::new();
    for leads in chunks(leads) {
        rows.extend(find_by_leads(leads).all(&tx.db).await?);
    }
    let deliveries = rows.into_iter().map(Model::into_delivery);
    Ok(Ledger::new(tx.now().await?, deliveries))
}

/// Writes the changes of the ledger and their events, and sets whether these leads are open.
pub(crate) async fn save<'l>(
    tx: &Transaction,
    ledger: &Ledger,
    leads: impl IntoIterator<Item = &'l lead_row::Model>,
    leases: Leases,
) -> Result<()> {
    save_deliveries(tx, ledger).await?;
    timeline::insert_delivery_events(tx, ledger.events()).await?;
    let mut opened = Vec::new();
    let mut closed = Vec::new();
    for lead in leads {
        let is_open = ledger.is_open(lead.id);
        let ends_lease = leases == Leases::End && lead.leases > 0;
        if is_open == lead.open && !ends_lease {
            continue;
        }
        if is_open {
            opened.push(lead.id);
        } else {
            closed.push(lead.id);
        }
    }
    set_open(tx, &opened, true).await?;
    set_open(tx, &closed, false).await
}

async fn save_deliveries(tx: &Transaction, ledger: &Ledger) -> Result<()> {
    let mut rows = Vec::new();
    let mut deleted = Vec::new();
    // Sorted by lead and recipient to prevent deadlocks.
    for (key, delivery) in ledger.changed() {
        match delivery {
            Some(delivery) => rows.push(Model::from_delivery(key, delivery).into_active_model()),
            None => {
                let (lead_id, recipient) = key;
                let is_deleted = Column::LeadId
                    .eq(*lead_id)
                    .and(Column::Recipient.eq(recipient.to_string()));
                deleted.push(is_deleted);
            }
        }
    }
    let columns =
        Column::iter().filter(|column| !matches!(column, Column::LeadId | Column::Recipient));
    let existing = OnConflict::columns([Column::LeadId, Column::Recipient])
        .update_columns(columns)
        .to_owned();
    for rows in chunks(&rows) {
        Entity::insert_many(rows.iter().cloned())
            .on_conflict(existing.clone())
            .exec_without_returning(&tx.db)
            .await?;
    }
    for deleted in chunks(&deleted) {
        let any = deleted
            .iter()
            .cloned()
            .fold(Condition::any(), Condition::add);
        Entity::delete_many().filter(any).exec(&tx.db).await?;
    }
    Ok(())
}

/// Opens or closes leads, and ends their leases.
async fn set_open(tx: &Transaction, leads: &[Uuid], open: bool) -> Result<()> {
    let columns = lead_row::ActiveModel {
        open: Set(open),
        leased_until: Set(None),
        leases: Set(0),
        ..Default::default()
    };
    lead_row::update(tx, leads, columns).await
}
