//! Which rows of `lead` pass a filter.

use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait, Query, SelectStatement, UnionType},
};

use super::{
    filter::Filter,
    terms::{Beginning, Search},
};
use crate::{
    deliveries::delivery::{self, State},
    leads::{lead, leasing},
};

/// Comes after whatever a text goes on with.
const HIGHEST: char = char::MAX;

/// Neither erased nor a canary.
pub(crate) fn is_kept() -> Expr {
    lead::Column::ErasedAt.is_null()
}

pub(crate) fn passes(filter: &Filter) -> Condition {
    is_indexed(filter).add(is_kept()).add(is_like(filter)).add_option(filter.search.as_ref().map(is_found))
}

/// What an index in the order of submission helps with: it skips rows that do not pass.
pub(crate) fn is_indexed(filter: &Filter) -> Condition {
    Condition::all()
        .add_option(filter.submitted_from.map(|it| lead::Column::SubmittedAt.gte(it)))
        .add_option(filter.submitted_before.map(|it| lead::Column::SubmittedAt.lt(it)))
        .add_option(filter.state.map(|it| lead::Column::State.eq(it.into_str())))
        .add_option(filter.owner.as_deref().map(|it| is_owned().and(lead::Column::OwnerKey.eq(it))))
        .add_option(filter.suspicious.map(is_suspicious))
}

/// What can only be seen in the row; few rows do not pass.
pub(crate) fn is_like(filter: &Filter) -> Condition {
    let is_delivered = |delivered: bool| {
        let is_delivered = Expr::exists(deliveries());
        if delivered {
            return is_delivered;
        }
        // Few leads are left for a look at their deliveries.
        is_delivered.not().and(lead::Column::Id.in_subquery(perhaps_undelivered()))
    };
    Condition::all()
        .add_option(filter.interest.map(|it| lead::Column::Interests.contains(lead::in_json(it.id()))))
        .add_option(filter.language.map(|it| lead::Column::Language.eq(it.tag())))
        .add_option(filter.delivered.map(is_delivered))
}

pub(crate) fn is_found(search: &Search) -> Condition {
    search.beginnings().iter().map(begins).fold(Condition::any(), Condition::add)
}

/// As a range, in which no character means anything but itself, and which an index finds.
pub(crate) fn begins(beginning: &Beginning) -> Expr {
    let (column, text) = match beginning {
        Beginning::Name(text) => (lead::Column::NameKey, text),
        Beginning::Email(text) => (lead::Column::EmailKey, text),
        Beginning::Reference(text) => (lead::Column::Reference, text),
        Beginning::Digits(text) => (lead::Column::Digits, text),
        Beginning::DigitsReversed(text) => (lead::Column::DigitsReversed, text),
    };
    column.gte(text.as_str()).and(column.lt(format!("{text}{HIGHEST}")))
}

/// Not compared with parameters, as the indexes have it.
fn is_owned() -> Expr {
    Expr::cust("owner_key <> ''")
}

fn is_suspicious(suspicious: bool) -> Expr {
    Expr::cust(if suspicious { "signals <> '[]'" } else { "signals = '[]'" })
}

/// What all but the search read of a row.
pub(crate) fn columns(filter: &Filter) -> impl Iterator<Item = lead::Column> {
    let Filter { interest, language, state, owner, suspicious, .. } = filter;
    let read = [
        (interest.is_some(), lead::Column::Interests),
        (language.is_some(), lead::Column::Language),
        (state.is_some(), lead::Column::State),
        (owner.is_some(), lead::Column::OwnerKey),
        (suspicious.is_some(), lead::Column::Signals),
    ];
    read.into_iter().filter_map(|(is_read, column)| is_read.then_some(column))
}

/// All leads of which nothing was delivered, and others: those that are open, and those with a delivery that was given up.
/// As the indexes have it.
fn perhaps_undelivered() -> SelectStatement {
    let given_up = Query::select()
        .column(delivery::Column::LeadId)
        .from(delivery::Entity)
        .and_where(Expr::cust("state IN ('dead', 'settled')"))
        .take();
    Query::select()
        .column(leasing::Column::Id)
        .from(leasing::Entity)
        .and_where(Expr::col(leasing::Column::Open))
        .union(UnionType::Distinct, given_up)
        .take()
}

/// Mails about the lead of the outer statement that were delivered.
fn deliveries() -> SelectStatement {
    let id = (lead::Entity, lead::Column::Id);
    Query::select()
        .expr(Expr::val(1))
        .from(delivery::Entity)
        .and_where(Expr::col((delivery::Entity, delivery::Column::LeadId)).equals(id))
        .and_where(delivery::Column::State.eq(State::Delivered.into_str()))
        .take()
}
