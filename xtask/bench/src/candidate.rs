//! The programs of one measurement.

use std::time::Duration;

use anyhow::{Context, Result};
use fs_err as fs;
use serde_json::{Value, json};
use tokio::time::sleep;
use xtask::process::{self, command};
use xtask::stack::services::{ANON_KEY, Program};
use xtask::supervisor::Service;
use xtask::{files, http};

use crate::load::{Leads, Load};
use crate::measure::Who;
use crate::stack::Stack;
use crate::{BASELINE, EXPRESS_APP};

const TIMEOUT: Duration = Duration::from_secs(30);
/// Age of a visit before its first lead, so that the lead does not look automatic.
const VISIT: Duration = Duration::from_secs(6);

const JSON: &str = "Content-Type: application/json";

/// The services that do the work. The Express app has the same jobs under the same names, and the baseline accepts leads.
pub(crate) const ACCEPT: &str = "lead-intake";
pub(crate) const STORE: &str = "crm-sync";
pub(crate) const EMAIL: &str = "notifier";
pub(crate) const JOBS: [&str; 3] = [ACCEPT, STORE, EMAIL];

/// Our services, the Express app or the baseline.
pub(crate) struct Candidate<'a> {
    stack: &'a Stack<'a>,
    who: Who,
}

impl<'a> Candidate<'a> {
    /// Empties the stack. Starts no process.
    pub(crate) async fn new(stack: &'a Stack<'a>, who: Who) -> Result<Self> {
        stack.reset(who).await?;
        Ok(Self { stack, who })
    }

    /// Starts the process of a job and returns when it is ready.
    pub(crate) fn start(&self, job: &str) -> Result<()> {
        let supervisor = &self.stack.system.supervisor;
        let mut program = match self.who {
            Who::Ours => return self.service(job)?.start(supervisor),
            Who::Express => command("node"),
            Who::Baseline => command(std::env::current_exe()?),
        };
        if self.who == Who::Express {
            program
                .arg(files::path(EXPRESS_APP).join("peer.mjs"))
                .arg(job);
        } else {
            program.arg(BASELINE);
        }
        let port = self.stack.intake_port();
        program
            .env("AMQP_URL", &self.stack.amqp_url)
            .env("PORT", port.to_string())
            .env("ANON_KEY", ANON_KEY)
            .env("NODE_ENV", "production")
            .env("DATABASE_URL", &self.stack.database_url)
            .env(
                "SMTP_PORT",
                self.stack.mail_server.address().port().to_string(),
            );
        let service = Service::new(job, program, &self.stack.directory);
        supervisor.start(service, TIMEOUT, || job != ACCEPT || http::connects(port))
    }

    /// One of our services, not started.
    pub(crate) fn service(&self, job: &str) -> Result<&Program> {
        self.stack
            .system
            .service(job)
            .with_context(|| format!("no service {job}"))
    }

    /// Starts a process for each job, then nginx.
    pub(crate) fn start_all(&self) -> Result<()> {
        for job in [STORE, EMAIL, ACCEPT] {
            self.start(job)?;
        }
        self.start_nginx()
    }

    /// Starts nginx with the production configuration and without rate limits.
    pub(crate) fn start_nginx(&self) -> Result<()> {
        let Stack {
            system,
            directory,
            session,
            ..
        } = self.stack;
        system
            .nginx
            .start(&system.supervisor, directory, &session.interrupt)
    }

    /// Begins a visit and waits until its leads do not look automatic. Only lead-intake requires the visit's token.
    pub(crate) async fn begin_visit(&self) -> Result<Leads> {
        if self.who != Who::Ours {
            return Ok(Leads::new("none"));
        }
        let visit =
            json!({ "landing_path": "/floor-plans", "referrer_host": "news.example" }).to_string();
        let response = http::request(
            "POST",
            self.stack.intake_port(),
            "/auth/v1/session",
            &[JSON],
            &visit,
            TIMEOUT,
        )
        .context("cannot request a session")?;
        let session: Value = serde_json::from_str(&response.body).unwrap_or_default();
        let token = session["access_token"].as_str();
        let token = token.context("the session response contains no token")?;
        sleep(VISIT).await;
        Ok(Leads::new(token))
    }

    /// Sends leads to a port for some seconds, as fast as the process accepts them.
    pub(crate) fn load(&self, leads: &Leads, port: u16, seconds: u64) -> Result<Load> {
        let Stack {
            session, directory, ..
        } = self.stack;
        let (script, log) = (
            files::path("xtask/bench/load.lua"),
            directory.join("wrk.log"),
        );
        process::run(
            &mut leads.wrk(&script, port, seconds),
            &log,
            &session.interrupt,
        )?;
        Load::parse(&fs::read_to_string(&log)?)
    }

    /// Fills the queues for some seconds; returns the number of leads accepted.
    pub(crate) async fn fill_queues(&self, seconds: u64) -> Result<u64> {
        self.start(ACCEPT)?;
        let leads = self.begin_visit().await?;
        let accepted = self
            .load(&leads, self.stack.intake_port(), seconds)?
            .accepted;
        self.stack.system.supervisor.stop_all();
        Ok(accepted)
    }

    pub(crate) fn pid(&self, job: &str) -> Result<u32> {
        self.stack
            .system
            .supervisor
            .pid(job)
            .with_context(|| format!("{job} is not running"))
    }
}
