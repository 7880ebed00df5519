//! Adds up the groups that the database counted, and sorts them for the report.

use std::{cmp::Reverse, collections::BTreeMap};

use contracts::crm::v1::{
    BedroomsCount, ClosingReasonCount, InterestCount, LanguageCount, ReportDay, ReportDeliveries,
    ReportOutcome, ReportOwner, ReportReason, ReportSources, ReportWishes, SourceCount, StateCount,
    ValueCount,
};
use lead::{ClosingReason, Interest, Language, LeadState, Plan, Recipient};
use prost_types::Duration;

use super::{
    period::{Period, Span},
    statements::{
        ContactGroup, DeliveryGroup, Kind, PartGroup, ProgressGroup, SourceGroup, WishGroup,
    },
};
use crate::leads::row as lead_row;

/// Median times from submission to first contact, in whole minutes.
pub(super) struct Medians {
    /// Number of contacted leads.
    pub(super) contacted: u64,
    pub(super) all: Option<Duration>,
    by_owner: BTreeMap<String, Duration>,
}

impl Medians {
    pub(super) fn new(groups: Vec<ContactGroup>) -> Self {
        let mut all = Tally::new();
        let mut owners: BTreeMap<String, Tally<i64>> = BTreeMap::new();
        for group in groups {
            let leads = group.leads();
            all.add(group.minutes, leads);
            let owner = owners.entry(group.owner_key);
            owner.or_insert_with(Tally::new).add(group.minutes, leads);
        }
        let by_owner = owners
            .into_iter()
            .filter_map(|(owner, minutes)| Some((owner, median(&minutes)?)));
        Self {
            contacted: all.0.values().sum(),
            all: median(&all),
            by_owner: by_owner.collect(),
        }
    }
}

/// The lower median of minutes; `None` without any.
fn median(minutes: &Tally<i64>) -> Option<Duration> {
    let total: u64 = minutes.0.values().sum();
    let mut counted = 0;
    let (minutes, _) = minutes.0.iter().find(|(_, leads)| {
        counted += **leads;
        counted >= total.div_ceil(2)
    })?;
    Some(Duration {
        seconds: minutes * 60,
        nanos: 0,
    })
}

/// Maximum number of values in a list of sources.
const MOST_SOURCES: usize = 20;

/// The leads of a span, erased ones included.
pub(super) fn total_in(span: Span, parts: &[PartGroup]) -> u64 {
    let counted = parts
        .iter()
        .filter(|part| span.contains(part.from) && matches!(part.kind, Kind::Lead | Kind::Erased));
    counted.map(|part| part.leads).sum()
}

pub(super) fn count_days(period: &Period, parts: &[PartGroup]) -> Vec<ReportDay> {
    let count_day = |day: &Span| {
        let interests = Interest::MOST_COMMITTED_FIRST.map(|interest| InterestCount {
            interest: Interest::number(interest),
            leads: 0,
        });
        let mut counted = ReportDay {
            interests: interests.into(),
            ..day.to_report(period.now)
        };
        for part in parts.iter().filter(|part| day.contains(part.from)) {
            add_part(&mut counted, part);
        }
        counted
    };
    period.days().iter().map(count_day).collect()
}

fn add_part(day: &mut ReportDay, part: &PartGroup) {
    match part.kind {
        Kind::Canary => day.canaries += part.leads,
        Kind::Spam => day.spam += part.leads,
        Kind::Erased => {
            day.leads += part.leads;
            day.erased += part.leads;
        }
        Kind::Lead => {
            day.leads += part.leads;
            let main = Interest::main(&lead_row::interests(&part.interests)).map(Interest::number);
            let interest = day
                .interests
                .iter_mut()
                .find(|it| Some(it.interest) == main);
            if let Some(interest) = interest {
                interest.leads += part.leads;
            }
        }
    }
}

/// Numbers by value.
struct Tally<K>(BTreeMap<K, u64>);

impl<K: Ord> Tally<K> {
    fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn add(&mut self, value: K, leads: u64) {
        *self.0.entry(value).or_default() += leads;
    }

    /// The largest numbers first; equal numbers in the order of their values.
    fn into_sorted(self) -> Vec<(K, u64)> {
        let mut counts: Vec<_> = self.0.into_iter().collect();
        counts.sort_by_key(|(_, leads)| Reverse(*leads));
        counts
    }
}

pub(super) fn list_sources(groups: &[SourceGroup]) -> ReportSources {
    let entered = groups.iter().filter(|group| group.is_entered);
    ReportSources {
        entered_by_hand: entered.map(SourceGroup::leads).sum(),
        campaigns: list_values(groups, |group| &group.campaign),
        sources: list_values(groups, |group| &group.utm_source),
        referrers: list_values(groups, |group| &group.referrer),
    }
}

fn list_values(groups: &[SourceGroup], value: fn(&SourceGroup) -> &String) -> Vec<SourceCount> {
    let mut counts: BTreeMap<&String, SourceCount> = BTreeMap::new();
    for group in groups {
        let count = counts.entry(value(group)).or_insert_with(|| SourceCount {
            value: value(group).clone(),
            ..SourceCount::default()
        });
        count.leads += group.leads();
        count.visits += group.visits();
    }
    let mut list: Vec<_> = counts.into_values().collect();
    list.sort_by_key(|count| Reverse(count.leads));
    list.truncate(MOST_SOURCES);
    list
}

pub(super) fn list_wishes(groups: &[WishGroup]) -> ReportWishes {
    let mut plans = Tally::new();
    let mut bedrooms = Tally::new();
    let mut interests = Tally::new();
    let mut languages = Tally::new();
    let mut visit_times = Tally::new();
    for group in groups {
        let leads = group.leads();
        plans.add(group.plan.clone(), leads);
        if let Some(plan) = Plan::find(&group.plan) {
            bedrooms.add(plan.bedrooms(), leads);
        }
        for interest in lead_row::interests(&group.interests) {
            interests.add(Interest::number(interest), leads);
        }
        let language = lead_row::number_of::<Language>(&group.language, Language::number);
        languages.add(language, leads);
        for time in lead_row::visit_times(&group.visit_times) {
            visit_times.add(time.id.clone(), leads);
        }
    }
    let to_values = |tally: Tally<String>| {
        let counts = tally.into_sorted().into_iter();
        counts
            .map(|(value, leads)| ValueCount { value, leads })
            .collect()
    };
    ReportWishes {
        plans: to_values(plans),
        bedrooms: bedrooms
            .0
            .into_iter()
            .map(|(bedrooms, leads)| BedroomsCount { bedrooms, leads })
            .collect(),
        interests: interests
            .into_sorted()
            .into_iter()
            .map(|(interest, leads)| InterestCount { interest, leads })
            .collect(),
        languages: languages
            .into_sorted()
            .into_iter()
            .map(|(language, leads)| LanguageCount { language, leads })
            .collect(),
        visit_times: to_values(visit_times),
    }
}

pub(super) fn list_outcome(
    groups: &[ProgressGroup],
    sources: &[SourceGroup],
    mut medians: Medians,
) -> ReportOutcome {
    let mut states: Tally<i32> = Tally::new();
    let mut reasons = Tally::new();
    let mut owners: BTreeMap<&str, ReportOwner> = BTreeMap::new();
    for group in groups {
        let state = lead_row::number_of::<LeadState>(&group.state, LeadState::number);
        states.add(state, group.leads());
        if state == LeadState::number(LeadState::Closed) {
            reasons.add(closing_reason(&group.closing_reason), group.leads());
        }
        let owner = owners.entry(&group.owner_key).or_default();
        owner.owner.clone_from(&group.owner);
        owner.leads += group.leads();
        if is_open(state) {
            owner.open += group.leads();
            owner.follow_ups += group.follow_ups();
            owner.overdue += group.overdue();
        }
    }
    for (owner_key, owner) in &mut owners {
        owner.median_to_contact = medians.by_owner.remove(*owner_key);
    }
    let mut owners: Vec<_> = owners.into_values().collect();
    owners.sort_by_key(|owner| Reverse(owner.leads));
    let all_states = LeadState::ALL.iter().copied().map(LeadState::number);
    ReportOutcome {
        states: all_states
            .map(|state| StateCount {
                state,
                leads: states.0.get(&state).copied().unwrap_or_default(),
            })
            .collect(),
        reached_contact: groups.iter().map(ProgressGroup::contacted).sum(),
        reached_visit: sources.iter().map(SourceGroup::visits).sum(),
        closing_reasons: reasons
            .into_sorted()
            .into_iter()
            .map(|(closing_reason, leads)| ClosingReasonCount {
                closing_reason,
                leads,
            })
            .collect(),
        owners,
    }
}

fn closing_reason(column: &str) -> i32 {
    match column {
        "" => ClosingReason::number(None),
        reason => lead_row::number_of::<ClosingReason>(reason, ClosingReason::number),
    }
}

fn is_open(state: i32) -> bool {
    [LeadState::New, LeadState::Contacted, LeadState::VisitBooked]
        .map(LeadState::number)
        .contains(&state)
}

pub(super) fn list_deliveries(groups: &[DeliveryGroup]) -> Vec<ReportDeliveries> {
    let kinds = [
        (Recipient::Visitor, "confirmation"),
        (Recipient::Brochure, "brochure"),
    ];
    kinds
        .into_iter()
        .map(|(recipient, kind)| {
            let recipient = recipient.to_string();
            let of_kind = groups.iter().filter(|group| group.recipient == recipient);
            count_deliveries(kind, of_kind)
        })
        .collect()
}

fn count_deliveries<'g>(
    kind: &str,
    groups: impl Iterator<Item = &'g DeliveryGroup>,
) -> ReportDeliveries {
    let mut counts = ReportDeliveries {
        kind: kind.to_owned(),
        ..ReportDeliveries::default()
    };
    let mut reasons = Tally::new();
    for group in groups {
        let deliveries = group.deliveries();
        let mut add_reason =
            |state: &'static str| reasons.add((state, group.reason_class.clone()), deliveries);
        match group.state.as_str() {
            "delivered" => counts.delivered += deliveries,
            "cancelled" => counts.cancelled += deliveries,
            "failed" => {
                counts.failed += deliveries;
                add_reason("failed");
            }
            _ => {
                counts.waiting += deliveries;
                add_reason("waiting");
            }
        }
    }
    counts.reasons = reasons
        .into_sorted()
        .into_iter()
        .map(|((state, reason), deliveries)| ReportReason {
            state: state.to_owned(),
            reason,
            deliveries,
        })
        .collect();
    counts
}
