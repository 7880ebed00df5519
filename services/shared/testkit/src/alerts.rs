//! Compares the metrics of a service with the alerts that read them.

use std::collections::BTreeSet;

use runtime::telemetry::Metrics;

/// The alerts of Prometheus.
const ALERTS: &str = include_str!("../../../../deploy/prometheus/alerts.yml");

/// Label of a target, which Prometheus adds.
const JOB: &str = "job";

/// A condition for a label, as in `result=~"failed|refused"`.
struct Matcher {
    label: String,
    /// Whether the condition excludes the values.
    is_negative: bool,
    values: Vec<String>,
}

impl Matcher {
    /// Parses `label="value"` with one of the operators of Prometheus. Leaves out values that are patterns.
    fn parse(text: &str) -> Self {
        let (label, values) = text.split_once('"').expect("a quoted value");
        let is_literal = |value: &&str| {
            value
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        let values = values.trim_end_matches('"').split('|');
        Self {
            label: label.trim().trim_end_matches(['=', '!', '~']).to_owned(),
            is_negative: label.contains('!'),
            values: values.filter(is_literal).map(str::to_owned).collect(),
        }
    }
}

/// The matchers of each selector of the counter in the alerts.
fn selectors(counter: &str) -> Vec<Vec<Matcher>> {
    let is_name = |byte: char| byte.is_ascii_alphanumeric() || byte == '_';
    ALERTS
        .split(counter)
        .skip(1)
        .filter(|rest| !rest.starts_with(is_name))
        .map(|rest| {
            let matchers = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let matchers = matchers.map_or("", |(matchers, _)| matchers);
            let texts = matchers.split("\",").filter(|text| !text.is_empty());
            texts.map(Matcher::parse).collect()
        })
        .collect()
}

/// Asserts that the metrics of a service contain every series of these counters that an alert names, with the value 0.
/// `job` is the name of the service in Prometheus.
///
/// # Panics
/// If no alert reads a counter, or if a series is missing or counts an event.
pub fn assert_start_at_zero(metrics: &Metrics, job: &str, counters: &[&str]) {
    let metrics = metrics.encode().expect("metrics in Prometheus' format");
    let metrics = String::from_utf8(metrics).expect("text");
    for counter in counters {
        let series: BTreeSet<_> = metrics
            .lines()
            .filter(|line| is_series_of(counter, line))
            .collect();
        let all_selectors = selectors(counter);
        assert!(!all_selectors.is_empty(), "no alert reads {counter}");
        assert!(
            !series.is_empty() && series.iter().all(|line| line.ends_with(" 0")),
            "{counter} starts as {series:?}"
        );
        for matchers in all_selectors {
            let of_this_job = |matcher: &Matcher| {
                matcher.label != JOB || matcher.values.iter().any(|value| value == job)
            };
            if matchers.iter().all(of_this_job) {
                assert_has_series(counter, &series, &matchers);
            }
        }
    }
}

/// Whether a line of the metrics has the value of this counter, with or without labels.
fn is_series_of(counter: &str, line: &str) -> bool {
    line.strip_prefix(counter)
        .is_some_and(|rest| rest.starts_with(['{', ' ']))
}

fn assert_has_series(counter: &str, series: &BTreeSet<&str>, matchers: &[Matcher]) {
    for matcher in matchers.iter().filter(|matcher| matcher.label != JOB) {
        let has = |value: &String| {
            let label = format!("{}=\"{value}\"", matcher.label);
            series.iter().any(|line| line.contains(&label))
        };
        for value in &matcher.values {
            assert!(has(value), "no {counter} with {}={value}", matcher.label);
        }
        assert!(
            !matcher.is_negative || series.len() > matcher.values.len(),
            "{counter} has only the values that an alert excludes"
        );
    }
}
