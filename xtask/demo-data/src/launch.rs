//! Generates the leads of a launch and what became of them. The same settings give the same launch.

use std::ops::Range;

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc, Weekday};
use chrono_tz::Tz;
use fastrand::Rng;
use lead::{
    Attribution, Campaign, Channel, ClosingReason, HomePreference, Interest, Language, Lead,
    LeadState, Plan, SpamSignal, Visit, VisitTime, privacy_policy,
};
use runtime::clock::start_of_day;
use uuid::{Uuid, uuid};

use crate::choices::{
    BEDROOMS, CAMPAIGNS, HOURS, NAMES, OWNERS, PLANS, PURPOSES, REFERRERS, VISIT_TIMES, happens,
    weighted,
};

/// The namespace of the ids.
const NAMESPACE: Uuid = uuid!("0d6b8b4c-8f3d-4f0e-9a83-5b0e6a1d2c47");

/// Canaries of each day.
const CANARIES: u32 = 4;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct LaunchSettings {
    pub seed: u64,
    /// Number of leads, without canaries.
    pub leads: u32,
    /// Number of days up to `now`.
    pub days: u16,
    /// The moment until which the launch has run.
    pub now: DateTime<Utc>,
    pub zone: Tz,
    /// Whether some emails wait to be sent. A notifier would send them.
    pub emails_wait: bool,
}

/// A lead and what became of it.
#[derive(Clone)]
pub struct LaunchLead {
    pub submission: Lead,
    /// Whether a person of the sales team entered the lead by hand.
    pub is_entered: bool,
    pub state: LeadState,
    /// Empty: nobody.
    pub owner: &'static str,
    pub contacted_at: Option<DateTime<Utc>>,
    /// When a visit was booked; kept in later states.
    pub visit_booked_at: Option<DateTime<Utc>>,
    pub next_step_at: Option<DateTime<Utc>>,
    pub closing_reason: Option<ClosingReason>,
    pub do_not_contact_at: Option<DateTime<Utc>>,
    /// Emails to the visitor.
    pub emails: Vec<VisitorEmail>,
    pub is_erased: bool,
}

/// An email to a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitorEmail {
    pub kind: EmailKind,
    pub state: EmailState,
    /// When the state last changed.
    pub changed_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailKind {
    Confirmation,
    Brochure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailState {
    Delivered,
    /// Tried without success, and tried again later.
    Deferred,
    Failed,
    Cancelled,
}

/// Generates the leads, oldest first.
pub fn generate(settings: &LaunchSettings) -> Vec<LaunchLead> {
    let mut random = Rng::with_seed(settings.seed);
    let mut times = submission_times(settings, &mut random);
    times.sort_unstable();
    let mut leads: Vec<LaunchLead> = Vec::new();
    for (number, submitted_at) in (0..).zip(times) {
        let earlier = happens(5, &mut random)
            .then(|| random.choice(&leads))
            .flatten()
            .filter(|lead| !lead.is_entered)
            .map(|lead| lead.submission.clone());
        leads.push(generate_lead(
            settings,
            number,
            submitted_at,
            earlier,
            &mut random,
        ));
    }
    leads.extend(canaries(settings));
    leads.sort_by_key(|lead| lead.submission.submitted_at);
    leads
}

/// Whether a lead is of this launch.
pub fn id_of(seed: u64, number: u32) -> Uuid {
    Uuid::new_v5(&NAMESPACE, format!("{seed}/{number}").as_bytes())
}

fn days(settings: &LaunchSettings) -> impl Iterator<Item = NaiveDate> {
    let today = settings.now.with_timezone(&settings.zone).date_naive();
    let first = today - chrono::Days::new(u64::from(settings.days) - 1);
    first.iter_days().take(settings.days.into())
}

/// More leads in the first days and at weekends.
fn submission_times(settings: &LaunchSettings, random: &mut Rng) -> Vec<DateTime<Utc>> {
    let weights: Vec<(u32, NaiveDate)> = (0..)
        .zip(days(settings))
        .map(|(place, date)| {
            let age: u32 = 40 + 120 / (1 + place / 4);
            let is_weekend = matches!(date.weekday(), Weekday::Sat | Weekday::Sun);
            (if is_weekend { age * 2 } else { age }, date)
        })
        .collect();
    let hours: Vec<(u32, i64)> = HOURS.into_iter().zip(0..).collect();
    let mut times = Vec::new();
    while times.len() < settings.leads as usize {
        let date = weighted(&weights, random);
        let seconds = weighted(&hours, random) * 3600 + random.i64(0..3600);
        let microseconds = random.i64(0..1_000_000);
        let start = start_of_day(date, &settings.zone).unwrap_or(settings.now);
        let time = start + TimeDelta::seconds(seconds) + TimeDelta::microseconds(microseconds);
        if time < settings.now {
            times.push(time);
        }
    }
    times
}

fn generate_lead(
    settings: &LaunchSettings,
    number: u32,
    submitted_at: DateTime<Utc>,
    earlier: Option<Lead>,
    random: &mut Rng,
) -> LaunchLead {
    let is_entered = earlier.is_none() && happens(3, random);
    let visitor = earlier.unwrap_or_else(|| new_visitor(number, random));
    let id = id_of(settings.seed, number);
    let submission = Lead {
        name: visitor.name,
        mobile: visitor.mobile,
        email: visitor.email,
        language: visitor.language,
        channels: visitor.channels,
        plan: Plan::find(weighted(&PLANS, random)),
        visit_times: visit_times(random),
        home_preferences: home_preferences(random),
        interests: interests(random),
        privacy_policy_version: privacy_policy::current().into(),
        visit: (!is_entered).then(|| visit(submitted_at, random)),
        signals: if !is_entered && happens(2, random) {
            vec![SpamSignal::Links]
        } else {
            Vec::new()
        },
        ..Lead::empty(id, submitted_at)
    };
    let mut lead = LaunchLead {
        submission,
        is_entered,
        state: LeadState::New,
        owner: "",
        contacted_at: None,
        visit_booked_at: None,
        next_step_at: None,
        closing_reason: None,
        do_not_contact_at: None,
        emails: Vec::new(),
        is_erased: happens(1, random),
    };
    lead.progress(settings, random);
    lead.send_emails(settings, random);
    lead
}

/// A name, an address, a number, a language and channels that no other visitor has.
fn new_visitor(number: u32, random: &mut Rng) -> Lead {
    let place = random.usize(..NAMES.len());
    let (surname, given) = NAMES[place];
    let is_chinese = place >= 7;
    let name = if is_chinese {
        format!("{surname}{given}")
    } else {
        format!("{given} {surname}")
    };
    let channels = [(Channel::Phone, 60), (Channel::Message, 45)];
    let agreed = channels
        .into_iter()
        .filter(|(_, percent)| happens(*percent, random));
    Lead {
        name: name.into(),
        mobile: format!("+65 8{:03} {:04}", number / 10_000 % 1000, number % 10_000).into(),
        email: format!("visitor{number}@demo.example").into(),
        language: if is_chinese {
            Language::Chinese
        } else {
            Language::English
        },
        channels: agreed.map(|(channel, _)| channel).collect(),
        ..Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH)
    }
}

fn interests(random: &mut Rng) -> Vec<Interest> {
    let percents = [
        (Interest::Brochure, 55),
        (Interest::Purchase, 30),
        (Interest::Showflat, 50),
    ];
    let chosen: Vec<_> = percents
        .into_iter()
        .filter(|(_, percent)| happens(*percent, random))
        .map(|(interest, _)| interest)
        .collect();
    if chosen.is_empty() {
        vec![Interest::Brochure]
    } else {
        chosen
    }
}

fn visit_times(random: &mut Rng) -> Vec<&'static VisitTime> {
    if !happens(60, random) {
        return Vec::new();
    }
    let ids = [(); 2].map(|()| weighted(&VISIT_TIMES, random));
    VisitTime::known_from_contract(&ids)
}

fn home_preferences(random: &mut Rng) -> Vec<&'static HomePreference> {
    if !happens(40, random) {
        return Vec::new();
    }
    let bedrooms = weighted(&BEDROOMS, random);
    let purpose = weighted(&PURPOSES, random);
    HomePreference::known_from_contract(&[bedrooms, purpose])
}

fn visit(submitted_at: DateTime<Utc>, random: &mut Rng) -> Visit {
    let [name, source, medium] = weighted(&CAMPAIGNS, random);
    Visit {
        id: Uuid::from_u128(random.u128(..)),
        started_at: submitted_at - TimeDelta::seconds(random.i64(40..900)),
        is_network_busy: false,
        attribution: Attribution {
            landing_path: "/".into(),
            referrer_host: weighted(&REFERRERS, random).into(),
            campaign: Campaign {
                source: source.into(),
                medium: medium.into(),
                name: name.into(),
                ..Campaign::default()
            },
        },
    }
}

/// A full hour from 10:00 to 18:00 in the zone, this many days after a time.
fn appointment(
    after: DateTime<Utc>,
    days: Range<u64>,
    zone: Tz,
    random: &mut Rng,
) -> DateTime<Utc> {
    let day = after.with_timezone(&zone).date_naive() + Days::new(random.u64(days));
    let hours = TimeDelta::hours(random.i64(10..=18));
    start_of_day(day, &zone).unwrap_or(after) + hours
}

impl LaunchLead {
    /// Contacts the visitor, books a visit and closes the lead, as far as the time until `now` allows.
    fn progress(&mut self, settings: &LaunchSettings, random: &mut Rng) {
        let LaunchSettings { now, zone, .. } = *settings;
        let submitted_at = self.submission.submitted_at;
        if !self.submission.signals.is_empty() {
            self.state = LeadState::Invalid;
            return;
        }
        if happens(1, random) {
            self.do_not_contact_at =
                Some(submitted_at + TimeDelta::seconds(30)).filter(|at| *at < now);
            return;
        }
        let minutes = if self.is_entered {
            0
        } else {
            weighted(&[(50, 40), (30, 300), (15, 1500), (5, 6000)], random)
        };
        let contacted_at = submitted_at + TimeDelta::seconds(random.i64(0..=minutes * 60));
        if contacted_at >= now || (!self.is_entered && happens(3, random)) {
            return;
        }
        self.contacted_at = Some(contacted_at);
        self.state = LeadState::Contacted;
        self.owner = weighted(&[(55, OWNERS[0]), (45, OWNERS[1])], random);
        self.next_step_at =
            happens(70, random).then(|| appointment(contacted_at, 1..10, zone, random));
        self.book_visit(now, zone, random);
        self.close(now, random);
    }

    fn book_visit(&mut self, now: DateTime<Utc>, zone: Tz, random: &mut Rng) {
        let is_wanted = happens(35, random);
        let booked_at = self
            .contacted_at
            .map(|at| at + TimeDelta::hours(random.i64(1..120)))
            .filter(|at| is_wanted && *at < now);
        let Some(booked_at) = booked_at else {
            return;
        };
        self.visit_booked_at = Some(booked_at);
        self.state = LeadState::VisitBooked;
        self.next_step_at = Some(appointment(booked_at, 1..7, zone, random));
    }

    fn close(&mut self, now: DateTime<Utc>, random: &mut Rng) {
        let last_change = self.visit_booked_at.or(self.contacted_at);
        let closed_at = last_change.map(|at| at + TimeDelta::hours(random.i64(48..400)));
        let may_close = closed_at.is_some_and(|at| at < now) && happens(45, random);
        // Few next steps are forgotten for longer than two days.
        let is_over = |at: DateTime<Utc>| at < now - TimeDelta::days(2);
        let was_done = self.next_step_at.is_some_and(is_over) && happens(97, random);
        if !may_close && !was_done {
            return;
        }
        self.state = LeadState::Closed;
        self.next_step_at = None;
        let bought = if self.visit_booked_at.is_some() {
            30
        } else {
            0
        };
        self.closing_reason = weighted(
            &[
                (bought, Some(ClosingReason::Bought)),
                (12, Some(ClosingReason::BoughtElsewhere)),
                (30, Some(ClosingReason::NotInterested)),
                (25, Some(ClosingReason::Unreachable)),
                (6, Some(ClosingReason::Other)),
                (4, None),
            ],
            random,
        );
    }

    fn send_emails(&mut self, settings: &LaunchSettings, random: &mut Rng) {
        if self.is_entered {
            return;
        }
        let sent_at = self.submission.submitted_at + TimeDelta::seconds(random.i64(1..20));
        let wants_brochure = self.submission.interests.contains(&Interest::Brochure);
        let kinds = [
            (EmailKind::Confirmation, true),
            (EmailKind::Brochure, wants_brochure && happens(50, random)),
        ];
        for (kind, _) in kinds.into_iter().filter(|(_, is_sent)| *is_sent) {
            let waiting = if settings.emails_wait { 2 } else { 0 };
            let state = weighted(
                &[
                    (95, EmailState::Delivered),
                    (waiting, EmailState::Deferred),
                    (1, EmailState::Failed),
                    (2, EmailState::Cancelled),
                ],
                random,
            );
            self.emails.push(VisitorEmail {
                kind,
                state,
                changed_at: sent_at.min(settings.now),
            });
        }
    }
}

fn canaries(settings: &LaunchSettings) -> Vec<LaunchLead> {
    let numbers = (settings.leads..).step_by(CANARIES as usize);
    let of_day = |(date, first): (NaiveDate, u32)| {
        let start = start_of_day(date, &settings.zone).unwrap_or(settings.now);
        (0..CANARIES).map(move |number| {
            let hour = TimeDelta::hours(i64::from(number) * 6);
            (first + number, start + hour)
        })
    };
    days(settings)
        .zip(numbers)
        .flat_map(of_day)
        .filter(|(_, submitted_at)| *submitted_at < settings.now)
        .map(|(number, submitted_at)| canary(settings.seed, number, submitted_at))
        .collect()
}

fn canary(seed: u64, number: u32, submitted_at: DateTime<Utc>) -> LaunchLead {
    LaunchLead {
        submission: Lead {
            name: "Canary".into(),
            mobile: "+65 8999 9999".into(),
            email: "canary@demo.example".into(),
            interests: vec![Interest::Brochure],
            signals: vec![SpamSignal::Canary],
            ..Lead::empty(id_of(seed, number), submitted_at)
        },
        is_entered: false,
        state: LeadState::New,
        owner: "",
        contacted_at: None,
        visit_booked_at: None,
        next_step_at: None,
        closing_reason: None,
        do_not_contact_at: None,
        emails: Vec::new(),
        is_erased: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(seed: u64) -> LaunchSettings {
        LaunchSettings {
            seed,
            leads: 500,
            days: 60,
            now: "2026-03-01T04:05:06Z".parse().unwrap(),
            zone: Tz::Asia__Singapore,
            emails_wait: false,
        }
    }

    fn ids(leads: &[LaunchLead]) -> Vec<(Uuid, DateTime<Utc>)> {
        leads
            .iter()
            .map(|lead| (lead.submission.id, lead.submission.submitted_at))
            .collect()
    }

    #[test]
    fn same_seed_gives_same_launch() {
        let first = generate(&settings(1));
        assert_eq!(ids(&first), ids(&generate(&settings(1))));
        assert_ne!(ids(&first), ids(&generate(&settings(2))));
        let canaries = first.iter().filter(|lead| lead.submission.is_canary());
        assert_eq!(first.len() - canaries.count(), 500);
    }

    #[test]
    fn nothing_happens_after_the_end_except_next_steps() {
        let settings = settings(3);
        for lead in generate(&settings) {
            let times = [
                Some(lead.submission.submitted_at),
                lead.contacted_at,
                lead.visit_booked_at,
                lead.do_not_contact_at,
            ];
            assert!(times.into_iter().flatten().all(|at| at < settings.now));
            let is_waiting = |email: &VisitorEmail| email.state == EmailState::Deferred;
            assert!(!lead.emails.iter().any(is_waiting));
        }
    }
}
