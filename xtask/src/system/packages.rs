//! System packages: detects missing ones and installs them with apt.

use std::path::Path;
use std::process::Command;

use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::process::{Invocation, which};
use crate::progress::Progress;
use crate::system::tools;

/// Required software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    RabbitMq,
    Nginx,
    Postgres,
    Chromium,
    Prometheus,
    Mtail,
    Kubectl,
    Python,
    Shellcheck,
    Wrk,
}

/// The first version whose kustomize supports all features that the overlays use.
const OLDEST_KUBECTL: u64 = 27;

impl Package {
    pub const ALL: [Self; 10] = [
        Self::RabbitMq,
        Self::Nginx,
        Self::Postgres,
        Self::Chromium,
        Self::Prometheus,
        Self::Mtail,
        Self::Kubectl,
        Self::Python,
        Self::Shellcheck,
        Self::Wrk,
    ];

    fn is_there(self) -> bool {
        match self {
            Self::RabbitMq => tools::rabbitmq_server().is_ok() && tools::epmd().is_ok(),
            Self::Nginx => tools::nginx().is_ok(),
            Self::Postgres => tools::postgres_programs().is_ok(),
            Self::Chromium => tools::chromium().is_ok(),
            Self::Prometheus => {
                tools::prometheus().is_ok() && tools::promtool().is_ok() && tools::alertmanager().is_ok()
            }
            Self::Mtail => tools::mtail().is_ok(),
            Self::Kubectl => kubectl_minor().is_some_and(|minor| minor >= OLDEST_KUBECTL),
            // Debian ships Python without the module.
            Self::Python => Invocation::new("python3", ["-c", "import ensurepip"]).quiet_success(),
            Self::Shellcheck => which("shellcheck").is_some(),
            Self::Wrk => which("wrk").is_some(),
        }
    }

    /// Debian's package names; a question mark marks an optional one.
    fn apt(self) -> &'static [&'static str] {
        match self {
            Self::RabbitMq => &["rabbitmq-server"],
            Self::Nginx => &["nginx", "libnginx-mod-http-brotli-static?"],
            Self::Postgres => &["postgresql"],
            Self::Chromium => &["chromium-headless-shell"],
            Self::Prometheus => &["prometheus", "prometheus-alertmanager"],
            Self::Mtail => &["mtail"],
            Self::Kubectl => &["kubernetes-client"],
            Self::Python => &["python3-venv"],
            Self::Shellcheck => &["shellcheck"],
            Self::Wrk => &["wrk"],
        }
    }

    /// The systemd units that Debian starts on installation.
    fn units(self) -> &'static [&'static str] {
        match self {
            Self::RabbitMq => &["rabbitmq-server.service", "epmd.socket", "epmd.service"],
            Self::Nginx => &["nginx.service"],
            Self::Postgres => &["postgresql.service"],
            Self::Chromium | Self::Kubectl | Self::Python | Self::Shellcheck | Self::Wrk => &[],
            Self::Prometheus => {
                &["prometheus.service", "prometheus-alertmanager.service", "prometheus-node-exporter.service"]
            }
            Self::Mtail => &["mtail.service"],
        }
    }
}

/// Installs missing packages after printing their names.
pub fn ensure(packages: &[Package], log: &Path, progress: &Progress, interrupt: &Interrupt) -> Result<()> {
    let missing: Vec<Package> = packages.iter().copied().filter(|package| !package.is_there()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing
        .iter()
        .flat_map(|package| package.apt())
        .filter(|name| !name.ends_with('?'))
        .copied()
        .collect();
    let names = names.join(", ");
    if which("apt-get").is_none() {
        return Err(Error::failed(format!(
            "missing system packages: {names}. Without apt-get, install them yourself and try again"
        )));
    }
    progress.line(&format!("Missing system packages: {names}. Installing them with apt-get."));
    let install = with_apt(&missing)?;
    progress.run(&format!("install {names}"), |_| install.run(log, interrupt))?;
    match missing.iter().find(|package| !package.is_there()) {
        Some(Package::Kubectl) => Err(Error::failed(format!(
            "this system's package of kubectl is older than 1.{OLDEST_KUBECTL} (Debian 12 has 1.20): install a newer \
             kubectl as kubernetes.io describes, and try again"
        ))),
        Some(package) => Err(Error::failed(format!(
            "{package:?} was installed, but its programs were not found; see {}",
            log.display()
        ))),
        None => Ok(()),
    }
}

fn kubectl_minor() -> Option<u64> {
    let output = Command::new("kubectl").args(["version", "--client", "--output=json"]).output().ok()?;
    let version: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    version["clientVersion"]["minor"].as_str()?.trim_end_matches('+').parse().ok()
}

fn with_apt(missing: &[Package]) -> Result<Invocation> {
    const SCRIPT: &str = include_str!("apt-install.sh");
    let mut arguments = vec!["sh", "-c", SCRIPT, "apt-install"];
    arguments.extend(missing.iter().flat_map(|package| package.units()));
    arguments.push("--");
    arguments.extend(missing.iter().flat_map(|package| package.apt()));
    if rustix::process::geteuid().is_root() {
        return Ok(Invocation::new(arguments[0], &arguments[1..]));
    }
    // Requested here because the installation has no terminal.
    let may = Command::new("sudo").arg("-v").status().is_ok_and(|status| status.success());
    if !may {
        return Err(Error::failed(
            "installing system packages requires root or sudo: install them yourself and try again",
        ));
    }
    Ok(Invocation::new("sudo", ["-n"].iter().chain(&arguments)))
}
