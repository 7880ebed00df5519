//! The services and xtask itself: formatting, lints, unit and integration tests.

use crate::backends::Backends;
use crate::builds::{cargo, target};
use crate::error::Result;
use crate::ports::Ports;
use crate::process::Invocation;

use super::Run;
use super::counts::{self, Counts};

/// What holds the dependencies to deny.toml; built from source, as cargo installs things.
const CARGO_DENY: &str = "cargo-deny@0.20.2";

fn uncounted(_: &[String]) -> Result<Counts> {
    Ok(Counts::default())
}

impl Run<'_> {
    pub(super) fn rust(&mut self) -> Result<()> {
        let checkout = &self.session.checkout;
        self.check("cargo fmt", &cargo(checkout, &["fmt", "--all", "--check"]), uncounted)?;
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        self.check("cargo clippy", &cargo(checkout, &clippy), uncounted)?;
        self.dependencies()?;

        let backends = Backends::start(&self.directory.join("backends"), &Ports::free()?, self.session)?;
        let tests = cargo(checkout, &["test", "--workspace", "--no-fail-fast"]);
        let tests = backends.environment().iter().fold(tests, |tests, (name, value)| tests.env(name, value));
        self.check("cargo test", &tests, counts::of_cargo)?;
        self.session.progress.run("stop the throw-away RabbitMQ and PostgreSQL", |_| {
            drop(backends);
            Ok(())
        })
    }

    /// Licences, sources and banned crates. Advisories need a database from the network, and are not asked for.
    fn dependencies(&mut self) -> Result<()> {
        let checkout = &self.session.checkout;
        let tools = target(checkout).join("tools");
        let deny = tools.join("bin/cargo-deny");
        if !deny.is_file() {
            let install = ["install", "--debug", "--locked", "--no-default-features", CARGO_DENY, "--root"];
            self.check("build cargo-deny, once", &cargo(checkout, &install).argument(&tools), uncounted)?;
        }
        let check = ["--locked", "check", "bans", "licenses", "sources"];
        self.check("cargo deny", &Invocation::new(&deny, check).directory(checkout.root()), uncounted)
    }
}
