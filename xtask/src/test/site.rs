//! Checks the site and `art` without a browser: types, style, unit tests, build, size budgets.

use std::path::Path;

use crate::builds::{Builds, npm};
use crate::error::Result;

use super::{Run, no_tests, outcomes};

impl Run<'_> {
    pub(super) fn site(&mut self) -> Result<()> {
        let builds = Builds::new(self.session, &self.directory);
        let (art, frontend) = (self.session.checkout.art(), self.session.checkout.frontend());
        builds.packages("install the npm packages of art", &art)?;
        self.check_package("art", &art)?;
        builds.packages("install the site's npm packages", &frontend)?;
        self.check_package("frontend", &frontend)?;
        // The build also checks the size budgets.
        match builds.site() {
            Ok(_) => self.outcomes.note("build the site", true),
            Err(error) => self.fail("build the site", error)?,
        }
        Ok(())
    }

    /// Checks types and style of a package and runs its unit tests.
    fn check_package(&mut self, name: &str, directory: &Path) -> Result<()> {
        self.check(&format!("npm run check in {name}"), &npm(directory, &["run", "check"]), no_tests)?;
        let report = self.directory.join(format!("vitest-{name}.json"));
        let output = format!("--outputFile.json={}", report.display());
        let tests = npm(directory, &["test", "--", "--reporter=default", "--reporter=json", &output]);
        self.check(&format!("npm test in {name}"), &tests, |_| outcomes::of_vitest(&report, directory))
    }
}
