//! How many tests ran, read from what the runners print or write.

use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::files;

/// Tests that ran. One that was ignored or skipped is a failure: nobody looks at it otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
}

impl Counts {
    pub(super) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// The sum of cargo's `test result:` lines.
pub(super) fn of_cargo(lines: &[String]) -> Result<Counts> {
    let mut counts = Counts::default();
    for line in lines {
        let Some((_, result)) = line.split_once("test result: ") else { continue };
        // After the verdict, parts such as `3 passed` and `0 filtered out`.
        for part in result.split(['.', ';']) {
            match part.trim().split_once(' ').map(|(number, what)| (number.parse::<u64>(), what)) {
                Some((Ok(number), "passed")) => counts.passed += number,
                Some((Ok(number), "failed" | "ignored")) => counts.failed += number,
                Some(_) | None => {}
            }
        }
    }
    Ok(counts)
}

/// What the runners that cargo started say of each test that failed: what it printed, and its name.
pub(super) fn failures_of_cargo(lines: &[String]) -> Vec<&str> {
    let mut is_told = false;
    let tells = |line: &&str| {
        is_told = *line == "failures:" || (is_told && !line.starts_with("test result: "));
        is_told
    };
    lines.iter().map(String::as_str).filter(tells).collect()
}

/// One for each row of the tables of chaos and bench.
pub(super) fn of_rows(lines: &[String]) -> Result<Counts> {
    let count = |mark: &str| lines.iter().filter(|line| line.starts_with(mark)).count();
    let number = |mark: &str| u64::try_from(count(mark)).unwrap_or(u64::MAX);
    Ok(Counts { passed: number("ok    "), failed: number("MISS  ") })
}

/// The totals of Vitest's JSON report.
pub(super) fn of_vitest(report: &Path) -> Result<Counts> {
    let report = read(report)?;
    Ok(Counts {
        passed: number(&report, "/numPassedTests")?,
        failed: number(&report, "/numFailedTests")?
            + number(&report, "/numPendingTests")?
            + number(&report, "/numTodoTests")?,
    })
}

/// The totals of Playwright's JSON report. A test that passed at the second try only has failed.
pub(super) fn of_playwright(report: &Path) -> Result<Counts> {
    let report = read(report)?;
    Ok(Counts {
        passed: number(&report, "/stats/expected")?,
        failed: number(&report, "/stats/unexpected")?
            + number(&report, "/stats/flaky")?
            + number(&report, "/stats/skipped")?,
    })
}

fn read(report: &Path) -> Result<Value> {
    let text = files::read(report)?;
    serde_json::from_str(&text)
        .map_err(|error| Error::failed(format!("{} is no JSON: {error}", report.display())))
}

fn number(report: &Value, pointer: &str) -> Result<u64> {
    report
        .pointer(pointer)
        .and_then(Value::as_u64)
        .ok_or_else(|| Error::failed(format!("the test report has no number at {pointer}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, text: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("xtask-{name}-{}.json", std::process::id()));
        files::replace(&path, text.as_bytes(), files::PUBLIC).expect("a report");
        path
    }

    #[test]
    fn cargo_results_are_summed_and_ignored_tests_fail() {
        let lines = [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.01s",
            "test result: FAILED. 10 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.25s",
        ];
        let counts = of_cargo(&lines.map(str::to_owned)).expect("counted");
        assert_eq!(counts, Counts { passed: 13, failed: 3 });
    }

    #[test]
    fn what_failed_is_told_wherever_it_stands() {
        let lines = [
            "test one ... FAILED",
            "failures:",
            "---- one stdout ----",
            "assertion failed",
            "failures:",
            "    one",
            "test result: FAILED. 1 passed; 1 failed",
            "   Doc-tests two",
            "test result: ok. 0 passed",
        ]
        .map(str::to_owned);
        assert_eq!(failures_of_cargo(&lines), lines[1..6]);
    }

    #[test]
    fn rows_of_the_table_of_checks_are_tests() {
        let lines = ["seed 1", "ok    leads in the database   10 of 10", "MISS  mails   9 of 10", "ok"];
        let counts = of_rows(&lines.map(str::to_owned)).expect("counted");
        assert_eq!(counts, Counts { passed: 1, failed: 1 });
    }

    #[test]
    fn vitest_reports_count_pending_tests_as_failed() {
        let path = report(
            "vitest",
            r#"{"numTotalTests":9,"numPassedTests":5,"numFailedTests":1,"numPendingTests":2,"numTodoTests":1}"#,
        );
        assert_eq!(of_vitest(&path).expect("counted"), Counts { passed: 5, failed: 4 });
        std::fs::remove_file(path).expect("removed");
    }

    #[test]
    fn playwright_reports_count_flaky_and_skipped_tests_as_failed() {
        let path = report("playwright", r#"{"stats":{"expected":7,"unexpected":1,"flaky":2,"skipped":3}}"#);
        assert_eq!(of_playwright(&path).expect("counted"), Counts { passed: 7, failed: 6 });
        std::fs::remove_file(path).expect("removed");
    }

    #[test]
    fn a_report_without_totals_is_an_error() {
        let path = report("empty", "{}");
        assert!(of_playwright(&path).is_err_and(|error| error.to_string().contains("/stats/expected")));
        std::fs::remove_file(path).expect("removed");
    }
}
