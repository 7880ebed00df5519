//! Checks the invariants of ARCHITECTURE.md that are visible in the source tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use xtask::files::root;
use xtask::process::output;

/// The output of `git grep` with an extended regular expression.
fn grep(options: &[&str], pattern: &str, paths: &[&str]) -> Vec<String> {
    let mut grep = Command::new("git");
    grep.args(["grep", "--untracked", "-E"])
        .args(options)
        .args(["-e", pattern, "--"])
        .args(paths);
    let found = grep.current_dir(root()).output().expect("git runs");
    assert!(
        found.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&found.stderr)
    );
    String::from_utf8(found.stdout)
        .expect("UTF-8")
        .lines()
        .map(str::to_owned)
        .collect()
}

/// The files with a line that matches.
fn files_with(pattern: &str, paths: &[&str]) -> Vec<String> {
    grep(&["--files-with-matches"], pattern, paths)
}

/// The packages of this workspace that name a dependency.
fn depends_on(dependency: &str) -> Vec<String> {
    let manifests = [
        "proto/Cargo.toml",
        "services/*Cargo.toml",
        "xtask/*Cargo.toml",
    ];
    files_with(&format!("^{dependency}[. =]"), &manifests)
}

#[test]
fn testkit_is_not_a_production_dependency() {
    // Chaos and bench are not deployed.
    for manifest in depends_on("testkit")
        .into_iter()
        .filter(|path| !path.starts_with("xtask/"))
    {
        let text = fs::read_to_string(root().join(&manifest)).expect("a manifest");
        let (deployed, _) = text
            .split_once("[dev-dependencies]")
            .expect("dev-dependencies");
        assert!(!deployed.contains("testkit"), "{manifest} deploys testkit");
    }
}

#[test]
fn form_rules_do_no_io() {
    let rules = ["services/lead-intake/src/rules.rs"];
    assert_eq!(files_with("fn ", &rules), rules);
    let outside = "tokio|axum|messaging|contracts|runtime|std::(fs|net|env)|async fn";
    assert_eq!(grep(&[], outside, &rules), Vec::<String>::new());
}

#[test]
fn wire_types_stay_at_the_edge() {
    let services = ["services/lead-intake/src/", "services/notifier/src/"];
    let users = files_with("contracts::", &services);
    let is_edge = |path: &String| {
        ["/submit.rs", "/crm.rs"]
            .iter()
            .any(|edge| path.contains(edge))
    };
    assert!(users.len() > 1 && users.iter().all(is_edge), "{users:?}");
}

#[test]
fn no_service_sends_a_nack() {
    let senders = files_with(
        r"\.nack\(|\.reject\(|basic_(nack|reject)\(",
        &["services/*/src/*.rs"],
    );
    // leadctl returns the dead letters that it lists.
    assert_eq!(senders, ["services/shared/messaging/src/dead_letters.rs"]);
}

#[test]
fn no_test_is_ignored_or_skipped() {
    let skipped = r"^\s*(#\[ignore|(it|test|describe|test\.describe)\.(skip|fixme|only)\()";
    let sources = [
        "services/*.rs",
        "xtask/*.rs",
        "frontend/*.ts",
        "frontend/*.tsx",
        "art/*.ts",
    ];
    assert_eq!(grep(&[], skipped, &sources), Vec::<String>::new());
}

fn cargo_tree(arguments: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["tree", "--workspace", "--locked", "--prefix=none"])
        .args(arguments)
        .current_dir(root());
    output(&mut cargo).expect("the packages")
}

/// With other features, `cargo test` would compile a package and its dependents again. See `testkit::crates`.
#[test]
fn tests_use_dependencies_with_the_features_of_programs() {
    let packages = |edges: &str| -> BTreeMap<String, String> {
        let tree = cargo_tree(&[
            "--format={p}|{f}",
            &format!("--edges={edges},no-proc-macro"),
        ]);
        let rows = tree
            .lines()
            .filter_map(|line| line.trim_end_matches(" (*)").split_once('|'));
        rows.map(|(package, features)| (package.to_owned(), features.to_owned()))
            .collect()
    };
    let (programs, tests) = (packages("normal"), packages("normal,dev"));
    assert!(programs.len() > 250, "{} packages", programs.len());
    for (package, features) in programs {
        assert_eq!(tests.get(&package), Some(&features), "{package}");
    }
}

/// A file of this repository.
fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

/// The section of a document that starts with a heading.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, after) = text.split_once(heading).expect(heading);
    after
        .split_once("\n## ")
        .map_or(after, |(section, _)| section)
}

/// The cells of the rows in the tables of a text, without headers.
fn table_rows(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<_> = text.lines().collect();
    lines
        .iter()
        .zip(lines.iter().skip(1).chain([&""]))
        .filter(|(line, next)| {
            line.starts_with('|') && !line.starts_with("|---") && !next.starts_with("|---")
        })
        .map(|(line, _)| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect()
}

/// Asserts that the last cell of a row names tests or files that exist.
fn assert_names_tests(row: &[&str], definitions: &BTreeSet<String>) {
    let last = row.last().expect("a column");
    let names: Vec<_> = last.split('`').skip(1).step_by(2).collect();
    assert!(!names.is_empty(), "this row names no test: {row:?}");
    for name in names {
        let is_there = definitions.contains(&format!("fn {name}(")) || root().join(name).is_file();
        assert!(is_there, "{name} is neither a test nor a file");
    }
}

/// The functions of all Rust files, as `fn NAME(`.
fn function_definitions() -> BTreeSet<String> {
    let sources = ["services/*.rs", "xtask/*.rs"];
    let definitions = grep(&["-h", "--only-matching"], r"fn [a-z0-9_]+\(", &sources);
    definitions.into_iter().collect()
}

#[test]
fn every_guarantee_of_security_names_existing_tests() {
    let definitions = function_definitions();
    let security = read("SECURITY.md");
    for (heading, fewest) in [("## Promises", 20), ("## The desk", 10)] {
        let rows = table_rows(section(&security, heading));
        assert!(rows.len() > fewest, "{} rows in {heading}", rows.len());
        for row in rows {
            assert_names_tests(&row, &definitions);
        }
    }
}

#[test]
fn every_fault_names_promises_and_existing_tests() {
    let definitions = function_definitions();
    let architecture = read("ARCHITECTURE.md");
    let promises: BTreeSet<_> = section(&architecture, "## Promises")
        .lines()
        .filter_map(|line| line.split_once(". "))
        .map(|(number, _)| number)
        .filter(|number| number.parse::<u8>().is_ok())
        .collect();
    assert_eq!(promises.len(), 6, "{promises:?}");
    let faults = read("docs/faults.md");
    let (faults, _) = faults
        .split_once("\n## Example")
        .expect("an example after the faults");
    let rows = table_rows(faults);
    assert!(rows.len() > 60, "{} faults", rows.len());
    let mut tested = BTreeSet::new();
    for row in rows {
        assert_eq!(row.len(), 4, "{row:?}");
        assert_names_tests(&row, &definitions);
        for promise in row[1].split(", ") {
            assert!(promises.contains(promise), "no promise {promise}: {row:?}");
            tested.insert(promise);
        }
    }
    assert_eq!(tested, promises);
}

#[test]
fn compose_and_kubernetes_run_the_same_rabbitmq() {
    let images = [
        "docker-compose.yml",
        "k8s/components/images/kustomization.yaml",
    ];
    let images = grep(
        &["-h", "--only-matching"],
        "rabbitmq(:|, newTag: )[0-9.]+",
        &images,
    );
    let versions: BTreeSet<_> = images
        .iter()
        .filter_map(|image| image.rsplit([':', ' ']).next())
        .collect();
    assert_eq!((images.len(), versions.len()), (3, 1), "{images:?}");
    let version = versions.first().expect("one");
    assert_eq!(
        version.split('.').count(),
        3,
        "not pinned to the patch: {version}"
    );
    assert_eq!(
        files_with(version, &["ARCHITECTURE.md", "docs/operations.md"]).len(),
        2,
        "ARCHITECTURE.md or docs/operations.md does not mention {version}"
    );
}

/// Dashboards, and alerts with our metrics.
const QUERIES: [&str; 2] = [
    "deploy/grafana/dashboards/*.json",
    "deploy/prometheus/alerts.yml",
];

/// The beginning of a name of our metrics.
const METRIC: &str =
    r"\b(crm|db_client|desk|http_server|leads?|messaging|notifier|rpc_server)_[a-z0-9_]+";

/// Labels of Prometheus and of nginx.
const OTHER_LABELS: [&str; 6] = ["alertname", "instance", "job", "le", "severity", "status"];

/// The names that the source code of the services contains, with underscores as in Prometheus.
fn names_in_services() -> BTreeSet<String> {
    let sources = [
        "services/*/src/*.rs",
        ":!services/leadctl",
        ":!services/shared/testkit",
    ];
    let literals = grep(&["-h", "--only-matching"], r#""[A-Za-z0-9_.-]+""#, &sources);
    // Some values of labels are names of variants.
    let variants = grep(&["-h", "--only-matching"], r"\b([A-Z][a-z]+)+\b", &sources);
    let literals = literals
        .iter()
        .map(|literal| literal.trim_matches('"').replace('.', "_"));
    let variants = variants.iter().map(|variant| {
        let separated = variant.chars().enumerate().flat_map(|(position, letter)| {
            let separator = (position > 0 && letter.is_uppercase()).then_some('_');
            separator.into_iter().chain(letter.to_lowercase())
        });
        separated.collect()
    });
    literals.chain(variants).collect()
}

/// The name of a metric in the source code, which has no units and no parts of a histogram.
fn is_exported(metric: &str, names: &BTreeSet<String>) -> bool {
    let mut shorter = metric;
    let suffixes = ["_bucket", "_sum", "_count", "_total", "_seconds"];
    let mut candidates = vec![metric];
    for suffix in suffixes {
        if let Some(rest) = shorter.strip_suffix(suffix) {
            shorter = rest;
            candidates.push(rest);
        }
    }
    candidates
        .iter()
        .any(|candidate| names.contains(*candidate))
}

/// The labels and values of `metric{label="value",other=~"one|two"}`, without values that are patterns or numbers.
fn labels_in(selector: &str) -> impl Iterator<Item = (String, Vec<String>)> {
    let (_, matchers) = selector.split_once('{').expect("a selector");
    let matchers: Vec<_> = matchers
        .trim_end_matches('}')
        .replace('\\', "")
        .split("\",")
        .map(str::to_owned)
        .collect();
    matchers.into_iter().map(|matcher| {
        let (label, values) = matcher.split_once('"').expect("a value");
        let is_name = |value: &&str| {
            value.starts_with(|first: char| first.is_alphabetic())
                && !value.contains(|other: char| {
                    !other.is_ascii_alphanumeric() && !"_.-".contains(other)
                })
        };
        let values = values.trim_end_matches('"').split('|').filter(is_name);
        let values = values.map(|value| value.replace('.', "_")).collect();
        let label = label.trim().trim_end_matches(['=', '!', '~']);
        (label.to_owned(), values)
    })
}

#[test]
fn dashboards_and_alerts_use_exported_metrics_and_labels() {
    let names = names_in_services();
    let only = ["-h", "--only-matching"];
    let metrics = grep(&only, METRIC, &QUERIES);
    assert!(metrics.len() > 100, "{} metrics", metrics.len());
    for metric in metrics {
        assert!(is_exported(&metric, &names), "no service exports {metric}");
    }
    let selectors = grep(&only, &format!(r"{METRIC}\{{[^}}]*\}}"), &QUERIES);
    assert!(selectors.len() > 30, "{} selectors", selectors.len());
    for selector in selectors {
        for (label, values) in labels_in(&selector) {
            if OTHER_LABELS.contains(&label.as_str()) {
                continue;
            }
            assert!(names.contains(&label), "{label} of {selector}");
            for value in values {
                assert!(names.contains(&value), "{value} of {selector}");
            }
        }
    }
    let grouped = grep(&only, r"by \([a-z_, ]+\)|\{\{[a-z_]+\}\}", &QUERIES);
    let grouped: BTreeSet<_> = grouped
        .iter()
        .flat_map(|labels| labels.split([' ', ',', '(', ')', '{', '}']))
        .filter(|label| !label.is_empty())
        .collect();
    assert!(grouped.len() > 15, "{grouped:?}");
    for label in grouped {
        assert!(
            names.contains(label) || OTHER_LABELS.contains(&label),
            "no metric has the label {label}"
        );
    }
}

/// Prometheus does not see the first event of a series that begins with it. A counter of an alert is therefore exported as
/// 0 from the start, which a test of its service asserts for each label value in the alert.
#[test]
fn counters_of_alerts_are_tested_to_start_at_zero() {
    let only = ["-h", "--only-matching"];
    let alerts = [QUERIES[1]];
    let counters = grep(&only, &format!("{METRIC}_total"), &alerts);
    let tests = files_with("assert_start_at_zero", &["services/*.rs"]);
    let tests: Vec<_> = tests.iter().map(String::as_str).collect();
    let asserted = grep(&only, r#""[a-z_]+_total""#, &tests);
    assert!(counters.len() > 15, "{} counters", counters.len());
    for counter in counters {
        // Alerts on messages require failures that continue.
        let is_continuous = counter.starts_with("messaging_");
        assert!(
            is_continuous || asserted.contains(&format!("\"{counter}\"")),
            "no test asserts that {counter} starts at zero"
        );
    }
    // A histogram has no series before its first value.
    let histograms = grep(&only, r"[a-z_]+_(seconds|bytes)_count\b", &alerts);
    assert!(histograms.is_empty(), "alerts read {histograms:?}");
}

#[test]
fn every_alert_links_to_its_runbook_entry() {
    let alerts = include_str!("../../deploy/prometheus/alerts.yml");
    let runbook = include_str!("../../docs/runbook.md");
    let tests = include_str!("../../deploy/prometheus/alerts_test.yml");
    let (_, of_each_alert) = tests.split_once("- name: each alert").expect("the test");
    for alert in alerts
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
    {
        assert!(
            runbook.contains(&format!("\n### {alert}\n")),
            "{alert} has no entry"
        );
        let link = format!("$externalLabels.runbook }}}}#{}\"\n", alert.to_lowercase());
        assert!(alerts.contains(&link), "{alert} has no link");
        let sample = format!("{{labels: '{{alertname=\"{alert}\"}}'");
        assert!(
            of_each_alert.contains(&sample),
            "{alert} is not tested after a gap and a restart"
        );
    }
}

#[test]
fn every_mutant_of_chaos_applies() {
    let mutants = files_with("^[+]", &["xtask/chaos/mutants/*.patch"]);
    assert_eq!(mutants.len(), 5);
    for patch in mutants {
        let mut apply = Command::new("git");
        output(apply.args(["apply", "--check", &patch]).current_dir(root())).expect(&patch);
    }
}
