//! Builds the services with cargo, and the site with npm.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use fs_err as fs;

use crate::files;
use crate::process::command;
use crate::session::Session;

/// The shipped programs, as in `deploy/Dockerfile`.
pub const PROGRAMS: [&str; 5] = ["lead-intake", "notifier", "crm-sync", "desk", "leadctl"];

/// Builds the services and leadctl; returns the directory with the programs.
pub fn services(release: bool, session: &Session) -> Result<PathBuf> {
    // A release has no feature that only other programs enable. A debug build has the features of the whole workspace, like
    // [`programs`] and the aliases of `.cargo/config.toml`.
    let (arguments, select) = if release {
        (["build", "--release"], "--package")
    } else {
        (["build", "--workspace"], "--bin")
    };
    let mut build = cargo(&arguments);
    build.args(PROGRAMS.iter().flat_map(|name| [select, name]));
    session.run("build the services", &mut build)?;
    Ok(target().join(if release { "release" } else { "debug" }))
}

/// Builds the services of another commit; returns the directory with the programs.
pub fn services_of(commit: &str, session: &Session) -> Result<PathBuf> {
    let checkout = files::scratch("from")?;
    // Kept, so that the next commit compiles no dependency again.
    let target = target().join("from");
    let mut clone = command("git");
    clone
        .args(["clone", "--quiet", "--shared", "--no-checkout"])
        .arg(files::root())
        .arg(&checkout);
    session.run("clone the repository", &mut clone)?;
    let mut switch = command("git");
    switch
        .args(["checkout", "--quiet", "--detach", commit])
        .current_dir(&checkout);
    session.run(&format!("check out {commit}"), &mut switch)?;
    let mut build = cargo(&["build"]);
    build
        .args(PROGRAMS.iter().flat_map(|name| ["--package", name]))
        .current_dir(&checkout)
        .env("CARGO_TARGET_DIR", &target);
    session.run(&format!("build the services of {commit}"), &mut build)?;
    Ok(target.join("debug"))
}

/// Builds the services and a tool that uses them; returns the path of the tool, which is beside the services.
pub fn tool(name: &str, release: bool, session: &Session) -> Result<PathBuf> {
    if !release {
        return Ok(programs(cargo, session)?.join(name));
    }
    // Builds the services separately, as for the images: together with the tool, shared dependencies would get its
    // features.
    let directory = services(true, session)?;
    session.run(
        &format!("build {name}"),
        &mut cargo(&["build", "--release", "--package", name]),
    )?;
    Ok(directory.join(name))
}

/// Builds every program with [`cargo`], or with [`linted`] as in [`tests`]. Both have the features of the tests, so that
/// nothing is built twice. Returns the directory with the programs.
pub fn programs(cargo: fn(&[&str]) -> Command, session: &Session) -> Result<PathBuf> {
    session.run(
        "build the programs",
        &mut cargo(&["build", "--workspace", "--bins"]),
    )?;
    Ok(target().join("debug"))
}

pub fn tests(session: &Session) -> Result<()> {
    session.run(
        "build and lint the tests",
        &mut linted(&["test", "--workspace", "--no-run"]),
    )
}

/// The environment of cargo in `cargo xtask test`. Clippy is the compiler, as `cargo clippy -- -D warnings` sets it. Without
/// line numbers in backtraces and without data for incremental builds, a first build of the workspace takes a quarter less
/// processor time.
pub const LINTED: [(&str, &str); 4] = [
    ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
    ("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__"),
    ("CARGO_INCREMENTAL", "0"),
    ("CARGO_PROFILE_DEV_DEBUG", "false"),
];

/// cargo with [`LINTED`], where any warning is an error. `cargo clippy` would check every dependency again, because it builds
/// nothing.
pub fn linted(arguments: &[&str]) -> Command {
    let mut cargo = cargo(arguments);
    cargo.envs(LINTED);
    cargo
}

/// Builds the site; returns its directory.
pub fn site(session: &Session) -> Result<PathBuf> {
    let frontend = files::path("frontend");
    packages(&frontend, session)?;
    session.run("build the site", &mut npm(&frontend, &["run", "build"]))?;
    Ok(frontend.join("dist"))
}

/// Installs the packages of a lock file unless they are already installed.
pub fn packages(directory: &Path, session: &Session) -> Result<()> {
    let stamp = directory.join("node_modules/.zyon-grand-stamp");
    let lock = fs::read_to_string(directory.join("package-lock.json"))?;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let title = format!("install the npm packages of {}", files::shown(directory));
    session.run(&title, &mut npm(directory, &["ci"]))?;
    Ok(fs::write(stamp, lock)?)
}

/// cargo in this checkout, with the environment of a shell.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = command("cargo");
    cargo
        .args(arguments)
        .current_dir(files::root())
        .env("CARGO_TARGET_DIR", target());
    // `cargo run` sets these for xtask; build scripts that depend on them would run again.
    for name in std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()) {
        let about_xtask = [
            "CARGO_PKG_",
            "CARGO_MANIFEST_",
            "CARGO_BIN_NAME",
            "CARGO_CRATE_NAME",
        ];
        if about_xtask.iter().any(|prefix| name.starts_with(prefix)) {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// npm, which fails if Node is older than a package requires.
pub fn npm(directory: &Path, arguments: &[&str]) -> Command {
    let mut npm = command("npm");
    npm.args(arguments)
        .current_dir(directory)
        .env("npm_config_engine_strict", "true");
    npm.envs(
        [
            "npm_config_fund",
            "npm_config_audit",
            "npm_config_update_notifier",
        ]
        .map(|it| (it, "false")),
    );
    npm
}

pub fn target() -> PathBuf {
    files::path("target")
}
