//! Leads of a version that knew no contacts: finding out whose they are.

use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use uuid::Uuid;

use super::{
    Store, StoreError, contact,
    entity::{conflict, lead},
    lock::take_turn,
    transaction::Work,
};
use crate::domain::contact::{Contact, Keys, reversed};

/// How many leads in one transaction: few, since others wait for it.
const BATCH: u64 = 25;

/// What only one transaction at a time does: two would take the same leads.
const TURN: &str = "assign";

/// Fields of a lead or a conflict from which its keys are made, and its place in the table.
type Fields<Place> = (Place, String, String, String);

impl Store {
    /// Gives some leads that have none their keys and their contact, and says how many; 0 when none is left. Safe
    /// beside others that do the same.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was given.
    pub async fn assign_contacts(&self) -> Result<u64, StoreError> {
        self.transact(&Assign).await
    }
}

struct Assign;

impl Work for Assign {
    const NAME: &'static str = "assign contacts";

    type Outcome = u64;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<u64, StoreError> {
        take_turn(transaction, TURN).await?;
        Ok(leads(transaction).await? + conflicts(transaction).await?)
    }
}

async fn leads(transaction: &DatabaseTransaction) -> Result<u64, StoreError> {
    let rows: Vec<Fields<Uuid>> = lead::Entity::find()
        .select_only()
        .columns([lead::Column::Id, lead::Column::Name, lead::Column::Mobile, lead::Column::Email])
        .filter(lead::Column::ContactId.is_null())
        .filter(lead::Column::ErasedAt.is_null())
        .order_by_asc(lead::Column::RecordedAt)
        .order_by_asc(lead::Column::Id)
        .limit(BATCH)
        .into_tuple()
        .all(transaction)
        .await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let keys: Vec<Keys> =
        rows.iter().map(|(_, name, mobile, email)| Keys::read(name, mobile, email)).collect();
    let whose: Vec<(Uuid, &Keys)> = rows.iter().map(|(id, ..)| *id).zip(&keys).collect();
    let contacts = contact::assign(transaction, &whose).await?;
    for (id, keys) in whose {
        let Some(Contact { id: contact, conflicting }) = contacts.get(&id).copied() else { continue };
        let mut update = lead::Entity::update_many();
        for (column, value) in looked_up_by(keys) {
            update = update.col_expr(column, Expr::value(value));
        }
        let updated = update
            .col_expr(lead::Column::ContactId, Expr::value(contact))
            .col_expr(lead::Column::ConflictingContactId, Expr::value(conflicting))
            .filter(lead::Column::Id.eq(id))
            .filter(lead::Column::ContactId.is_null())
            .filter(lead::Column::ErasedAt.is_null())
            .exec(transaction)
            .await?;
        if updated.rows_affected == 0 {
            // The lead was erased meanwhile.
            contact::drop_unused(transaction, keys.of_person().collect()).await?;
        }
    }
    Ok(rows.len() as u64)
}

async fn conflicts(transaction: &DatabaseTransaction) -> Result<u64, StoreError> {
    conflict::delete_of_erased(transaction).await?;
    let rows: Vec<Fields<i64>> = conflict::without_keys(transaction, BATCH).await?;
    for (number, name, mobile, email) in &rows {
        let keys = Keys::read(name, mobile, email);
        conflict::update(transaction, *number, looked_up_by(&keys)).await?;
    }
    Ok(rows.len() as u64)
}

/// The columns by which a lead is looked up.
fn looked_up_by(keys: &Keys) -> [(lead::Column, String); 4] {
    [
        (lead::Column::EmailKey, keys.email.as_str().to_owned()),
        (lead::Column::NameKey, keys.name.clone()),
        (lead::Column::Digits, keys.digits.clone()),
        (lead::Column::DigitsReversed, reversed(&keys.digits)),
    ]
}
