//! Paths of external programs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process::which;

const BREW_PREFIXES: [&str; 2] = ["/opt/homebrew", "/usr/local"];

/// RabbitMQ's own start script, because Debian's wrapper on the PATH requires the rabbitmq user.
pub fn rabbitmq_server() -> Result<PathBuf> {
    let debian = PathBuf::from("/usr/lib/rabbitmq/bin/rabbitmq-server");
    first([debian], "opt/rabbitmq/sbin/rabbitmq-server")
        .or_else(|| which("rabbitmq-server"))
        .ok_or_else(|| missing("rabbitmq-server"))
}

pub fn rabbitmqctl() -> Result<PathBuf> {
    let debian = PathBuf::from("/usr/lib/rabbitmq/bin/rabbitmqctl");
    first([debian], "opt/rabbitmq/sbin/rabbitmqctl")
        .or_else(|| which("rabbitmqctl"))
        .ok_or_else(|| missing("rabbitmqctl"))
}

/// Erlang's port mapper.
pub fn epmd() -> Result<PathBuf> {
    which("epmd").or_else(|| first([], "opt/erlang/bin/epmd")).ok_or_else(|| missing("epmd"))
}

pub fn prometheus() -> Result<PathBuf> {
    which("prometheus")
        .or_else(|| first([], "opt/prometheus/bin/prometheus"))
        .ok_or_else(|| missing("prometheus"))
}

/// The tool that checks and tests Prometheus' rules.
pub fn promtool() -> Result<PathBuf> {
    which("promtool").or_else(|| first([], "opt/prometheus/bin/promtool")).ok_or_else(|| missing("promtool"))
}

/// Turns nginx's log into metrics.
pub fn mtail() -> Result<PathBuf> {
    which("mtail").ok_or_else(|| missing("mtail"))
}

/// Debian's has the name of Prometheus before its own.
pub fn alertmanager() -> Result<PathBuf> {
    which("prometheus-alertmanager").or_else(|| which("alertmanager")).ok_or_else(|| missing("alertmanager"))
}

pub fn nginx() -> Result<PathBuf> {
    which("nginx").or_else(|| first([], "opt/nginx/bin/nginx")).ok_or_else(|| missing("nginx"))
}

/// nginx's module for precompressed brotli files, if installed.
pub fn nginx_brotli_static() -> Option<PathBuf> {
    const MODULE: &str = "ngx_http_brotli_static_module.so";
    ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/etc/nginx/modules"]
        .iter()
        .map(|directory| Path::new(directory).join(MODULE))
        .find(|module| module.is_file())
}

/// The directory with the programs of the newest installed PostgreSQL.
pub fn postgres_programs() -> Result<PathBuf> {
    let complete =
        |directory: &PathBuf| directory.join("initdb").is_file() && directory.join("pg_isready").is_file();
    let debian = versions("/usr/lib/postgresql", "").into_iter().map(|version| version.join("bin"));
    let brew = BREW_PREFIXES.iter().flat_map(|prefix| versions(&format!("{prefix}/opt"), "postgresql@"));
    debian
        .chain(brew.map(|version| version.join("bin")))
        .find(complete)
        .or_else(|| which("initdb").and_then(|initdb| initdb.parent().map(Path::to_owned)).filter(complete))
        .ok_or_else(|| missing("PostgreSQL's initdb"))
}

pub fn psql() -> Result<PathBuf> {
    Ok(postgres_programs()?.join("psql"))
}

/// Chromium or Chrome for the browser tests. Prefers the headless shell, which renders faster.
pub fn chromium() -> Result<PathBuf> {
    let applications =
        ["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome"];
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        .iter()
        .find_map(|name| which(name))
        .or_else(|| {
            applications.iter().map(|path| Path::new("/Applications").join(path)).find(|path| path.is_file())
        })
        .ok_or_else(|| missing("chromium"))
}

/// Subdirectories named `prefix` plus a version number, newest first.
fn versions(parent: &str, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?, entry.path()))
        })
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, path)| path).collect()
}

fn first(candidates: impl IntoIterator<Item = PathBuf>, below_brew: &str) -> Option<PathBuf> {
    let brew = BREW_PREFIXES.iter().map(|prefix| Path::new(prefix).join(below_brew));
    candidates.into_iter().chain(brew).find(|path| path.is_file())
}

fn missing(what: &str) -> Error {
    Error::failed(format!("{what} not found: install it and try again"))
}
