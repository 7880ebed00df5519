//! Checks the site and `art` without a browser: types, style, unit tests, build, size budgets.

use crate::builds::{Builds, npm};
use crate::error::Result;

use super::Run;

impl Run<'_> {
    pub(super) fn site(&mut self) -> Result<()> {
        let builds = Builds::new(self.session, &self.directory);
        for (name, directory) in
            [("art", self.session.checkout.art()), ("frontend", self.session.checkout.frontend())]
        {
            builds.packages(&format!("install the npm packages of {name}"), &directory)?;
            for script in ["check", "test"] {
                self.check(&format!("npm run {script} in {name}"), &npm(&directory, &["run", script]))?;
            }
        }
        // The build also checks the size budgets.
        let built = builds.site().map(drop);
        self.note("build the site", built)
    }
}
