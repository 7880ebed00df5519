//! Filters leads by fields and by a text in the name, email address, reference or phone number.

use contracts::crm::v1 as crm;
use lead::{
    Interest, Language, LeadState, Reference, digits,
    field::{limited, optional_time},
    text::search_key,
};
use sea_orm::{
    ColumnTrait, Condition,
    prelude::Expr,
    sea_query::{ExprTrait, LikeExpr, Query, UnionType},
};

use crate::{
    auth::PERSON_LENGTH,
    db::Result,
    deliveries::row as delivery_row,
    error::Invalid,
    leads::{
        keys::{FIELD, searched_reference},
        row as lead_row,
    },
};

/// Maximum length of an email address.
const SEARCH_LENGTH: usize = 255;

/// A condition on leads. Excludes erased leads and canaries.
#[derive(Clone)]
pub struct Filter(pub(crate) Condition);

impl Default for Filter {
    /// Matches all leads.
    fn default() -> Self {
        Self(Condition::all().add(is_kept()))
    }
}

impl Filter {
    /// A lead must meet all conditions. Fixed values are literals, not parameters, to match the partial indexes.
    pub fn parse(filter: crm::LeadFilter) -> Result<Self, Invalid> {
        let interest = Interest::from_contract(filter.interest)?;
        let language = Language::from_contract(filter.language)?;
        let state = LeadState::from_contract(filter.state)?;
        let submitted_from = optional_time("submitted_from", filter.submitted_from)?;
        let submitted_before = optional_time("submitted_before", filter.submitted_before)?;
        let next_step_before = optional_time("next_step_before", filter.next_step_before)?;
        let owner = search_key(&limited("owner", &filter.owner, PERSON_LENGTH)?);
        let has_owner =
            Expr::cust("owner_key <> ''").and(lead_row::Column::OwnerKey.eq(owner.as_str()));
        let search = search_parts(&limited("search", &filter.search, SEARCH_LENGTH)?);
        Ok(Self(
            Self::default()
                .0
                .add_option(submitted_from.map(|it| lead_row::Column::SubmittedAt.gte(it)))
                .add_option(submitted_before.map(|it| lead_row::Column::SubmittedAt.lt(it)))
                .add_option(state.map(|it| lead_row::Column::State.eq(it.id())))
                .add_option((!owner.is_empty()).then_some(has_owner))
                .add_option(filter.spam.map(is_spam))
                .add_option(filter.unfinished.map(is_unfinished))
                .add_option(next_step_before.map(|it| lead_row::Column::NextStepAt.lt(it)))
                .add_option(
                    interest
                        .map(|it| lead_row::Column::Interests.contains(lead_row::in_json(it.id()))),
                )
                .add_option(language.map(|it| lead_row::Column::Language.eq(it.id())))
                .add_option(filter.delivered.map(is_delivered))
                .add_option(filter.erasure_requested.map(is_erasure_requested))
                .add_option((!search.is_empty()).then(|| is_found(&search))),
        ))
    }
}

/// Neither erased nor a canary.
pub(crate) fn is_kept() -> Expr {
    lead_row::Column::ErasedAt.is_null()
}

fn is_spam(spam: bool) -> Expr {
    Expr::cust(if spam {
        "signals <> '[]'"
    } else {
        "signals = '[]'"
    })
}

fn is_unfinished(unfinished: bool) -> Expr {
    let states = "state IN ('new', 'contacted', 'visit_booked')";
    if unfinished {
        Expr::cust(states)
    } else {
        Expr::cust(format!("NOT ({states})"))
    }
}

fn is_erasure_requested(requested: bool) -> Expr {
    if requested {
        lead_row::Column::ErasureRequestedAt.is_not_null()
    } else {
        lead_row::Column::ErasureRequestedAt.is_null()
    }
}

fn is_delivered(delivered: bool) -> Expr {
    let is_delivered = delivery_row::has_delivery(
        delivery_row::Column::State.eq(delivery_row::StateName::Delivered),
    );
    if delivered {
        return is_delivered;
    }
    // Every lead without a delivered email is open or has a failed or cancelled delivery. This condition limits the
    // deliveries to check.
    let given_up = Query::select()
        .column(delivery_row::Column::LeadId)
        .from(delivery_row::Entity)
        .and_where(Expr::cust("state IN ('failed', 'cancelled')"))
        .take();
    let perhaps_undelivered = Query::select()
        .column(lead_row::Column::Id)
        .from(lead_row::Entity)
        .and_where(Expr::col(lead_row::Column::Open))
        .union(UnionType::Distinct, given_up)
        .take();
    is_delivered
        .not()
        .and(lead_row::Column::Id.in_subquery(perhaps_undelivered))
}

fn is_found(parts: &[String]) -> Condition {
    let contains = |part: &String| {
        let pattern = LikeExpr::new(format!("%{}%", escaped(part))).escape('\\');
        Expr::col((lead_row::Entity, lead_row::Column::Searched)).like(pattern)
    };
    parts
        .iter()
        .map(contains)
        .fold(Condition::any(), Condition::add)
}

/// Escapes a text for LIKE with the escape character `\`.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', r"\\")
        .replace('%', r"\%")
        .replace('_', r"\_")
}

/// Shorter parts of a number match too many leads.
const SHORTEST_NUMBER: usize = 3;

/// Returns the strings to search for, none if `typed` is blank. A lead matches if its searched text, see
/// [`Keys::searched`](crate::leads::keys::Keys::searched), contains any of these strings.
fn search_parts(typed: &str) -> Vec<String> {
    let text = search_key(typed);
    if text.is_empty() {
        return Vec::new();
    }
    let references = Reference::prefixes(typed).into_iter();
    let references = references.map(|reference| searched_reference(&reference));
    // One or two letters occur in most names, so they match only the beginning of a name or email address.
    let is_short = text.is_ascii() && text.len() < 3;
    let text = number(typed).unwrap_or(if is_short {
        format!("{FIELD}{text}")
    } else {
        text
    });
    [text].into_iter().chain(references).collect()
}

/// Returns the digits if the text may be part of a phone number, without the international prefix `00`.
fn number(typed: &str) -> Option<String> {
    let is_of_number = |c: char| {
        let is_between = matches!(
            c,
            '+' | '-' | '.' | '(' | ')' | '＋' | '－' | '．' | '（' | '）'
        );
        c.is_whitespace() || is_between || !digits(c.encode_utf8(&mut [0; 4])).is_empty()
    };
    let digits = digits(typed);
    let number = digits
        .strip_prefix("00")
        .filter(|rest| rest.len() >= SHORTEST_NUMBER)
        .unwrap_or(&digits);
    (number.len() >= SHORTEST_NUMBER && typed.chars().all(is_of_number)).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_matches_by_digits() {
        for (typed, part) in [
            ("0086 138", "86138"),
            ("000", "000"),
            ("wei1234", "wei1234"),
            ("12", "\n12"),
        ] {
            assert_eq!(search_parts(typed)[0], part, "{typed}");
        }
    }
}
