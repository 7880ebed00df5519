//! Checks the files of `deploy` and `k8s`: alert rules, shell scripts, Dockerfiles and manifests.

use std::path::PathBuf;

use crate::error::Result;
use crate::process::Invocation;
use crate::system::tools;

use super::Run;

const OVERLAYS: [&str; 3] = ["dev", "plain", "production"];

impl Run<'_> {
    pub(super) fn deploy(&mut self) -> Result<()> {
        let checkout = &self.session.checkout;
        let python = self.python()?;
        let prometheus = |program, arguments: &[&str]| {
            Invocation::new(program, arguments).directory(&checkout.prometheus())
        };
        let here = |program: PathBuf, arguments: &[&str]| {
            Invocation::new(program, arguments).directory(checkout.root())
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
            ("promtool check config", prometheus(tools::promtool()?, &["check", "config", "prometheus.yml"])),
            ("promtool test rules", prometheus(tools::promtool()?, &["test", "rules", "alerts_test.yml"])),
            ("amtool check-config", prometheus(tools::amtool()?, &["check-config", "alertmanager.yml"])),
            (
                "amtool config routes test",
                prometheus(
                    tools::amtool()?,
                    &[
                        "config",
                        "routes",
                        "test",
                        "--config.file=alertmanager.yml",
                        "--verify.receivers=on-call",
                        "severity=page",
                    ],
                ),
            ),
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

    /// Installs the Python packages; returns the directory with their programs.
    fn python(&self) -> Result<PathBuf> {
        let directory = self.directory.join("python");
        let programs = directory.join("bin");
        let log = self.directory.join("python.log");
        let requirements = self.session.checkout.root().join("k8s/schemas/requirements.txt");
        self.session.progress.run("install the Python packages", |_| {
            let environment = Invocation::new("python3", ["-m", "venv"]).argument(&directory);
            environment.run(&log, &self.session.interrupt)?;
            Invocation::new(programs.join("pip"), ["install", "--quiet", "--requirement"])
                .argument(requirements)
                .run(&log, &self.session.interrupt)
        })?;
        Ok(programs)
    }
}
