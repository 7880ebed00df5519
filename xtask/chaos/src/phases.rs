//! The phases of a run in order: warm-up, rolling restart, broker outage, faults, healing, quiescence.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use testkit::proxy::Mode;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use xtask::cli::ChaosOptions;
use xtask::error::{Error, Result};
use xtask::progress::Step as Line;

use crate::fault::Fault;
use crate::make::make;
use crate::quiescence;
use crate::run::{BETWEEN_LOOKS, Run, Span};
use crate::script::Step;
use crate::stack::parts::{Link, Process};
use crate::visitor::{Millis, now};

/// How long the broker is stopped before the faults.
const BROKER_AWAY: Duration = Duration::from_secs(20);
/// Load before the rolling restart.
const WARM_UP: Duration = Duration::from_secs(4);

impl Run {
    /// Runs all phases; the checks follow separately.
    pub(crate) async fn phases(self: &Arc<Self>, options: &ChaosOptions, steps: Vec<Step>) -> Result<()> {
        self.visitors.begin_session().await?;
        let over = CancellationToken::new();
        let load = TaskTracker::new();
        let (visitors, rate) = (self.visitors.clone(), options.rate);
        let ending = over.clone();
        load.spawn(async move { visitors.come(rate, ending).await });

        let (visitors, ending) = (self.visitors.clone(), over.clone());
        load.spawn(async move { visitors.watch_desk(ending).await });

        self.phase("warm up", async |_| self.pause(WARM_UP).await).await?;
        self.phase("restart every service, one replica at a time", async |line| {
            self.rolling_restart(line).await
        })
        .await?;
        let title = format!("stop the broker for {} s", BROKER_AWAY.as_secs());
        self.phase(&title, async |line| self.take_broker_away(line).await).await?;
        let title = format!("inject {} faults", steps.len());
        self.phase(&title, async |line| self.make_faults(steps, options.minutes, line).await).await?;
        self.phase("heal all faults", async |_| self.heal().await).await?;
        over.cancel();
        load.close();
        load.wait().await;
        let unrest = self
            .phase("wait until the system is idle", async |line| quiescence::wait(self, line).await)
            .await?;
        self.visitors.give_up();
        self.findings().unrest = unrest;
        Ok(())
    }

    async fn rolling_restart(&self, line: &Line) -> Result<()> {
        let from = now();
        for process in Process::ALL.into_iter().filter(|process| process.is_service()) {
            self.show(line, process.name());
            self.stop(process);
            self.start(process).await?;
        }
        self.show(line, "nginx");
        let nginx = self.stack.supervisor.pid(Process::Nginx.name());
        if let Some(master) = nginx.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            kill_process(master, Signal::HUP)
                .map_err(|error| Error::failed(format!("cannot reload nginx: {error}")))?;
        }
        self.pause(Duration::from_secs(2)).await?;
        self.findings().rolling_restart = Span { from, to: now() };
        Ok(())
    }

    async fn take_broker_away(&self, line: &Line) -> Result<()> {
        self.stop(Process::Broker);
        let from = now();
        let until = Instant::now() + BROKER_AWAY;
        while Instant::now() < until {
            self.show(line, "broker stopped");
            self.pause(Duration::from_secs(1).min(until.saturating_duration_since(Instant::now()))).await?;
        }
        self.findings().broker_away = Span { from, to: now() };
        self.start(Process::Broker).await
    }

    async fn make_faults(self: &Arc<Self>, steps: Vec<Step>, minutes: f64, line: &Line) -> Result<()> {
        let over = CancellationToken::new();
        let faults = TaskTracker::new();
        {
            let mut findings = self.findings();
            (findings.scheduled, findings.faults_from) = (steps.len(), now());
        }
        let began = Instant::now();
        for step in steps {
            let (run, over) = (Arc::clone(self), over.clone());
            faults.spawn(async move { run.make_one(step, began, &over).await });
        }
        faults.close();
        let end = began + Duration::from_secs_f64(minutes * 60.0);
        let mut shown = Instant::now();
        while Instant::now() < end && self.interrupt.check().is_ok() {
            if shown.elapsed() > Duration::from_secs(1) {
                shown = Instant::now();
                let wrong: Vec<String> = self.wrong.lock().iter().map(Fault::to_string).collect();
                self.show(line, &wrong.join(" "));
            }
            sleep(BETWEEN_LOOKS).await;
        }
        over.cancel();
        // Faults that began late still need to be made and healed.
        faults.wait().await;
        self.interrupt.check()
    }

    async fn make_one(&self, step: Step, began: Instant, over: &CancellationToken) {
        tokio::select! {
            () = tokio::time::sleep_until((began + step.at).into()) => {}
            () = over.cancelled() => {}
        }
        if self.interrupt.check().is_err() {
            return;
        }
        let target = Arc::clone(self.targets.lock().entry(step.fault.target()).or_default());
        let _alone = target.lock().await;
        self.wrong.lock().push(step.fault);
        let from = now();
        self.record(from, "begins", step.fault);
        let outcome = self.try_to_make(step, over).await;
        self.record(now(), "ends", step.fault);
        self.wrong.lock().retain(|fault| *fault != step.fault);
        let mut findings = self.findings();
        findings.ended += 1;
        if step.fault == Fault::Freeze(Process::Nginx) {
            findings.frozen_nginx.push(Span { from, to: now() });
        }
        if let Err(error) = outcome {
            findings.failed.push(format!("{}: {error}", step.fault));
        }
    }

    fn record(&self, at: Millis, what: &str, fault: Fault) {
        // The time is in the format of the services' logs. A failed write does not affect the checks.
        let time = chrono::DateTime::from_timestamp_millis(at).unwrap_or_default();
        let _unwritten = writeln!(self.faults.lock(), "{} {fault} {what}", time.format("%FT%T%.3fZ"));
    }

    /// Retries, because the process needed to make the fault may be down because of another one.
    async fn try_to_make(&self, step: Step, over: &CancellationToken) -> Result<()> {
        const TRIES: u32 = 8;
        let mut tries = 1;
        loop {
            match make(step.fault, self, step.lasts, over).await {
                Ok(()) => return Ok(()),
                Err(error) if tries == TRIES || self.interrupt.check().is_err() => return Err(error),
                Err(_) => tries += 1,
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Undoes the remaining effects of all faults.
    async fn heal(&self) -> Result<()> {
        for link in Link::ALL {
            self.stack.links.set(link, Mode::Pass);
        }
        for process in Process::ALL {
            self.stack.supervisor.signal(process.name(), Signal::CONT);
            self.stack.supervisor.release(process.name());
        }
        for process in Process::ALL {
            self.ready(process).await?;
        }
        self.stack.mailbox.heal();
        tokio::task::block_in_place(|| {
            self.stack.sql.administer(&[
                "ALTER SYSTEM RESET default_transaction_read_only".to_owned(),
                "SELECT pg_reload_conf()".to_owned(),
            ])
        })
    }
}
