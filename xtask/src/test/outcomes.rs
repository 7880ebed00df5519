//! Reads test outcomes from the runners' output or reports.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::files;

/// Whether each test passed, by name. Ignored, skipped and flaky tests count as failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcomes(BTreeMap<String, bool>);

impl Outcomes {
    /// A repeated name gets a number.
    pub(super) fn note(&mut self, name: &str, passed: bool) {
        let mut unique = name.to_owned();
        let mut number = 1;
        while self.0.contains_key(&unique) {
            number += 1;
            unique = format!("{name} ({number})");
        }
        self.0.insert(unique, passed);
    }

    pub(super) fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(name, passed)| self.note(name, *passed));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn passed(&self) -> usize {
        self.0.values().filter(|passed| **passed).count()
    }

    pub(super) fn failures(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, passed)| !**passed).map(|(name, _)| name.as_str())
    }
}

/// One line per test whose outcome differs between rounds, with all its outcomes.
pub(super) fn differences(rounds: &[Outcomes]) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = rounds.iter().flat_map(|round| round.0.keys()).collect();
    let mark =
        |passed: Option<&bool>| passed.map_or("absent", |passed| if *passed { "ok" } else { "FAILED" });
    let line = |name: &String| {
        let ends: Vec<&str> = rounds.iter().map(|round| mark(round.0.get(name))).collect();
        ends.iter().any(|end| *end != ends[0]).then(|| format!("{name}: {}", ends.join(", ")))
    };
    names.into_iter().filter_map(line).collect()
}

/// Reads the output of `cargo test`; tests are named `program path test`. A test's own output may come between its name
/// and its outcome.
pub(super) fn of_cargo(lines: &[String]) -> Result<Outcomes> {
    let mut outcomes = Outcomes::default();
    let mut program = String::new();
    let mut open: Option<&str> = None;
    for line in lines {
        let trimmed = line.trim_start();
        if let Some(running) = trimmed.strip_prefix("Running ").and_then(program_of) {
            program = running;
        } else if let Some(documented) = trimmed.strip_prefix("Doc-tests ") {
            program = format!("{documented} docs");
        } else if let Some((name, end)) = line.strip_prefix("test ").and_then(|test| test.split_once(" ... "))
        {
            match ended(end) {
                Some(passed) => outcomes.note(&format!("{program} {name}"), passed),
                None => open = Some(name),
            }
        } else if let Some(name) = open
            && (line == "ok" || line == "FAILED")
        {
            outcomes.note(&format!("{program} {name}"), line == "ok");
            open = None;
        }
    }
    Ok(outcomes)
}

/// Whether a test passed, from the text after its name; `None` when the outcome follows later.
fn ended(end: &str) -> Option<bool> {
    let did_not = end.starts_with("FAILED") || end.starts_with("ignored");
    if end.starts_with("ok") { Some(true) } else { did_not.then_some(false) }
}

/// Converts `unittests src/lib.rs (target/debug/deps/notifier-0123456789abcdef)` to `notifier src/lib.rs`.
fn program_of(running: &str) -> Option<String> {
    let (source, path) = running.strip_suffix(')')?.split_once(" (")?;
    let (name, _hash) = path.rsplit_once('/')?.1.rsplit_once('-')?;
    Some(format!("{name} {}", source.trim_start_matches("unittests ")))
}

/// The sections of `cargo test`'s output with names and output of failed tests.
pub(super) fn failures_of_cargo(lines: &[String]) -> Vec<&str> {
    let mut is_told = false;
    let tells = |line: &&str| {
        is_told = *line == "failures:" || (is_told && !line.starts_with("test result: "));
        is_told
    };
    lines.iter().map(String::as_str).filter(tells).collect()
}

/// One outcome per row of the tables of chaos and bench.
pub(super) fn of_rows(lines: &[String]) -> Result<Outcomes> {
    let mut outcomes = Outcomes::default();
    for line in lines {
        let row = line.strip_prefix("ok    ").map(|row| (row, true));
        if let Some((row, kept)) = row.or_else(|| line.strip_prefix("MISS  ").map(|row| (row, false))) {
            outcomes.note(row.split("  ").next().unwrap_or(row), kept);
        }
    }
    Ok(outcomes)
}

/// Reads Vitest's JSON report; paths are relative to `directory`.
pub(super) fn of_vitest(report: &Path, directory: &Path) -> Result<Outcomes> {
    let report = read(report)?;
    let mut outcomes = Outcomes::default();
    for file in list(&report, "/testResults")? {
        let path = Path::new(text(file, "/name"));
        let path = path.strip_prefix(directory).unwrap_or(path).display();
        for test in list(file, "/assertionResults")? {
            outcomes.note(&format!("{path} {}", text(test, "/fullName")), text(test, "/status") == "passed");
        }
    }
    Ok(outcomes)
}

/// Reads Playwright's JSON report.
pub(super) fn of_playwright(report: &Path) -> Result<Outcomes> {
    let report = read(report)?;
    let mut outcomes = Outcomes::default();
    let mut suites: Vec<(String, &Value)> =
        list(&report, "/suites")?.iter().map(|suite| (String::new(), suite)).collect();
    while let Some((path, suite)) = suites.pop() {
        let path = format!("{path}{} ", text(suite, "/title"));
        suites.extend(list(suite, "/suites").into_iter().flatten().map(|inner| (path.clone(), inner)));
        for spec in list(suite, "/specs")? {
            for test in list(spec, "/tests")? {
                let name = format!("{} {path}{}", text(test, "/projectName"), text(spec, "/title"));
                outcomes.note(&name, text(test, "/status") == "expected");
            }
        }
    }
    Ok(outcomes)
}

fn read(report: &Path) -> Result<Value> {
    let text = files::read(report)?;
    serde_json::from_str(&text)
        .map_err(|error| Error::failed(format!("{} is not valid JSON: {error}", report.display())))
}

fn list<'a>(report: &'a Value, pointer: &str) -> Result<&'a Vec<Value>> {
    report
        .pointer(pointer)
        .and_then(Value::as_array)
        .ok_or_else(|| Error::failed(format!("the test report has no list at {pointer}")))
}

fn text<'a>(report: &'a Value, pointer: &str) -> &'a str {
    report.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, text: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("xtask-{name}-{}.json", std::process::id()));
        files::replace(&path, text.as_bytes(), files::PUBLIC).expect("a report");
        path
    }

    fn outcomes(tests: &[(&str, bool)]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        tests.iter().for_each(|(name, passed)| outcomes.note(name, *passed));
        outcomes
    }

    #[test]
    fn cargos_tests_are_named_after_their_programs_and_ignored_ones_fail() {
        let lines = [
            "     Running unittests src/lib.rs (target/debug/deps/lead_intake-ca344b48f9779a32)",
            "test rules::one ... ok",
            "test rules::two ... ignored, later",
            "     Running tests/http/main.rs (target/debug/deps/http-034d73241a10aab5)",
            "test rules::one ... FAILED",
            "test rules::one has been running for over 60 seconds",
            "test rules::three ... ✓ start nginx      0.1 s",
            "… start nginx",
            "ok",
            "test rules::four ... ok✓ start nginx      0.1 s",
            "test result: FAILED. 1 passed; 1 failed",
            "   Doc-tests runtime",
            "test src/lib.rs - (line 3) ... ok",
        ];
        let wanted = [
            ("lead_intake src/lib.rs rules::one", true),
            ("lead_intake src/lib.rs rules::two", false),
            ("http tests/http/main.rs rules::one", false),
            ("http tests/http/main.rs rules::three", true),
            ("http tests/http/main.rs rules::four", true),
            ("runtime docs src/lib.rs - (line 3)", true),
        ];
        assert_eq!(of_cargo(&lines.map(str::to_owned)).expect("read"), outcomes(&wanted));
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
        let lines = ["seed 1", "ok    leads in the database   10 of 10", "MISS  emails   9 of 10", "ok"];
        let read = of_rows(&lines.map(str::to_owned)).expect("read");
        assert_eq!(read, outcomes(&[("leads in the database", true), ("emails", false)]));
    }

    #[test]
    fn vitests_pending_tests_have_failed() {
        let path = report(
            "vitest",
            r#"{"testResults":[{"name":"/a/frontend/src/a.test.ts","assertionResults":[
                {"fullName":"one","status":"passed"},{"fullName":"one","status":"pending"}]}]}"#,
        );
        let wanted = [("src/a.test.ts one", true), ("src/a.test.ts one (2)", false)];
        assert_eq!(of_vitest(&path, Path::new("/a/frontend")).expect("read"), outcomes(&wanted));
        std::fs::remove_file(path).expect("removed");
    }

    #[test]
    fn playwrights_flaky_and_skipped_tests_have_failed() {
        let path = report(
            "playwright",
            r#"{"suites":[{"title":"a.spec.ts","specs":[
                {"title":"one","tests":[{"projectName":"en","status":"expected"},{"projectName":"zh","status":"flaky"}]}],
              "suites":[{"title":"inner","specs":[{"title":"two","tests":[{"projectName":"en","status":"skipped"}]}]}]}]}"#,
        );
        let wanted =
            [("en a.spec.ts one", true), ("zh a.spec.ts one", false), ("en a.spec.ts inner two", false)];
        assert_eq!(of_playwright(&path).expect("read"), outcomes(&wanted));
        std::fs::remove_file(path).expect("removed");
    }

    #[test]
    fn a_report_without_tests_is_an_error() {
        let path = report("empty", "{}");
        assert!(of_playwright(&path).is_err_and(|error| error.to_string().contains("/suites")));
        std::fs::remove_file(path).expect("removed");
    }

    #[test]
    fn what_is_not_the_same_in_each_round_is_listed() {
        let rounds = [
            outcomes(&[("steady", true), ("broken", false), ("flaky", true), ("lost", true)]),
            outcomes(&[("steady", true), ("broken", false), ("flaky", false)]),
        ];
        assert_eq!(differences(&rounds), ["flaky: ok, FAILED", "lost: ok, absent"]);
        assert_eq!(differences(&rounds[..1]), [""; 0]);
    }
}
