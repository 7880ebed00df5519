//! Counts leads by time span, in the database.

use std::{cmp::Reverse, collections::BTreeMap, time::Duration};

use chrono::TimeDelta;
use contracts::crm::{
    v1 as crm,
    v1::{CountLeadsResponse, InterestCount, LanguageCount, OwnerCount, StateCount},
};
use lead::{FieldError, Interest, Language, LeadState, field::required_time};
use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, prelude::DateTimeUtc};

use crate::{
    db::{Result, Store, database_time, sql, with_timeout},
    error::Invalid,
    leads::row as lead_row,
};

const MOST_SPANS: usize = 1000;

const DAY: TimeDelta = TimeDelta::days(1);
const WEEK: TimeDelta = TimeDelta::weeks(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans {
    from: Vec<DateTimeUtc>,
    before: DateTimeUtc,
}

impl Spans {
    pub(crate) fn parse(request: crm::CountLeadsRequest) -> Result<Self, Invalid> {
        let from = request
            .from
            .into_iter()
            .map(|it| required_time("from", Some(it)));
        Self::new(
            from.collect::<Result<_, _>>()?,
            required_time("before", request.before)?,
        )
    }

    /// `from` contains the starts of the spans in ascending order. The last span ends at `before`.
    pub fn new(from: Vec<DateTimeUtc>, before: DateTimeUtc) -> Result<Self, Invalid> {
        let Some(last) = from.last() else {
            return Err(FieldError::Empty("from").into());
        };
        if from.len() > MOST_SPANS {
            return Err(FieldError::TooMany("from", MOST_SPANS).into());
        }
        let is_in_order = *last < before && from.is_sorted_by(|one, next| one < next);
        if is_in_order {
            Ok(Self { from, before })
        } else {
            Err(Invalid::NotInOrder)
        }
    }
}

/// The number of leads of one span with equal values in the other columns.
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

/// Zero for each value, in the order of the contract.
fn zero_states() -> Vec<StateCount> {
    LeadState::ALL
        .iter()
        .map(|it| StateCount {
            state: LeadState::number(*it),
            leads: 0,
        })
        .collect()
}

fn zero_count() -> crm::Count {
    let interests = Interest::ALL.iter().map(|it| InterestCount {
        interest: Interest::number(*it),
        leads: 0,
    });
    let languages = Language::ALL.iter().map(|it| LanguageCount {
        language: Language::number(*it),
        leads: 0,
    });
    crm::Count {
        interests: interests.collect(),
        languages: languages.collect(),
        states: zero_states(),
        ..crm::Count::default()
    }
}

impl Group {
    /// Values that only a newer version defines count in the total alone.
    fn add_to(&self, count: &mut crm::Count) {
        let leads = self.leads.unsigned_abs();
        count.leads += leads;
        count.spam += if self.is_spam { leads } else { 0 };
        // A lead may count for several interests.
        for interest in lead_row::interests(&self.interests)
            .into_iter()
            .map(Interest::number)
        {
            count
                .interests
                .iter_mut()
                .filter(|it| it.interest == interest)
                .for_each(|it| it.leads += leads);
        }
        let language = lead_row::number_of::<Language>(&self.language, Language::number);
        count
            .languages
            .iter_mut()
            .filter(|it| it.language == language)
            .for_each(|it| it.leads += leads);
        self.add_to_states(&mut count.states);
    }

    fn add_to_states(&self, states: &mut [StateCount]) {
        let state = lead_row::number_of::<LeadState>(&self.state, LeadState::number);
        let leads = self.leads.unsigned_abs();
        states
            .iter_mut()
            .filter(|it| it.state == state)
            .for_each(|it| it.leads += leads);
    }
}

impl Store {
    /// Counts the leads submitted within the spans. Leads stored during the call may or may not count.
    pub async fn count_leads(&self, spans: &Spans) -> Result<CountLeadsResponse> {
        let mut total = zero_count();
        let mut counts = vec![zero_count(); spans.from.len()];
        let mut owners: BTreeMap<String, OwnerCount> = BTreeMap::new();
        for group in self.count_groups(spans).await? {
            group.add_to(&mut total);
            if let Some(span) = usize::try_from(group.span)
                .ok()
                .and_then(|span| counts.get_mut(span))
            {
                group.add_to(span);
            }
            let owner = owners.entry(group.owner_key.clone());
            let owner = owner.or_insert_with(|| OwnerCount {
                owner: group.owner.clone(),
                states: zero_states(),
            });
            group.add_to_states(&mut owner.states);
        }
        total.owners = owners.into_values().collect();
        total
            .owners
            .sort_by_key(|owner| Reverse(owner.states.iter().map(|it| it.leads).sum::<u64>()));
        let [median_to_contact, p90_to_contact] = self.times_to_contact(spans).await?;
        Ok(CountLeadsResponse {
            spans: counts,
            total: Some(total),
            median_to_contact,
            p90_to_contact,
        })
    }

    async fn count_groups(&self, spans: &Spans) -> Result<Vec<Group>> {
        let values =
            (0..spans.from.len()).map(|span| format!("({span}, ${}, ${})", span + 1, span + 2));
        let values = values.collect::<Vec<_>>().join(", ");
        let select = format!(
            "WITH span (number, starts, ends) AS (VALUES {values})
            SELECT CAST(span.number AS bigint) AS span, interests, language, state, signals <> '[]' AS is_spam,
                owner_key, max(owner) AS owner, count(*) AS leads
            FROM span JOIN lead ON submitted_at >= starts AND submitted_at < ends
            WHERE erased_at IS NULL
            GROUP BY span.number, interests, language, state, signals <> '[]', owner_key"
        );
        let times = spans
            .from
            .iter()
            .chain([&spans.before])
            .map(|time| (*time).into());
        let groups = Group::find_by_statement(sql(&self.reader, select, times));
        with_timeout(groups.all(&self.reader)).await
    }

    /// Median time from submission to first contact, of the leads of the last week that sales contacted within the last day.
    /// `None` without contacts. The week lets the database use an index, because this runs every few seconds.
    pub async fn median_first_contact(&self) -> Result<Option<Duration>> {
        let now = with_timeout(database_time(&self.reader)).await?;
        let select = format!(
            "SELECT seconds FROM (
                SELECT seconds, row_number() OVER (ORDER BY seconds) AS rank, count(*) OVER () AS total
                FROM (SELECT {} AS seconds FROM lead
                    WHERE erased_at IS NULL AND submitted_at >= $1 AND contacted_at >= $2 AND source <> 'desk') contacted
            ) ranked WHERE rank = (total + 1) / 2",
            self.seconds_to_contact()
        );
        let values = [(now - WEEK).into(), (now - DAY).into()];
        let select = sql(&self.reader, select, values);
        let Some(row) = with_timeout(self.reader.query_one_raw(select)).await? else {
            return Ok(None);
        };
        let seconds: i64 = row.try_get("", "seconds")?;
        Ok(Some(Duration::from_secs(seconds.unsigned_abs())))
    }

    /// Median and 90th percentile of the time from submission to first contact, in whole seconds; `None` without
    /// contacts. Excludes leads entered by hand, whose visitors were contacted before.
    async fn times_to_contact(&self, spans: &Spans) -> Result<[Option<prost_types::Duration>; 2]> {
        let seconds = self.seconds_to_contact();
        let select = format!(
            "SELECT seconds FROM (
                SELECT seconds, row_number() OVER (ORDER BY seconds) AS rank, count(*) OVER () AS total
                FROM (SELECT {seconds} AS seconds FROM lead WHERE erased_at IS NULL AND contacted_at IS NOT NULL
                    AND source <> 'desk' AND submitted_at >= $1 AND submitted_at < $2) contacted
            ) ranked WHERE rank IN ((total * 50 + 99) / 100, (total * 90 + 99) / 100) ORDER BY rank"
        );
        let select = sql(
            &self.reader,
            select,
            [spans.from[0].into(), spans.before.into()],
        );
        let mut times = Vec::new();
        for row in with_timeout(self.reader.query_all_raw(select)).await? {
            times.push(prost_types::Duration {
                seconds: row.try_get("", "seconds")?,
                nanos: 0,
            });
        }
        // Both percentiles may be the same row.
        Ok([times.first().copied(), times.last().copied()])
    }

    /// The whole seconds from submission to first contact, as SQL. Clock skew between two machines could make the difference
    /// negative.
    pub(crate) fn seconds_to_contact(&self) -> &'static str {
        if self.backend == DbBackend::Sqlite {
            // Compensates for floating-point errors, which could round a whole second down.
            "max(0, CAST(unixepoch(contacted_at, 'subsec') - unixepoch(submitted_at, 'subsec') + 0.0005 AS integer))"
        } else {
            // Not `extract`, whose slower result is numeric.
            "greatest(0, CAST(floor(date_part('epoch', contacted_at - submitted_at)) AS bigint))"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_too_many_or_unordered_periods() {
        let refused = |from: Vec<i64>, before: Option<i64>| {
            let time = |seconds| prost_types::Timestamp { seconds, nanos: 0 };
            let from = from.into_iter().map(time).collect();
            Spans::parse(crm::CountLeadsRequest {
                from,
                before: before.map(time),
            })
            .err()
        };
        assert_eq!(refused((0..1000).collect(), Some(1000)), None);
        assert_eq!(
            refused((0..1001).collect(), Some(1001)),
            Some(FieldError::TooMany("from", 1000).into())
        );
        assert_eq!(refused(vec![0, 5], Some(9)), None);
        assert_eq!(
            refused(vec![], Some(1)),
            Some(FieldError::Empty("from").into())
        );
        assert_eq!(
            refused(vec![0], None),
            Some(FieldError::Missing("before").into())
        );
        assert_eq!(
            refused(vec![i64::MAX], Some(1)),
            Some(FieldError::NotTimestamp("from").into())
        );
        for (from, before) in [
            (vec![5, 1], 9),
            (vec![5, 5], 9),
            (vec![9], 9),
            (vec![0, 10], 9),
        ] {
            assert_eq!(refused(from, Some(before)), Some(Invalid::NotInOrder));
        }
    }
}
