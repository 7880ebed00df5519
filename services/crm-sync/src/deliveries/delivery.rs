//! Reads and writes the table `delivery`. Each row tracks one lead's email to one recipient. Also requests emails outside
//! the routes: about a lead to one person, and about a withdrawal to the sales team.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

pub(crate) use ::lead::recipient::{BROCHURE, VISITOR, WEBHOOK};
use ::lead::{
    FieldError,
    field::filled,
    recipient::{REQUESTED, UPDATED, notified_webhook},
};
use sea_orm::sea_query::ExprTrait;

use crate::{db::prelude::*, leads::lock::lock};

/// Maximum length of an address in SMTP.
const RECIPIENT_LENGTH: usize = 320;

const HOLDER_LENGTH: usize = 200;

/// Repeated requests within this time send one email.
const ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum State {
    #[default]
    Pending,
    /// Claimed by `holder` until the time in `until`.
    Claimed,
    /// Waits until the time in `until`.
    Deferred,
    /// Accepted by the mail server.
    Delivered,
    /// Not delivered. An operator must retry or discard the delivery.
    Failed,
    /// Not delivered. Requires no action by an operator.
    Cancelled,
}

/// The states in which an email may still be sent without an operator.
pub(crate) const UNFINISHED: [State; 3] = [State::Pending, State::Claimed, State::Deferred];

/// sea-orm requires `Debug`, which omits addresses.
#[derive(
    Clone, Default, PartialEq, Eq, derive_more::Debug, DeriveEntityModel, DeriveActiveModelBehavior,
)]
#[debug("delivery {lead_id}")]
#[sea_orm(table_name = "delivery")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub lead_id: Uuid,
    /// Address of the recipient, [`WEBHOOK`] and a name, one of [`REQUESTED`] and a name, [`VISITOR`], [`BROCHURE`], or a
    /// notice to a webhook (see [`notified_webhook`]).
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
    /// `Message-ID` header of the email.
    pub mail_message_id: String,
    pub server_reply: String,
    /// The time of the reply; null unless delivered.
    pub delivered_at: Option<DateTimeUtc>,
    /// The result of [`is_requested`] for the recipient.
    pub requested: bool,
}

impl Model {
    pub(crate) fn pending(lead_id: Uuid, recipient: &str, now: DateTimeUtc) -> Self {
        let requested = is_requested(recipient);
        Self {
            lead_id,
            recipient: recipient.to_owned(),
            changed_at: now,
            requested,
            ..Self::default()
        }
    }

    /// A delivery that no message announces. It is due immediately, regardless of the lead's age.
    pub(crate) fn due(lead_id: Uuid, recipient: &str, now: DateTimeUtc) -> Self {
        Self {
            state: State::Deferred,
            until: Some(now),
            ..Self::pending(lead_id, recipient, now)
        }
    }

    /// Changes the state and clears holder, time and reason.
    pub(crate) fn in_state(self, state: State, now: DateTimeUtc) -> Self {
        let (holder, reason_class, reason_detail) = Default::default();
        Self {
            state,
            holder,
            until: None,
            reason_class,
            reason_detail,
            changed_at: now,
            ..self
        }
    }

    /// Like [`Self::in_state`], but sets the reason.
    pub(crate) fn because_of(self, reason: &Reason, state: State, now: DateTimeUtc) -> Self {
        let Reason { class, detail } = reason.clone();
        Self {
            reason_class: class,
            reason_detail: detail,
            ..self.in_state(state, now)
        }
    }

    /// Claims the delivery and counts an attempt.
    pub(crate) fn claimed(self, holder: &str, lease: Duration, now: DateTimeUtc) -> Self {
        let (attempts, until) = (self.attempts.saturating_add(1), Some(after(now, lease)));
        Self {
            holder: holder.to_owned(),
            until,
            attempts,
            ..self.in_state(State::Claimed, now)
        }
    }

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

pub(crate) fn find_by_leads(leads: &[Uuid]) -> Select<Entity> {
    Entity::find().filter(Column::LeadId.is_in(leads.iter().copied()))
}

/// Inserts deliveries that do not exist and returns their number. To prevent deadlocks, the rows of a lead must be
/// sorted by recipient.
pub(crate) async fn insert_missing(
    tx: &Transaction,
    rows: impl IntoIterator<Item = Model>,
) -> Result<u64> {
    let rows = rows.into_iter().map(Model::into_active_model);
    let existing = OnConflict::columns([Column::LeadId, Column::Recipient])
        .do_nothing()
        .to_owned();
    Ok(Entity::insert_many(rows)
        .on_conflict(existing)
        .exec_without_returning(&tx.db)
        .await?)
}

/// The deliveries of locked leads. Changes stay in memory until [`Self::save`].
pub(crate) struct Deliveries<'a> {
    pub(crate) tx: &'a Transaction,
    pub(crate) now: DateTimeUtc,
    rows: BTreeMap<(Uuid, String), Model>,
    changed: BTreeSet<(Uuid, String)>,
    entries: Vec<timeline::ActiveModel>,
}

impl<'a> Deliveries<'a> {
    pub(crate) async fn load(tx: &'a Transaction, leads: &[Uuid]) -> Result<Self> {
        let now = tx.now().await?;
        let rows = find_by_leads(leads).all(&tx.db).await?.into_iter();
        let rows = rows
            .map(|row| ((row.lead_id, row.recipient.clone()), row))
            .collect();
        Ok(Self {
            tx,
            now,
            rows,
            changed: BTreeSet::new(),
            entries: Vec::new(),
        })
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Model> + Clone {
        self.rows.values()
    }

    pub(crate) fn of_lead(&self, lead_id: Uuid) -> impl Iterator<Item = &Model> + Clone {
        self.rows().filter(move |row| row.lead_id == lead_id)
    }

    pub(crate) fn find(&self, lead_id: Uuid, recipient: &str) -> Option<&Model> {
        self.of_lead(lead_id).find(|row| row.recipient == recipient)
    }

    /// Adds or changes a delivery, and adds the event to the lead's timeline.
    pub(crate) fn set(&mut self, row: Model, event: Option<Event>) {
        let key = (row.lead_id, row.recipient.clone());
        self.entries.extend(
            event.map(|event| timeline::delivery_entry(row.lead_id, &row.recipient, &event)),
        );
        self.changed.insert(key.clone());
        self.rows.insert(key, row);
    }

    pub(crate) fn cancel(&mut self, row: Model, class: &str, detail: &str) {
        let reason = reason(class, detail);
        let cancelled = row.because_of(&reason, State::Cancelled, self.now);
        self.set(cancelled, Some(timeline::cancelled(&reason)));
    }

    /// Writes the changes and sets whether these leads are open. A lead is open if it has no delivery of the routes yet
    /// or an unfinished delivery. Waiting brochures do not count: there may be many, and a dedicated index finds them.
    /// Nor do notices to webhooks, which have an index too and which an erasure replaces.
    /// A change of `open`, or `ends_leases`, ends the lease and resets the length of the next one, because leases grow
    /// only while holders do not report.
    pub(crate) async fn save<'l>(
        &self,
        leads: impl IntoIterator<Item = &'l lead::Model>,
        ends_leases: bool,
    ) -> Result<()> {
        // Sorted by lead and recipient to prevent deadlocks.
        let rows = self
            .changed
            .iter()
            .map(|key| self.rows[key].clone().into_active_model());
        let columns =
            Column::iter().filter(|column| !matches!(column, Column::LeadId | Column::Recipient));
        let existing = OnConflict::columns([Column::LeadId, Column::Recipient])
            .update_columns(columns)
            .to_owned();
        Entity::insert_many(rows)
            .on_conflict(existing)
            .exec_without_returning(&self.tx.db)
            .await?;
        timeline::insert(self.tx, self.entries.clone()).await?;
        let is_unfinished = |row: &Model| {
            UNFINISHED.contains(&row.state)
                && row.recipient != BROCHURE
                && notified_webhook(&row.recipient).is_none()
        };
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        for lead in leads {
            let mut rows = self.of_lead(lead.id);
            let is_open = rows.clone().all(|row| row.requested) || rows.any(is_unfinished);
            if lead.open != is_open || ends_leases && lead.leases > 0 {
                if is_open {
                    open.push(lead.id)
                } else {
                    closed.push(lead.id)
                }
            }
        }
        let unleased = lead::ActiveModel {
            leased_until: Set(None),
            leases: Set(0),
            ..Default::default()
        };
        lead::update(
            self.tx,
            &open,
            lead::ActiveModel {
                open: Set(true),
                ..unleased.clone()
            },
        )
        .await?;
        lead::update(
            self.tx,
            &closed,
            lead::ActiveModel {
                open: Set(false),
                ..unleased
            },
        )
        .await
    }
}

impl Store {
    /// Requests an email to `person` and audits the request under `author`. `kind` is the prefix of the recipient.
    pub(crate) async fn request_email(
        &self,
        lead_id: Uuid,
        kind: &str,
        person: &str,
        author: &str,
    ) -> Result<()> {
        let call = Call {
            author,
            action: "mail",
        };
        self.write_audited("request email", call, |tx| async move {
            let locked = lock(&tx, &[lead_id]).await?;
            email_person(&tx, locked.lead(lead_id)?, kind, person).await?;
            Ok(((), vec![lead_id]))
        })
        .await
    }
}

/// Adds a delivery to `person`. `kind` is the prefix of the recipient. The transaction must have locked the lead.
pub(crate) async fn email_person(
    tx: &Transaction,
    lead: &lead::Model,
    kind: &str,
    person: &str,
) -> Result<()> {
    let mut deliveries = Deliveries::load(tx, &[lead.id]).await?;
    let prefix = format!("{kind}{person}#");
    let before: Vec<_> = deliveries
        .rows()
        .filter(|row| row.recipient.starts_with(&prefix))
        .collect();
    if before
        .iter()
        .any(|row| row.changed_at > deliveries.now - ONCE_WITHIN)
    {
        return Ok(());
    }
    let recipient = format!("{prefix}{}", before.len() + 1);
    deliveries.set(Model::due(lead.id, &recipient, deliveries.now), None);
    deliveries.save([lead], true).await
}

/// Adds one email for each person who may contact the visitor of these leads: each lead's owner, or without an owner the
/// sales addresses among the lead's recipients. The transaction must have locked the leads.
pub(crate) async fn email_sales(
    tx: &Transaction,
    leads: &[&lead::Model],
    preferred: Uuid,
    subject: &str,
) -> Result<()> {
    if leads.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = leads.iter().map(|lead| lead.id).collect();
    let mut deliveries = Deliveries::load(tx, &ids).await?;
    let with_addresses = leads.iter().map(|lead| {
        let recipients = deliveries.of_lead(lead.id).map(|row| row.recipient.clone());
        (*lead, recipients.filter(|it| is_address(it)).collect())
    });
    let people = choose_people(with_addresses.collect(), preferred);
    for (person, lead_id) in people {
        let recipient = format!("{subject}{person}");
        if deliveries.find(lead_id, &recipient).is_none() {
            deliveries.set(Model::due(lead_id, &recipient, deliveries.now), None);
        }
    }
    deliveries.save(leads.iter().copied(), true).await
}

/// The people who may contact the visitor of these leads, each with one of their leads: `preferred`, or else the newest.
/// The owner of a lead takes the place of its sales addresses.
fn choose_people(
    mut leads: Vec<(&lead::Model, Vec<String>)>,
    preferred: Uuid,
) -> BTreeMap<String, Uuid> {
    leads.sort_by_key(|(lead, _)| Reverse((lead.id == preferred, lead.submitted_at, lead.id)));
    let mut chosen = BTreeMap::new();
    for (lead, addresses) in leads {
        let people = if lead.owner.is_empty() {
            addresses
        } else {
            vec![lead.owner.clone()]
        };
        for person in people {
            chosen.entry(person).or_insert(lead.id);
        }
    }
    chosen
}

/// A reason that crm-sync itself gives.
pub(crate) fn reason(class: &str, detail: &str) -> Reason {
    Reason {
        class: class.to_owned(),
        detail: detail.to_owned(),
    }
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

/// Whether an email goes to the visitor.
pub(crate) fn is_visitor(recipient: &str) -> bool {
    [VISITOR, BROCHURE].contains(&recipient)
}

/// Whether a request or a change, not the routes, names the recipient. Such deliveries are claimed separately.
pub(crate) fn is_requested(recipient: &str) -> bool {
    recipient == BROCHURE
        || recipient.starts_with(UPDATED)
        || REQUESTED.iter().any(|prefix| recipient.starts_with(prefix))
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
    texts
        .iter()
        .map(|text| parse_recipient("recipients", text))
        .collect()
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
    if duration.is_zero() {
        Err(FieldError::NotDuration(field))
    } else {
        Ok(duration)
    }
}
