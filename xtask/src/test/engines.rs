//! Tests the site in the engines of Safari and Firefox, with real nginx, services, broker and email.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::builds::{self, linted, npm};
use crate::files;
use crate::packages::find;
use crate::ports::Ports;
use crate::session::step;
use crate::stack::Stack;
use crate::stack::nginx::Limits;
use crate::stack::plan::{Plan, Storage};

use super::Run;

const FIREFOX_NAMES: [&str; 2] = ["firefox-esr", "firefox"];

impl Run {
    pub(super) fn engines(&mut self) -> Result<()> {
        let programs = builds::programs(linted, &self.session)?;
        let site = builds::site(&self.session)?;
        let mut plan = Plan::new(self.directory.join("engines"), Ports::free(1, 1)?, programs);
        plan.site = Some(site);
        plan.limits = Limits::lifted();
        plan.storage = Storage::Fast;
        let stack = Stack::start(&plan, &self.session)?;
        let address = |port| format!("http://127.0.0.1:{port}");
        let tests = |engine: &str| {
            let project = format!("--project={engine}-*");
            let arguments = ["run", "e2e:engines", "--", &project];
            let mut tests = npm(&files::path("frontend"), &arguments);
            tests
                .env("SITE_URL", address(plan.ports.site))
                .env("MAIL_URL", address(plan.ports.mail));
            tests
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
