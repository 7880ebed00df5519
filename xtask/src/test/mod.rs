//! `cargo xtask test`: all checks. Their programs print their progress and results.

mod browser;
mod rust;

use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};

use crate::backends::{BACKENDS, Backends};
use crate::builds::{self, npm};
use crate::cli::{Part, TestOptions, variable};
use crate::files::{self, Lock};
use crate::packages::{
    self, AGE, CHROMIUM, KUBECTL, MTAIL, NGINX, POSTGRES, PROMETHEUS, PYTHON, Package, RABBITMQ, SHELLCHECK,
    WRK,
};
use crate::process::{self, command};
use crate::session::{Interrupted, Session, elapsed, line, print, step};
use crate::stack::plan::Storage;

const ADVISORIES: &str = "known vulnerabilities";
/// The checks of `deploy` and `k8s`.
const DEPLOY_CHECKS: [(&str, &str); 9] = [
    ("promtool check config", "promtool check config deploy/prometheus/prometheus.yml"),
    ("promtool test rules", "cd deploy/prometheus; promtool test rules alerts_test.yml"),
    ("amtool check-config", "amtool check-config deploy/prometheus/alertmanager.yml"),
    (
        "a page reaches the people on call",
        "amtool config routes test --config.file=deploy/prometheus/alertmanager.yml \
             --verify.receivers=on-call severity=page",
    ),
    ("shellcheck", "git grep -lE '^#! ?/bin/(ba)?sh' | xargs shellcheck --severity=warning"),
    ("openapi-spec-validator", "openapi-spec-validator services/lead-intake/openapi.json"),
    ("hadolint", "hadolint deploy/Dockerfile deploy/site.Dockerfile"),
    (
        "kubectl kustomize",
        "for name in dev plain production; do kubectl kustomize k8s/overlays/$name >$scratch/$name.yaml; done",
    ),
    ("manifests against schemas", "python k8s/schemas/check.py $scratch/*.yaml"),
];

/// Runs the chosen parts in turn and prints which checks failed.
pub fn run(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let directory = files::scratch("test");
    let _lock = Lock::acquire(&directory, "cargo xtask test")?;
    files::empty_directory(&directory)?;
    // In the order of their declaration.
    let parts = &Vec::from_iter(BTreeSet::from_iter(options.only.iter().copied()));
    let mut backends = None;
    // The first build needs no packages of other systems.
    session.side_by_side(vec![
        Box::new(|| {
            packages::ensure(&needed(parts), &session)?;
            if parts.contains(&Part::Rust) && BACKENDS.iter().any(|name| variable(name).is_none()) {
                backends = Some(Backends::start(&directory.join("backends"), Storage::Fast, &session)?);
            }
            if !parts.contains(&Part::Deploy) {
                return Ok(());
            }
            let script =
                "python3 -m venv $scratch/python; pip install --quiet -r k8s/schemas/requirements.txt";
            session.run("install the Python packages", &mut shell(script, &directory))
        }),
        Box::new(|| if parts.contains(&Part::Rust) { builds::tests(&session) } else { Ok(()) }),
        Box::new(|| install_npm_packages(parts, &session)),
    ])?;

    let mut run = Run {
        session: &session,
        directory: directory.clone(),
        backends,
        is_offline: options.offline,
        passed: 0,
        failed: Vec::new(),
    };
    let mut others = other_checks(parts, &directory);
    for part in parts {
        let outcome = match part {
            Part::Rust => run.rust(),
            // Beside chaos.
            Part::Site | Part::Deploy if parts.contains(&Part::Chaos) => Ok(()),
            Part::Site | Part::Deploy => {
                mem::take(&mut others).into_iter().try_for_each(|(title, mut it)| run.check(title, &mut it))
            }
            Part::Browser => run.browser(),
            Part::Chaos => run.chaos(mem::take(&mut others)),
            Part::Bench => run.bench(),
        };
        if let Err(error) = outcome {
            run.count(part.into_str(), Err(error))?;
        }
    }
    run.report(started)
}

fn needed(parts: &[Part]) -> Vec<&'static Package> {
    let needed_by = |part: &Part| match part {
        Part::Rust => vec![&RABBITMQ, &NGINX, &POSTGRES, &MTAIL, &KUBECTL, &AGE],
        Part::Site => vec![],
        Part::Deploy => vec![&KUBECTL, &PYTHON, &SHELLCHECK, &PROMETHEUS],
        Part::Browser => vec![&RABBITMQ, &NGINX, &POSTGRES, &CHROMIUM],
        Part::Chaos => vec![&RABBITMQ, &NGINX, &POSTGRES],
        Part::Bench => vec![&RABBITMQ, &NGINX, &POSTGRES, &WRK],
    };
    parts.iter().flat_map(needed_by).collect()
}

fn install_npm_packages(parts: &[Part], session: &Session) -> Result<()> {
    for (directory, users) in
        [("frontend", [Part::Site, Part::Browser].as_slice()), ("deploy/maildev", &[Part::Browser])]
    {
        if users.iter().any(|part| parts.contains(part)) {
            builds::packages(&files::path(directory), session)?;
        }
    }
    Ok(())
}

/// Commands of a shell in the root of the checkout. `$scratch` is a directory for files, also for programs in Python.
fn shell(script: &str, scratch: &Path) -> Command {
    let mut shell = command("sh");
    shell.args(["-ec", &format!("PATH=$scratch/python/bin:$PATH; {script}")]);
    shell.env("scratch", scratch).current_dir(files::root());
    shell
}

type Check = (&'static str, Command);

/// The checks of the site and `art` without a browser, and of `deploy` and `k8s`.
fn other_checks(parts: &[Part], scratch: &Path) -> Vec<Check> {
    let mut checks = Vec::new();
    if parts.contains(&Part::Site) {
        let frontend = |script| npm(&files::path("frontend"), &["run", script]);
        checks.push(("drawings", command(files::path("art/check"))));
        checks.extend([("npm run check", frontend("check")), ("npm run test", frontend("test"))]);
        // The build, which checks the size budgets, also precedes the browser tests.
        if !parts.contains(&Part::Browser) {
            checks.push(("build the site", frontend("build")));
        }
    }
    if parts.contains(&Part::Deploy) {
        checks.extend(DEPLOY_CHECKS.map(|(title, script)| (title, shell(script, scratch))));
    }
    checks
}

struct Run<'a> {
    session: &'a Session,
    directory: PathBuf,
    /// The broker and database server of the Rust tests, unless variables name others.
    backends: Option<Backends>,
    /// Whether checks that need the network are skipped.
    is_offline: bool,
    passed: usize,
    failed: Vec<String>,
}

impl Run<'_> {
    /// Checks that every figure of `cargo xtask bench` can be measured.
    fn bench(&mut self) -> Result<()> {
        let program = builds::tool("bench", false, self.session)?;
        self.check("bench", command(program).args(["bench", "--small"]))
    }

    /// Runs a check to its end, and goes on after a failure.
    fn check(&mut self, title: &str, command: &mut Command) -> Result<()> {
        line("");
        let outcome = self.session.run(title, command);
        self.count(title, outcome)
    }

    /// Runs a check, and others beside it with low priority, as it leaves processors idle. Their output goes to logs.
    fn check_beside(&mut self, others: Vec<Check>, title: &str, command: &mut Command) -> Result<()> {
        let (session, directory) = (self.session, self.directory.clone());
        let run_others = move || {
            // The priority of this thread and of the programs that it starts.
            let _unchanged = rustix::process::nice(10);
            let run = |(title, mut command): Check| {
                let log = directory.join(format!("{}.log", title.replace(' ', "-")));
                (title, step(title, || process::run(&mut command, &log, &session.interrupt)))
            };
            others.into_iter().map(run).collect::<Vec<_>>()
        };
        let (outcome, others) = thread::scope(|scope| {
            let others = scope.spawn(run_others);
            (self.check(title, command), others.join())
        });
        outcome?;
        let mut others = others.map_err(|_| anyhow!("a check panicked; see its message above"))?.into_iter();
        others.try_for_each(|(title, outcome)| self.count(title, outcome))
    }

    /// Counts the outcome of a check. Only an interrupt is returned.
    fn count(&mut self, title: &str, outcome: Result<()>) -> Result<()> {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(error) if error.is::<Interrupted>() => return Err(error),
            Err(error) => {
                line(format!("\n{title}: {error:#}\n"));
                self.failed.push(title.to_owned());
            }
        }
        Ok(())
    }

    fn report(self, started: Instant) -> Result<()> {
        let Self { passed, failed, is_offline, directory, .. } = self;
        let took = elapsed(started.elapsed());
        if is_offline {
            print(&format!("\nSKIPPED because of --offline: {ADVISORIES}.\n"))?;
        }
        if failed.is_empty() {
            files::remove(&directory)?;
            return print(&format!("\nAll {passed} checks passed in {took}.\n"));
        }
        let (count, names, logs) = (failed.len(), failed.join(", "), files::shown(&directory));
        bail!("{passed} checks passed and {count} failed in {took}: {names}.\nThe logs are in {logs}/.")
    }
}
