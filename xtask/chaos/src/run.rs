//! One run: the system, its load, and the phases: warm-up, rolling restart, broker outage, slow CRM, faults, healing,
//! quiescence.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use chrono::DateTime;
use fastrand::Rng;
use parking_lot::{Mutex, MutexGuard};
use rustix::process::Signal;
use uuid::Uuid;
use xtask::files;
use xtask::session::{Interrupt, line};

use crate::check;
use crate::fault::{Fault, Step, Target};
use crate::inject::inject;
use crate::system::{CRM, NGINX, Process, System, services};
use crate::visitor::{Millis, Visitors, now, random_key};

/// Load before the rolling restart.
const WARM_UP: Duration = Duration::from_secs(4);
/// How long the broker is stopped before the faults.
const BROKER_STOPPED: Duration = Duration::from_secs(20);
/// How long the CRM is slow before the faults.
const CRM_SLOW: Duration = Duration::from_secs(12);
/// While the CRM is slow, its processes run for this time and then stand still three times as long.
const RUNNING: Duration = Duration::from_millis(150);
/// Time in which a second email of the slow phase would be sent.
const AFTER_SLOW: Duration = Duration::from_secs(4);
/// Maximum wait for a process to become ready.
const TIMEOUT: Duration = Duration::from_secs(90);
/// Maximum wait for quiescence: long enough for a lead with three failed leases, which is leased again after four minutes.
const QUIESCENCE_TIMEOUT: Duration = Duration::from_secs(420);
/// Time without activity that counts as quiescence. Quorum queues publish their counts every five seconds
/// (`quorum_tick_interval`), so that a shorter time may see old ones.
const STILL: Duration = Duration::from_secs(11);
/// Interval between two looks at the number of confirmed leads.
const CONFIRM_INTERVAL: Duration = Duration::from_millis(250);
/// Recovery time between faults with the same target.
const RECOVERY: Duration = Duration::from_secs(2);

/// Leads that the broker confirmed within some hundred milliseconds.
pub(crate) struct Confirmed {
    pub(crate) within: Range<Millis>,
    pub(crate) leads: u64,
}

/// Findings of the phases for the checks.
#[derive(Default)]
pub(crate) struct Findings {
    /// The number of faults in the script.
    pub(crate) scheduled: usize,
    /// Each fault that could not be injected or healed, with its error.
    pub(crate) failed: Vec<String>,
    pub(crate) frozen_nginx: Vec<Range<Millis>>,
    /// When the first fault could begin.
    pub(crate) faults_from: Millis,
    /// Consumer and message id of each poison message.
    pub(crate) poison: Vec<(&'static str, String)>,
    /// Leads with one recipient refused on purpose.
    pub(crate) refused: Vec<Uuid>,
    /// Processes that exceeded their grace period.
    pub(crate) overdue: Vec<Process>,
    pub(crate) rolling_restart: Range<Millis>,
    pub(crate) broker_stopped: Range<Millis>,
    pub(crate) crm_slow: Range<Millis>,
    /// When a node of the broker was separated from the other two, with a description.
    pub(crate) separated: Vec<(String, Range<Millis>)>,
    /// When the broker confirmed leads during the faults.
    pub(crate) confirmed: Vec<Confirmed>,
    /// The activity that prevented quiescence in time.
    pub(crate) unrest: Option<String>,
}

impl Findings {
    /// The longest time during the faults in which the broker confirmed no lead.
    pub(crate) fn longest_unconfirmed(&self) -> Millis {
        let pairs = self.confirmed.windows(2);
        let waits = pairs.map(|pair| pair[1].within.end - pair[0].within.end);
        waits.max().unwrap_or_default()
    }
}

pub(crate) struct Run {
    pub(crate) system: System,
    pub(crate) visitors: Arc<Visitors>,
    /// Raised when the user interrupts the run.
    pub(crate) interrupt: Interrupt,
    random: Mutex<Rng>,
    findings: Mutex<Findings>,
}

impl Drop for Run {
    fn drop(&mut self) {
        // All data of the run is disposable, so nothing needs a graceful end.
        self.system.supervisor().kill_all();
    }
}

impl Run {
    pub(crate) fn new(
        system: System,
        visitors: Arc<Visitors>,
        seed: u64,
        interrupt: Interrupt,
    ) -> Self {
        let random = Mutex::new(Rng::with_seed(!seed));
        Self {
            system,
            visitors,
            interrupt,
            random,
            findings: Mutex::default(),
        }
    }

    pub(crate) fn findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock()
    }

    /// A new idempotency key.
    pub(crate) fn next_key(&self) -> Uuid {
        random_key(&mut self.random.lock())
    }

    /// Runs all phases, with `rate` visitors per second and faults for `length`; the checks follow separately. Each restart
    /// deploys the services in the next directory of `versions`.
    pub(crate) fn run_phases(
        &self,
        versions: &[PathBuf],
        rate: u32,
        steps: Vec<Step>,
        length: Duration,
    ) -> Result<()> {
        let over = self.system.block_on(self.visitors.start(rate))?;
        self.pause(WARM_UP)?;
        let from = now();
        for programs in versions {
            self.announce(&format!(
                "restart every service, one replica after the other, with {}",
                files::shown(programs)
            ));
            self.restart_all(programs)?;
        }
        self.findings().rolling_restart = from..now();
        self.announce("stop the broker");
        self.stop_broker()?;
        self.announce("slow the CRM down");
        self.slow_crm()?;
        self.announce(&format!("inject {} faults", steps.len()));
        let ended = Interrupt::default();
        thread::scope(|scope| {
            scope.spawn(|| self.watch_confirms(&ended));
            let injected = self.inject_all(steps, length);
            ended.raise();
            injected
        })?;
        self.announce("heal all faults");
        self.heal()?;
        over.cancel();
        self.announce("wait until the system is idle");
        let unrest = self.wait_for_quiescence()?;
        self.visitors.give_up();
        self.findings().unrest = unrest;
        Ok(())
    }

    fn announce(&self, phase: &str) {
        let (submitted, acknowledged) = self.visitors.counts();
        line(format!(
            "… {phase} ({submitted} leads sent, {acknowledged} acknowledged)"
        ));
    }

    /// Restarts every service with the programs in this directory, after `crm-sync migrate` as in a deployment.
    fn restart_all(&self, programs: &Path) -> Result<()> {
        self.system.deploy(programs, &self.interrupt)?;
        for process in services() {
            self.stop(process);
            self.start(process)?;
        }
        // nginx loads its configuration again and replaces its workers.
        self.system.supervisor().signal(NGINX, Signal::HUP);
        self.pause(Duration::from_secs(2))
    }

    fn stop_broker(&self) -> Result<()> {
        let nodes = self.system.broker.iter();
        nodes.clone().for_each(|node| self.stop(node));
        let from = now();
        self.pause(BROKER_STOPPED)?;
        self.findings().broker_stopped = from..now();
        // All together, because a node waits for those that stopped after it.
        for node in nodes.clone() {
            self.system.supervisor().release(node);
        }
        nodes
            .clone()
            .try_for_each(|node| self.wait_until_ready(node))
    }

    /// Leaves crm-sync and its database a quarter of their processor time, as on a machine with too much work. Their connections
    /// stay open, and calls are answered late. With less, calls would take longer than a claim waits, which the short
    /// `PENDING_GRACE_SECONDS` of this run limits.
    fn slow_crm(&self) -> Result<()> {
        let signal_all = |signal| {
            for process in CRM {
                self.system.supervisor().signal(process, signal);
            }
        };
        let from = now();
        let began = Instant::now();
        while began.elapsed() < CRM_SLOW && self.interrupt.check().is_ok() {
            signal_all(Signal::STOP);
            self.interrupt.wait_timeout(RUNNING * 3);
            signal_all(Signal::CONT);
            self.interrupt.wait_timeout(RUNNING);
        }
        self.findings().crm_slow = from..now();
        self.pause(AFTER_SLOW)
    }

    /// Records when the number of confirmed leads grows.
    fn watch_confirms(&self, ended: &Interrupt) {
        let mut last: Option<(Millis, u64)> = None;
        while !ended.wait_timeout(CONFIRM_INTERVAL) {
            let from = now();
            let Ok(count) = self.system.count_confirmed() else {
                continue;
            };
            if let Some((earlier, before)) = last.replace((from, count))
                && count > before
            {
                self.findings().confirmed.push(Confirmed {
                    within: earlier..now(),
                    leads: count - before,
                });
            }
        }
    }

    /// Injects the faults, with one thread for each target.
    fn inject_all(&self, steps: Vec<Step>, length: Duration) -> Result<()> {
        let (began, over) = (Instant::now(), Interrupt::default());
        {
            let mut findings = self.findings();
            (findings.scheduled, findings.faults_from) = (steps.len(), now());
        }
        let mut by_target: HashMap<Target, Vec<Step>> = HashMap::new();
        for step in steps {
            by_target.entry(step.fault.target()).or_default().push(step);
        }
        thread::scope(|scope| {
            for steps in by_target.into_values() {
                scope.spawn(|| {
                    for step in steps {
                        self.inject_at(step, began, &over);
                        thread::sleep(RECOVERY);
                    }
                });
            }
            let paused = self.pause(length);
            // Also injects and heals the faults that are late.
            over.raise();
            paused
        })
    }

    fn inject_at(&self, step: Step, began: Instant, over: &Interrupt) {
        let Step { at, lasts, fault } = step;
        over.wait_timeout((began + at).saturating_duration_since(Instant::now()));
        if self.interrupt.check().is_err() {
            return;
        }
        let from = now();
        print_fault(from, fault, "begins");
        let outcome = self.inject_with_retries(fault, lasts, over);
        print_fault(now(), fault, "ends");
        let mut findings = self.findings();
        if fault == Fault::Freeze(NGINX) {
            findings.frozen_nginx.push(from..now());
        }
        if let Err(error) = outcome {
            findings.failed.push(format!("{fault:?}: {error}"));
        }
    }

    /// Retries, because another fault may have stopped the process that this fault needs.
    fn inject_with_retries(&self, fault: Fault, lasts: Duration, over: &Interrupt) -> Result<()> {
        const TRIES: u32 = 8;
        let mut tries = 1;
        loop {
            match inject(fault, self, lasts, over) {
                Ok(()) => return Ok(()),
                Err(error) if tries == TRIES || self.interrupt.check().is_err() => {
                    return Err(error);
                }
                Err(_) => tries += 1,
            }
            self.interrupt.wait_timeout(Duration::from_secs(1));
        }
    }

    /// Undoes the remaining effects of all faults.
    fn heal(&self) -> Result<()> {
        self.system.pass_all();
        for process in self.system.processes() {
            self.system.supervisor().signal(process, Signal::CONT);
            self.system.supervisor().release(process);
        }
        for process in self.system.processes() {
            self.wait_until_ready(process)?;
        }
        self.system.mailbox.heal();
        self.system.set_read_only("off")
    }

    /// Waits until the healed system has finished all work. Returns the remaining activity after a timeout.
    fn wait_for_quiescence(&self) -> Result<Option<String>> {
        let deadline = Instant::now() + QUIESCENCE_TIMEOUT;
        let (mut still_since, mut count) = (Instant::now(), 0);
        loop {
            let emails = self.system.mailbox.count();
            let unrest = match self.find_unrest() {
                Ok(None) if emails != count => Some("emails are still arriving".to_owned()),
                Ok(unrest) => unrest,
                Err(error) => Some(error.to_string()),
            };
            count = emails;
            match unrest {
                None if still_since.elapsed() >= STILL => return Ok(None),
                None => {}
                Some(unrest) if Instant::now() > deadline => return Ok(Some(unrest)),
                Some(_) => still_since = Instant::now(),
            }
            self.pause(Duration::from_millis(500))?;
        }
    }

    fn find_unrest(&self) -> Result<Option<String>> {
        let waiting = self.visitors.waiting();
        if waiting > 0 {
            return Ok(Some(format!("{waiting} visitors wait for a response")));
        }
        let depths = self.system.block_on(self.system.management.depths())?;
        if let Some(depth) = depths.iter().find(|depth| depth.is_work()) {
            return Ok(Some(format!(
                "{} messages in {}",
                depth.messages, depth.queue
            )));
        }
        let open = check::count_unfinished(&self.system)?;
        Ok((open > 0).then(|| format!("{open} leads and deliveries are unfinished")))
    }

    /// Stops a process gracefully, and records if it had to be killed.
    fn stop(&self, process: Process) {
        if !self.system.supervisor().hold(process) {
            self.findings().overdue.push(process);
        }
    }

    /// Starts a stopped process and waits until it is ready.
    fn start(&self, process: Process) -> Result<()> {
        self.system.supervisor().release(process);
        self.wait_until_ready(process)
    }

    /// Waits until a process is ready again.
    pub(crate) fn wait_until_ready(&self, process: Process) -> Result<()> {
        self.poll(&format!("{process} was not ready again"), || {
            self.system.is_ready(process)
        })
    }

    /// Polls a condition. Fails after [`TIMEOUT`] with the message `what`.
    pub(crate) fn poll(&self, what: &str, condition: impl Fn() -> bool) -> Result<()> {
        self.interrupt.poll(what, TIMEOUT, || Ok(condition()))
    }

    fn pause(&self, length: Duration) -> Result<()> {
        self.interrupt.wait_timeout(length);
        self.interrupt.check()
    }
}

/// Prints the time in the format of the services' logs.
fn print_fault(at: Millis, fault: Fault, what: &str) {
    let time = DateTime::from_timestamp_millis(at).unwrap_or_default();
    line(format!("{} {fault:?} {what}", time.format("%FT%T%.3fZ")));
}
