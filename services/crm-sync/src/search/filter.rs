//! Filters leads by fields and by a text in the name, email address, reference or phone number.

use contracts::crm::v1 as crm;
use lead::{
    ClosingReason, FieldError, Interest, Language, LeadState, Plan, Reading, Recipient, Reference,
    VisitTime, digits,
    field::{optional_text, optional_time},
    read_digits,
    text::{is_dash, is_han, is_interchangeable, is_terminal, search_key},
};
use sea_orm::{
    ColumnTrait, Condition,
    prelude::Expr,
    sea_query::{ExprTrait, LikeExpr, Query, UnionType},
};

use crate::{
    auth::PERSON_LENGTH,
    db::Result,
    deliveries::row::{self as delivery_row, StateName, UNFINISHED},
    error::Invalid,
    leads::{
        keys::{FIELD, searched_reference},
        row as lead_row,
    },
};

/// The `utm_source` of a lead's visit, as SQL; empty without one. Equals the expression of an index, like the next two.
pub(crate) const SOURCE: &str = "coalesce(visit -> 'campaign' ->> 'source', '')";
/// The `utm_campaign` of a lead's visit.
pub(crate) const CAMPAIGN: &str = "coalesce(visit -> 'campaign' ->> 'name', '')";
/// The host from which a lead's visit came.
pub(crate) const REFERRER: &str = "coalesce(visit ->> 'referrer_host', '')";

/// Whether an event of a timeline books a visit. Matches the partial index `timeline_visit_booked`.
pub(crate) const VISIT_BOOKED: &str =
    "details ->> 'event' = 'progressed' AND details ->> 'state' = 'visit_booked'";

/// Maximum length of an email address.
const SEARCH_LENGTH: usize = 255;

/// A condition on leads. Excludes erased leads and canaries.
#[derive(Clone)]
pub struct Filter(pub(crate) Condition);

impl Default for Filter {
    /// Matches all leads.
    fn default() -> Self {
        Self(Condition::all().add(is_not_erased()))
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
        let owner = search_key(&optional_text("owner", &filter.owner, PERSON_LENGTH)?);
        let has_owner =
            Expr::cust("owner_key <> ''").and(lead_row::Column::OwnerKey.eq(owner.as_str()));
        let search = Search::parse(&optional_text("search", &filter.search, SEARCH_LENGTH)?);
        let origin_and_wish = Self::parse_origin_and_wish(&filter)?;
        let visitor_email = filter.visitor_email.as_ref();
        Ok(Self(
            origin_and_wish
                .add(reached(&filter))
                .add_option(visitor_email.map(has_visitor_email).transpose()?)
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
                .add_option(search.as_ref().map(is_found)),
        ))
    }

    fn parse_origin_and_wish(filter: &crm::LeadFilter) -> Result<Condition, Invalid> {
        let closing_reason = ClosingReason::from_contract(filter.closing_reason)?;
        let visit_time = match filter.visit_time.as_str() {
            "" => None,
            id => Some(
                *VisitTime::known_from_contract(&[id])
                    .first()
                    .ok_or(FieldError::UnknownValue("visit_time"))?,
            ),
        };
        if filter
            .plans
            .iter()
            .any(|id| !id.is_empty() && Plan::find(id).is_none())
        {
            return Err(FieldError::UnknownValue("plans").into());
        }
        Ok(Self::default()
            .0
            .add_option(origin("source", SOURCE, filter.source.as_deref())?)
            .add_option(origin("campaign", CAMPAIGN, filter.campaign.as_deref())?)
            .add_option(origin("referrer", REFERRER, filter.referrer.as_deref())?)
            .add_option(has_plan(&filter.plans))
            .add_option(closing_reason.map(|it| lead_row::Column::ClosingReason.eq(it.id())))
            .add_option(
                visit_time
                    .map(|it| lead_row::Column::VisitTimes.contains(lead_row::in_json(&it.id))),
            ))
    }
}

/// Neither erased nor a canary.
pub(crate) fn is_not_erased() -> Expr {
    lead_row::Column::ErasedAt.is_null()
}

/// What became of the lead.
fn reached(filter: &crm::LeadFilter) -> Condition {
    let visit_booked = |booked| {
        let leads = format!("SELECT lead_id FROM timeline WHERE {VISIT_BOOKED}");
        let negation = if booked { "" } else { "NOT " };
        Expr::cust(format!("lead.id {negation}IN ({leads})"))
    };
    let contacted = |contacted| {
        let column = lead_row::Column::ContactedAt;
        if contacted {
            column.is_not_null()
        } else {
            column.is_null()
        }
    };
    let closed_with_reason = |given| {
        Expr::cust(if given {
            "state = 'closed' AND closing_reason <> ''"
        } else {
            "state = 'closed' AND closing_reason = ''"
        })
    };
    let assigned = |assigned| {
        Expr::cust(if assigned {
            "owner_key <> ''"
        } else {
            "owner_key = ''"
        })
    };
    Condition::all()
        .add_option(filter.contacted.map(contacted))
        .add_option(filter.visit_booked.map(visit_booked))
        .add_option(filter.closed_with_reason.map(closed_with_reason))
        .add_option(filter.assigned.map(assigned))
}

fn has_visitor_email(filter: &crm::VisitorEmailFilter) -> Result<Expr, Invalid> {
    let recipient = match filter.kind.as_str() {
        "confirmation" => Recipient::Visitor,
        "brochure" => Recipient::Brochure,
        _ => return Err(FieldError::UnknownValue("visitor_email.kind").into()),
    };
    let is_in = |states: &[StateName]| delivery_row::Column::State.is_in(states.to_vec());
    let is_in_state = match filter.state.as_str() {
        "delivered" => is_in(&[StateName::Delivered]),
        "waiting" => is_in(&UNFINISHED),
        "failed" => is_in(&[StateName::Failed]),
        "cancelled" => is_in(&[StateName::Cancelled]),
        _ => return Err(FieldError::UnknownValue("visitor_email.state").into()),
    };
    let changed_from = optional_time("visitor_email.changed_from", filter.changed_from)?;
    let of_lead = Query::select()
        .column(delivery_row::Column::LeadId)
        .from(delivery_row::Entity)
        // A literal, to match the partial index of the recipient.
        .and_where(Expr::cust(format!("recipient = '{recipient}'")))
        .and_where(is_in_state)
        .and_where_option(changed_from.map(|it| delivery_row::Column::ChangedAt.gte(it)))
        .take();
    Ok(lead_row::Column::Id.in_subquery(of_lead))
}

/// Whether the SQL expression of an origin has this value. The literal condition allows the use of its partial index.
fn origin(
    field: &'static str,
    expression: &'static str,
    value: Option<&str>,
) -> Result<Option<Expr>, Invalid> {
    let Some(value) = value else {
        return Ok(None);
    };
    let text = optional_text(field, value, SEARCH_LENGTH)?;
    if text.is_empty() {
        return Ok(Some(Expr::cust(format!("{expression} = ''"))));
    }
    let has_origin = Expr::cust(format!("{expression} <> ''"));
    Ok(Some(has_origin.and(Expr::cust(expression).eq(text))))
}

fn has_plan(plans: &[String]) -> Option<Expr> {
    let is_one = lead_row::Column::Plan.is_in(plans);
    match plans {
        [] => None,
        _ if plans.iter().any(String::is_empty) => Some(is_one),
        _ => Some(Expr::cust("plan <> ''").and(is_one)),
    }
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

fn is_found(search: &Search) -> Condition {
    let matches = |pattern: &String| {
        let pattern = LikeExpr::new(format!("%{pattern}%")).escape('\\');
        Expr::col((lead_row::Entity, lead_row::Column::Searched)).like(pattern)
    };
    let matches_any = |patterns: &Vec<String>| {
        patterns
            .iter()
            .map(matches)
            .fold(Condition::any(), Condition::add)
    };
    let has_words = search
        .words
        .iter()
        .map(matches_any)
        .fold(Condition::all(), Condition::add);
    matches_any(&search.references).add(has_words)
}

/// Escapes a text for LIKE with the escape character `\`.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', r"\\")
        .replace('%', r"\%")
        .replace('_', r"\_")
}

/// What a lead's searched text must contain, see [`Keys::searched`](crate::leads::keys::Keys::searched): a pattern of each
/// word, or a reference. The patterns are for LIKE.
#[derive(Debug, PartialEq, Eq)]
struct Search {
    words: Vec<Vec<String>>,
    references: Vec<String>,
}

impl Search {
    /// `None` if `typed` is blank.
    fn parse(typed: &str) -> Option<Self> {
        let text = search_key(typed);
        if text.is_empty() {
            return None;
        }
        let references = Reference::prefixes(typed).into_iter();
        Some(Self {
            words: number(&text).map_or_else(|| words(&text), |number| vec![number]),
            references: references
                .map(|reference| escaped(&searched_reference(&reference)))
                .collect(),
        })
    }
}

/// The patterns of each word. Leaves out punctuation around words. Punctuation alone matches only the beginning of a name or
/// email address.
fn words(text: &str) -> Vec<Vec<String>> {
    let is_around = |c| is_interchangeable(c) || is_terminal(c);
    let found: Vec<&str> = text
        .split(' ')
        .map(|word| word.trim_matches(is_around))
        .filter(|word| !word.is_empty())
        .collect();
    match found.as_slice() {
        [] => vec![vec![format!("{FIELD}{}", escaped(text))]],
        // One or two letters occur in most names, so they match only the beginning of a name or email address.
        [only] if is_short(only) => vec![vec![format!("{FIELD}{}", pattern(only))]],
        several => several.iter().map(|word| word_patterns(word)).collect(),
    }
}

fn is_short(word: &str) -> bool {
    word.is_ascii() && word.len() < 3
}

/// One of several words.
fn word_patterns(word: &str) -> Vec<String> {
    if let Some(number) = number(word) {
        return number;
    }
    let pattern = pattern(word);
    if is_short(word) {
        return vec![format!("{FIELD}{pattern}"), format!(" {pattern}")];
    }
    let mut patterns = vec![pattern];
    // A Chinese name may be stored with a space after the surname.
    if word.chars().all(is_han) && word.chars().count() <= LONGEST_CHINESE_NAME {
        let letters = word.char_indices().skip(1);
        patterns.extend(letters.map(|(place, _)| {
            let (surname, rest) = word.split_at(place);
            format!("{surname} {rest}")
        }));
    }
    patterns
}

/// In characters.
const LONGEST_CHINESE_NAME: usize = 6;

/// Matches the word with any apostrophes and dashes, which keyboards and people write in several ways.
fn pattern(word: &str) -> String {
    let as_pattern = |c: char| {
        if is_interchangeable(c) {
            "_".to_owned()
        } else {
            escaped(c.encode_utf8(&mut [0; 4]))
        }
    };
    word.chars().map(as_pattern).collect()
}

/// Returns patterns if the text may be a part of a phone number.
fn number(text: &str) -> Option<Vec<String>> {
    let is_of_number = |c: char| {
        let is_digit = !digits(c.encode_utf8(&mut [0; 4])).is_empty();
        c.is_whitespace() || is_dash(c) || "+.()".contains(c) || is_digit
    };
    if !text.chars().all(is_of_number) {
        return None;
    }
    let readings = read_digits(text).into_iter().map(|reading| match reading {
        Reading::Part(digits) => digits,
        // A space precedes each number in the searched text.
        Reading::Beginning(digits) => format!(" {digits}"),
    });
    let patterns: Vec<_> = readings.collect();
    (!patterns.is_empty()).then_some(patterns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(typed: &str) -> Vec<Vec<String>> {
        Search::parse(typed).unwrap().words
    }

    #[test]
    fn number_matches_by_digits() {
        for (typed, part) in [
            ("0086 138", "86138"),
            ("000", "000"),
            ("wei1234", "wei1234"),
            ("12", "\n12"),
            ("9123‒4567", "91234567"),
        ] {
            let patterns = patterns(typed).concat();
            assert!(patterns.contains(&part.to_owned()), "{patterns:?}");
        }
    }

    #[test]
    fn words_match_in_any_order_and_punctuation() {
        for (typed, words) in [
            ("tan, Franklin", &["tan", "franklin"][..]),
            ("O'Brien", &["o_brien"]),
            ("o\u{2019}brien", &["o_brien"]),
            ("o\u{2bc}brien", &["o_brien"]),
            ("Mary\u{2011}Ann", &["mary_ann"]),
            ("wei.chen+a_b@x.co", &["wei.chen+a\\_b@x.co"]),
            ("50%", &["50\\%"]),
            ("--", &["\n--"]),
        ] {
            let patterns = patterns(typed);
            let first: Vec<_> = patterns.iter().map(|word| word[0].as_str()).collect();
            assert_eq!(first, words, "{typed}");
        }
        assert_eq!(patterns("陈大文"), [["陈大文", "陈 大文", "陈大 文"]]);
        assert_eq!(patterns("li wei")[0], ["\nli", " li"]);
    }
}
