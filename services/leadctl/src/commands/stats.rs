use std::time::Duration;

use anyhow::Result;
use chrono::NaiveDate;
use clap::{Args, ValueEnum, value_parser};
use contracts::crm::v1::{
    GetReportRequest, GetReportResponse, InterestCount, LanguageCount, ReportDay, ReportDeliveries,
    ReportHeadline, ReportOwner, ReportReason, SourceCount, StateCount, ValueCount,
};
use lead::{ClosingReason, Interest, Language, LeadState, text::single_line};

use crate::{
    commands::bars::{Bar, format_bars},
    context::Context,
    output::{Output, format_count},
};

/// Report on the leads of the last days
#[derive(Args)]
#[command(after_help = "\
The report leaves out canaries and leads suspected as spam. An erased lead counts in its day only.

Examples:
  leadctl stats
  leadctl stats --days 7 --by campaign
  leadctl stats --days 90 --json")]
pub(crate) struct Stats {
    /// Number of days up to today
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = value_parser!(u16).range(1..=1000))]
    days: u16,
    /// Print only the bars by this value
    #[arg(long, conflicts_with = "json")]
    by: Option<By>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Source,
    Campaign,
    Plan,
    Owner,
}

impl Stats {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let request = GetReportRequest {
            days: self.days.into(),
            time_zone: context.config.time_zone.name().to_owned(),
        };
        let report = context.crm().leads.get_report(request).await?.into_inner();
        context.output.print(&report, || {
            Ok(format_report(&report, self.by, &context.output))
        })
    }
}

fn format_report(report: &GetReportResponse, by: Option<By>, output: &Output) -> String {
    let blocks = match by {
        None => format_all(report, output),
        Some(by) => vec![format_by(report, by, output)],
    };
    let filled: Vec<String> = blocks.into_iter().flatten().collect();
    if filled.is_empty() {
        return format!(
            "No leads in {}.",
            format_count(report.days.len(), "day", "days")
        );
    }
    filled.join("\n\n")
}

fn format_all(report: &GetReportResponse, output: &Output) -> Vec<Option<String>> {
    let leads: u64 = report.days.iter().map(|day| day.leads).sum();
    let headline = report.headline.unwrap_or_default();
    if leads == 0 && headline == ReportHeadline::default() {
        return Vec::new();
    }
    let sources = report.sources.clone().unwrap_or_default();
    let wishes = report.wishes.clone().unwrap_or_default();
    let outcome = report.outcome.clone().unwrap_or_default();
    let bedrooms = wishes.bedrooms.iter().map(|count| {
        let label = format_count(count.bedrooms, "bedroom", "bedrooms");
        Bar::new(label, count.leads)
    });
    let mut blocks = vec![
        Some(format_total(report, leads)),
        Some(format_headline(headline, output)),
        format_bars("leads a day", report.days.iter().map(day_bar), output),
        format_by(report, By::Campaign, output),
        format_by(report, By::Source, output),
        format_bars("referrer", sources.referrers.iter().map(source_bar), output),
        format_by(report, By::Plan, output),
        format_bars("bedrooms", bedrooms, output),
        format_bars(
            "interest",
            wishes.interests.iter().map(interest_bar),
            output,
        ),
        format_bars(
            "language",
            wishes.languages.iter().map(language_bar),
            output,
        ),
        format_bars(
            "visit time",
            wishes.visit_times.iter().map(value_bar),
            output,
        ),
        format_bars("state", outcome.states.iter().map(state_bar), output),
    ];
    let reasons = outcome.closing_reasons.iter().map(|count| {
        let reason = ClosingReason::from_repr(count.closing_reason);
        let label = reason.map_or("not given", ClosingReason::id);
        Bar::new(label.to_owned(), count.leads)
    });
    blocks.push(format_bars("closed because", reasons, output));
    blocks.push(format_by(report, By::Owner, output));
    blocks.extend(
        report
            .deliveries
            .iter()
            .map(|deliveries| format_deliveries(deliveries, output)),
    );
    blocks
}

fn format_by(report: &GetReportResponse, by: By, output: &Output) -> Option<String> {
    match by {
        By::Source => {
            let sources = &report.sources.as_ref()?.sources;
            format_bars("source", sources.iter().map(source_bar), output)
        }
        By::Campaign => {
            let campaigns = &report.sources.as_ref()?.campaigns;
            format_bars("campaign", campaigns.iter().map(source_bar), output)
        }
        By::Plan => {
            let plans = &report.wishes.as_ref()?.plans;
            format_bars("plan", plans.iter().map(value_bar), output)
        }
        By::Owner => {
            let owners = &report.outcome.as_ref()?.owners;
            format_bars("owner", owners.iter().map(owner_bar), output)
        }
    }
}

fn format_total(report: &GetReportResponse, leads: u64) -> String {
    let sum = |number: fn(&ReportDay) -> u64| report.days.iter().map(number).sum::<u64>();
    let left_out = [
        (
            sum(|day| day.spam),
            "suspected as spam",
            "suspected as spam",
        ),
        (sum(|day| day.canaries), "canary", "canaries"),
    ];
    let left_out: Vec<String> = left_out
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, several)| format_count(number, one, several))
        .collect();
    let erased = match sum(|day| day.erased) {
        0 => String::new(),
        erased => format!(", {erased} of them erased"),
    };
    let total = format!(
        "{} in {} ({}){erased}",
        format_count(leads, "lead", "leads"),
        format_count(report.days.len(), "day", "days"),
        report.time_zone
    );
    if left_out.is_empty() {
        total
    } else {
        format!("{total}\nLeft out: {}", left_out.join(", "))
    }
}

fn format_headline(headline: ReportHeadline, output: &Output) -> String {
    let ReportHeadline {
        this_week,
        week_before_so_far,
        week_before,
        waiting,
        leads,
        agreed_to_calls,
        contacted,
        median_to_contact,
    } = headline;
    let mut pairs = vec![
        (
            "This week",
            format!(
                "{this_week}; the week before {week_before_so_far} by this time, {week_before} in total"
            ),
        ),
        (
            "Waiting now",
            format!(
                "{} without a first contact",
                format_count(waiting, "person", "people")
            ),
        ),
    ];
    if let Some(median) = median_to_contact {
        let median = format_span(median.seconds);
        pairs.push((
            "First contact",
            format!("after {median} (median of {contacted})"),
        ));
    }
    if leads > 0 {
        let share = percent(agreed_to_calls, leads);
        pairs.push(("May be called", format!("{share} % of {leads}")));
    }
    output.format_pairs(
        pairs
            .into_iter()
            .map(|(label, text)| (label.to_owned(), text)),
    )
}

fn format_deliveries(deliveries: &ReportDeliveries, output: &Output) -> Option<String> {
    let ReportDeliveries {
        kind,
        delivered,
        waiting,
        failed,
        cancelled,
        reasons,
    } = deliveries;
    let reasons_of = |state: &str| {
        let texts = reasons
            .iter()
            .filter(|reason| reason.state == state)
            .map(format_reason);
        texts.collect::<Vec<_>>().join(", ")
    };
    let bars = [
        Bar::new("delivered".to_owned(), *delivered),
        Bar {
            note: reasons_of("waiting"),
            ..Bar::new("waiting".to_owned(), *waiting)
        },
        Bar {
            note: reasons_of("failed"),
            ..Bar::new("failed".to_owned(), *failed)
        },
        Bar::new("cancelled".to_owned(), *cancelled),
    ];
    format_bars(&format!("{kind} emails"), bars, output)
}

fn format_reason(reason: &ReportReason) -> String {
    let class = match reason.reason.as_str() {
        "" => "not tried yet",
        class => class,
    };
    format!("{} {class}", reason.deliveries)
}

fn day_bar(day: &ReportDay) -> Bar {
    let label = day.day.parse().map_or_else(
        |_| day.day.clone(),
        |date: NaiveDate| date.format("%a %Y-%m-%d").to_string(),
    );
    Bar {
        note: if day.is_unfinished {
            "so far".to_owned()
        } else {
            String::new()
        },
        ..Bar::new(label, day.leads)
    }
}

fn source_bar(count: &SourceCount) -> Bar {
    let share = percent(count.visits, count.leads);
    Bar {
        note: format!("{share} % booked a visit"),
        ..Bar::new(label_of(&count.value), count.leads)
    }
}

fn value_bar(count: &ValueCount) -> Bar {
    Bar::new(label_of(&count.value), count.leads)
}

fn interest_bar(count: &InterestCount) -> Bar {
    let interest = Interest::from_repr(count.interest);
    Bar::new(
        interest.map_or("unknown", Interest::id).to_owned(),
        count.leads,
    )
}

fn language_bar(count: &LanguageCount) -> Bar {
    let language = Language::from_repr(count.language);
    Bar::new(
        language.map_or("unknown", Language::id).to_owned(),
        count.leads,
    )
}

fn state_bar(count: &StateCount) -> Bar {
    let state = LeadState::from_repr(count.state);
    Bar::new(
        state.map_or("unknown", LeadState::id).to_owned(),
        count.leads,
    )
}

fn owner_bar(owner: &ReportOwner) -> Bar {
    let label = match single_line(&owner.owner) {
        none if none.is_empty() => "unassigned".to_owned(),
        name => name,
    };
    let contact = owner
        .median_to_contact
        .map(|median| format!(", first contact after {}", format_span(median.seconds)));
    Bar {
        note: format!(
            "{} open, {} planned, {} overdue{}",
            owner.open,
            owner.follow_ups,
            owner.overdue,
            contact.unwrap_or_default()
        ),
        ..Bar::new(label, owner.leads)
    }
}

/// A value that a visitor's browser sent, for a terminal.
fn label_of(value: &str) -> String {
    match single_line(value) {
        none if none.is_empty() => "none".to_owned(),
        text => text,
    }
}

/// Rounded to a whole number; 0 of nothing.
fn percent(part: u64, whole: u64) -> u64 {
    (part * 100 + whole / 2).checked_div(whole).unwrap_or(0)
}

/// Formats a duration, rounded down to the minute from one hour on.
fn format_span(seconds: i64) -> String {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    let seconds = if seconds < 3600 {
        seconds
    } else {
        seconds - seconds % 60
    };
    humantime::format_duration(Duration::from_secs(seconds)).to_string()
}

#[cfg(test)]
mod tests {
    use contracts::crm::v1::{
        BedroomsCount, ClosingReasonCount, ReportOutcome, ReportSources, ReportWishes,
    };

    use super::*;
    use crate::{output::to_json, tests::NARROW};

    fn days() -> Vec<ReportDay> {
        let numbers = [0, 7, 48, 113, 1];
        (1..)
            .zip(numbers)
            .map(|(day, leads)| ReportDay {
                day: format!("2026-03-{day:02}"),
                is_unfinished: day == 5,
                leads,
                erased: leads / 100,
                spam: leads / 50,
                canaries: 288,
                ..ReportDay::default()
            })
            .collect()
    }

    fn span(seconds: i64) -> Option<prost_types::Duration> {
        Some(prost_types::Duration { seconds, nanos: 0 })
    }

    fn sources() -> ReportSources {
        let source = |value: &str, leads, visits| SourceCount {
            value: value.to_owned(),
            leads,
            visits,
        };
        ReportSources {
            campaigns: vec![source("launch", 120, 30), source("", 47, 1)],
            sources: vec![
                source("小红书", 90, 11),
                source("bad\u{1b}[31m\nline", 77, 20),
            ],
            referrers: vec![source("", 160, 31), source("news.example", 7, 0)],
            entered_by_hand: 3,
        }
    }

    fn wishes() -> ReportWishes {
        let value = |value: &str, leads| ValueCount {
            value: value.to_owned(),
            leads,
        };
        ReportWishes {
            plans: vec![value("", 100), value("C2N", 60), value("PH1", 7)],
            bedrooms: vec![
                BedroomsCount {
                    bedrooms: 1,
                    leads: 60,
                },
                BedroomsCount {
                    bedrooms: 5,
                    leads: 7,
                },
            ],
            interests: vec![InterestCount {
                interest: Interest::number(Interest::Showflat),
                leads: 120,
            }],
            languages: vec![LanguageCount {
                language: Language::number(Language::Chinese),
                leads: 167,
            }],
            visit_times: vec![value("weekend-mornings", 40)],
        }
    }

    fn outcome() -> ReportOutcome {
        let state = |state, leads| StateCount {
            state: LeadState::number(state),
            leads,
        };
        ReportOutcome {
            states: vec![
                state(LeadState::New, 40),
                state(LeadState::Contacted, 100),
                state(LeadState::VisitBooked, 0),
                state(LeadState::Closed, 27),
            ],
            reached_contact: 127,
            reached_visit: 31,
            closing_reasons: vec![ClosingReasonCount {
                closing_reason: ClosingReason::number(ClosingReason::Bought),
                leads: 27,
            }],
            owners: vec![
                ReportOwner {
                    owner: "陈伟".to_owned(),
                    leads: 127,
                    open: 100,
                    follow_ups: 80,
                    overdue: 3,
                    median_to_contact: span(42 * 60),
                },
                ReportOwner {
                    leads: 40,
                    open: 40,
                    ..ReportOwner::default()
                },
            ],
        }
    }

    fn report() -> GetReportResponse {
        let deliveries = ReportDeliveries {
            kind: "confirmation".to_owned(),
            delivered: 150,
            waiting: 3,
            failed: 0,
            cancelled: 1,
            reasons: vec![
                ReportReason {
                    state: "waiting".to_owned(),
                    reason: "smtp".to_owned(),
                    deliveries: 2,
                },
                ReportReason {
                    state: "waiting".to_owned(),
                    reason: String::new(),
                    deliveries: 1,
                },
            ],
        };
        GetReportResponse {
            time_zone: "Asia/Singapore".to_owned(),
            headline: Some(ReportHeadline {
                this_week: 120,
                week_before_so_far: 49,
                week_before: 80,
                waiting: 1,
                leads: 167,
                agreed_to_calls: 100,
                contacted: 127,
                median_to_contact: span(1500 * 60),
            }),
            days: days(),
            sources: Some(sources()),
            wishes: Some(wishes()),
            outcome: Some(outcome()),
            deliveries: vec![deliveries, ReportDeliveries::default()],
            ..GetReportResponse::default()
        }
    }

    #[test]
    fn bars_fit_eighty_columns_and_leave_out_zeros() {
        let text = format_report(&report(), None, &NARROW);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert!(!text.contains("visit_booked"), "{text}");
        insta::assert_snapshot!("stats", text);
        insta::assert_snapshot!("stats.json", to_json(&report()).unwrap());
    }

    #[test]
    fn prints_bars_by_one_value() {
        let by = |by| format_report(&report(), Some(by), &NARROW);
        for (value, title) in [
            (By::Source, "SOURCE"),
            (By::Campaign, "CAMPAIGN"),
            (By::Plan, "PLAN"),
            (By::Owner, "OWNER"),
        ] {
            let text = by(value);
            assert!(text.starts_with(title) && !text.contains("\n\n"), "{text}");
        }
    }

    #[test]
    fn no_leads_print_no_bars() {
        let nothing = GetReportResponse {
            headline: Some(ReportHeadline::default()),
            days: vec![
                ReportDay {
                    day: "2026-03-01".to_owned(),
                    spam: 1,
                    ..ReportDay::default()
                };
                5
            ],
            ..GetReportResponse::default()
        };
        for by in [None, Some(By::Campaign)] {
            assert_eq!(format_report(&nothing, by, &NARROW), "No leads in 5 days.");
        }
    }

    #[test]
    fn long_spans_have_no_seconds() {
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (61, "1m 1s"),
            (3661, "1h 1m"),
            (90_061, "1day 1h 1m"),
        ] {
            assert_eq!(format_span(seconds), text);
        }
    }
}
