//! Checks the files of `deploy` and `k8s`: alert rules, shell scripts, Dockerfiles and manifests.

use std::path::Path;

use anyhow::Result;

use crate::session::Session;

use super::shell;

pub(super) const CHECKS: [(&str, &str); 9] = [
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

/// Installs the Python packages of the checks.
pub(super) fn install_python(scratch: &Path, session: &Session) -> Result<()> {
    let script = "python3 -m venv $scratch/python; pip install --quiet -r k8s/schemas/requirements.txt";
    session.run("install the Python packages", &mut shell(script, scratch))
}
