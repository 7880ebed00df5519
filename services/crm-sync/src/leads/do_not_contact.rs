//! Whether a visitor may be contacted: said of one lead, it is meant for the person, and each of their leads has it.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, QueryFilter, QuerySelect, prelude::DateTimeUtc,
    sea_query::Expr,
};
use uuid::Uuid;

use super::{
    contact, lead,
    suppression::{self, SuppressionKey},
    timeline::{self, Event},
};
use crate::db::{error::StoreError, transaction::chunks};

/// A lead, and the others of its person or of its address. No other can be stored until the transaction ends: it waits for
/// the person's keys, which precede all locks on leads.
pub(crate) async fn leads_of_person(
    transaction: &DatabaseTransaction,
    lead: Uuid,
) -> Result<Vec<Uuid>, StoreError> {
    let Some(row) = lead::Entity::find_by_id(lead).one(transaction).await? else { return Ok(vec![lead]) };
    let of_person = || {
        let is_theirs = Condition::any()
            .add(lead::Column::EmailKey.eq(row.email_key.as_str()))
            .add_option(row.contact_id.map(|contact| lead::Column::ContactId.eq(contact)));
        Condition::all().add(lead::Column::ErasedAt.is_null()).add(is_theirs)
    };
    contact::lock_keys(transaction, contact::keys_of(transaction, of_person(), None).await?).await?;
    let others = lead::Entity::find().select_only().column(lead::Column::Id).filter(of_person());
    let others: Vec<Uuid> = others.into_tuple().all(transaction).await?;
    Ok(others.into_iter().chain([lead]).collect::<BTreeSet<_>>().into_iter().collect())
}

/// Whether visitors may be contacted, and who set it.
pub(crate) struct Mark<'a> {
    /// Since when they must not be contacted; `None`: they may be.
    pub(crate) since: Option<DateTimeUtc>,
    pub(crate) author: &'a str,
    /// Stored with the suppression.
    pub(crate) reason: &'a str,
}

/// Writes the mark to those of these leads, which must be locked, that differ, and to their timelines; returns them. Adds
/// the leads' senders to the suppressions, or removes them.
pub(crate) async fn set(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    leads: &[Uuid],
    mark: &Mark<'_>,
) -> Result<Vec<Uuid>, StoreError> {
    let Mark { since, author, reason } = *mark;
    let column = lead::Column::DoNotContactAt;
    let differs = if since.is_some() { column.is_null() } else { column.is_not_null() };
    let changing = lead::Entity::find()
        .select_only()
        .column(lead::Column::Id)
        .filter(lead::Column::Id.is_in(leads.iter().copied()))
        .filter(differs);
    let changing: Vec<Uuid> = changing.into_tuple().all(transaction).await?;
    lead::Entity::update_many()
        .col_expr(column, Expr::value(since))
        .filter(lead::Column::Id.is_in(changing.iter().copied()))
        .exec(transaction)
        .await?;
    let changed = Event::ContactChanged { allowed: since.is_none(), client: author.to_owned() };
    timeline::insert(transaction, changing.iter().map(|id| timeline::lead_entry(*id, changed.clone())))
        .await?;
    let leads = lead::Column::Id.is_in(leads.iter().copied());
    match since {
        Some(since) => suppression::add(transaction, key, leads, since, reason).await?,
        None => suppression::remove(transaction, key, leads).await?,
    }
    Ok(changing)
}

/// Those of these people who are not to be contacted, and since when.
pub(crate) async fn of_people(
    transaction: &DatabaseTransaction,
    people: &[Uuid],
) -> Result<BTreeMap<Uuid, DateTimeUtc>, StoreError> {
    let mut found = BTreeMap::new();
    for people in chunks(people) {
        let said: Vec<(Uuid, DateTimeUtc)> = lead::Entity::find()
            .select_only()
            .column(lead::Column::ContactId)
            .column_as(lead::Column::DoNotContactAt.min(), "since")
            .filter(lead::Column::ContactId.is_in(people.into_iter().copied()))
            .filter(lead::Column::DoNotContactAt.is_not_null())
            .group_by(lead::Column::ContactId)
            .into_tuple()
            .all(transaction)
            .await?;
        found.extend(said);
    }
    Ok(found)
}

/// Gives it to all leads of a person of whom one lead has it.
pub(crate) async fn spread(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    person: Uuid,
) -> Result<(), StoreError> {
    for since in of_people(transaction, &[person]).await?.into_values() {
        lead::Entity::update_many()
            .col_expr(lead::Column::DoNotContactAt, Expr::value(since))
            .filter(lead::Column::ContactId.eq(person))
            .filter(lead::Column::DoNotContactAt.is_null())
            .exec(transaction)
            .await?;
        let leads = lead::Column::ContactId.eq(person);
        suppression::add(transaction, key, leads, since, suppression::DO_NOT_CONTACT).await?;
    }
    Ok(())
}
