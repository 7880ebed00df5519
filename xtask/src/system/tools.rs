//! Paths of external programs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process::which;

/// RabbitMQ's own start script, because Debian's wrapper on the PATH requires the rabbitmq user.
pub fn rabbitmq_server() -> Result<PathBuf> {
    of_rabbitmq("rabbitmq-server")
}

pub fn rabbitmqctl() -> Result<PathBuf> {
    of_rabbitmq("rabbitmqctl")
}

fn of_rabbitmq(name: &str) -> Result<PathBuf> {
    let debian = Path::new("/usr/lib/rabbitmq/bin").join(name);
    if debian.is_file() { Ok(debian) } else { which(name).ok_or_else(|| missing(name)) }
}

/// Erlang's port mapper.
pub fn epmd() -> Result<PathBuf> {
    which("epmd").ok_or_else(|| missing("epmd"))
}

pub fn prometheus() -> Result<PathBuf> {
    which("prometheus").ok_or_else(|| missing("prometheus"))
}

/// The tool that checks and tests Prometheus' rules.
pub fn promtool() -> Result<PathBuf> {
    which("promtool").ok_or_else(|| missing("promtool"))
}

/// The tool that checks Alertmanager's configuration.
pub fn amtool() -> Result<PathBuf> {
    which("amtool").ok_or_else(|| missing("amtool"))
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
    which("nginx").ok_or_else(|| missing("nginx"))
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
    versions("/usr/lib/postgresql")
        .into_iter()
        .map(|version| version.join("bin"))
        .find(complete)
        .or_else(|| which("initdb").and_then(|initdb| initdb.parent().map(Path::to_owned)).filter(complete))
        .ok_or_else(|| missing("PostgreSQL's initdb"))
}

pub fn psql() -> Result<PathBuf> {
    Ok(postgres_programs()?.join("psql"))
}

/// Chromium or Chrome for the browser tests. Prefers the headless shell, which renders faster.
pub fn chromium() -> Result<PathBuf> {
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        .iter()
        .find_map(|name| which(name))
        .ok_or_else(|| missing("chromium"))
}

/// Subdirectories named after a version number, newest first.
fn versions(parent: &str) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, path)| path).collect()
}

fn missing(what: &str) -> Error {
    Error::failed(format!("{what} not found: install it and try again"))
}
