//! `cargo xtask test`: all checks. Their programs print their progress and results.

mod browser;
mod engines;
mod release;
mod rust;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use parking_lot::Mutex;
use rustix::process::nice;

use crate::backends::{BACKENDS, Backends};
use crate::builds::{self, npm};
use crate::cli::{Part, TestOptions, variable};
use crate::files;
use crate::packages::{
    self, AGE, CHROMIUM, ENVSUBST, Installation, KUBECTL, MTAIL, NGINX, POSTGRES, PROMETHEUS,
    PYTHON, Package, RABBITMQ, SHELLCHECK, WEBKIT, WRK,
};
use crate::process::command;
use crate::session::{Interrupted, Job, Session, elapsed, line, print, step};
use crate::stack::MAIL_CATCHER;
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

/// Parts that run side by side, and the niceness of each lane, whose parts run in turn. Chaos is late because it mostly waits,
/// as the last Rust tests do, and has a higher priority because it has promises of seconds. The browser tests run alone: they
/// keep all cores busy, and beside the others everything took two minutes longer.
const LANES: [(i32, &[Part]); 2] = [
    (10, &[Part::Rust]),
    (0, &[Part::Site, Part::Deploy, Part::Chaos]),
];

/// Runs the chosen parts and prints which checks failed.
pub fn run(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin("test")?;
    let directory = files::scratch("test")?;
    // In the order of their declaration.
    let parts = BTreeSet::from_iter(options.only.iter().copied());
    let has = |part| parts.contains(&part);
    let mut backends = None;
    let mut site = None;
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
        // The build of the site also checks its size budgets.
        Box::new(|| {
            let has_browser = has(Part::Browser) || has(Part::Engines);
            if has(Part::Site) || has_browser {
                site = Some(builds::site(&session)?);
            }
            if has_browser {
                builds::packages(&files::path(MAIL_CATCHER), &session)?;
            }
            Ok(())
        }),
    ])?;

    let kubectl_problem = (has(Part::Rust) || has(Part::Deploy))
        .then(packages::kubectl_problem)
        .flatten();
    let outcomes = Mutex::default();
    let run = Run {
        session: &session,
        directory: &directory,
        backends: backends.as_ref(),
        site: site.as_deref(),
        kubectl_problem: kubectl_problem.as_deref(),
        output: Output::Terminal,
        outcomes: &outcomes,
    };
    if let Some(problem) = &kubectl_problem {
        run.skip("manifests and scripts of k8s/", problem);
    }
    run.side_by_side(&parts)?;
    let is_in_lane = |part| LANES.iter().any(|(_, lane)| lane.contains(part));
    let alone = parts.iter().filter(|part| !is_in_lane(part));
    alone.copied().try_for_each(|part| run.part(part))?;
    if let Some(backends) = backends {
        step("stop RabbitMQ and PostgreSQL", || {
            drop(backends);
            Ok(())
        })?;
    }
    outcomes.into_inner().report(started, &directory)
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

/// Where the output of checks goes.
#[derive(Clone, Copy, PartialEq)]
enum Output {
    Terminal,
    /// A file for each check.
    Logs,
}

/// What has become of the checks.
#[derive(Default)]
struct Outcomes {
    passed: usize,
    /// Each check that cannot run on this machine, with the reason.
    skipped: Vec<String>,
    failed: Vec<String>,
}

/// Runs parts and counts the outcomes of their checks.
#[derive(Clone, Copy)]
struct Run<'a> {
    session: &'a Session,
    directory: &'a Path,
    /// The broker and database server of the Rust tests, unless variables name others.
    backends: Option<&'a Backends>,
    /// The directory of the built site, if a part needs it.
    site: Option<&'a Path>,
    kubectl_problem: Option<&'a str>,
    output: Output,
    outcomes: &'a Mutex<Outcomes>,
}

impl Run<'_> {
    /// Runs the lanes that have one of the parts. The output of the first goes to the terminal.
    fn side_by_side(self, parts: &BTreeSet<Part>) -> Result<()> {
        let chosen = |(niceness, lane): (i32, &[Part])| {
            let parts = lane.iter().filter(|part| parts.contains(part));
            (niceness, parts.copied().collect::<Vec<_>>())
        };
        let lanes = LANES
            .map(chosen)
            .into_iter()
            .filter(|(_, parts)| !parts.is_empty());
        let jobs = lanes.enumerate().map(|(index, (niceness, parts))| {
            let output = if index == 0 {
                Output::Terminal
            } else {
                Output::Logs
            };
            let run = Run { output, ..self };
            let job = move || {
                // Of this thread, and of the programs that it starts.
                let _unchanged = nice(niceness);
                parts.into_iter().try_for_each(|part| run.part(part))
            };
            Box::new(job) as Job<'_>
        });
        self.session.side_by_side(jobs.collect())
    }

    /// Runs the checks of a part. Returns only an interrupt as an error.
    fn part(self, part: Part) -> Result<()> {
        let outcome = match part {
            Part::Rust => self.rust(),
            Part::Site => self.site(),
            Part::Deploy => self.deploy(),
            Part::Browser => self.browser(),
            Part::Chaos => self.chaos(),
            Part::Bench => self.bench(),
            Part::Release => self.release(),
            Part::Engines => self.engines(),
        };
        outcome.or_else(|error| self.count(part.into_str(), Err(error)))
    }

    /// Checks the site and `art` without a browser.
    fn site(self) -> Result<()> {
        let frontend = |script| npm(&files::path("frontend"), &["run", script]);
        self.check("drawings", &mut command(files::path("art/check")))?;
        self.check("npm run check", &mut frontend("check"))?;
        self.check("npm run test", &mut frontend("test"))
    }

    /// Checks `deploy`, `k8s` and `.github`.
    fn deploy(self) -> Result<()> {
        let manifest_checks: &[_] = match self.kubectl_problem {
            None => &MANIFEST_CHECKS,
            Some(_) => &[],
        };
        let mut checks = DEPLOY_CHECKS.iter().chain(manifest_checks);
        checks.try_for_each(|(title, script)| self.check(title, &mut shell(script, self.directory)))
    }

    /// Checks that every figure of `cargo xtask bench` can be measured.
    fn bench(self) -> Result<()> {
        let program = builds::tool("bench", false, self.session)?;
        self.check("bench", command(program).arg("--small"))
    }

    /// Runs a check to its end. Returns only an interrupt as an error.
    fn check(self, title: &str, command: &mut Command) -> Result<()> {
        let outcome = match self.output {
            Output::Terminal => {
                line("");
                self.session.run(title, command)
            }
            Output::Logs => {
                let name = format!("{}.log", title.replace(' ', "-"));
                self.session
                    .run_with_log(title, command, &self.directory.join(name))
            }
        };
        self.count(title, outcome)
    }

    /// Counts the outcome of a check. Returns only an interrupt as an error.
    fn count(self, title: &str, outcome: Result<()>) -> Result<()> {
        match outcome {
            Ok(()) => self.outcomes.lock().passed += 1,
            Err(error) if error.is::<Interrupted>() => return Err(error),
            Err(error) => {
                line(format!("\n{error:#}\n"));
                self.outcomes.lock().failed.push(title.to_owned());
            }
        }
        Ok(())
    }

    /// Prints and counts a check that cannot run on this machine.
    fn skip(self, title: &str, reason: &str) {
        let skipped = format!("{title}: {reason}");
        line(format!("\nSKIPPED {skipped}"));
        self.outcomes.lock().skipped.push(skipped);
    }
}

impl Outcomes {
    /// Prints the skipped and the failed checks. Deletes the logs in `directory` unless a check failed.
    fn report(&self, started: Instant, directory: &Path) -> Result<()> {
        let Self {
            passed,
            skipped,
            failed,
        } = self;
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
