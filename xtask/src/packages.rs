//! Programs of this machine: finds them, and installs missing packages with apt.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use fs_err as fs;

use crate::cli::InstallOptions;
use crate::process::{command, command_with, output};
use crate::session::{Session, line};

const CHROMIUM_NAMES: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// Required software, with Debian's names.
pub struct Package {
    is_installed: fn() -> bool,
    /// A question mark marks an optional one.
    apt: &'static [&'static str],
}

pub static RABBITMQ: Package = Package {
    is_installed: || are_found(&["rabbitmq-server", "rabbitmqctl", "epmd"]),
    apt: &["rabbitmq-server"],
};
pub static NGINX: Package = Package {
    is_installed: || are_found(&["nginx", "openssl"]),
    apt: &["nginx", "libnginx-mod-http-brotli-static?", "openssl"],
};
pub static POSTGRES: Package = Package {
    is_installed: || are_found(&["initdb", "pg_isready", "psql", "openssl"]),
    apt: &["postgresql", "openssl"],
};
pub static CHROMIUM: Package = Package {
    is_installed: || chromium().is_ok() && are_found(&["curl"]),
    apt: &["chromium-headless-shell", "curl"],
};
pub static PROMETHEUS: Package = Package {
    is_installed: || are_found(&["promtool", "amtool"]),
    apt: &["prometheus", "prometheus-alertmanager"],
};
pub static MTAIL: Package = Package {
    is_installed: || are_found(&["mtail"]),
    apt: &["mtail"],
};
/// Renders the configuration of nginx in its image, whose start script a test runs.
pub static ENVSUBST: Package = Package {
    is_installed: || are_found(&["envsubst"]),
    apt: &["gettext-base"],
};
pub static KUBECTL: Package = Package {
    is_installed: || are_found(&["kubectl"]),
    apt: &["kubernetes-client"],
};
pub static PYTHON: Package = Package {
    // Debian ships Python without the module.
    is_installed: || output(command("python3").args(["-c", "import ensurepip"])).is_ok(),
    apt: &["python3-venv"],
};
pub static SHELLCHECK: Package = Package {
    is_installed: || are_found(&["shellcheck"]),
    apt: &["shellcheck"],
};
pub static AGE: Package = Package {
    is_installed: || are_found(&["age", "age-keygen"]),
    apt: &["age"],
};
pub static WRK: Package = Package {
    is_installed: || are_found(&["wrk"]),
    apt: &["wrk"],
};
/// The engine of Safari, with its driver. It needs a display.
pub static WEBKIT: Package = Package {
    is_installed: || are_found(&["WebKitWebDriver", "Xvfb"]),
    apt: &["webkit2gtk-driver", "xvfb"],
};

/// Installs missing packages as [`Installation`] does.
pub fn ensure(
    packages: &[&'static Package],
    options: &InstallOptions,
    session: &Session,
) -> Result<()> {
    Installation::prepare(packages, options, session)?.run(session)
}

/// Missing packages that the user agreed to install.
pub struct Installation {
    missing: Vec<&'static Package>,
}

impl Installation {
    /// Prints the command that installs the missing packages, and asks whether to run it. Does not ask with `--yes`, nor
    /// root without a terminal, as in a container.
    ///
    /// # Errors
    /// Fails if the user declines, or cannot be asked and is not root.
    pub fn prepare(
        packages: &[&'static Package],
        options: &InstallOptions,
        session: &Session,
    ) -> Result<Self> {
        let missing: Vec<_> = packages
            .iter()
            .copied()
            .filter(|package| !(package.is_installed)())
            .collect();
        let installation = Self { missing };
        if installation.missing.is_empty() {
            return Ok(installation);
        }
        let names = installation.names().join(" ");
        if find("apt-get").is_err() {
            bail!("missing packages: {names}. Without apt-get, install them yourself");
        }
        let command = format!("{}apt-get install --no-install-recommends {names}", sudo());
        line(format!(
            "Missing packages. This command installs them:\n  {command}"
        ));
        if !options.yes && io::stdin().is_terminal() {
            let answer = session.ask("Run it now, without starting services? [Y/n] ")?;
            if !["", "y", "yes"].contains(&answer.to_lowercase().as_str()) {
                bail!("nothing was installed or changed");
            }
        } else if !options.yes && !is_root() {
            bail!("run the command above, or try again with --yes");
        }
        // Requests the password here because the installation has no terminal.
        let validate = || std::process::Command::new("sudo").arg("-v").status();
        if !is_root() && !validate().is_ok_and(|status| status.success()) {
            bail!("cannot become root with sudo: run the command above yourself");
        }
        Ok(installation)
    }

    /// Downloads and installs the packages. An interrupt stops the download, and waits for the end of the installation.
    ///
    /// # Errors
    /// Fails if apt-get fails, or if the packages do not contain the required programs.
    pub fn run(self, session: &Session) -> Result<()> {
        if self.missing.is_empty() {
            return Ok(());
        }
        let names = self.names().join(" ");
        session.run(&format!("download {names}"), &mut self.apt("download"))?;
        session.run_to_end(&format!("install {names}"), &mut self.apt("install"))?;
        match self
            .missing
            .iter()
            .find(|package| !(package.is_installed)())
        {
            Some(package) => Err(anyhow!(
                "{:?} lacks programs: install newer ones",
                package.apt
            )),
            None => Ok(()),
        }
    }

    /// The names of the required packages.
    fn names(&self) -> Vec<&'static str> {
        let mut names = self.apt_names();
        names.retain(|name| !name.ends_with('?'));
        names.into_iter().collect()
    }

    fn apt_names(&self) -> BTreeSet<&'static str> {
        self.missing
            .iter()
            .flat_map(|package| package.apt)
            .copied()
            .collect()
    }

    fn apt(&self, step: &str) -> Command {
        // Without a signal at the death of this process, which would leave packages half installed.
        let mut install = command_with(&[], if is_root() { "env" } else { "sudo" });
        install.args((!is_root()).then_some("-n")).args([
            "sh",
            "-c",
            include_str!("apt-install.sh"),
            "apt-install",
            step,
        ]);
        install.args(self.apt_names());
        install
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The prefix of a command that requires root.
fn sudo() -> &'static str {
    if is_root() { "" } else { "sudo " }
}

fn are_found(programs: &[&str]) -> bool {
    programs.iter().all(|program| find(program).is_ok())
}

/// Finds a program. RabbitMQ's scripts and PostgreSQL's programs come before Debian's wrappers on the PATH, which
/// require a certain user or cluster.
#[expect(
    clippy::disallowed_methods,
    reason = "PATH is the system's, not a setting of ours"
)]
pub fn find(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let before = [
        Some(PathBuf::from("/usr/lib/rabbitmq/bin")),
        newest_postgres(),
    ];
    let after = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    let places = before
        .into_iter()
        .flatten()
        .chain(std::env::split_paths(&path))
        .chain(after);
    let mut programs = places.map(|directory| directory.join(name));
    programs
        .find(|program| program.is_file())
        .with_context(|| format!("{name} not found: install it and try again"))
}

fn newest_postgres() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let number = |path: &PathBuf| {
        path.file_name()
            .and_then(OsStr::to_str)
            .and_then(|name| name.parse::<u32>().ok())
    };
    versions
        .filter(|path| path.join("bin/initdb").is_file())
        .max_by_key(number)
        .map(|path| path.join("bin"))
}

/// The first version 1.N of kubectl that renders the overlays. Debian 12 has 1.20.
const KUBECTL_MINOR: u32 = 27;

/// The reason why kubectl cannot render the manifests, if it cannot.
pub fn kubectl_problem() -> Option<String> {
    let version = output(command("kubectl").args(["version", "--client", "--output=json"]));
    match version.as_deref().map(parse_minor) {
        Ok(Some(minor)) if minor >= KUBECTL_MINOR => None,
        Ok(Some(minor)) => Some(format!("kubectl 1.{minor} is older than 1.{KUBECTL_MINOR}")),
        Ok(None) | Err(_) => Some("kubectl does not run".to_owned()),
    }
}

/// The minor version in the output of `kubectl version`, which may end with a plus.
fn parse_minor(version: &str) -> Option<u32> {
    let (_, minor) = version.split_once(r#""minor": ""#)?;
    let (minor, _) = minor.split_once('"')?;
    minor.trim_end_matches('+').parse().ok()
}

/// Chromium or Chrome for the browser tests. Prefers the headless shell, which renders faster.
pub fn chromium() -> Result<PathBuf> {
    let found = CHROMIUM_NAMES.iter().find_map(|name| find(name).ok());
    found.context("Chromium not found: install it and try again")
}

/// nginx's module for precompressed brotli files, if installed.
pub fn nginx_brotli_static() -> Option<PathBuf> {
    const MODULE: &str = "ngx_http_brotli_static_module.so";
    let places = [
        "/usr/lib/nginx/modules",
        "/usr/lib64/nginx/modules",
        "/etc/nginx/modules",
    ];
    places
        .iter()
        .map(|directory| Path::new(directory).join(MODULE))
        .find(|module| module.is_file())
}
