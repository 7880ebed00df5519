//! Builds conditions on rows of `lead` from a filter.

use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait, LikeExpr, Query, SelectStatement, UnionType},
};

use super::{
    filter::Filter,
    terms::{Search, Term},
};
use crate::{
    deliveries::delivery::{self, State},
    leads::{keys::FIELD, lead, leasing},
};

/// Neither erased nor a canary.
pub(crate) fn is_kept() -> Expr {
    lead::Column::ErasedAt.is_null()
}

pub(crate) fn passes(filter: &Filter) -> Condition {
    is_indexed(filter).add(is_kept()).add(is_like(filter)).add_option(filter.search.as_ref().map(is_found))
}

/// Conditions that an index in the order of submission covers: it skips rows that fail.
pub(crate) fn is_indexed(filter: &Filter) -> Condition {
    Condition::all()
        .add_option(filter.submitted_from.map(|it| lead::Column::SubmittedAt.gte(it)))
        .add_option(filter.submitted_before.map(|it| lead::Column::SubmittedAt.lt(it)))
        .add_option(filter.state.map(|it| lead::Column::State.eq(it.into_str())))
        .add_option(filter.owner.as_deref().map(|it| is_owned().and(lead::Column::OwnerKey.eq(it))))
        .add_option(filter.spam.map(is_spam))
        .add_option(filter.unfinished.map(is_unfinished))
        .add_option(filter.next_step_before.map(|it| lead::Column::NextStepAt.lt(it)))
}

/// Conditions that need the row itself; few rows fail them.
pub(crate) fn is_like(filter: &Filter) -> Condition {
    let is_delivered = |delivered: bool| {
        let is_delivered = Expr::exists(deliveries());
        if delivered {
            return is_delivered;
        }
        // Leaves few leads whose deliveries are to be checked.
        is_delivered.not().and(lead::Column::Id.in_subquery(perhaps_undelivered()))
    };
    Condition::all()
        .add_option(filter.interest.map(|it| lead::Column::Interests.contains(lead::in_json(it.id()))))
        .add_option(filter.language.map(|it| lead::Column::Language.eq(it.tag())))
        .add_option(filter.delivered.map(is_delivered))
}

pub(crate) fn is_found(search: &Search) -> Condition {
    search.terms().iter().map(meets).fold(Condition::any(), Condition::add)
}

/// As [`is_found`], for PostgreSQL, which finds the leads in its index of letters.
pub(crate) fn is_found_by_index(search: &Search) -> Condition {
    let meets = |term: &Term| match term {
        // Without LIKE, for which the same index would be read from end to end.
        Term::Contains(text) if !text.is_ascii() => {
            let text = text.as_str();
            let has = "characters(searched) @> characters($1) AND strpos(searched, $2) > 0";
            Expr::cust_with_values(has, [text, text])
        }
        Term::Contains(_) | Term::Begins(_) => meets(term),
    };
    search.terms().iter().map(meets).fold(Condition::any(), Condition::add)
}

fn meets(term: &Term) -> Expr {
    let part = match term {
        Term::Begins(text) => format!("{FIELD}{text}"),
        Term::Contains(text) => text.clone(),
    };
    let part = escaped(&part);
    Expr::col((lead::Entity, lead::Column::Searched)).like(LikeExpr::new(format!("%{part}%")).escape('\\'))
}

/// A text as a pattern of LIKE with the escape character `\`.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}

/// Written as in the indexes: not compared with a parameter.
fn is_owned() -> Expr {
    Expr::cust("owner_key <> ''")
}

fn is_spam(spam: bool) -> Expr {
    Expr::cust(if spam { "signals <> '[]'" } else { "signals = '[]'" })
}

fn is_unfinished(unfinished: bool) -> Expr {
    let states = "state IN ('new', 'contacted', 'visit_booked')";
    if unfinished { Expr::cust(states) } else { Expr::cust(format!("NOT ({states})")) }
}

/// The columns that a filter reads, besides those of its search.
pub(crate) fn columns(filter: &Filter) -> impl Iterator<Item = lead::Column> {
    let Filter { interest, language, state, owner, spam, unfinished, next_step_before, .. } = filter;
    let read = [
        (interest.is_some(), lead::Column::Interests),
        (language.is_some(), lead::Column::Language),
        (state.is_some() || unfinished.is_some(), lead::Column::State),
        (next_step_before.is_some(), lead::Column::NextStepAt),
        (owner.is_some(), lead::Column::OwnerKey),
        (spam.is_some(), lead::Column::Signals),
    ];
    read.into_iter().filter_map(|(is_read, column)| is_read.then_some(column))
}

/// Open leads, and those with a failed or cancelled delivery: these include all leads without a delivered mail. Written as
/// in the indexes.
fn perhaps_undelivered() -> SelectStatement {
    let given_up = Query::select()
        .column(delivery::Column::LeadId)
        .from(delivery::Entity)
        .and_where(Expr::cust("state IN ('failed', 'cancelled')"))
        .take();
    Query::select()
        .column(leasing::Column::Id)
        .from(leasing::Entity)
        .and_where(Expr::col(leasing::Column::Open))
        .union(UnionType::Distinct, given_up)
        .take()
}

/// Delivered mails of the outer statement's lead.
fn deliveries() -> SelectStatement {
    let id = (lead::Entity, lead::Column::Id);
    Query::select()
        .expr(Expr::val(1))
        .from(delivery::Entity)
        .and_where(Expr::col((delivery::Entity, delivery::Column::LeadId)).equals(id))
        .and_where(delivery::Column::State.eq(State::Delivered.into_str()))
        .take()
}
