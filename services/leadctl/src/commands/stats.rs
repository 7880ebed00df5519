use std::{collections::BTreeMap, time::Duration};

use anyhow::Result;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use clap::{Args, value_parser};
use comfy_table::{Cell, CellAlignment, Table};
use contracts::crm::v1::{Count, CountLeadsRequest, StateCount};
use lead::{Interest, Language, LeadState, field::timestamp, text::single_line};
use runtime::clock::start_of_day;
use serde::Serialize;

use crate::{
    context::Context,
    output::{Output, format_count},
};

/// Count leads and measure the time to first contact
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl stats
  leadctl stats --days 7 --json")]
pub(crate) struct Stats {
    /// Number of days up to today
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = value_parser!(u16).range(1..=1000))]
    days: u16,
}

#[derive(Serialize)]
struct Report {
    time_zone: &'static str,
    days: Vec<Day>,
    #[serde(flatten)]
    total: Count,
    median_to_contact_seconds: Option<i64>,
    p90_to_contact_seconds: Option<i64>,
}

#[derive(Serialize)]
struct Day {
    day: NaiveDate,
    #[serde(flatten)]
    count: Count,
}

impl Stats {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let (now, zone) = (context.output.now, context.config.time_zone);
        let days = days_until(now, self.days, zone);
        let from = days
            .iter()
            .filter_map(|day| start_of_day(*day, &zone))
            .map(timestamp)
            .collect();
        let request = CountLeadsRequest {
            from,
            before: Some(timestamp(now)),
        };
        let counts = context.crm().leads.count_leads(request).await?.into_inner();
        let days = days.into_iter().zip(counts.spans);
        let report = Report {
            time_zone: zone.name(),
            days: days.map(|(day, count)| Day { day, count }).collect(),
            total: counts.total.unwrap_or_default(),
            median_to_contact_seconds: counts.median_to_contact.map(|span| span.seconds),
            p90_to_contact_seconds: counts.p90_to_contact.map(|span| span.seconds),
        };
        context
            .output
            .print(&report, || Ok(report.format(&context.output)))
    }
}

/// Returns the last `days` days in the zone up to the day of `now`, oldest first.
fn days_until(now: DateTime<Utc>, days: u16, zone: Tz) -> Vec<NaiveDate> {
    let today = now.with_timezone(&zone).date_naive();
    let first = today - chrono::Days::new(u64::from(days) - 1);
    first.iter_days().take(days.into()).collect()
}

impl Report {
    fn format(&self, output: &Output) -> String {
        let (leads, days) = (
            self.total.leads,
            format_count(self.days.len(), "day", "days"),
        );
        if leads == 0 {
            return format!("No leads in {days}.");
        }
        let contact = match (self.median_to_contact_seconds, self.p90_to_contact_seconds) {
            (Some(median), Some(p90)) => {
                let [median, p90] = [median, p90].map(format_span);
                format!("Time to first contact\n  50 %  within {median}\n  90 %  within {p90}")
            }
            (_, _) => "No visitor was contacted yet.".to_owned(),
        };
        let summary = format!(
            "{} in {days} ({})",
            format_count(leads, "lead", "leads"),
            self.time_zone
        );
        [
            summary,
            self.format_days(output),
            self.format_owners(output),
            contact,
        ]
        .join("\n\n")
    }

    /// The counts of interests may add up to more than the leads, because a lead may have several interests.
    fn format_days(&self, output: &Output) -> String {
        let row = |name: &str, count: &Count| {
            let interests = count
                .interests
                .iter()
                .map(|it| (it.interest, it.leads))
                .collect();
            let languages = count
                .languages
                .iter()
                .map(|it| (it.language, it.leads))
                .collect();
            let interests = list_counts(Interest::ALL, Interest::number, &interests);
            let languages = list_counts(Language::ALL, Language::number, &languages);
            numeric_row(
                name,
                [vec![count.leads], interests, languages, vec![count.spam]].concat(),
            )
        };
        let interests = Interest::ALL.iter().map(|interest| interest.id());
        let languages = Language::ALL.iter().map(|language| language.id());
        let header = ["leads"]
            .into_iter()
            .chain(interests)
            .chain(languages)
            .chain(["spam"]);
        let mut table = Table::new();
        table.set_header(numeric_row("DAY", header.map(str::to_uppercase)));
        table.add_rows(
            self.days
                .iter()
                .map(|it| row(&it.day.format("%a %Y-%m-%d").to_string(), &it.count)),
        );
        table.add_row(row("Total", &self.total));
        output.layout(table, [])
    }

    fn format_owners(&self, output: &Output) -> String {
        let row = |name: &str, counts: &[StateCount]| {
            let states = counts.iter().map(|it| (it.state, it.leads)).collect();
            let states = list_counts(LeadState::ALL, LeadState::number, &states);
            numeric_row(name, [vec![states.iter().sum()], states].concat())
        };
        let states = LeadState::ALL.iter().map(|state| state.id());
        let mut table = Table::new();
        table.set_header(numeric_row(
            "OWNER",
            ["leads"].into_iter().chain(states).map(str::to_uppercase),
        ));
        table.add_rows(
            self.total
                .owners
                .iter()
                .map(|it| match single_line(&it.owner) {
                    none if none.is_empty() => row("unassigned", &it.states),
                    owner => row(&owner, &it.states),
                }),
        );
        table.add_row(row("Total", &self.total.states));
        output.layout(table, [10])
    }
}

/// Returns the count of each value in the order of `all`, or 0 for a missing value.
fn list_counts<T: Copy>(all: &[T], number: fn(T) -> i32, counts: &BTreeMap<i32, u64>) -> Vec<u64> {
    all.iter()
        .map(|value| counts.get(&number(*value)).copied().unwrap_or(0))
        .collect()
}

/// Creates a row with a name, and numbers or their headings aligned to the right.
fn numeric_row(name: &str, numbers: impl IntoIterator<Item = impl ToString>) -> Vec<Cell> {
    let numbers = numbers
        .into_iter()
        .map(|number| Cell::new(number).set_alignment(CellAlignment::Right));
    [Cell::new(name)].into_iter().chain(numbers).collect()
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
    use contracts::crm::v1::{InterestCount, LanguageCount, OwnerCount};

    use super::*;
    use crate::{output::to_json, tests::NARROW};

    fn count(leads: u64) -> Count {
        let interest = |interest: i32, leads| InterestCount { interest, leads };
        let language = |language: i32, leads| LanguageCount { language, leads };
        Count {
            leads,
            interests: vec![interest(1, leads / 2), interest(2, 0), interest(3, leads)],
            languages: vec![language(1, leads - leads / 3), language(2, leads / 3)],
            states: states(leads),
            spam: leads / 50,
            owners: Vec::new(),
        }
    }

    fn states(leads: u64) -> Vec<StateCount> {
        let state = |state: i32, leads| StateCount { state, leads };
        vec![
            state(1, leads - leads / 4),
            state(2, leads / 4),
            state(5, 1),
        ]
    }

    fn report() -> Report {
        let numbers = [0, 7, 48, 113, 1];
        let days = (1..).zip(numbers).map(|(day, leads)| Day {
            day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
            count: count(leads),
        });
        let owners = [("Mei Tan", 120), ("陈伟", 40), ("", 9)].map(|(owner, leads)| OwnerCount {
            owner: owner.to_owned(),
            states: states(leads),
        });
        Report {
            time_zone: "Asia/Singapore",
            days: days.collect(),
            total: Count {
                owners: owners.into(),
                ..count(numbers.iter().sum())
            },
            median_to_contact_seconds: Some(42 * 60),
            p90_to_contact_seconds: Some(1500 * 60),
        }
    }

    #[test]
    fn tables_fit_eighty_columns() {
        let text = report().format(&NARROW);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        insta::assert_snapshot!("stats", text);
        insta::assert_snapshot!("stats.json", to_json(&report()).unwrap());
    }

    #[test]
    fn no_leads_print_no_table() {
        let days = vec![Day {
            day: report().days[4].day,
            count: Count::default(),
        }];
        let total = Count {
            spam: 1,
            ..Count::default()
        };
        let nothing = Report {
            days,
            total,
            median_to_contact_seconds: None,
            ..report()
        };
        insta::assert_snapshot!("stats_nothing", nothing.format(&NARROW));
    }

    #[test]
    fn days_follow_the_time_zone() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let days = |until: &str, days| days_until(at(until), days, Tz::Asia__Singapore);
        let text = |days: Vec<NaiveDate>| days.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(text(days("2026-02-28T15:59:59Z", 1)), ["2026-02-28"]);
        assert_eq!(
            text(days("2026-02-28T16:00:00Z", 2)),
            ["2026-02-28", "2026-03-01"]
        );
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
