//! Counts leads by spans of time, in the database.

use ::lead::{Interest, Language, LeadState};
use std::{cmp::Reverse, collections::BTreeMap, fmt::Write, time::Duration};

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, Statement};

use crate::{
    db::{Store, error::StoreError, with_timeout},
    leads::lead,
};

/// Consecutive spans of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans {
    from: Vec<DateTime<Utc>>,
    before: DateTime<Utc>,
}

impl Spans {
    /// Spans by their starts; the last ends at `before`. `None` unless each time is later than the one before it.
    #[must_use]
    pub fn new(from: Vec<DateTime<Utc>>, before: DateTime<Utc>) -> Option<Self> {
        let is_in_order =
            from.is_sorted_by(|one, next| one < next) && from.last().is_some_and(|it| *it < before);
        is_in_order.then_some(Self { from, before })
    }
}

/// In the order of `LeadState::ALL`.
pub type States = [u64; LeadState::ALL.len()];

/// Numbers of leads. Arrays are in the order of each type's `ALL`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub leads: u64,
    /// A lead may count for several.
    pub interests: [u64; Interest::ALL.len()],
    pub languages: [u64; Language::ALL.len()],
    pub states: States,
    pub spam: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub spans: Vec<Count>,
    pub total: Count,
    /// Of whose leads, most first.
    pub owners: Vec<(String, States)>,
    /// From submission to first contact, in whole seconds; `None` without contacts.
    pub median_to_contact: Option<Duration>,
    pub p90_to_contact: Option<Duration>,
}

/// Leads of one span that have these columns in common.
#[derive(FromQueryResult)]
struct Group {
    span: i64,
    interests: String,
    language: String,
    state: String,
    is_spam: bool,
    owner_key: String,
    /// One of the spellings of the owner's name.
    owner: String,
    leads: i64,
}

impl Count {
    fn add(&mut self, group: &Group, language: Language, state: LeadState) {
        let leads = group.leads.unsigned_abs();
        self.leads += leads;
        for interest in lead::interests(&group.interests) {
            add_to(&mut self.interests, Interest::ALL, interest, leads);
        }
        add_to(&mut self.languages, Language::ALL, language, leads);
        add_to(&mut self.states, LeadState::ALL, state, leads);
        self.spam += if group.is_spam { leads } else { 0 };
    }
}

fn add_to<T: PartialEq>(counts: &mut [u64], all: &[T], value: T, leads: u64) {
    for (count, _) in counts.iter_mut().zip(all).filter(|(_, other)| **other == value) {
        *count += leads;
    }
}

impl Store {
    /// Counts the leads submitted within the spans. Leads stored meanwhile may or may not count.
    pub async fn statistics(&self, spans: Spans) -> Result<Statistics, StoreError> {
        let mut statistics =
            Statistics { spans: vec![Count::default(); spans.from.len()], ..Statistics::default() };
        let mut owners: BTreeMap<String, (String, States)> = BTreeMap::new();
        for group in self.count_groups(&spans).await? {
            let (language, state) = (lead::language(&group.language)?, lead::state(&group.state)?);
            statistics.total.add(&group, language, state);
            let span = usize::try_from(group.span).ok().and_then(|span| statistics.spans.get_mut(span));
            if let Some(span) = span {
                span.add(&group, language, state);
            }
            let (_, states) = owners.entry(group.owner_key).or_insert((group.owner, States::default()));
            add_to(states, LeadState::ALL, state, group.leads.unsigned_abs());
        }
        statistics.owners = owners.into_values().collect();
        statistics.owners.sort_by_key(|(_, states)| Reverse(states.iter().sum::<u64>()));
        [statistics.median_to_contact, statistics.p90_to_contact] = self.times_to_contact(&spans).await?;
        Ok(statistics)
    }

    async fn count_groups(&self, spans: &Spans) -> Result<Vec<Group>, StoreError> {
        let mut values = String::new();
        for number in 0..spans.from.len() {
            let separator = if number == 0 { "" } else { ", " };
            // Writing to a text cannot fail.
            let _ = write!(values, "{separator}({number}, ${}, ${})", number + 1, number + 2);
        }
        let select = format!(
            "WITH span (number, starts, ends) AS (VALUES {values})
            SELECT CAST(span.number AS bigint) AS span, interests, language, state, signals <> '[]' AS is_spam,
                owner_key, max(owner) AS owner, count(*) AS leads
            FROM span JOIN lead ON submitted_at >= starts AND submitted_at < ends
            WHERE erased_at IS NULL
            GROUP BY span.number, interests, language, state, signals <> '[]', owner_key"
        );
        let times = spans.from.iter().chain([&spans.before]).map(|time| (*time).into());
        let select = Statement::from_sql_and_values(self.reader.get_database_backend(), select, times);
        let rows = with_timeout(self.reader.query_all_raw(select)).await?;
        Ok(rows.iter().map(|row| Group::from_query_result(row, "")).collect::<Result<_, _>>()?)
    }

    /// The smallest times that are not exceeded by 50 % and by 90 % of the contacted leads.
    async fn times_to_contact(&self, spans: &Spans) -> Result<[Option<Duration>; 2], StoreError> {
        let backend = self.reader.get_database_backend();
        // Clocks of two machines may differ by more than a quick contact takes.
        let seconds = if backend == DbBackend::Sqlite {
            // In floating point, so that a whole second may be a little less.
            "max(0, CAST(unixepoch(contacted_at, 'subsec') - unixepoch(submitted_at, 'subsec') + 0.0005 AS integer))"
        } else {
            "greatest(0, CAST(floor(extract(epoch FROM contacted_at - submitted_at)) AS bigint))"
        };
        let select = format!(
            "SELECT seconds FROM (
                SELECT seconds, row_number() OVER (ORDER BY seconds) AS rank, count(*) OVER () AS total
                FROM (SELECT {seconds} AS seconds FROM lead WHERE erased_at IS NULL AND contacted_at IS NOT NULL
                    AND submitted_at >= $1 AND submitted_at < $2) contacted
            ) ranked WHERE rank IN ((total * 50 + 99) / 100, (total * 90 + 99) / 100) ORDER BY rank"
        );
        let times = [spans.from[0].into(), spans.before.into()];
        let rows = self.reader.query_all_raw(Statement::from_sql_and_values(backend, select, times));
        let mut seconds = Vec::new();
        for row in with_timeout(rows).await? {
            let second: i64 = row.try_get("", "seconds")?;
            seconds.push(Duration::from_secs(second.unsigned_abs()));
        }
        // Of one lead or two, both may be the same.
        Ok([seconds.first().copied(), seconds.last().copied()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn spans_must_follow_each_other() {
        assert!(Spans::new(vec![at(0), at(5)], at(9)).is_some());
        for (from, before) in [(vec![], 9), (vec![5, 5], 9), (vec![5, 0], 9), (vec![9], 9), (vec![0, 10], 9)]
        {
            let from = from.into_iter().map(at).collect();
            assert_eq!(Spans::new(from, at(before)), None);
        }
    }
}
