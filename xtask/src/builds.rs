//! Builds the services with cargo, the site and maildev with npm, if their inputs changed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::checkout::Checkout;
use crate::error::{Error, Result};
use crate::files;
use crate::process::{Invocation, which};
use crate::session::Session;

const OLDEST_NODE: (u32, u32) = (20, 19);
/// Outputs of builds and tests, and files that are not part of the build.
const NOT_INPUTS: [&str; 7] =
    ["node_modules", "dist", ".generated", "test-results", "playwright-report", "e2e", "bench"];

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
        let dist = frontend.join("dist");
        let stamp = target(&self.session.checkout).join("site.stamp");
        let drawings = self.session.checkout.art().join("dist");
        let inputs = fingerprint(&[&frontend, &drawings], std::env::vars_os())?;
        let fresh =
            dist.join("documents").is_dir() && fs::read_to_string(&stamp).is_ok_and(|built| built == inputs);
        if !fresh {
            self.step("build the site", npm(&frontend, &["run", "build"]))?;
            files::replace(&stamp, inputs.as_bytes(), files::PUBLIC)?;
        }
        Ok(dist)
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
        self.session
            .progress
            .run(title, |_| invocation.run(&log, &self.session.interrupt))
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

/// A hash of all inputs of the site's build: names and contents of files, and `VITE_*` variables.
fn fingerprint(
    directories: &[&Path],
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<String> {
    let mut inputs = BTreeMap::new();
    for directory in directories {
        gather(directory, &mut inputs)?;
    }
    let is_setting = |name: &OsString| name.to_string_lossy().starts_with("VITE_");
    let settings: BTreeMap<_, _> = environment.into_iter().filter(|(name, _)| is_setting(name)).collect();
    let mut hasher = DefaultHasher::new();
    (inputs, settings).hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

fn gather(directory: &Path, inputs: &mut BTreeMap<OsString, Vec<u8>>) -> Result<()> {
    let unreadable = |error: std::io::Error| Error::file("read", directory, &error);
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        if NOT_INPUTS.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if path.is_dir() {
            gather(&path, inputs)?;
        } else {
            let content = fs::read(&path).map_err(|error| Error::file("read", &path, &error))?;
            inputs.insert(path.into_os_string(), content);
        }
    }
    Ok(())
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

    #[test]
    fn the_fingerprint_follows_contents_and_names_but_not_results() {
        let directory = scratch("files");
        let write = |name: &str, text: &str| fs::write(directory.join(name), text).expect("a file");
        let fingerprint = || super::fingerprint(&[&directory], []).expect("readable");
        write("src/a.ts", "1");
        let before = fingerprint();

        files::directory(&directory.join("dist")).expect("a directory");
        write("dist/a.js", "1");
        assert_eq!(fingerprint(), before);

        write("src/a.ts", "2");
        let changed = fingerprint();
        assert_ne!(changed, before);

        fs::rename(directory.join("src/a.ts"), directory.join("src/b.ts")).expect("renamed");
        assert_ne!(fingerprint(), changed);
        files::remove(&directory).expect("removed");
    }

    #[test]
    fn the_fingerprint_follows_the_sites_settings_but_no_other_variable() {
        let directory = scratch("settings");
        let fingerprint = |variables: &[(&str, &str)]| {
            let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
            super::fingerprint(&[&directory], variables).expect("readable")
        };
        let standard = fingerprint(&[]);
        let near = fingerprint(&[("VITE_MAP_LOADING", "when-near")]);
        assert_ne!(near, standard);
        assert_ne!(fingerprint(&[("VITE_MAP_LOADING", "on-request")]), near);
        assert_eq!(fingerprint(&[("PATH", "/bin"), ("VITE_MAP_LOADING", "when-near")]), near);
        files::remove(&directory).expect("removed");
    }

    fn scratch(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("xtask-fingerprint-{name}-{}", std::process::id()));
        files::empty_directory(&directory.join("src")).expect("a directory");
        directory
    }
}
