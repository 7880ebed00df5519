//! Handles CountLeads.

use ::lead::{FieldError, Interest, Language, LeadState, field::required_time};
use contracts::crm::v1::{self as crm, CountLeadsRequest, CountLeadsResponse};
use prost_types::Timestamp;
use tonic::Status;
use tracing::info;

use super::{Count, Spans, States, Statistics};
use crate::{auth::Caller, db::Store, error::Invalid};

pub(crate) async fn count(
    store: &Store,
    caller: &Caller,
    request: CountLeadsRequest,
) -> Result<CountLeadsResponse, Status> {
    let spans = spans(request.from, request.before)?;
    let statistics = store.statistics(spans).await?;
    info!(client = %caller, leads = statistics.total.leads, "CountLeads");
    Ok(statistics.into())
}

const MOST_SPANS: usize = 1000;

/// Reads the spans of a request.
///
/// # Errors
/// [`Invalid`] when there are none or too many, or they are not in order.
fn spans(from: Vec<Timestamp>, before: Option<Timestamp>) -> Result<Spans, Invalid> {
    if from.is_empty() {
        return Err(FieldError::Empty("from").into());
    }
    if from.len() > MOST_SPANS {
        return Err(FieldError::TooMany("from", MOST_SPANS).into());
    }
    let from = from.into_iter().map(|it| required_time("from", Some(it))).collect::<Result<_, _>>()?;
    Spans::new(from, required_time("before", before)?).ok_or(Invalid::NotInOrder)
}

impl From<Statistics> for CountLeadsResponse {
    fn from(statistics: Statistics) -> Self {
        let Statistics { spans, total, owners, median_to_contact, p90_to_contact } = statistics;
        let owners = owners.into_iter();
        let owners = owners.map(|(owner, of)| crm::OwnerCount { owner, states: states(of) }).collect();
        // A duration of 32-bit seconds always fits.
        let duration = |it| prost_types::Duration::try_from(it).ok();
        Self {
            spans: spans.iter().map(message).collect(),
            total: Some(crm::Count { owners, ..message(&total) }),
            median_to_contact: median_to_contact.and_then(duration),
            p90_to_contact: p90_to_contact.and_then(duration),
        }
    }
}

fn message(count: &Count) -> crm::Count {
    let interests = Interest::ALL.iter().copied().zip(count.interests);
    let languages = Language::ALL.iter().copied().zip(count.languages);
    crm::Count {
        leads: count.leads,
        interests: interests
            .map(|(it, leads)| crm::InterestCount { interest: Interest::number(it), leads })
            .collect(),
        languages: languages
            .map(|(it, leads)| crm::LanguageCount { language: Language::number(it), leads })
            .collect(),
        states: states(count.states),
        spam: count.spam,
        owners: Vec::new(),
    }
}

fn states(counts: States) -> Vec<crm::StateCount> {
    let states = LeadState::ALL.iter().copied().zip(counts);
    states.map(|(it, leads)| crm::StateCount { state: LeadState::number(Some(it)), leads }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp { seconds, nanos: 0 }
    }

    #[test]
    fn spans_are_few_and_follow_each_other() {
        let refused = |from: Vec<i64>, before: Option<i64>| {
            spans(from.into_iter().map(at).collect(), before.map(at)).err()
        };
        assert_eq!(refused((0..1000).collect(), Some(1000)), None);
        assert_eq!(refused((0..1001).collect(), Some(1001)), Some(FieldError::TooMany("from", 1000).into()));
        assert_eq!(refused(vec![], Some(1)), Some(FieldError::Empty("from").into()));
        assert_eq!(refused(vec![0], None), Some(FieldError::Missing("before").into()));
        assert_eq!(refused(vec![i64::MAX], Some(1)), Some(FieldError::NotTimestamp("from").into()));
        assert_eq!(refused(vec![5, 1], Some(9)), Some(Invalid::NotInOrder));
    }
}
