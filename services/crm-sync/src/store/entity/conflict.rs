//! Rows of `conflict`: what came under the id of a lead that was there, with another form. They have the columns of
//! `lead` and are read as such.

use sea_orm::{
    ConnectionTrait, DeriveIden, EntityTrait, FromQueryResult, Iterable, QueryTrait,
    sea_query::{Expr, ExprTrait, InsertStatement, Order, Query},
};
use uuid::Uuid;

use super::lead;
use crate::{
    domain::{lead::Submission, road::Road},
    store::error::StoreError,
};

#[derive(DeriveIden)]
enum Conflict {
    Table,
    Number,
}

/// Inserts a row; the database says when.
pub(in crate::store) fn insert(submission: &Submission, road: Road) -> InsertStatement {
    let mut insert = lead::Entity::insert(lead::to_row(submission, road)).into_query();
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
