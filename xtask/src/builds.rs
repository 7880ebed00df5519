//! Builds the services with cargo, and the site with npm.

use std::fs;
use std::path::{Path, PathBuf};

use crate::checkout::Checkout;
use crate::error::{Error, Result};
use crate::files;
use crate::process::{Invocation, which};
use crate::session::Session;

const OLDEST_NODE: (u32, u32) = (20, 19);

/// The shipped programs, as in `deploy/Dockerfile`.
const PROGRAMS: [&str; 5] = ["lead-intake", "notifier", "crm-sync", "desk", "leadctl"];
/// Builds in the checkout and writes logs to one directory.
pub struct Builds<'a> {
    session: &'a Session,
    logs: PathBuf,
}

impl<'a> Builds<'a> {
    pub fn new(session: &'a Session, logs: &Path) -> Self {
        Self { session, logs: logs.to_owned() }
    }

    /// Builds the services and leadctl; returns the directory with the programs.
    pub fn services(&self, release: bool) -> Result<PathBuf> {
        let checkout = &self.session.checkout;
        let profile: &[&str] = if release { &["build", "--release"] } else { &["build"] };
        self.step("build the services", packages(cargo(checkout, profile), PROGRAMS))?;
        Ok(target(checkout).join(if release { "release" } else { "debug" }))
    }

    /// Builds the services and a tool that uses them; returns the directory with the programs.
    pub fn with_tool(&self, tool: &'static str, release: bool) -> Result<PathBuf> {
        if !release {
            return self.all();
        }
        // Builds the services separately, as for the images: together with the tool, shared dependencies would get its
        // features.
        let directory = self.services(true)?;
        let invocation = packages(cargo(&self.session.checkout, &["build", "--release"]), [tool]);
        self.step(&format!("build {tool}"), invocation)?;
        Ok(directory)
    }

    /// Builds every program with the same features as the tests, so that nothing is built twice; returns the directory
    /// with the programs.
    pub fn all(&self) -> Result<PathBuf> {
        let checkout = &self.session.checkout;
        self.step("build the programs", cargo(checkout, &["build", "--workspace", "--bins"]))?;
        Ok(target(checkout).join("debug"))
    }

    pub fn tests(&self) -> Result<()> {
        self.step("build the tests", cargo(&self.session.checkout, &["test", "--workspace", "--no-run"]))
    }

    /// Builds the site; returns its directory.
    pub fn site(&self) -> Result<PathBuf> {
        let frontend = self.session.checkout.frontend();
        self.packages("install the site's npm packages", &frontend)?;
        self.step("build the site", npm(&frontend, &["run", "build"]))?;
        Ok(frontend.join("dist"))
    }

    /// Installs the packages of a lock file unless they are already installed.
    pub fn packages(&self, title: &str, directory: &Path) -> Result<()> {
        check_node()?;
        let stamp = directory.join("node_modules/.zyon-grand-stamp");
        let lock = files::read(&directory.join("package-lock.json"))?;
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
            return Ok(());
        }
        self.step(title, npm(directory, &["ci"]))?;
        files::replace(&stamp, lock.as_bytes(), files::PUBLIC)
    }

    fn step(&self, title: &str, invocation: Invocation) -> Result<()> {
        let log = self.logs.join(format!("{}.log", title.replace([' ', '\''], "-")));
        self.session.progress.run(title, |_| invocation.run(&log, &self.session.interrupt))
    }
}

/// cargo in this checkout, with the environment of a shell.
pub fn cargo(checkout: &Checkout, arguments: &[&str]) -> Invocation {
    let mut invocation = Invocation::new("cargo", arguments).directory(checkout.root());
    // `cargo run` sets these for xtask; build scripts that depend on them would run again.
    for name in std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()) {
        let about_xtask = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_NAME", "CARGO_CRATE_NAME"];
        if about_xtask.iter().any(|prefix| name.starts_with(prefix)) {
            invocation = invocation.env_remove(&name);
        }
    }
    invocation.env("CARGO_TARGET_DIR", target(checkout))
}

fn packages(invocation: Invocation, names: impl IntoIterator<Item = &'static str>) -> Invocation {
    names.into_iter().fold(invocation, |invocation, name| invocation.argument("--package").argument(name))
}

pub fn npm(directory: &Path, arguments: &[&str]) -> Invocation {
    Invocation::new("npm", arguments)
        .directory(directory)
        .env("npm_config_fund", "false")
        .env("npm_config_audit", "false")
}

pub fn target(checkout: &Checkout) -> PathBuf {
    checkout.root().join("target")
}

fn check_node() -> Result<()> {
    let wanted = format!("Node {}.{} or newer is required", OLDEST_NODE.0, OLDEST_NODE.1);
    let (Some(node), Some(_)) = (which("node"), which("npm")) else {
        return Err(Error::failed(format!("{wanted}, with npm: install both from nodejs.org and try again")));
    };
    let output = std::process::Command::new(node).arg("--version").output();
    let version =
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    match node_version(&version) {
        Some(found) if found >= OLDEST_NODE => Ok(()),
        Some(_) | None => {
            Err(Error::failed(format!("{wanted}, found {version}: install it from nodejs.org and try again")))
        }
    }
}

fn node_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix('v')?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_are_compared_as_numbers() {
        assert!(node_version("v20.9.1").is_some_and(|version| version < OLDEST_NODE));
        assert!(node_version("v20.19.0").is_some_and(|version| version >= OLDEST_NODE));
        assert!(node_version("v100.0.0").is_some_and(|version| version >= OLDEST_NODE));
        assert_eq!(node_version("node"), None);
    }

    #[test]
    fn what_is_built_for_release_is_what_is_shipped() {
        let dockerfile = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/Dockerfile");
        let dockerfile = fs::read_to_string(dockerfile).expect("deploy/Dockerfile");
        let words: Vec<&str> = dockerfile.split_whitespace().collect();
        let shipped: Vec<&str> =
            words.windows(2).filter(|pair| pair[0] == "--package").map(|pair| pair[1]).collect();
        assert_eq!(shipped, PROGRAMS);
    }
}
