//! Numbers of leads for people.

use super::{
    chart,
    text::{counted, span},
};
use crate::stats::{Named, Stats};

/// Everything that was counted.
pub(super) fn render(stats: &Stats, in_unicode: bool) -> String {
    let mut parts = vec![summary(stats)];
    let days = stats.days.iter().map(|day| (day.day.format("%a %Y-%m-%d").to_string(), day.count.leads));
    parts.push(chart::render("By day", &days.collect::<Vec<_>>(), in_unicode));
    let named = [
        ("By interest, some for several", &stats.total.interests),
        ("By language", &stats.total.languages),
        ("By state", &stats.total.states),
    ];
    for (title, counts) in named {
        let row = |it: &Named| (it.name.to_owned(), it.leads);
        let rows: Vec<_> = counts.iter().map(row).collect();
        if !rows.is_empty() {
            parts.push(chart::render(title, &rows, in_unicode));
        }
    }
    parts.push(contact(stats));
    parts.join("\n\n")
}

fn summary(stats: &Stats) -> String {
    let leads = counted(stats.total.leads, "lead", "leads");
    let days = match (stats.days.first(), stats.days.last()) {
        (Some(first), Some(last)) => format!(" from {} to {}", first.day, last.day),
        (_, _) => String::new(),
    };
    let automatic = match stats.total.suspicious {
        0 => String::new(),
        1 => "; 1 looks automatic".to_owned(),
        number => format!("; {number} look automatic"),
    };
    format!("{leads}{days} ({}){automatic}", stats.time_zone)
}

fn contact(stats: &Stats) -> String {
    match (stats.median_to_contact_seconds, stats.p90_to_contact_seconds) {
        (Some(median), Some(p90)) => format!(
            "First contact, of those that were contacted\n  half         within {}\n  nine of ten  within {}",
            span(median),
            span(p90)
        ),
        (_, _) => "Nobody was contacted yet.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{NaiveDate, TimeDelta};

    use super::*;
    use crate::{
        output::json,
        stats::{Count, Day},
    };

    fn count(leads: u64) -> Count {
        let named = |name, leads| Named { name, leads };
        Count {
            leads,
            interests: vec![named("brochure", leads / 2), named("purchase", 0), named("showflat", leads)],
            languages: vec![named("en", leads - leads / 3), named("zh", leads / 3)],
            states: vec![
                named("new", leads - leads / 4),
                named("contacted", leads / 4),
                named("not-a-lead", 1),
            ],
            suspicious: leads / 50,
        }
    }

    fn stats() -> Stats {
        let numbers = [0, 7, 48, 113, 1];
        let days = (1..).zip(numbers).map(|(day, leads)| Day {
            day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
            count: count(leads),
        });
        Stats {
            time_zone: "Asia/Singapore",
            days: days.collect(),
            total: count(numbers.iter().sum()),
            median_to_contact_seconds: Some(TimeDelta::minutes(42)),
            p90_to_contact_seconds: Some(TimeDelta::minutes(1500)),
        }
    }

    #[test]
    fn charts_fit_eighty_columns_in_either_alphabet() {
        let unicode = render(&stats(), true);
        assert!(unicode.lines().all(|line| line.chars().count() <= 80), "{unicode}");
        insta::assert_snapshot!("stats", unicode);
        let ascii = render(&stats(), false);
        assert!(ascii.is_ascii());
        insta::assert_snapshot!("stats_ascii", ascii);
        insta::assert_snapshot!("stats.json", json::pretty(&stats()));
    }

    #[test]
    fn nothing_is_said_as_plainly() {
        let mut nothing = stats();
        (nothing.days, nothing.total.leads, nothing.total.suspicious) = (nothing.days.split_off(4), 0, 1);
        nothing.days[0].count.leads = 0;
        nothing.total.interests.clear();
        (nothing.total.languages, nothing.total.states) = (Vec::new(), Vec::new());
        nothing.median_to_contact_seconds = None;
        insta::assert_snapshot!("stats_nothing", render(&nothing, true));
    }
}
