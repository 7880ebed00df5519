//! Builds conditions on rows of `lead` from a filter.

use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait, LikeExpr, Query, SelectStatement, UnionType},
};

use super::filter::{Filter, Search};
use crate::{
    deliveries::delivery::{self, State},
    leads::lead,
};

/// Neither erased nor a canary.
pub(crate) fn is_kept() -> Expr {
    lead::Column::ErasedAt.is_null()
}

pub(crate) fn passes(filter: &Filter) -> Condition {
    let is_delivered = |delivered: bool| {
        let is_delivered = Expr::exists(deliveries());
        if delivered {
            return is_delivered;
        }
        // Leaves few leads whose deliveries are to be checked.
        is_delivered.not().and(lead::Column::Id.in_subquery(perhaps_undelivered()))
    };
    Condition::all()
        .add(is_kept())
        .add_option(filter.submitted_from.map(|it| lead::Column::SubmittedAt.gte(it)))
        .add_option(filter.submitted_before.map(|it| lead::Column::SubmittedAt.lt(it)))
        .add_option(filter.state.map(|it| lead::Column::State.eq(it.id())))
        .add_option(filter.owner.as_deref().map(|it| is_owned().and(lead::Column::OwnerKey.eq(it))))
        .add_option(filter.spam.map(is_spam))
        .add_option(filter.unfinished.map(is_unfinished))
        .add_option(filter.next_step_before.map(|it| lead::Column::NextStepAt.lt(it)))
        .add_option(filter.interest.map(|it| lead::Column::Interests.contains(lead::in_json(it.id()))))
        .add_option(filter.language.map(|it| lead::Column::Language.eq(it.id())))
        .add_option(filter.delivered.map(is_delivered))
        .add_option(filter.search.as_ref().map(is_found))
}

fn is_found(search: &Search) -> Condition {
    let contains = |part: &String| {
        let pattern = LikeExpr::new(format!("%{}%", escaped(part))).escape('\\');
        Expr::col((lead::Entity, lead::Column::Searched)).like(pattern)
    };
    search.parts().iter().map(contains).fold(Condition::any(), Condition::add)
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

/// Open leads, and those with a failed or cancelled delivery: these include all leads without a delivered mail. Written as
/// in the indexes.
fn perhaps_undelivered() -> SelectStatement {
    let given_up = Query::select()
        .column(delivery::Column::LeadId)
        .from(delivery::Entity)
        .and_where(Expr::cust("state IN ('failed', 'cancelled')"))
        .take();
    Query::select()
        .column(lead::Column::Id)
        .from(lead::Entity)
        .and_where(Expr::col(lead::Column::Open))
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
        .and_where(delivery::Column::State.eq(State::Delivered))
        .take()
}
