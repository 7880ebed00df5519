//! The site without a browser: types and style, unit tests, build, size budgets.

use crate::builds::{Builds, npm};
use crate::error::Result;

use super::{Run, no_tests, outcomes};

impl Run<'_> {
    pub(super) fn site(&mut self) -> Result<()> {
        let frontend = self.session.checkout.frontend();
        let builds = Builds::new(self.session, &self.directory);
        builds.packages("install the site's packages", &frontend)?;
        self.check("npm run check", &npm(&frontend, &["run", "check"]), no_tests)?;

        let report = self.directory.join("vitest.json");
        let output = format!("--outputFile.json={}", report.display());
        let tests = npm(&frontend, &["test", "--", "--reporter=default", "--reporter=json", &output]);
        self.check("npm test", &tests, |_| outcomes::of_vitest(&report))?;
        // The build ends with the budgets.
        match builds.site() {
            Ok(_) => self.outcomes.note("build the site", true),
            Err(error) => self.fail("build the site", error)?,
        }
        Ok(())
    }
}
