//! The report on a generated launch, compared with figures that this file computes from the generated leads.

use std::collections::{BTreeMap, BTreeSet};

use ::lead::{Channel, ClosingReason, Interest, LeadState, field::timestamp};
use chrono::{DateTime, Datelike, Days, FixedOffset, TimeDelta, Utc};
use chrono_tz::Tz;
use contracts::crm::v1::{GetReportRequest, LeadFilter, VisitorEmailFilter};
use crm_sync::{db::Store, deliveries::Reminders, report::Period, search::filter::Filter};
use demo_data::{
    launch::{EmailKind, EmailState, LaunchLead, LaunchSettings, generate},
    store::Target,
};
use sea_orm::{Database as Connections, DatabaseConnection};
use serde_json::{Value, json};
use testkit::database::Database;

use crate::support::{lease_for, leased, migrated, on_both_databases};

on_both_databases! {
    report_has_every_figure_of_the_launch,
    notifier_sends_nothing_for_stored_leads,
}

/// Enough that a figure of 30 or 90 days is zero only if it is with 5,000 leads, too. Single days may have no lead.
const LEADS: u32 = 1200;
const DAYS: u16 = 60;

fn launch(leads: u32, emails_wait: bool) -> Vec<LaunchLead> {
    generate(&LaunchSettings {
        seed: 7,
        leads,
        days: DAYS,
        now: testkit::start_of_time(),
        zone: Tz::Asia__Singapore,
        emails_wait,
    })
}

async fn report_has_every_figure_of_the_launch(database: Database) {
    let store = migrated(&database).await;
    let connection: DatabaseConnection = Connections::connect(database.url()).await.unwrap();
    let leads = launch(LEADS, true);
    let target = Target {
        store: &store,
        connection: &connection,
    };
    target.store(&leads).await.unwrap();
    for days in [7, 30, 90] {
        let request = GetReportRequest {
            days,
            time_zone: "Asia/Singapore".to_owned(),
        };
        let period = Period::parse(&request, testkit::start_of_time()).unwrap();
        let report = json!(store.compute_report(&period).await.unwrap());
        let expected = Expected::new(&leads, days);
        let blocks = [
            ("headline", expected.headline()),
            ("days", expected.days()),
            ("sources", expected.sources()),
            ("wishes", expected.wishes()),
            ("outcome", expected.outcome()),
            ("deliveries", expected.deliveries()),
        ];
        for (name, block) in blocks {
            assert_eq!(report[name], block, "{name} of {days} days");
        }
        assert_lists_have_counted_leads(&store, &report).await;
    }
}

/// The lists to which the bars of the report lead have as many leads as the bars say.
async fn assert_lists_have_counted_leads(store: &Store, report: &Value) {
    let time = |name: &str| {
        let time: DateTime<Utc> = report[name].as_str().unwrap().parse().unwrap();
        Some(timestamp(time))
    };
    let all = || LeadFilter {
        submitted_from: time("from"),
        submitted_before: time("before"),
        spam: Some(false),
        ..LeadFilter::default()
    };
    let outcome = &report["outcome"];
    let leads_of = |list: &Value, name: &str, value: &Value| {
        let mut counts = list.as_array().unwrap().iter();
        counts
            .find(|count| count[name] == *value)
            .map_or(json!(0), |count| count["leads"].clone())
    };
    let reasons = &outcome["closing_reasons"];
    let mut lists = vec![
        (
            LeadFilter {
                contacted: Some(true),
                ..all()
            },
            outcome["reached_contact"].clone(),
        ),
        (
            LeadFilter {
                visit_booked: Some(true),
                ..all()
            },
            outcome["reached_visit"].clone(),
        ),
        (
            LeadFilter {
                closed_with_reason: Some(false),
                ..all()
            },
            leads_of(reasons, "closing_reason", &Value::Null),
        ),
        (
            LeadFilter {
                assigned: Some(false),
                ..all()
            },
            leads_of(&outcome["owners"], "owner", &json!("")),
        ),
    ];
    for emails in report["deliveries"].as_array().unwrap() {
        for state in ["delivered", "waiting", "failed", "cancelled"] {
            let visitor_email = Some(VisitorEmailFilter {
                kind: emails["kind"].as_str().unwrap().to_owned(),
                state: state.to_owned(),
                changed_from: time("from"),
            });
            let filter = LeadFilter {
                visitor_email,
                ..LeadFilter::default()
            };
            lists.push((filter, emails[state].clone()));
        }
    }
    for (filter, expected) in lists {
        let parsed = Filter::parse(filter.clone()).unwrap();
        let listed = store.total(&parsed).await.unwrap();
        assert_eq!(json!(listed), expected, "{filter:?}");
    }
}

async fn notifier_sends_nothing_for_stored_leads(database: Database) {
    let store = migrated(&database).await;
    let connection: DatabaseConnection = Connections::connect(database.url()).await.unwrap();
    let target = Target {
        store: &store,
        connection: &connection,
    };
    let leads = launch(300, false);
    target.store(&leads).await.unwrap();
    let none: [u128; 0] = [];
    assert_eq!(leased(&store, &lease_for("one")).await, none);
    let reminders = Reminders {
        submitted_after: testkit::start_of_time() - TimeDelta::days(i64::from(DAYS)),
        waiting_since: testkit::start_of_time(),
        default_recipients: vec!["mei@zyongrand.example".to_owned()],
    };
    assert_eq!(store.request_reminders(&reminders).await.unwrap(), 0);
    assert!(target.has_lead(leads[0].submission.id).await.unwrap());
}

/// The figures of the last days of a launch.
struct Expected<'l> {
    all: &'l [LaunchLead],
    /// Leads of the period that are neither erased, canaries nor suspected as spam.
    counted: Vec<&'l LaunchLead>,
    days: u64,
    now: DateTime<Utc>,
}

/// Singapore has no daylight saving time.
fn singapore() -> FixedOffset {
    FixedOffset::east_opt(8 * 3600).unwrap()
}

fn date_of(time: DateTime<Utc>) -> chrono::NaiveDate {
    time.with_timezone(&singapore()).date_naive()
}

fn start_of(date: chrono::NaiveDate) -> DateTime<Utc> {
    let midnight = date.and_hms_opt(0, 0, 0).unwrap();
    midnight.and_local_timezone(singapore()).unwrap().to_utc()
}

fn is_canary(lead: &LaunchLead) -> bool {
    lead.submission.is_canary()
}

/// Erased leads keep no signals.
fn is_spam(lead: &LaunchLead) -> bool {
    !lead.is_erased && !is_canary(lead) && !lead.submission.signals.is_empty()
}

fn is_lead(lead: &LaunchLead) -> bool {
    !lead.is_erased && !is_canary(lead) && lead.submission.signals.is_empty()
}

fn is_open(state: LeadState) -> bool {
    state != LeadState::Closed && state != LeadState::Invalid
}

fn median(leads: &[&LaunchLead]) -> (usize, Value) {
    let mut minutes: Vec<i64> = leads
        .iter()
        .filter(|lead| !lead.is_entered)
        .filter_map(|lead| Some((lead.contacted_at? - lead.submission.submitted_at).num_minutes()))
        .collect();
    minutes.sort_unstable();
    let middle = minutes.get(minutes.len().div_ceil(2).wrapping_sub(1));
    (minutes.len(), json!(middle.map(|minutes| minutes * 60)))
}

/// Counts values and sorts them: most first, then by value.
fn ranked<K: Ord>(values: impl IntoIterator<Item = K>) -> Vec<(K, u64)> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0_u64) += 1;
    }
    let mut ranked: Vec<(K, u64)> = counts.into_iter().collect();
    ranked.sort_by(|(_, one), (_, other)| other.cmp(one));
    ranked
}

fn named<K: Into<Value> + Ord>(field: &str, values: impl IntoIterator<Item = K>) -> Value {
    let ranked = ranked(values).into_iter();
    ranked
        .map(|(value, leads)| json!({ field: value.into(), "leads": leads }))
        .collect()
}

impl<'l> Expected<'l> {
    fn new(all: &'l [LaunchLead], days: u32) -> Self {
        let now = testkit::start_of_time();
        let days = u64::from(days);
        let first = date_of(now) - Days::new(days - 1);
        let counted = all
            .iter()
            .filter(|lead| is_lead(lead) && date_of(lead.submission.submitted_at) >= first)
            .collect();
        Self {
            all,
            counted,
            days,
            now,
        }
    }

    fn first_day(&self) -> chrono::NaiveDate {
        date_of(self.now) - Days::new(self.days - 1)
    }

    fn count_between(&self, from: DateTime<Utc>, before: DateTime<Utc>) -> usize {
        let leads = self.all.iter();
        leads
            .filter(|lead| {
                let time = lead.submission.submitted_at;
                (lead.is_erased || is_lead(lead)) && from <= time && time < before
            })
            .count()
    }

    fn headline(&self) -> Value {
        let today = date_of(self.now);
        let monday = start_of(today - Days::new(today.weekday().num_days_from_monday().into()));
        let week = TimeDelta::days(7);
        let is_waiting = |lead: &&LaunchLead| {
            is_lead(lead) && lead.state == LeadState::New && lead.do_not_contact_at.is_none()
        };
        let waiting: BTreeSet<&str> = self
            .all
            .iter()
            .filter(is_waiting)
            .map(|lead| &*lead.submission.email)
            .collect();
        let may_call = |lead: &&&LaunchLead| lead.submission.channels.contains(&Channel::Phone);
        let (contacted, median) = median(&self.counted);
        json!({
            "this_week": self.count_between(monday, self.now),
            "week_before_so_far": self.count_between(monday - week, self.now - week),
            "week_before": self.count_between(monday - week, monday),
            "waiting": waiting.len(),
            "leads": self.counted.len(),
            "agreed_to_calls": self.counted.iter().filter(may_call).count(),
            "contacted": contacted,
            "median_to_contact_seconds": median,
        })
    }

    fn days(&self) -> Value {
        let days = self
            .first_day()
            .iter_days()
            .take(usize::try_from(self.days).unwrap());
        days.map(|date| self.day(date)).collect()
    }

    fn day(&self, date: chrono::NaiveDate) -> Value {
        let of_day: Vec<&LaunchLead> = self
            .all
            .iter()
            .filter(|lead| date_of(lead.submission.submitted_at) == date)
            .collect();
        let count =
            |is_it: fn(&LaunchLead) -> bool| of_day.iter().filter(|lead| is_it(lead)).count();
        let with = |interest: Interest, without: &[Interest]| {
            let has = |lead: &LaunchLead, interest| lead.submission.interests.contains(&interest);
            let leads = of_day.iter().filter(|lead| is_lead(lead));
            leads
                .filter(|lead| has(lead, interest))
                .filter(|lead| !without.iter().any(|other| has(lead, *other)))
                .count()
        };
        let purchase = Interest::Purchase;
        let showflat = Interest::Showflat;
        let erased = count(|lead| lead.is_erased);
        json!({
            "day": date.to_string(),
            "from": start_of(date).format("%FT%TZ").to_string(),
            "before": start_of(date + Days::new(1)).format("%FT%TZ").to_string(),
            "is_unfinished": date == date_of(self.now),
            "leads": count(is_lead) + erased,
            "interests": [
                { "interest": "purchase", "leads": with(purchase, &[]) },
                { "interest": "showflat", "leads": with(showflat, &[purchase]) },
                { "interest": "brochure", "leads": with(Interest::Brochure, &[purchase, showflat]) },
            ],
            "erased": erased,
            "canaries": count(is_canary),
            "spam": count(is_spam),
        })
    }

    fn sources(&self) -> Value {
        let by = |value: fn(&LaunchLead) -> String| {
            let visits_of = |name: &String| {
                let booked = self
                    .counted
                    .iter()
                    .filter(|lead| lead.visit_booked_at.is_some());
                booked.filter(|lead| value(lead) == *name).count()
            };
            let ranked = ranked(self.counted.iter().map(|lead| value(lead))).into_iter();
            ranked
                .map(|(name, leads)| json!({ "visits": visits_of(&name), "value": name, "leads": leads }))
                .collect::<Value>()
        };
        let entered = self.counted.iter().filter(|lead| lead.is_entered);
        json!({
            "campaigns": by(|lead| origin(lead, 0)),
            "sources": by(|lead| origin(lead, 1)),
            "referrers": by(|lead| origin(lead, 2)),
            "entered_by_hand": entered.count(),
        })
    }

    fn wishes(&self) -> Value {
        let forms = || self.counted.iter().map(|lead| &lead.submission);
        let plans = forms().map(|form| form.plan.map_or("", |plan| plan.id.as_str()));
        let bedrooms = forms().filter_map(|form| {
            let id = &form.plan?.id;
            Some(match id.chars().next()? {
                'A' => 1,
                'B' => 2,
                'C' => 3,
                'D' => 4,
                _ => 5,
            })
        });
        let mut bedrooms = ranked::<u32>(bedrooms);
        bedrooms.sort_unstable();
        let bedrooms = bedrooms.into_iter();
        // Sorted by the order of the contract among equal numbers.
        let interests = ranked(forms().flat_map(|form| form.interests.clone())).into_iter();
        let languages = ranked(forms().map(|form| form.language)).into_iter();
        let times = forms().flat_map(|form| form.visit_times.iter().map(|time| time.id.as_str()));
        json!({
            "plans": named("value", plans),
            "bedrooms": bedrooms
                .map(|(bedrooms, leads)| json!({ "bedrooms": bedrooms, "leads": leads }))
                .collect::<Value>(),
            "interests": interests
                .map(|(interest, leads)| json!({ "interest": interest.id(), "leads": leads }))
                .collect::<Value>(),
            "languages": languages
                .map(|(language, leads)| json!({ "language": language.id(), "leads": leads }))
                .collect::<Value>(),
            "visit_times": named("value", times),
        })
    }

    fn outcome(&self) -> Value {
        let count = |is_it: &dyn Fn(&LaunchLead) -> bool| {
            self.counted.iter().filter(|lead| is_it(lead)).count()
        };
        let states = LeadState::ALL.iter().map(
            |state| json!({ "state": state.id(), "leads": count(&|lead| lead.state == *state) }),
        );
        let closed = self
            .counted
            .iter()
            .filter(|lead| lead.state == LeadState::Closed);
        let reasons = ranked(closed.map(|lead| lead.closing_reason)).into_iter();
        let owners = ranked(self.counted.iter().map(|lead| lead.owner)).into_iter();
        json!({
            "states": states.collect::<Value>(),
            "reached_contact": count(&|lead| lead.contacted_at.is_some()),
            "reached_visit": count(&|lead| lead.visit_booked_at.is_some()),
            "closing_reasons": reasons
                .map(|(reason, leads)| json!({ "closing_reason": reason.map(ClosingReason::id), "leads": leads }))
                .collect::<Value>(),
            "owners": owners.map(|(owner, leads)| self.owner(owner, leads)).collect::<Value>(),
        })
    }

    fn owner(&self, owner: &str, leads: u64) -> Value {
        let own: Vec<&LaunchLead> = self
            .counted
            .iter()
            .copied()
            .filter(|lead| lead.owner == owner)
            .collect();
        let open = own.iter().filter(|lead| is_open(lead.state));
        let steps: Vec<_> = open.clone().filter_map(|lead| lead.next_step_at).collect();
        json!({
            "owner": owner,
            "leads": leads,
            "open": open.count(),
            "follow_ups": steps.len(),
            "overdue": steps.iter().filter(|at| **at < self.now).count(),
            "median_to_contact_seconds": median(&own).1,
        })
    }

    fn deliveries(&self) -> Value {
        let from = start_of(self.first_day());
        let emails: Vec<_> = self
            .all
            .iter()
            .filter(|lead| !lead.is_erased)
            .flat_map(|lead| &lead.emails)
            .filter(|email| email.changed_at >= from)
            .collect();
        let count = |kind: EmailKind, state: EmailState| {
            let emails = emails.iter().filter(|email| email.kind == kind);
            emails.filter(|email| email.state == state).count()
        };
        let block = |(kind, name): (EmailKind, &str)| {
            let waiting = count(kind, EmailState::Deferred);
            let failed = count(kind, EmailState::Failed);
            let mut reasons = vec![("failed", failed), ("waiting", waiting)];
            reasons.retain(|(_, number)| *number > 0);
            reasons.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
            let reasons = reasons.into_iter();
            json!({
                "kind": name,
                "delivered": count(kind, EmailState::Delivered),
                "waiting": waiting,
                "failed": failed,
                "cancelled": count(kind, EmailState::Cancelled),
                "reasons": reasons
                    .map(|(state, number)| json!({ "state": state, "reason": "smtp", "deliveries": number }))
                    .collect::<Value>(),
            })
        };
        [
            (EmailKind::Confirmation, "confirmation"),
            (EmailKind::Brochure, "brochure"),
        ]
        .into_iter()
        .map(block)
        .collect()
    }
}

/// Campaign, source or referring host; empty without a visit.
fn origin(lead: &LaunchLead, part: usize) -> String {
    let Some(visit) = &lead.submission.visit else {
        return String::new();
    };
    let attribution = &visit.attribution;
    let parts = [
        &attribution.campaign.name,
        &attribution.campaign.source,
        &attribution.referrer_host,
    ];
    parts[part].to_string()
}
