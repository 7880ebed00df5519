//! Counts leads by spans of time.

pub(crate) mod count;
pub(crate) mod grpc;

use ::lead::{Interest, Language, LeadState, text::search_key};
use std::{cmp::Reverse, collections::BTreeMap, time::Duration};

use chrono::{DateTime, Utc};

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

    #[must_use]
    pub fn from(&self) -> DateTime<Utc> {
        self.from[0]
    }

    #[must_use]
    pub fn before(&self) -> DateTime<Utc> {
        self.before
    }

    fn index(&self, time: DateTime<Utc>) -> Option<usize> {
        let begun = self.from.partition_point(|from| *from <= time);
        begun.checked_sub(1).filter(|_| time < self.before)
    }
}

/// What is counted of a lead, without the visitor's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Countable {
    pub submitted_at: DateTime<Utc>,
    pub interests: Vec<Interest>,
    pub language: Language,
    pub state: LeadState,
    pub is_spam: bool,
    pub contacted_at: Option<DateTime<Utc>>,
    /// Empty: nobody's.
    pub owner: String,
}

/// In the order of `LeadState::ALL`.
pub type States = [u64; LeadState::ALL.len()];

/// Numbers of leads. Arrays are in the order of each type's `ALL` or `VARIANTS`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub leads: u64,
    /// A lead may count for several.
    pub interests: [u64; Interest::ALL.len()],
    pub languages: [u64; Language::ALL.len()],
    pub states: States,
    pub spam: u64,
}

impl Count {
    fn add(&mut self, lead: &Countable) {
        self.leads += 1;
        for (count, interest) in self.interests.iter_mut().zip(Interest::ALL.iter().copied()) {
            *count += u64::from(lead.interests.contains(&interest));
        }
        for (count, language) in self.languages.iter_mut().zip(Language::ALL.iter().copied()) {
            *count += u64::from(lead.language == language);
        }
        count_state(&mut self.states, lead.state);
        self.spam += u64::from(lead.is_spam);
    }
}

fn count_state(states: &mut States, state: LeadState) {
    for (count, of) in states.iter_mut().zip(LeadState::ALL) {
        *count += u64::from(*of == state);
    }
}

pub struct Tally {
    spans: Spans,
    counts: Vec<Count>,
    total: Count,
    /// By the key of the name, with the spelling that was added first.
    owners: BTreeMap<String, (String, States)>,
    /// Seconds from submission to first contact, of each contacted lead.
    seconds_to_contact: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    pub spans: Vec<Count>,
    pub total: Count,
    /// Of whose leads, most first.
    pub owners: Vec<(String, States)>,
    /// From submission to first contact, in whole seconds; `None` without contacts.
    pub median_to_contact: Option<Duration>,
    pub p90_to_contact: Option<Duration>,
}

impl Tally {
    #[must_use]
    pub fn new(spans: Spans) -> Self {
        let counts = vec![Count::default(); spans.from.len()];
        let (total, owners, seconds_to_contact) = (Count::default(), BTreeMap::new(), Vec::new());
        Self { spans, counts, total, owners, seconds_to_contact }
    }

    /// Counts a lead, unless it is outside all spans.
    pub fn add(&mut self, lead: &Countable) {
        let Some(index) = self.spans.index(lead.submitted_at) else { return };
        self.counts[index].add(lead);
        self.total.add(lead);
        let owner = self.owners.entry(search_key(&lead.owner));
        let (_, states) = owner.or_insert_with(|| (lead.owner.clone(), States::default()));
        count_state(states, lead.state);
        if let Some(contacted_at) = lead.contacted_at {
            // Clocks of two machines may differ by more than a quick contact takes.
            let seconds = (contacted_at - lead.submitted_at).num_seconds().max(0);
            self.seconds_to_contact.push(u32::try_from(seconds).unwrap_or(u32::MAX));
        }
    }

    #[must_use]
    pub fn finish(mut self) -> Statistics {
        self.seconds_to_contact.sort_unstable();
        let mut owners: Vec<_> = self.owners.into_values().collect();
        owners.sort_by_key(|(_, states)| Reverse(states.iter().sum::<u64>()));
        Statistics {
            owners,
            median_to_contact: percentile(&self.seconds_to_contact, 50),
            p90_to_contact: percentile(&self.seconds_to_contact, 90),
            spans: self.counts,
            total: self.total,
        }
    }
}

/// The smallest of the sorted values that is not exceeded by `percent` % of them; `None` without values.
fn percentile(seconds: &[u32], percent: usize) -> Option<Duration> {
    let rank = (seconds.len() * percent).div_ceil(100);
    let seconds = seconds.get(rank.checked_sub(1)?)?;
    Some(Duration::from_secs(u64::from(*seconds)))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    fn lead(submitted: i64, contacted_after: Option<i64>) -> Countable {
        Countable {
            submitted_at: at(submitted),
            interests: vec![Interest::Purchase, Interest::Showflat],
            language: Language::Chinese,
            state: if contacted_after.is_some() { LeadState::Contacted } else { LeadState::New },
            is_spam: contacted_after.is_none(),
            contacted_at: contacted_after.map(|after| at(submitted) + TimeDelta::seconds(after)),
            owner: if submitted < 20 {
                ""
            } else if submitted < 30 {
                "Mei"
            } else {
                "mei "
            }
            .to_owned(),
        }
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

    #[test]
    fn a_lead_counts_for_the_span_it_is_in() {
        let mut tally = Tally::new(Spans::new(vec![at(10), at(20), at(30)], at(40)).unwrap());
        for submitted in [9, 10, 20, 25, 39, 40] {
            tally.add(&lead(submitted, None));
        }
        let statistics = tally.finish();
        assert_eq!(statistics.spans.iter().map(|it| it.leads).collect::<Vec<_>>(), [1, 2, 1]);
        let owners = [("Mei".to_owned(), [3, 0, 0, 0, 0]), (String::new(), [1, 0, 0, 0, 0])];
        assert_eq!(statistics.owners, owners, "most first");
        let total = statistics.total;
        assert_eq!((total.leads, total.spam), (4, 4));
        assert_eq!((total.interests, total.languages, total.states), ([0, 4, 4], [0, 4], [4, 0, 0, 0, 0]));
        assert_eq!((statistics.median_to_contact, statistics.p90_to_contact), (None, None));
    }

    #[test]
    fn times_to_contact_are_ranked() {
        let of = |times: &[i64]| {
            let mut tally = Tally::new(Spans::new(vec![at(0)], at(10)).unwrap());
            times.iter().for_each(|time| tally.add(&lead(0, Some(*time))));
            let statistics = tally.finish();
            [statistics.median_to_contact, statistics.p90_to_contact].map(|it| it.unwrap().as_secs())
        };
        assert_eq!(of(&[7]), [7, 7]);
        assert_eq!(of(&[30, 10, 20]), [20, 30]);
        assert_eq!(of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [5, 9]);
        assert_eq!(of(&[-3, i64::from(u32::MAX) + 9]), [0, u64::from(u32::MAX)]);
    }
}
