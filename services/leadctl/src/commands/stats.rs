use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use clap::Args;
use contracts::crm::v1::{self as crm, CountLeadsRequest};
use lead::LeadState;
use lead::field::timestamp;
use runtime::clock::Clock;
use serde::Serialize;

use crate::{
    context::Context,
    error::Error,
    leads::{interest, language, state_name},
    terminal::{Render, View, chart, counted, single_line, span},
    when::{When, midnight, next},
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
    since: Option<When>,
}

#[derive(Serialize)]
struct Report {
    time_zone: &'static str,
    days: Vec<Day>,
    #[serde(flatten)]
    total: Count,
    /// Of whose leads, most first.
    people: Vec<Person>,
    median_to_contact_seconds: Option<i64>,
    p90_to_contact_seconds: Option<i64>,
}

#[derive(Serialize)]
struct Day {
    day: NaiveDate,
    #[serde(flatten)]
    count: Count,
}

#[derive(Serialize)]
struct Count {
    leads: u64,
    /// A lead may count for several.
    interests: Vec<Named>,
    languages: Vec<Named>,
    states: Vec<Named>,
    spam: u64,
}

#[derive(Serialize)]
struct Person {
    /// Empty: nobody's.
    owner: String,
    states: Vec<Named>,
}

#[derive(Serialize)]
struct Named {
    name: String,
    leads: u64,
}

impl Stats {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let (now, zone) = (context.clock.now(), context.config.time_zone);
        let days = days(self.first_day().begins(now, zone), now, zone)?;
        let from = days.iter().map(|day| timestamp(midnight(*day, zone))).collect();
        let request = CountLeadsRequest { from, before: Some(timestamp(now)) };
        let counts = context.crm().await?.call(async |crm| crm.count_leads(request).await).await?;
        let days = days.into_iter().zip(counts.spans);
        let mut total = counts.total.unwrap_or_default();
        let people = std::mem::take(&mut total.owners).into_iter();
        context.terminal.show(&Report {
            time_zone: zone.name(),
            days: days.map(|(day, count)| Day { day, count: count.into() }).collect(),
            people: people.map(|it| Person { owner: it.owner, states: named(&it.states) }).collect(),
            total: total.into(),
            median_to_contact_seconds: counts.median_to_contact.map(|it| it.seconds),
            p90_to_contact_seconds: counts.p90_to_contact.map(|it| it.seconds),
        })
    }

    fn first_day(&self) -> When {
        self.since.unwrap_or(When::DaysAgo(self.days.unwrap_or(DEFAULT_DAYS) - 1))
    }
}

/// The days from `from` to `to`, both included.
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

impl From<crm::Count> for Count {
    fn from(count: crm::Count) -> Self {
        let named = |name: &str, leads| Named { name: name.to_owned(), leads };
        Self {
            leads: count.leads,
            interests: count.interests.iter().map(|it| named(interest(it.interest()), it.leads)).collect(),
            languages: count.languages.iter().map(|it| named(language(it.language()), it.leads)).collect(),
            states: self::named(&count.states),
            spam: count.spam,
        }
    }
}

fn named(states: &[crm::StateCount]) -> Vec<Named> {
    let named =
        |it: &crm::StateCount| Named { name: state_name(LeadState::from_repr(it.state)), leads: it.leads };
    states.iter().map(named).collect()
}

impl Person {
    fn row(&self) -> (String, u64) {
        let name = if self.owner.is_empty() { "unassigned" } else { &self.owner };
        // As much as leaves room for the bars.
        let name = single_line(name).chars().take(12).collect();
        (name, self.states.iter().map(|it| it.leads).sum())
    }
}

impl Render for Report {
    fn text(&self, view: &View) -> String {
        let days = self.days.iter().map(|it| (it.day.format("%a %Y-%m-%d").to_string(), it.count.leads));
        let named = |counts: &[Named]| counts.iter().map(|it| (it.name.to_owned(), it.leads)).collect();
        let charts: [(_, Vec<_>); 5] = [
            ("By day", days.collect()),
            ("By interest (a lead may have several)", named(&self.total.interests)),
            ("By language", named(&self.total.languages)),
            ("By state", named(&self.total.states)),
            ("By owner", self.people.iter().map(Person::row).collect()),
        ];
        let charts = charts.iter().filter(|(_, rows)| !rows.is_empty());
        let charts = charts.map(|(title, rows)| chart(title, ("lead", "leads"), rows, view.in_unicode));
        let sections = std::iter::once(self.summary()).chain(charts).chain([self.contact()]);
        sections.collect::<Vec<_>>().join("\n\n")
    }
}

impl Report {
    fn summary(&self) -> String {
        let leads = counted(self.total.leads, "lead", "leads");
        let days = match (self.days.first(), self.days.last()) {
            (Some(first), Some(last)) => format!(" from {} to {}", first.day, last.day),
            (_, _) => String::new(),
        };
        let automatic = match self.total.spam {
            0 => String::new(),
            number => format!("; {number} with spam signals"),
        };
        format!("{leads}{days} ({}){automatic}", self.time_zone)
    }

    fn contact(&self) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::NARROW;

    fn count(leads: u64) -> Count {
        let named = |name: &str, leads| Named { name: name.to_owned(), leads };
        Count {
            leads,
            interests: vec![named("brochure", leads / 2), named("purchase", 0), named("showflat", leads)],
            languages: vec![named("en", leads - leads / 3), named("zh", leads / 3)],
            states: vec![named("new", leads - leads / 4), named("contacted", leads / 4), named("invalid", 1)],
            spam: leads / 50,
        }
    }

    fn stats() -> Report {
        let numbers = [0, 7, 48, 113, 1];
        let days = (1..).zip(numbers).map(|(day, leads)| Day {
            day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
            count: count(leads),
        });
        Report {
            time_zone: "Asia/Singapore",
            days: days.collect(),
            total: count(numbers.iter().sum()),
            people: [("Mei Tan", 120), ("陈伟", 40), ("", 9)]
                .map(|(owner, leads)| Person { owner: owner.to_owned(), states: count(leads).states })
                .into(),
            median_to_contact_seconds: Some(42 * 60),
            p90_to_contact_seconds: Some(1500 * 60),
        }
    }

    #[test]
    fn charts_fit_eighty_columns_in_either_alphabet() {
        let unicode = stats().text(&NARROW);
        assert!(unicode.lines().all(|line| line.chars().count() <= 80), "{unicode}");
        insta::assert_snapshot!("stats", unicode);
        let ascii = stats().text(&View { in_unicode: false, ..NARROW });
        assert!(ascii.replace("陈伟", "").is_ascii(), "a name is what it is");
        insta::assert_snapshot!("stats_ascii", ascii);
        insta::assert_snapshot!("stats.json", stats().json());
    }

    #[test]
    fn nothing_is_said_as_plainly() {
        let mut nothing = stats();
        (nothing.days, nothing.total.leads, nothing.total.spam) = (nothing.days.split_off(4), 0, 1);
        nothing.days[0].count.leads = 0;
        nothing.total.interests.clear();
        nothing.people.clear();
        (nothing.total.languages, nothing.total.states) = (Vec::new(), Vec::new());
        nothing.median_to_contact_seconds = None;
        insta::assert_snapshot!("stats_nothing", nothing.text(&NARROW));
    }

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

    #[test]
    fn the_last_thirty_days_are_counted_unless_one_says() {
        assert_eq!(Stats { days: None, since: None }.first_day(), When::DaysAgo(29));
        assert_eq!(Stats { days: Some(1), since: None }.first_day(), When::DaysAgo(0));
    }
}
