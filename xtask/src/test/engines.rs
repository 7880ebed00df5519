//! Tests the site in the engines of Safari and Firefox, with real nginx, services, broker and email.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::packages::find;
use crate::session::step;
use crate::stack::Stack;

use super::Run;
use super::browser::site_tests;

const FIREFOX_NAMES: [&str; 2] = ["firefox-esr", "firefox"];

impl Run<'_> {
    pub(super) fn engines(self) -> Result<()> {
        let plan = self.plan_with_site("engines")?;
        let stack = Stack::start(&plan, self.session)?;
        let tests = |engine: &str| {
            let project = format!("--project={engine}-*");
            site_tests(&plan, &["run", "e2e:engines", "--", &project])
        };
        let mut webkit = tests("webkit");
        webkit.env("WEBKIT_DRIVER", find("WebKitWebDriver")?);
        self.check("WebKit", &mut webkit)?;
        match firefox() {
            Ok((browser, driver)) => {
                let mut firefox = tests("firefox");
                firefox.env("FIREFOX", browser).env("GECKODRIVER", driver);
                self.check("Firefox", &mut firefox)?;
            }
            Err(error) => self.skip("Firefox", &error.to_string()),
        }
        step("stop the system", || {
            stack.supervisor.stop_all();
            Ok(())
        })
    }
}

/// Firefox and its driver, which is in no package of Debian.
fn firefox() -> Result<(PathBuf, PathBuf)> {
    let browser = FIREFOX_NAMES.iter().find_map(|name| find(name).ok());
    let browser = browser.context("Firefox is not installed")?;
    let driver = find("geckodriver").ok();
    let driver =
        driver.context("geckodriver is not installed; run `cargo install --locked geckodriver`")?;
    Ok((browser, driver))
}
