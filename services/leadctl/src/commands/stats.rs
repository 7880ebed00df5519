use anyhow::{Result, bail};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use clap::Args;
use comfy_table::{Cell, CellAlignment};
use contracts::crm::v1::{Count, CountLeadsRequest, StateCount};
use lead::{Interest, Language, LeadState, field::timestamp, text::single_line};
use serde::Serialize;

use crate::{
    cli::Context,
    error::Error,
    leads::state_name,
    output::{Output, counted, span},
    time::{TimePoint, midnight},
};

/// Maximum number of days that the CRM counts at once.
const MOST_DAYS: usize = 1000;

const DEFAULT_DAYS: u32 = 30;

/// Count leads and measure the time to first contact
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl stats
  leadctl stats --days 7
  leadctl stats --since 2026-03-01 --json")]
pub(crate) struct Stats {
    /// Number of days up to today [default: 30]
    #[arg(long, value_name = "N", conflicts_with = "since", value_parser = clap::value_parser!(u32).range(1..=1000))]
    days: Option<u32>,
    /// First day: a date, a date and time, or 2h, 1d, 1w ago
    #[arg(long, value_name = "TIME")]
    since: Option<TimePoint>,
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
        let (now, zone) = (context.now, context.config.time_zone);
        let days = days(self.first_day().start(now, zone), now, zone)?;
        let from = days.iter().map(|day| timestamp(midnight(*day, zone))).collect();
        let request = CountLeadsRequest { from, before: Some(timestamp(now)) };
        let counts = context.crm().await?.call(async |crm| crm.count_leads(request).await).await?;
        let days = days.into_iter().zip(counts.spans);
        let report = Report {
            time_zone: zone.name(),
            days: days.map(|(day, count)| Day { day, count }).collect(),
            total: counts.total.unwrap_or_default(),
            median_to_contact_seconds: counts.median_to_contact.map(|span| span.seconds),
            p90_to_contact_seconds: counts.p90_to_contact.map(|span| span.seconds),
        };
        context.output.show(&report, || report.text(&context.output))
    }

    fn first_day(&self) -> TimePoint {
        self.since.unwrap_or(TimePoint::DaysAgo(self.days.unwrap_or(DEFAULT_DAYS) - 1))
    }
}

/// The days from `from` to `to`, both included.
fn days(from: DateTime<Utc>, to: DateTime<Utc>, zone: Tz) -> Result<Vec<NaiveDate>> {
    if from > to {
        bail!(Error::Usage("--since is in the future".to_owned()));
    }
    let [first, last] = [from, to].map(|time| time.with_timezone(&zone).date_naive());
    let days: Vec<_> = first.iter_days().take_while(|day| *day <= last).take(MOST_DAYS + 1).collect();
    if days.len() > MOST_DAYS {
        bail!(Error::Usage("statistics are limited to 1000 days: use a later --since".to_owned()));
    }
    Ok(days)
}

impl Report {
    fn text(&self, output: &Output) -> String {
        let mut sections = vec![self.summary()];
        if self.total.leads > 0 {
            sections.push(self.days_table(output));
            sections.push(self.owners_table(output));
        }
        sections.push(self.contact_text());
        sections.join("\n\n")
    }

    fn summary(&self) -> String {
        let leads = counted(self.total.leads, "lead", "leads");
        let days = match (self.days.first(), self.days.last()) {
            (Some(first), Some(last)) => format!(" from {} to {}", first.day, last.day),
            (_, _) => String::new(),
        };
        let spam = match self.total.spam {
            0 => String::new(),
            number => format!("; {number} with spam signals"),
        };
        format!("{leads}{days} ({}){spam}", self.time_zone)
    }

    /// A lead may have several interests.
    fn days_table(&self, output: &Output) -> String {
        let interests = Interest::ALL.iter().map(|interest| interest.id().to_uppercase());
        let languages = Language::ALL.iter().map(|language| language.id().to_uppercase());
        let header = ["LEADS".to_owned()].into_iter().chain(interests).chain(languages);
        let row = |name: &str, count: &Count| {
            let interests = Interest::ALL.iter().map(|interest| {
                let number = Interest::number(*interest);
                count.interests.iter().filter(|it| it.interest == number).map(|it| it.leads).sum()
            });
            let languages = Language::ALL.iter().map(|language| {
                let number = Language::number(*language);
                count.languages.iter().filter(|it| it.language == number).map(|it| it.leads).sum()
            });
            let numbers = [count.leads].into_iter().chain(interests).chain(languages).chain([count.spam]);
            numeric_row(name, numbers)
        };
        let days = self.days.iter().map(|it| row(&it.day.format("%a %Y-%m-%d").to_string(), &it.count));
        let rows = days.chain([row("Total", &self.total)]);
        output.table(numeric_row("DAY", header.chain(["SPAM".to_owned()])), &[], rows)
    }

    fn owners_table(&self, output: &Output) -> String {
        let states = LeadState::ALL.iter().map(|state| LeadState::number(*state));
        let names = states.clone().map(|state| state_name(state).to_uppercase());
        let header = numeric_row("OWNER", ["LEADS".to_owned()].into_iter().chain(names));
        let row = |name: &str, counts: &[StateCount]| {
            let sum = |state: Option<i32>| -> u64 {
                let counts = counts.iter().filter(|it| state.is_none_or(|state| it.state == state));
                counts.map(|it| it.leads).sum()
            };
            numeric_row(name, [None].into_iter().chain(states.clone().map(Some)).map(sum))
        };
        let owners = self.total.owners.iter().map(|it| match single_line(&it.owner) {
            none if none.is_empty() => row("unassigned", &it.states),
            owner => row(&owner, &it.states),
        });
        output.table(header, &["OWNER"], owners.chain([row("Total", &self.total.states)]))
    }

    fn contact_text(&self) -> String {
        match (self.median_to_contact_seconds, self.p90_to_contact_seconds) {
            (Some(median), Some(p90)) => format!(
                "Time to first contact\n  50 %  within {}\n  90 %  within {}",
                span(median),
                span(p90)
            ),
            (_, _) => "No visitor was contacted yet.".to_owned(),
        }
    }
}

/// A text, and numbers or their headings, aligned to the right.
fn numeric_row(name: &str, numbers: impl Iterator<Item = impl ToString>) -> Vec<Cell> {
    let numbers = numbers.map(|number| Cell::new(number).set_alignment(CellAlignment::Right));
    [Cell::new(name)].into_iter().chain(numbers).collect()
}

#[cfg(test)]
mod tests {
    use contracts::crm::v1::{InterestCount, LanguageCount, OwnerCount};

    use super::*;
    use crate::output::{NARROW, pretty_json};

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
        vec![state(1, leads - leads / 4), state(2, leads / 4), state(5, 1)]
    }

    fn report() -> Report {
        let numbers = [0, 7, 48, 113, 1];
        let days = (1..).zip(numbers).map(|(day, leads)| Day {
            day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
            count: count(leads),
        });
        let owners = [("Mei Tan", 120), ("陈伟", 40), ("", 9)]
            .map(|(owner, leads)| OwnerCount { owner: owner.to_owned(), states: states(leads) });
        Report {
            time_zone: "Asia/Singapore",
            days: days.collect(),
            total: Count { owners: owners.into(), ..count(numbers.iter().sum()) },
            median_to_contact_seconds: Some(42 * 60),
            p90_to_contact_seconds: Some(1500 * 60),
        }
    }

    #[test]
    fn tables_fit_eighty_columns() {
        let text = report().text(&NARROW);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        insta::assert_snapshot!("stats", text);
        insta::assert_snapshot!("stats.json", pretty_json(&report()).unwrap());
    }

    #[test]
    fn no_leads_need_no_table() {
        let days = vec![Day { day: report().days[4].day, count: Count::default() }];
        let total = Count { spam: 1, ..Count::default() };
        let nothing = Report { days, total, median_to_contact_seconds: None, ..report() };
        insta::assert_snapshot!("stats_nothing", nothing.text(&NARROW));
    }

    #[test]
    fn days_are_those_of_the_zone_and_limited() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let days = |from: &str, to: &str| days(at(from), at(to), Tz::Asia__Singapore);
        let two = days("2026-02-28T15:59:59Z", "2026-02-28T16:00:00Z").unwrap();
        assert_eq!(two.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2026-02-28", "2026-03-01"]);
        assert_eq!(days("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z").unwrap().len(), 1);
        for (from, reason) in
            [("2020-01-01T00:00:00Z", "1000 days"), ("2026-03-02T00:00:00Z", "in the future")]
        {
            let error = days(from, "2026-03-01T00:00:00Z").unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn counts_thirty_days_by_default() {
        assert_eq!(Stats { days: None, since: None }.first_day(), TimePoint::DaysAgo(29));
        assert_eq!(Stats { days: Some(1), since: None }.first_day(), TimePoint::DaysAgo(0));
    }
}
