//! Rows of `conflict`: leads that came under a used id with other contents. Their columns are those of `lead`.

use ::lead::Lead;
use sea_orm::{
    ConnectionTrait, DeriveIden, EntityTrait, FromQueryResult, Iterable, QueryTrait,
    sea_query::{Expr, ExprTrait, InsertStatement, Order, Query, SelectStatement},
};
use uuid::Uuid;

use super::{keys::Keys, lead, source::Source};
use crate::db::error::StoreError;

#[derive(DeriveIden)]
enum Conflict {
    Table,
    Number,
}

/// A statement that inserts a row; the database sets `recorded_at`.
pub(crate) fn insert(submission: &Lead, source: Source) -> InsertStatement {
    let row = lead::to_row(submission, &Keys::of(submission), None, source).into_new();
    let mut insert = lead::Entity::insert(row).into_query();
    insert.into_table(Conflict::Table).to_owned()
}

/// The conflicts under these ids, oldest first.
pub(crate) async fn of_leads(
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

/// Selects the ids of the conflicts whose `column` equals `value`.
pub(crate) fn ids_by(column: lead::Column, value: &str) -> SelectStatement {
    Query::select()
        .column(lead::Column::Id)
        .from(Conflict::Table)
        .and_where(Expr::col(column).eq(value))
        .take()
}

pub(crate) async fn delete(connection: &impl ConnectionTrait, ids: &[Uuid]) -> Result<(), StoreError> {
    let delete = Query::delete()
        .from_table(Conflict::Table)
        .and_where(Expr::col(lead::Column::Id).is_in(ids.iter().copied()))
        .take();
    connection.execute(&delete).await?;
    Ok(())
}
