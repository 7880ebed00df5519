//! The services and xtask itself: formatting, lints, unit and integration tests.

use crate::backends::Backends;
use crate::builds::cargo;
use crate::error::Result;
use crate::ports::Ports;

use super::Run;
use super::counts::{self, Counts};

impl Run<'_> {
    pub(super) fn rust(&mut self) -> Result<()> {
        let checkout = &self.session.checkout;
        let uncounted = |_: &[String]| Ok(Counts::default());
        self.check("cargo fmt", &cargo(checkout, &["fmt", "--all", "--check"]), uncounted)?;
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        self.check("cargo clippy", &cargo(checkout, &clippy), uncounted)?;

        let backends = Backends::start(&self.directory.join("backends"), &Ports::free()?, self.session)?;
        let tests = cargo(checkout, &["test", "--workspace", "--no-fail-fast"]);
        let tests = backends.environment().iter().fold(tests, |tests, (name, value)| tests.env(name, value));
        self.check("cargo test", &tests, counts::of_cargo)?;
        self.session.progress.run("stop the throw-away RabbitMQ and PostgreSQL", |_| {
            drop(backends);
            Ok(())
        })
    }
}
