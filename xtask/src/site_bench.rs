//! `cargo xtask bench --site`: compares the site with a copy that is rendered in the browser only.

use std::path::Path;

use crate::builds::{Builds, npm};
use crate::checkout::Lock;
use crate::error::Result;
use crate::files;
use crate::output;
use crate::ports::{Ports, Role};
use crate::process::Invocation;
use crate::session::Session;
use crate::stack::nginx::{Limits, Nginx};
use crate::stack::services::{Services, Wiring};
use crate::supervisor::Supervisor;
use crate::system::packages::{self, Package};
use crate::system::tools;

/// Measures both, prints the table and writes it to `docs/benchmarks-site.md`. `small` uses debug builds and only
/// checks that every figure can be measured.
pub fn run(small: bool) -> Result<()> {
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("bench-site");
    let _lock = Lock::take(&directory, "cargo xtask bench --site")?;
    files::empty_directory(&directory)?;
    packages::ensure(
        &[Package::Nginx, Package::Chromium],
        &directory.join("packages.log"),
        &session.progress,
        &session.interrupt,
    )?;
    let sites = Sites::start(&directory, !small, &session)?;
    let document = session.checkout.root().join("docs/benchmarks-site.md");
    let bench =
        if small { sites.small()? } else { sites.bench()?.argument("--document").argument(&document) };
    let log = directory.join("bench.log");
    let finished = session.progress.run("measure the site and its client-rendered copy", |step| {
        bench.run(&log, step, &session.interrupt)?.success()
    })?;
    drop(sites);
    let table: Vec<&str> =
        finished.lines.iter().map(String::as_str).filter(|line| line.starts_with('|')).collect();
    output::print(&format!("\n{}\n", table.join("\n")))?;
    if !small {
        session.progress.line(&format!("\nWrote {}.", session.checkout.shown(&document)));
    }
    Ok(())
}

/// The site and its copy, each behind its own nginx, with one lead-intake. Dropping them stops them.
pub struct Sites<'a> {
    session: &'a Session,
    _supervisor: Supervisor,
    ports: [u16; 2],
}

impl<'a> Sites<'a> {
    /// Builds what is outdated and starts everything; writes below `directory`.
    pub fn start(directory: &Path, release: bool, session: &'a Session) -> Result<Self> {
        let logs = directory.join("logs");
        files::directory(&logs)?;
        let (checkout, progress, interrupt) = (&session.checkout, &session.progress, &session.interrupt);
        let builds = Builds::new(session, &logs);
        let bench = checkout.frontend().join("bench");
        let programs = builds.services(release)?;
        let site = builds.site()?;
        builds.packages("install Lighthouse", &bench)?;
        let copy = directory.join("in-browser");
        progress.run("build the client-rendered copy", |step| {
            Invocation::new("node", [&bench.join("in-browser.mjs"), &copy])
                .run(&logs.join("in-browser.log"), step, interrupt)?
                .success()
                .map(drop)
        })?;

        let supervisor = Supervisor::new(progress.clone(), interrupt.clone());
        let free = Ports::free()?;
        let intake_port = free.get(Role::Intake);
        let services = Services::prepare(directory, &programs, &logs, alone(&free, session))?;
        let intake = services.lead_intake("lead-intake", intake_port, free.get(Role::IntakeAdmin));
        progress.run("start lead-intake", |_| intake.start(&supervisor))?;
        let [ours, in_browser] = [free.get(Role::Site), free.get(Role::Mail)];
        for (name, port, site) in [("ours", ours, site), ("in-browser", in_browser, copy)] {
            let nginx = Nginx {
                source: checkout.nginx(),
                directory: directory.join("nginx").join(name),
                port,
                site,
                intake_ports: vec![intake_port],
                desk_port: None,
                real_ip_from: Vec::new(),
                limits: Limits::default(),
                edge_log: None,
            };
            let logs = logs.join(name);
            files::directory(&logs)?;
            progress.run(&format!("start nginx ({name})"), |step| {
                nginx.prepare(&logs.join("nginx.log"), step, interrupt)?;
                nginx.start(&supervisor, &logs)
            })?;
        }
        Ok(Self { session, _supervisor: supervisor, ports: [ours, in_browser] })
    }

    pub fn bench(&self) -> Result<Invocation> {
        let [ours, in_browser] = self.ports.map(|port| format!("http://127.0.0.1:{port}"));
        let arguments = ["run", "bench", "--", "--origin", &ours, "--in-browser-origin", &in_browser];
        Ok(npm(&self.session.checkout.frontend(), &arguments).env("CHROMIUM", tools::chromium()?))
    }

    /// Checks once that every figure can be measured.
    pub fn small(&self) -> Result<Invocation> {
        Ok(self.bench()?.argument("--small"))
    }
}

/// A lead-intake without broker and CRM: the pages only request a session.
fn alone(free: &Ports, session: &Session) -> Wiring {
    let amqp = format!("amqp://127.0.0.1:{}", free.get(Role::Amqp));
    let crm = vec![format!("127.0.0.1:{}", free.get(Role::Grpc))];
    Wiring {
        intake_amqp: amqp.clone(),
        notifier_amqp: amqp.clone(),
        crm_amqp: amqp,
        operator_amqp: None,
        intake_crm: crm.clone(),
        notifier_crm: crm,
        database_url: String::new(),
        smtp_port: free.get(Role::Smtp),
        routes: session.checkout.routes(),
        site_url: format!("http://127.0.0.1:{}", free.get(Role::Site)),
        other: Vec::new(),
    }
}
