//! Programs of this machine: finds them, and installs missing packages with apt.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use fs_err as fs;

use crate::process::{command, output};
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

/// Installs missing packages after printing their names.
pub fn ensure(packages: &[&Package], session: &Session) -> Result<()> {
    let missing: Vec<_> = packages
        .iter()
        .filter(|package| !(package.is_installed)())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let apt: BTreeSet<&str> = missing
        .iter()
        .flat_map(|package| package.apt)
        .copied()
        .collect();
    let names = Vec::from_iter(apt.iter().copied())
        .join(" ")
        .replace('?', "");
    if find("apt-get").is_err() {
        bail!("missing packages: {names}. Without apt-get, install them yourself");
    }
    line(format!(
        "Missing packages: {names}. Installing them with apt-get."
    ));
    let is_root = rustix::process::geteuid().is_root();
    // Requested here because the installation has no terminal.
    let sudo = || std::process::Command::new("sudo").arg("-v").status();
    if !is_root && !sudo().is_ok_and(|status| status.success()) {
        bail!("installing packages requires root or sudo: install them yourself");
    }
    let mut install = command(if is_root { "env" } else { "sudo" });
    install.args((!is_root).then_some("-n")).args([
        "sh",
        "-c",
        include_str!("apt-install.sh"),
        "apt-install",
    ]);
    session.run(&format!("install {names}"), install.args(apt))?;
    match missing.iter().find(|package| !(package.is_installed)()) {
        Some(package) => Err(anyhow!(
            "{:?} lacks programs: install newer ones",
            package.apt
        )),
        None => Ok(()),
    }
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
