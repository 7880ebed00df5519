//! Checks the files of `deploy` and `k8s`: alert rules, shell scripts, Dockerfiles and manifests.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::checkout;
use crate::process::command;
use crate::session::Session;

use super::Run;

/// Commands of a shell in the root of the checkout. `$scratch` is a directory for files.
const CHECKS: [(&str, &str); 9] = [
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

impl Run<'_> {
    pub(super) fn deploy(&mut self) -> Result<()> {
        for (title, script) in CHECKS {
            let mut check = shell(script, &self.directory);
            self.check(title, &mut check)?;
        }
        Ok(())
    }
}

/// Installs the Python packages of the checks.
pub(super) fn install_python(scratch: &Path, session: &Session) -> Result<()> {
    let script = "python3 -m venv $scratch/python; pip install --quiet -r k8s/schemas/requirements.txt";
    session.run("install the Python packages", &mut shell(script, scratch))
}

fn shell(script: &str, scratch: &Path) -> Command {
    let mut shell = command("sh");
    shell.args(["-ec", &format!("PATH=$scratch/python/bin:$PATH; {script}")]);
    shell.env("scratch", scratch).current_dir(checkout::root());
    shell
}
