//! How many leads there were.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use contracts::crm::v1 as crm;
use prost_types::Duration;
use serde::{Serialize, Serializer};

use crate::{
    client::Client,
    config::Config,
    error::Error,
    lead::{State, interest, language},
    output::Output,
    when::{When, midnight, next},
};

/// As many as the CRM counts at once.
const MOST_DAYS: usize = 1000;

/// What was counted, day by day.
#[derive(Serialize)]
pub(crate) struct Stats {
    pub(crate) time_zone: &'static str,
    pub(crate) days: Vec<Day>,
    #[serde(flatten)]
    pub(crate) total: Count,
    #[serde(serialize_with = "seconds")]
    pub(crate) median_to_contact_seconds: Option<TimeDelta>,
    #[serde(serialize_with = "seconds")]
    pub(crate) p90_to_contact_seconds: Option<TimeDelta>,
}

/// One day.
#[derive(Serialize)]
pub(crate) struct Day {
    pub(crate) day: NaiveDate,
    #[serde(flatten)]
    pub(crate) count: Count,
}

/// How many leads.
#[derive(Serialize)]
pub(crate) struct Count {
    pub(crate) leads: u64,
    /// A lead may count for several.
    pub(crate) interests: Vec<Named>,
    pub(crate) languages: Vec<Named>,
    pub(crate) states: Vec<Named>,
    pub(crate) suspicious: u64,
}

/// How many of one kind.
#[derive(Serialize)]
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) leads: u64,
}

/// What the CRM counted, one for each span it was asked for.
pub(crate) struct Counts {
    spans: Vec<Count>,
    total: Count,
    median_to_contact: Option<TimeDelta>,
    p90_to_contact: Option<TimeDelta>,
}

/// Counts the leads of each day from one on until now, and shows them.
pub(crate) async fn run(
    first: When,
    config: &Config,
    now: DateTime<Utc>,
    output: &mut Output,
) -> Result<(), Error> {
    let zone = config.time_zone;
    let days = days(first.begins(now, zone), now, zone)?;
    let from: Vec<_> = days.iter().map(|day| midnight(*day, zone)).collect();
    let counts = Client::connect(config).await?.count(&from, now).await?;
    output.stats(&Stats::new(days, counts, zone))
}

/// Each day from that of a time to that of another.
fn days(from: DateTime<Utc>, to: DateTime<Utc>, zone: Tz) -> Result<Vec<NaiveDate>, Error> {
    let of = |time: DateTime<Utc>| time.with_timezone(&zone).date_naive();
    let (first, last) = (of(from), of(to));
    if from > to {
        return Err(Error::Future);
    }
    let days: Vec<_> = std::iter::successors(Some(first), |day| Some(next(*day)))
        .take_while(|day| *day <= last)
        .take(MOST_DAYS + 1)
        .collect();
    if days.len() > MOST_DAYS { Err(Error::TooManyDays) } else { Ok(days) }
}

impl Stats {
    fn new(days: Vec<NaiveDate>, counts: Counts, zone: Tz) -> Self {
        let days = days.into_iter().zip(counts.spans).map(|(day, count)| Day { day, count });
        Self {
            time_zone: zone.name(),
            days: days.collect(),
            total: counts.total,
            median_to_contact_seconds: counts.median_to_contact,
            p90_to_contact_seconds: counts.p90_to_contact,
        }
    }
}

impl Counts {
    /// What the CRM sent.
    pub(crate) fn from_wire(counts: crm::CountLeadsResponse) -> Result<Self, Error> {
        let span = |duration: Option<Duration>| duration.and_then(|it| TimeDelta::try_seconds(it.seconds));
        Ok(Self {
            spans: counts.spans.into_iter().map(Count::from_wire).collect(),
            total: Count::from_wire(counts.total.unwrap_or_default()),
            median_to_contact: span(counts.median_to_contact),
            p90_to_contact: span(counts.p90_to_contact),
        })
    }
}

impl Count {
    fn from_wire(count: crm::Count) -> Self {
        let interests =
            count.interests.iter().map(|it| Named { name: interest(it.interest()), leads: it.leads });
        let languages =
            count.languages.iter().map(|it| Named { name: language(it.language()), leads: it.leads });
        let state =
            |it: &crm::StateCount| Named { name: State::from_wire(it.state()).as_str(), leads: it.leads };
        Self {
            leads: count.leads,
            interests: interests.collect(),
            languages: languages.collect(),
            states: count.states.iter().map(state).collect(),
            suspicious: count.suspicious,
        }
    }
}

fn seconds<S: Serializer>(span: &Option<TimeDelta>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(|span| span.num_seconds()).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_zone_and_not_without_end() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let days = |from: &str, to: &str| days(at(from), at(to), Tz::Asia__Singapore);
        let two = days("2026-02-28T15:59:59Z", "2026-02-28T16:00:00Z").unwrap();
        assert_eq!(two.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2026-02-28", "2026-03-01"]);
        assert_eq!(days("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z").unwrap().len(), 1);
        assert!(matches!(days("2020-01-01T00:00:00Z", "2026-03-01T00:00:00Z"), Err(Error::TooManyDays)));
        assert!(matches!(days("2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z"), Err(Error::Future)));
    }
}
