//! Checks the files of `deploy` and `k8s`: alert rules, shell scripts, Dockerfiles and manifests.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::checkout;
use crate::packages::find;
use crate::process::Invocation;
use crate::session::{Session, step};

use super::Run;

/// A page reaches the people on call.
const AMTOOL_ROUTES: [&str; 6] = [
    "config",
    "routes",
    "test",
    "--config.file=alertmanager.yml",
    "--verify.receivers=on-call",
    "severity=page",
];
const OVERLAYS: [&str; 3] = ["dev", "plain", "production"];

impl Run<'_> {
    pub(super) fn deploy(&mut self) -> Result<()> {
        let python = python_programs(&self.directory);
        let prometheus = |program: &str, arguments: &[&str]| -> Result<Invocation> {
            Ok(Invocation::new(find(program)?, arguments).directory(&checkout::path("deploy/prometheus")))
        };
        let here = |program: PathBuf, arguments: &[&str]| {
            Invocation::new(program, arguments).directory(checkout::root())
        };
        let rendered: Vec<String> = OVERLAYS
            .map(|overlay| self.directory.join(format!("{overlay}.yaml")).display().to_string())
            .into();
        let render: String = OVERLAYS
            .iter()
            .zip(&rendered)
            .map(|(overlay, file)| format!("kubectl kustomize k8s/overlays/{overlay} >'{file}'\n"))
            .collect();
        let manifests = here(python.join("python"), &["k8s/schemas/check.py"]);
        for (title, check) in [
            ("promtool check config", prometheus("promtool", &["check", "config", "prometheus.yml"])?),
            ("promtool test rules", prometheus("promtool", &["test", "rules", "alerts_test.yml"])?),
            ("amtool check-config", prometheus("amtool", &["check-config", "alertmanager.yml"])?),
            ("amtool config routes test", prometheus("amtool", &AMTOOL_ROUTES)?),
            (
                "shellcheck",
                here(
                    "sh".into(),
                    &["-c", "git grep -lE '^#! ?/bin/(ba)?sh' | xargs shellcheck --severity=warning"],
                ),
            ),
            (
                "openapi-spec-validator",
                here(python.join("openapi-spec-validator"), &["services/lead-intake/openapi.json"]),
            ),
            ("hadolint", here(python.join("hadolint"), &["deploy/Dockerfile", "deploy/site.Dockerfile"])),
            ("kubectl kustomize", here("sh".into(), &["-ec", &render])),
            ("manifests against schemas", rendered.iter().fold(manifests, Invocation::argument)),
        ] {
            self.check(title, &check)?;
        }
        Ok(())
    }
}

/// Installs the Python packages of the checks.
pub(super) fn install_python(directory: &Path, session: &Session) -> Result<()> {
    let requirements = checkout::path("k8s/schemas/requirements.txt");
    step("install the Python packages", || {
        let environment = Invocation::new("python3", ["-m", "venv"]).argument(directory.join("python"));
        environment.run_in_foreground(&session.interrupt)?;
        let pip = python_programs(directory).join("pip");
        let install = Invocation::new(pip, ["install", "--quiet", "--requirement"]).argument(requirements);
        install.run_in_foreground(&session.interrupt)
    })
}

fn python_programs(directory: &Path) -> PathBuf {
    directory.join("python/bin")
}
