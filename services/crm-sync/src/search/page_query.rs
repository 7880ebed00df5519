//! Builds the statements that find the leads of a page.

use sea_orm::sea_query::{
    Alias, CommonTableExpression, Condition, Expr, ExprTrait, Order, Query, SelectStatement,
};

use super::{
    condition::{columns, is_found, is_found_by_index, is_indexed, is_kept, is_like},
    cursor::Cursor,
    filter::Filter,
    terms::Search,
};
use crate::leads::lead;

/// The order of pages: newest submission first.
const ORDER: [lead::Column; 2] = [lead::Column::SubmittedAt, lead::Column::Id];

/// The first leads that pass, found by walking an index.
pub(crate) fn first(condition: Condition, after: Option<Cursor>, limit: u64) -> SelectStatement {
    in_order(Query::select().columns(ORDER).from(lead::Entity).cond_where(condition).take(), after, limit)
}

/// The first leads that pass among the `newest` newest, all of which are read.
pub(crate) fn first_of_newest(
    filter: &Filter,
    search: &Search,
    after: Option<Cursor>,
    newest: u64,
    limit: u64,
) -> SelectStatement {
    let rows = Query::select()
        .columns(ORDER.into_iter().chain([lead::Column::Searched]).chain(columns(filter)))
        .from(lead::Entity)
        .cond_where(is_indexed(filter).add(is_kept()))
        .take();
    let select = Query::select()
        .columns(ORDER)
        // Named `lead`, as the conditions expect.
        .from_subquery(in_order(rows, after, newest), lead::Entity)
        .cond_where(is_like(filter).add(is_found(search)))
        .take();
    in_order(select, None, limit)
}

/// The first leads that pass, on PostgreSQL. Reads all that the search finds.
pub(crate) fn first_of_found(
    filter: &Filter,
    search: &Search,
    after: Option<Cursor>,
    limit: u64,
) -> SelectStatement {
    let found = Alias::new("found");
    let rows = Query::select()
        .columns(ORDER.into_iter().chain(columns(filter)))
        .from(lead::Entity)
        .cond_where(Condition::all().add(is_found_by_index(search)).add(is_kept()))
        .take();
    let rows = CommonTableExpression::new()
        .table_name(found.clone())
        .query(rows)
        // Otherwise the order would choose the index.
        .materialized(true)
        .to_owned();
    let select = Query::select()
        .columns(ORDER)
        .with_cte(rows)
        .from_as(found, lead::Entity)
        .cond_where(is_indexed(filter).add(is_like(filter)))
        .take();
    in_order(select, after, limit)
}

/// The first rows of a statement, newest submission first.
pub(crate) fn in_order(mut select: SelectStatement, after: Option<Cursor>, limit: u64) -> SelectStatement {
    if let Some(Cursor { submitted_at, id }) = after {
        // A single comparison, so that an index can be used.
        let place = Expr::tuple(ORDER.map(Expr::col));
        select.and_where(place.lt(Expr::tuple([Expr::val(submitted_at), Expr::val(id)])));
    }
    for column in ORDER {
        select.order_by(column, Order::Desc);
    }
    select.limit(limit).take()
}
