//! The programs of one measurement.

use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use xtask::error::{Error, Result};
use xtask::process::Invocation;
use xtask::progress::Step;
use xtask::stack::nginx::{Limits, Nginx, stand_in_site};
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

/// A part of the work, done by one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Accept,
    Store,
    Email,
}

impl Job {
    pub(crate) const ALL: [Self; 3] = [Self::Accept, Self::Store, Self::Email];

    /// The service that does the job, and the argument of the Express app for the same job.
    pub(crate) fn service(self) -> &'static str {
        ["lead-intake", "crm-sync", "notifier"][self as usize]
    }
}

/// Our services, the Express app or the baseline.
pub(crate) struct Candidate<'a> {
    stack: &'a Stack<'a>,
    who: Who,
}

impl<'a> Candidate<'a> {
    /// Empties the stack. Starts no process.
    pub(crate) async fn new(stack: &'a Stack<'a>, who: Who, step: &Step) -> Result<Self> {
        step.detail(&format!("{who:?}"));
        stack.reset(who).await?;
        Ok(Self { stack, who })
    }

    /// Starts a process and returns when it is ready. The baseline only accepts leads.
    pub(crate) fn start(&self, job: Job) -> Result<()> {
        let Stack { session, directory, programs, mail_server, .. } = self.stack;
        let invocation = match self.who {
            Who::Ours => return self.service(job).start(programs),
            Who::Express => {
                Invocation::new("node", [session.checkout.root().join(EXPRESS_APP).join("peer.mjs")])
                    .argument(job.service())
            }
            Who::Baseline => Invocation::new(std::env::current_exe().map_err(Error::of)?, [BASELINE]),
        };
        let invocation = invocation
            .env("AMQP_URL", &self.stack.amqp_url)
            .env("PORT", self.stack.port.to_string())
            .env("ANON_KEY", ANON_KEY)
            .env("NODE_ENV", "production")
            .env("DATABASE_URL", &self.stack.database_url)
            .env("SMTP_PORT", mail_server.address().port().to_string());
        let service = Service::new(job.service(), invocation, directory);
        let is_ready =
            || job != Job::Accept || TcpStream::connect((Ipv4Addr::LOCALHOST, self.stack.port)).is_ok();
        programs.start(service, TIMEOUT, is_ready)
    }

    /// One of our services, not started.
    pub(crate) fn service(&self, job: Job) -> Program {
        let Stack { services, port, grpc_port, admin_ports, .. } = self.stack;
        let (name, admin_port) = (job.service(), admin_ports[job as usize]);
        match job {
            Job::Accept => services.lead_intake(name, *port, admin_port),
            Job::Store => services.crm_sync(name, *grpc_port, admin_port),
            Job::Email => services.notifier(name, admin_port),
        }
    }

    /// Starts a process for each job, then nginx.
    pub(crate) fn start_all(&self) -> Result<()> {
        for job in [Job::Store, Job::Email, Job::Accept] {
            self.start(job)?;
        }
        self.start_nginx()
    }

    /// Starts nginx with the production configuration and without rate limits.
    pub(crate) fn start_nginx(&self) -> Result<()> {
        let Stack { session, directory, programs, .. } = self.stack;
        let nginx = Nginx {
            source: session.checkout.nginx(),
            site: stand_in_site(&directory.join("site"))?,
            port: self.stack.nginx_port,
            intake_ports: vec![self.stack.port],
            desk_ports: Vec::new(),
            real_ip_from: vec!["127.0.0.0/8".to_owned()],
            limits: Limits::lifted(),
            edge_log: None,
            directory: directory.join("nginx"),
        };
        nginx.prepare(&directory.join("nginx-check.log"), &session.interrupt)?;
        nginx.start(programs, directory)
    }

    /// Begins a visit and waits until its leads do not look automatic. Only lead-intake requires the visit's token.
    pub(crate) async fn begin_visit(&self) -> Result<Leads> {
        if self.who != Who::Ours {
            return Ok(Leads::new("none"));
        }
        let visit = json!({ "landing_path": "/floor-plans", "referrer_host": "news.example" }).to_string();
        let response = http::post(self.stack.port, "/auth/v1/session", &[], &visit, TIMEOUT)
            .map_err(|error| Error::failed(format!("cannot request a session: {error}")))?;
        let session: Value = serde_json::from_str(&response.text()).unwrap_or_default();
        let token = session["access_token"].as_str();
        let token = token.ok_or_else(|| Error::failed("the session response contains no token"))?;
        sleep(VISIT).await;
        Ok(Leads::new(token))
    }

    /// Sends leads to a port for some seconds, as fast as they are accepted.
    pub(crate) fn load(&self, leads: &Leads, port: u16, seconds: u64) -> Result<Load> {
        let Stack { session, directory, .. } = self.stack;
        let script = directory.join("load.lua");
        files::replace(&script, include_bytes!("../load.lua"), files::PUBLIC)?;
        let wrk = leads.wrk(&script, port, seconds);
        let log = directory.join("wrk.log");
        wrk.run(&log, &session.interrupt)?;
        Load::parse(&files::read(&log)?)
    }

    /// Fills the queues for some seconds; returns the number of leads accepted.
    pub(crate) async fn fill_queues(&self, seconds: u64) -> Result<u64> {
        self.start(Job::Accept)?;
        let leads = self.begin_visit().await?;
        let accepted = self.load(&leads, self.stack.port, seconds)?.accepted;
        self.stack.programs.stop_all();
        Ok(accepted)
    }

    pub(crate) fn pid(&self, job: Job) -> Result<u32> {
        let name = job.service();
        self.stack.programs.pid(name).ok_or_else(|| Error::failed(format!("{name} is not running")))
    }
}
