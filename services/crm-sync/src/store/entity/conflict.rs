//! Rows of `conflict`: what came under the id of a lead that was there, with another form. They have the columns of
//! `lead` and are read as such.

use ::lead::Lead;
use sea_orm::{
    ConnectionTrait, DeriveIden, EntityTrait, FromQueryResult, Iterable, QueryTrait,
    sea_query::{Expr, ExprTrait, InsertStatement, Order, Query, SelectStatement},
};
use uuid::Uuid;

use super::lead;
use crate::{
    domain::{contact::Keys, source::Source},
    store::error::StoreError,
};

#[derive(DeriveIden)]
enum Conflict {
    Table,
    Number,
}

/// Inserts a row; the database says when.
pub(in crate::store) fn insert(submission: &Lead, source: Source) -> InsertStatement {
    let row = lead::to_row(submission, &Keys::of(submission), None, source);
    let mut insert = lead::Entity::insert(row).into_query();
    insert.into_table(Conflict::Table).to_owned()
}

/// What was kept under these ids, oldest first.
pub(in crate::store) async fn of_leads(
    connection: &impl ConnectionTrait,
    ids: &[Uuid],
) -> Result<Vec<lead::Model>, StoreError> {
    let select = Query::select()
        .columns(lead::Column::iter())
        .from(Conflict::Table)
        .and_where(Expr::col(lead::Column::Id).is_in(ids.iter().copied()))
        .order_by(Conflict::Number, Order::Asc)
        .take();
    let statement = connection.get_database_backend().build(&select);
    Ok(lead::Model::find_by_statement(statement).all(connection).await?)
}

/// The ids under which something was kept whose column holds this.
pub(in crate::store) async fn ids_by(
    connection: &impl ConnectionTrait,
    column: lead::Column,
    value: &str,
) -> Result<Vec<Uuid>, StoreError> {
    let select = Query::select()
        .column(lead::Column::Id)
        .from(Conflict::Table)
        .and_where(Expr::col(column).eq(value))
        .take();
    let rows = connection.query_all(&select).await?;
    Ok(rows.iter().map(|row| row.try_get_by_index(0)).collect::<Result<_, _>>()?)
}

/// Forgets what was kept under these ids.
pub(in crate::store) async fn delete(
    connection: &impl ConnectionTrait,
    ids: &[Uuid],
) -> Result<(), StoreError> {
    let delete = Query::delete()
        .from_table(Conflict::Table)
        .and_where(Expr::col(lead::Column::Id).is_in(ids.iter().copied()))
        .take();
    connection.execute(&delete).await?;
    Ok(())
}

/// Number, name, mobile number and address of some rows without keys: those of a version that knew none.
pub(in crate::store) async fn without_keys(
    connection: &impl ConnectionTrait,
    limit: u64,
) -> Result<Vec<(i64, String, String, String)>, StoreError> {
    let select = Query::select()
        .column(Conflict::Number)
        .columns([lead::Column::Name, lead::Column::Mobile, lead::Column::Email])
        .from(Conflict::Table)
        .and_where(has_no_keys())
        .limit(limit)
        .take();
    let rows = connection.query_all(&select).await?;
    Ok(rows.iter().map(|row| row.try_get_many_by_index()).collect::<Result<_, _>>()?)
}

/// Gives a row its keys.
pub(in crate::store) async fn update(
    connection: &impl ConnectionTrait,
    number: i64,
    columns: [(lead::Column, String); 4],
) -> Result<(), StoreError> {
    let update = Query::update()
        .table(Conflict::Table)
        .values(columns.map(|(column, value)| (column, value.into())))
        .and_where(Expr::col(Conflict::Number).eq(number))
        .take();
    connection.execute(&update).await?;
    Ok(())
}

/// Forgets what such a version kept beside a lead that was erased.
pub(in crate::store) async fn delete_of_erased(connection: &impl ConnectionTrait) -> Result<(), StoreError> {
    let delete = Query::delete()
        .from_table(Conflict::Table)
        .and_where(has_no_keys())
        .and_where(Expr::col(lead::Column::Id).in_subquery(erased()))
        .take();
    connection.execute(&delete).await?;
    Ok(())
}

fn has_no_keys() -> Expr {
    Expr::col(lead::Column::EmailKey).eq("")
}

fn erased() -> SelectStatement {
    Query::select()
        .column(lead::Column::Id)
        .from(lead::Entity)
        .and_where(Expr::col((lead::Entity, lead::Column::Id)).equals((Conflict::Table, lead::Column::Id)))
        .and_where(Expr::col(lead::Column::ErasedAt).is_not_null())
        .take()
}
