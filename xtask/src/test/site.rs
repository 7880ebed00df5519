//! The site without a browser: types and style, unit tests, build, size budgets.

use crate::builds::{Builds, npm};
use crate::error::Result;
use crate::files;

use super::Run;
use super::counts::{self, Counts};

impl Run<'_> {
    pub(super) fn site(&mut self) -> Result<()> {
        let frontend = self.session.checkout.frontend();
        let builds = Builds::new(self.session, &self.directory);
        builds.packages("install the site's packages", &frontend)?;
        self.check("npm run check", &npm(&frontend, &["run", "check"]), |_| Ok(Counts::default()))?;

        let report = self.directory.join("vitest.json");
        files::directory(&self.directory)?;
        let output = format!("--outputFile.json={}", report.display());
        let tests = npm(&frontend, &["test", "--", "--reporter=default", "--reporter=json", &output]);
        self.check("npm test", &tests, |_| counts::of_vitest(&report))?;
        // The build ends with the budgets.
        self.check("npm run build", &npm(&frontend, &["run", "build"]), |_| Ok(Counts::default()))
    }
}
