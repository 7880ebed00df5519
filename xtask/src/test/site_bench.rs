//! The site's benchmark once: that its figures come out, not what they are.

use crate::error::Result;
use crate::site_bench::Sites;

use super::Run;
use super::counts::Counts;

impl Run<'_> {
    pub(super) fn site_bench(&mut self) -> Result<()> {
        let sites = Sites::start(&self.directory.join("bench-site"), false, self.session)?;
        self.check("site benchmark", &sites.small()?, |_| Ok(Counts::default()))
    }
}
