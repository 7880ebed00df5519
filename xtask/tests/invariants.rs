//! Checks the invariants of ARCHITECTURE.md that are visible in the source tree.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lives in the repository")
}

/// Files below a folder whose names end in `ending`, without build output and packages.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() && !["target", "node_modules", "dist", ".git", ".local"].contains(&name) {
                folders.push(path);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "nothing in {folder} ends with {ending}");
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).expect("a path in the repository").display().to_string()
}

/// The files in which `is_match` finds a line, as paths in the repository.
fn files_with_line(files: &[PathBuf], is_match: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<_> = files
        .iter()
        .filter(|path| fs::read_to_string(path).expect("a text file").lines().any(&is_match))
        .map(|path| relative(path))
        .collect();
    names.sort();
    names
}

/// The packages of this workspace that name a dependency.
fn depends_on(dependency: &str) -> Vec<String> {
    let mut manifests = files(".", "Cargo.toml");
    manifests.retain(|path| path.parent() != Some(root()));
    files_with_line(&manifests, |line| line.split(['.', ' ', '=']).next() == Some(dependency))
}

#[test]
fn each_edge_library_has_one_owner() {
    // The bench compares messaging with lapin, and queries the database.
    let bench = "xtask/bench/Cargo.toml";
    assert_eq!(depends_on("lapin"), ["services/shared/messaging/Cargo.toml", bench]);
    assert_eq!(depends_on("sea-orm"), ["services/crm-sync/Cargo.toml", bench]);
    assert_eq!(depends_on("sea-orm-migration"), ["services/crm-sync/migration/Cargo.toml"]);
    assert_eq!(depends_on("lettre"), ["services/notifier/Cargo.toml"]);
}

#[test]
fn testkit_is_not_a_production_dependency() {
    // Chaos and bench are not deployed.
    for manifest in depends_on("testkit").into_iter().filter(|path| !path.starts_with("xtask/")) {
        let text = fs::read_to_string(root().join(&manifest)).expect("a manifest");
        let (deployed, _) = text.split_once("[dev-dependencies]").expect("dev-dependencies");
        assert!(!deployed.contains("testkit"), "{manifest} deploys testkit");
    }
}

#[test]
fn form_rules_do_no_io() {
    let rules = files("services/lead-intake/src/rules", ".rs");
    for outside in
        ["tokio", "axum", "messaging", "contracts", "runtime", "std::fs", "std::net", "std::env", "async fn"]
    {
        assert_eq!(
            files_with_line(&rules, |line| line.contains(outside)),
            Vec::<String>::new(),
            "{outside} in the rules"
        );
    }
}

#[test]
fn wire_types_stay_at_the_edge() {
    let services = ["services/lead-intake/src", "services/notifier/src"];
    let sources: Vec<_> = services.iter().flat_map(|folder| files(folder, ".rs")).collect();
    let is_edge = |path: &String| ["/submit.rs", "/crm.rs"].iter().any(|edge| path.contains(edge));
    let mut inside = files_with_line(&sources, |line| line.contains("contracts::"));
    inside.retain(|path| !is_edge(path));
    assert_eq!(inside, Vec::<String>::new());
}

#[test]
fn no_test_is_ignored_or_skipped() {
    let folders =
        [("services", ".rs"), ("xtask", ".rs"), ("frontend", ".ts"), ("frontend", ".tsx"), ("art", ".ts")];
    let sources: Vec<_> = folders.iter().flat_map(|(folder, ending)| files(folder, ending)).collect();
    let is_skipped = |line: &str| {
        let line = line.trim_start();
        line.starts_with("#[ignore")
            || ["it", "test", "describe", "test.describe"].iter().any(|what| {
                [".skip(", ".fixme(", ".only("].iter().any(|how| line.starts_with(&format!("{what}{how}")))
            })
    };
    assert_eq!(files_with_line(&sources, is_skipped), Vec::<String>::new());
}

fn cargo_tree(arguments: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--workspace", "--locked", "--prefix=none"]).args(arguments).current_dir(root());
    let tree = cargo.output().expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    String::from_utf8(tree.stdout).expect("UTF-8")
}

/// With other features, `cargo test` would compile a package and its dependents again. See `testkit::crates`.
#[test]
fn tests_use_dependencies_with_the_features_of_programs() {
    let packages = |edges: &str| -> BTreeMap<String, String> {
        let tree = cargo_tree(&["--format={p}|{f}", &format!("--edges={edges},no-proc-macro")]);
        let rows = tree.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('|'));
        rows.map(|(package, features)| (package.to_owned(), features.to_owned())).collect()
    };
    let (programs, tests) = (packages("normal"), packages("normal,dev"));
    assert!(programs.len() > 250, "{} packages", programs.len());
    for (package, features) in programs {
        assert_eq!(tests.get(&package), Some(&features), "{package}");
    }
}

/// The checks of deny.toml, for machines without cargo-deny.
#[test]
fn dependencies_come_from_crates_io_under_allowed_licences() {
    let deny = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let (_, licences) = deny.split_once("allow = [").expect("the licences");
    let (licences, _) = licences.split_once(']').expect("their end");
    let licences: Vec<&str> = licences.split('"').skip(1).step_by(2).collect();
    let banned = ["openssl-sys", "native-tls", "aws-lc-sys"];
    assert!(banned.iter().all(|name| deny.contains(name)), "deny.toml bans {banned:?}");

    let tree = cargo_tree(&["--format={p}|{l}"]);
    let packages: BTreeSet<&str> =
        tree.lines().filter(|line| line.contains('|') && !line.contains(" (/")).collect();
    assert!(packages.len() > 300, "{} packages", packages.len());
    for package in packages {
        let (package, licence) = package.split_once('|').expect("a licence");
        let (name, _) = package.split_once(' ').expect("a version");
        assert!(!banned.contains(&name), "{name} is banned");
        // Cargo prints the source of a package that is not from crates.io.
        assert!(!package.replace(" (proc-macro)", "").contains('('), "{package} is not from crates.io");
        let licence = licence.trim_end_matches(" (*)").replace('/', " OR ");
        let is_allowed = |part: &str| {
            part.trim_matches(['(', ')', ' ']).split(" OR ").any(|one| licences.contains(&one.trim()))
        };
        assert!(licence.split(" AND ").all(is_allowed), "{name} has the licence {licence}");
    }
}

#[test]
fn every_promise_names_existing_tests() {
    let sources: Vec<_> = ["services", "xtask"]
        .iter()
        .flat_map(|folder| files(folder, ".rs"))
        .map(|path| fs::read_to_string(path).expect("a text file"))
        .collect();
    for (document, section, fewest) in [
        ("ARCHITECTURE.md", "## Faults", 30),
        ("SECURITY.md", "## Promises", 20),
        ("SECURITY.md", "## The desk", 10),
    ] {
        let text = fs::read_to_string(root().join(document)).expect(document);
        let (_, section) = text.split_once(section).expect("the section");
        let (section, _) = section.split_once("\n## ").expect("a section after it");
        let is_row = |line: &&str| {
            line.starts_with("| ") && ![" tests |", " test |", " by |"].iter().any(|end| line.ends_with(end))
        };
        let rows: Vec<_> = section.lines().filter(is_row).collect();
        assert!(rows.len() > fewest, "{} rows in {document}", rows.len());
        for row in rows {
            let last = row.trim_end_matches(" |").rsplit(" | ").next().expect("a column");
            let names: Vec<_> = last.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "this row names no test: {row}");
            for name in names {
                let definition = format!("fn {name}(");
                let is_there =
                    sources.iter().any(|source| source.contains(&definition)) || root().join(name).is_file();
                assert!(is_there, "{name} is neither a test nor a file");
            }
        }
    }
}

#[test]
fn compose_and_kubernetes_run_the_same_rabbitmq() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect(path);
    let compose = read("docker-compose.yml");
    let mut versions: Vec<&str> =
        compose.lines().filter_map(|line| line.trim().strip_prefix("image: rabbitmq:")).collect();
    let images = read("k8s/components/images/kustomization.yaml");
    versions.extend(images.lines().filter_map(|line| {
        line.trim().strip_prefix("- {name: rabbitmq, newTag: ")?.strip_suffix("-management}")
    }));
    assert_eq!(versions.len(), 3, "{versions:?}");
    assert!(versions.iter().all(|version| *version == versions[0]), "{versions:?}");
    assert_eq!(versions[0].split('.').count(), 3, "not pinned to the patch: {versions:?}");
    assert!(
        read("ARCHITECTURE.md").contains(versions[0]),
        "ARCHITECTURE.md does not mention {}",
        versions[0]
    );
}

#[test]
fn every_alert_links_to_its_runbook_entry() {
    let alerts = include_str!("../../deploy/prometheus/alerts.yml");
    let runbook = include_str!("../../docs/runbook.md");
    for alert in alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        assert!(runbook.contains(&format!("\n### {alert}\n")), "{alert} has no entry");
        let link = format!("$externalLabels.runbook }}}}#{}\"\n", alert.to_lowercase());
        assert!(alerts.contains(&link), "{alert} has no link");
    }
}

#[test]
fn every_mutant_of_chaos_applies() {
    let mutants = files("xtask/chaos/mutants", ".patch");
    assert_eq!(mutants.len(), 5);
    for patch in mutants {
        let applied = Command::new("git").args(["apply", "--check"]).arg(&patch).current_dir(root()).status();
        assert!(applied.is_ok_and(|status| status.success()), "{}", patch.display());
    }
}
