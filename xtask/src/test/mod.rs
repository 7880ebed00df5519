//! `cargo xtask test`: all checks. Their programs print their progress and results.

mod browser;
mod engines;
mod release;
mod rust;

use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use parking_lot::Mutex;

use crate::backends::{BACKENDS, Backends};
use crate::builds::{self, npm};
use crate::cli::{Part, TestOptions, variable};
use crate::files;
use crate::packages::{
    self, AGE, CHROMIUM, ENVSUBST, Installation, KUBECTL, MTAIL, NGINX, POSTGRES, PROMETHEUS,
    PYTHON, Package, RABBITMQ, SHELLCHECK, WEBKIT, WRK,
};
use crate::process::command;
use crate::session::{Interrupted, Job, Session, elapsed, line, print};
use crate::stack::plan::Storage;

/// The checks that need a recent kubectl.
const MANIFEST_CHECKS: [(&str, &str); 2] = [
    (
        "kubectl kustomize",
        "for name in dev plain production; do kubectl kustomize k8s/overlays/$name >$scratch/$name.yaml; done",
    ),
    (
        "manifests against schemas",
        "python k8s/schemas/check.py $scratch/*.yaml",
    ),
];
/// The other checks of `deploy`, `k8s` and `.github`.
const DEPLOY_CHECKS: [(&str, &str); 8] = [
    (
        "promtool check config",
        "promtool check config deploy/prometheus/prometheus.yml",
    ),
    (
        "promtool test rules",
        "cd deploy/prometheus; promtool test rules *_test.yml",
    ),
    (
        "amtool check-config",
        "amtool check-config deploy/prometheus/alertmanager.yml",
    ),
    (
        "a page reaches the people on call",
        "amtool config routes test --config.file=deploy/prometheus/alertmanager.yml \
             --verify.receivers=on-call severity=page",
    ),
    (
        "shellcheck",
        r"git grep -lE '^#!.*\b(ba|da)?sh$' | xargs shellcheck --severity=warning",
    ),
    (
        "openapi-spec-validator",
        "openapi-spec-validator services/lead-intake/openapi.json",
    ),
    (
        "hadolint",
        "hadolint deploy/Dockerfile deploy/site.Dockerfile",
    ),
    (
        "workflows and issue forms against schemas",
        "check() { check-jsonschema --builtin-schema $@; }; cd .github; \
             check vendor.github-workflows workflows/*.yml; \
             check custom.github-workflows-require-timeout workflows/*.yml; \
             check vendor.dependabot dependabot.yml; \
             check vendor.github-issue-config ISSUE_TEMPLATE/config.yml; \
             check vendor.github-issue-forms ISSUE_TEMPLATE/bug.yml ISSUE_TEMPLATE/feature.yml",
    ),
];

/// Runs the chosen parts in turn and prints which checks failed.
pub fn run(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin("test")?;
    let directory = files::scratch("test")?;
    // In the order of their declaration.
    let parts = BTreeSet::from_iter(options.only.iter().copied());
    let has = |part| parts.contains(&part);
    let mut backends = None;
    let installation = Installation::prepare(&needed(&parts), &options.install, &session)?;
    // The first build needs no packages of the system.
    session.side_by_side(vec![
        Box::new(|| {
            installation.run(&session)?;
            if has(Part::Rust) && BACKENDS.iter().any(|name| variable(name).is_none()) {
                backends = Some(Backends::start(&directory.join("backends"), Storage::Fast, &session)?);
            }
            if !has(Part::Deploy) {
                return Ok(());
            }
            let script =
                "python3 -m venv $scratch/python; pip install --quiet -r k8s/schemas/requirements.txt";
            session.run("install the Python packages", &mut shell(script, &directory))
        }),
        Box::new(|| if has(Part::Rust) { builds::tests(&session) } else { Ok(()) }),
        Box::new(|| {
            if !has(Part::Site) && !has(Part::Browser) {
                return Ok(());
            }
            builds::packages(&files::path("frontend"), &session)
        }),
    ])?;

    let kubectl_problem = (has(Part::Rust) || has(Part::Deploy))
        .then(packages::kubectl_problem)
        .flatten();
    let manifest_checks: &[_] = match &kubectl_problem {
        None => &MANIFEST_CHECKS,
        Some(_) => &[],
    };
    let mut others = other_checks(&parts, &directory, manifest_checks);
    let mut run = Run {
        session,
        directory,
        backends,
        passed: 0,
        skipped: vec![],
        failed: vec![],
    };
    if let Some(problem) = &kubectl_problem {
        run.skip("manifests and scripts of k8s/", problem);
    }
    for part in &parts {
        let outcome = match part {
            Part::Rust => run.rust(
                mem::take(&mut others),
                parts.contains(&Part::Chaos),
                kubectl_problem.as_deref(),
            ),
            Part::Site | Part::Deploy => mem::take(&mut others)
                .into_iter()
                .try_for_each(|(title, mut it)| run.check(title, &mut it)),
            Part::Browser => run.browser(),
            // It has run beside the tests.
            Part::Chaos if parts.contains(&Part::Rust) => Ok(()),
            Part::Chaos => run.chaos(),
            Part::Bench => run.bench(),
            Part::Release => run.release(),
            Part::Engines => run.engines(),
        };
        if let Err(error) = outcome {
            run.count(part.into_str(), Err(error))?;
        }
    }
    run.report(started)
}

fn needed(parts: &BTreeSet<Part>) -> Vec<&'static Package> {
    let needed_by = |part: &Part| match part {
        Part::Rust => vec![
            &RABBITMQ, &NGINX, &POSTGRES, &MTAIL, &ENVSUBST, &KUBECTL, &AGE,
        ],
        Part::Site => vec![],
        Part::Deploy => vec![&KUBECTL, &PYTHON, &SHELLCHECK, &PROMETHEUS],
        Part::Browser => vec![&RABBITMQ, &NGINX, &POSTGRES, &CHROMIUM],
        Part::Chaos | Part::Release => vec![&RABBITMQ, &NGINX, &POSTGRES],
        Part::Bench => vec![&RABBITMQ, &NGINX, &POSTGRES, &WRK],
        Part::Engines => vec![&RABBITMQ, &NGINX, &POSTGRES, &WEBKIT],
    };
    parts.iter().flat_map(needed_by).collect()
}

/// Commands of a shell in the root of the checkout. `$scratch` is a directory for files, also for programs in Python.
fn shell(script: &str, scratch: &Path) -> Command {
    let mut shell = command("sh");
    shell.args(["-ec", &format!("PATH=$scratch/python/bin:$PATH; {script}")]);
    shell.env("scratch", scratch).current_dir(files::root());
    shell
}

type Check = (&'static str, Command);

/// Checks that run in turn, beside those of other lanes.
struct Lane {
    niceness: i32,
    checks: Vec<Check>,
}

/// The checks of the site and `art` without a browser, and of `deploy` and `k8s`.
fn other_checks(
    parts: &BTreeSet<Part>,
    scratch: &Path,
    manifest_checks: &[(&'static str, &'static str)],
) -> Vec<Check> {
    let mut checks = Vec::new();
    if parts.contains(&Part::Site) {
        let frontend = |script| npm(&files::path("frontend"), &["run", script]);
        checks.push(("drawings", command(files::path("art/check"))));
        checks.extend([
            ("npm run check", frontend("check")),
            ("npm run test", frontend("test")),
        ]);
        // The build, which checks the size budgets, also precedes the browser tests.
        if !parts.contains(&Part::Browser) {
            checks.push(("build the site", frontend("build")));
        }
    }
    if parts.contains(&Part::Deploy) {
        let scripts = DEPLOY_CHECKS.iter().chain(manifest_checks);
        checks.extend(scripts.map(|(title, script)| (*title, shell(script, scratch))));
    }
    checks
}

struct Run {
    session: Session,
    directory: PathBuf,
    /// The broker and database server of the Rust tests, unless variables name others.
    backends: Option<Backends>,
    passed: usize,
    /// Each check that cannot run on this machine, with the reason.
    skipped: Vec<String>,
    failed: Vec<String>,
}

impl Run {
    /// Checks that every figure of `cargo xtask bench` can be measured.
    fn bench(&mut self) -> Result<()> {
        let program = builds::tool("bench", false, &self.session)?;
        self.check("bench", command(program).arg("--small"))
    }

    /// Runs a check to its end. Returns only an interrupt as an error.
    fn check(&mut self, title: &str, command: &mut Command) -> Result<()> {
        line("");
        let outcome = self.session.run(title, command);
        self.count(title, outcome)
    }

    /// Runs lanes side by side. The output of the first goes to the terminal, that of the others to logs.
    fn check_side_by_side(&mut self, lanes: Vec<Lane>) -> Result<()> {
        let session = &self.session;
        let directory = &self.directory;
        let outcomes = Mutex::new(Vec::new());
        let check = |title: &str, command: &mut Command, is_first| {
            if is_first {
                return session.run(title, command);
            }
            let log = directory.join(format!("{}.log", title.replace(' ', "-")));
            session.run_with_log(title, command, &log)
        };
        line("");
        let jobs = lanes.into_iter().enumerate().map(|(index, lane)| {
            let check = &check;
            let outcomes = &outcomes;
            let job = move || {
                // The priority of this thread and of the programs that it starts.
                let _unchanged = rustix::process::nice(lane.niceness);
                for (title, mut command) in lane.checks {
                    let outcome = check(title, &mut command, index == 0);
                    outcomes.lock().push((title, outcome));
                }
                Ok(())
            };
            Box::new(job) as Job<'_>
        });
        session.side_by_side(jobs.collect())?;
        outcomes
            .into_inner()
            .into_iter()
            .try_for_each(|(title, outcome)| self.count(title, outcome))
    }

    /// Counts the outcome of a check. Returns only an interrupt as an error.
    fn count(&mut self, title: &str, outcome: Result<()>) -> Result<()> {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(error) if error.is::<Interrupted>() => return Err(error),
            Err(error) => {
                line(format!("\n{error:#}\n"));
                self.failed.push(title.to_owned());
            }
        }
        Ok(())
    }

    /// Prints and counts a check that cannot run on this machine.
    fn skip(&mut self, title: &str, reason: &str) {
        let skipped = format!("{title}: {reason}");
        line(format!("\nSKIPPED {skipped}"));
        self.skipped.push(skipped);
    }

    fn report(self, started: Instant) -> Result<()> {
        let Self {
            passed,
            skipped,
            failed,
            directory,
            ..
        } = &self;
        let took = elapsed(started.elapsed());
        for check in skipped {
            print(&format!("\nSKIPPED {check}"))?;
        }
        let but_skipped = match skipped.len() {
            0 => String::new(),
            count => format!(" {count} skipped."),
        };
        if failed.is_empty() {
            files::remove(directory)?;
            return print(&format!(
                "\nAll {passed} checks passed in {took}.{but_skipped}\n"
            ));
        }
        let (count, names, logs) = (failed.len(), failed.join(", "), files::shown(directory));
        bail!(
            "{passed} checks passed and {count} failed in {took}: {names}.{but_skipped}\nThe logs are in {logs}/."
        )
    }
}
