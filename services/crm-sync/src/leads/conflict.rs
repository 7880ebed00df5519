//! Rows of `conflict`: leads that came under a used id with other contents. Their columns are those of `lead`.

use std::collections::HashMap;

use ::lead::Lead;
use sea_orm::sea_query::{ExprTrait, InsertStatement};

use super::{
    keys::Keys,
    lead,
    lock::lock,
    record::Source,
    timeline::{self, Event, entry},
};
use crate::db::prelude::*;

#[derive(DeriveIden)]
enum Conflict {
    Table,
    Number,
}

/// A statement that inserts a row; the database sets `recorded_at`.
fn insert(submission: &Lead, source: Source) -> InsertStatement {
    let row = lead::to_row(submission, &Keys::from_lead(submission), None, source).into_new();
    let mut insert = lead::Entity::insert(row).into_query();
    insert.into_table(Conflict::Table).to_owned()
}

/// Stores those of these leads that differ from the stored lead and from its earlier conflicts; returns their number.
pub(crate) async fn insert_new(tx: &Transaction, source: Source, leads: &[&Lead]) -> Result<u64> {
    let mut first: HashMap<Uuid, Lead> = HashMap::new();
    let ids: Vec<Uuid> = leads.iter().map(|submission| submission.id).collect();
    for ids in chunks(&ids) {
        let rows = lead::Entity::find().filter(lead::Column::Id.is_in(ids.into_iter().copied()));
        for row in rows.filter(lead::Column::ErasedAt.is_null()).all(&tx.db).await? {
            first.insert(row.id, row.into_submission()?);
        }
    }
    let differs = |it: &Lead| first.get(&it.id).is_some_and(|first| !first.has_same_form(it));
    let mut different: Vec<&Lead> = leads.to_vec();
    different.retain(|submission| differs(submission));
    if different.is_empty() {
        return Ok(0);
    }
    let ids: Vec<_> = different.iter().map(|submission| submission.id).collect();
    let locked = lock(tx, &ids).await?;
    // Some may have been erased while this waited for the locks.
    different.retain(|submission| locked.lead(submission.id).is_some());
    let kept = find_by_leads(&tx.db, &ids).await?.into_iter().map(lead::Model::into_submission);
    let kept: Vec<Lead> = kept.collect::<Result<_, _>>()?;
    let mut new: Vec<&Lead> = Vec::new();
    for submission in different {
        if !kept.iter().chain(new.iter().copied()).any(|known| known.has_same_form(submission)) {
            new.push(submission);
        }
    }
    for submission in &new {
        tx.db.execute(&insert(submission, source)).await?;
        let conflicting = Event::Conflicting(entry::Conflicting {});
        timeline::insert(tx, [timeline::lead_entry(submission.id, conflicting)]).await?;
    }
    Ok(new.len() as u64)
}

/// The conflicts under these ids, oldest first.
pub(crate) async fn find_by_leads(
    connection: &impl ConnectionTrait,
    ids: &[Uuid],
) -> Result<Vec<lead::Model>> {
    let select = Query::select()
        .columns(lead::Column::iter())
        .from(Conflict::Table)
        .and_where(Expr::col(lead::Column::Id).is_in(ids.iter().copied()))
        .order_by(Conflict::Number, Order::Asc)
        .take();
    let statement = connection.get_database_backend().build(&select);
    Ok(lead::Model::find_by_statement(statement).all(connection).await?)
}

/// Selects the ids of the conflicts whose `column` equals `value`.
pub(crate) fn select_ids(column: lead::Column, value: &str) -> SelectStatement {
    Query::select()
        .column(lead::Column::Id)
        .from(Conflict::Table)
        .and_where(Expr::col(column).eq(value))
        .take()
}

pub(crate) async fn delete(connection: &impl ConnectionTrait, ids: &[Uuid]) -> Result<()> {
    let delete = Query::delete()
        .from_table(Conflict::Table)
        .and_where(Expr::col(lead::Column::Id).is_in(ids.iter().copied()))
        .take();
    connection.execute(&delete).await?;
    Ok(())
}
