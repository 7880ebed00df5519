//! Builds the statements that find the leads of a page.

use sea_orm::sea_query::{
    Alias, CommonTableExpression, Cond, Condition, Expr, ExprTrait, Order, Query, SelectStatement, UnionType,
};

use super::{
    condition::{columns, is_found, is_indexed, is_kept, is_like, meets},
    cursor::Cursor,
    filter::Filter,
    terms::{Search, Term},
};
use crate::leads::lead;

/// The order of pages: newest submission first.
const ORDER: [lead::Column; 2] = [lead::Column::SubmittedAt, lead::Column::Id];

/// The columns that a search reads.
const SEARCHED: [lead::Column; 5] = [
    lead::Column::NameKey,
    lead::Column::EmailKey,
    lead::Column::Reference,
    lead::Column::Digits,
    lead::Column::DigitsReversed,
];

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
        .columns(ORDER.into_iter().chain(SEARCHED).chain(columns(filter)))
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

/// The first leads that pass. Reads all that the search finds.
pub(crate) fn first_of_found(
    filter: &Filter,
    search: &Search,
    after: Option<Cursor>,
    limit: u64,
) -> SelectStatement {
    in_order(found(filter, search).columns(ORDER).take(), after, limit)
}

/// All leads that pass, the search included, each once; the caller adds the columns.
pub(crate) fn found(filter: &Filter, search: &Search) -> SelectStatement {
    let found = Alias::new("found");
    let of_term = |term| {
        Query::select()
            .columns(ORDER.into_iter().chain(columns(filter)))
            .from(lead::Entity)
            .cond_where(Cond::all().add(is_kept()).add(meets(term)))
            .take()
    };
    let rows = search
        .terms()
        .iter()
        .filter(|term| Term::is_indexed(term))
        .map(of_term)
        .reduce(|mut all, one| all.union(UnionType::Distinct, one).take());
    let rows = CommonTableExpression::new()
        .table_name(found.clone())
        .query(rows.unwrap_or_default())
        // Otherwise the other conditions would choose the index.
        .materialized(true)
        .to_owned();
    Query::select()
        .with_cte(rows)
        .from_as(found, lead::Entity)
        .cond_where(is_indexed(filter).add(is_like(filter)))
        .take()
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
