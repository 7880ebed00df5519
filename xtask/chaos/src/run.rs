//! One run: its phases one after the other, and what they leave for the checks.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};
use testkit::proxy::Mode;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use xtask::cli::ChaosOptions;
use xtask::error::{Error, Result};
use xtask::interrupt::Interrupt;
use xtask::progress::{Progress, Step as Line};

use crate::fault::{Fault, Made, Queue, Target, process as processes};
use crate::history::{self, Window};
use crate::journal::{Journal, Millis, now};
use crate::mail_server;
use crate::memory::{self, Usage};
use crate::quiet;
use crate::script::Step;
use crate::stack::parts::{Link, Process};
use crate::stack::{ROLE, Stack};
use crate::visitor::Visitors;

/// How long a process may take to do its work again.
const PATIENCE: Duration = Duration::from_secs(90);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// Load before anything is judged.
const WARM_UP: Duration = Duration::from_secs(4);

/// A time between two others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    /// Since when.
    pub(crate) from: Millis,
    /// Until when.
    pub(crate) to: Millis,
}

impl Span {
    /// Whether a time is in it.
    pub(crate) fn holds(self, at: Millis) -> bool {
        (self.from..=self.to).contains(&at)
    }
}

/// What a run leaves for the checks, besides the journals.
#[derive(Default)]
pub(crate) struct Findings {
    /// The faults that were made.
    pub(crate) windows: Vec<Window>,
    /// Faults this machine does not allow.
    pub(crate) impossible: Vec<Fault>,
    /// Faults that could not be made or healed, and why.
    pub(crate) failed: Vec<String>,
    /// Message ids of the poison, and the queue it was put into.
    pub(crate) poison: Vec<(Queue, String)>,
    /// Leads one of whose recipients was refused on purpose.
    pub(crate) refused: Vec<Uuid>,
    /// Processes that did not end within their grace.
    pub(crate) overdue: Vec<Process>,
    /// When services were restarted one by one.
    pub(crate) rolling: Span,
    /// When the broker was away.
    pub(crate) broker_away: Span,
    /// What the services held before faults and after.
    pub(crate) memory: HashMap<Process, (Usage, Usage)>,
    /// Whether it became quiet in time, and if not, why.
    pub(crate) unrest: Option<String>,
}

/// A running run.
pub(crate) struct Run {
    /// The system.
    pub(crate) stack: Stack,
    /// Its load.
    pub(crate) visitors: Visitors,
    /// The visitors' journal.
    pub(crate) visits: PathBuf,
    /// When each fault began and ended, for who reads the logs.
    faults: Journal,
    /// Whether the person at the terminal wants it to end.
    pub(crate) interrupt: Interrupt,
    progress: Progress,
    random: Mutex<Rng>,
    findings: Mutex<Findings>,
    wrong: Mutex<Vec<Fault>>,
    targets: Mutex<HashMap<Target, Arc<tokio::sync::Mutex<()>>>>,
}

impl Run {
    /// A run on this system.
    pub(crate) fn new(
        stack: Stack,
        visitors: Visitors,
        visits: PathBuf,
        faults: Journal,
        seed: u64,
        progress: Progress,
        interrupt: Interrupt,
    ) -> Self {
        Self {
            stack,
            visitors,
            visits,
            faults,
            interrupt,
            progress,
            random: Mutex::new(Rng::with_seed(!seed)),
            findings: Mutex::default(),
            wrong: Mutex::default(),
            targets: Mutex::default(),
        }
    }

    /// All phases but the checks.
    pub(crate) async fn phases(self: &Arc<Self>, options: &ChaosOptions, steps: Vec<Step>) -> Result<()> {
        self.visitors.begin_session().await?;
        let over = CancellationToken::new();
        let load = TaskTracker::new();
        let (visitors, rate) = (self.visitors.clone(), options.rate);
        let ending = over.clone();
        load.spawn(async move { visitors.come(rate, ending).await });

        self.phase("warm up", async |_| self.pause(WARM_UP).await).await?;
        self.phase("restart every service, one replica after the other", async |line| self.roll(line).await)
            .await?;
        let before = memory::of_services(&self.stack);
        if !options.broker_away.is_zero() {
            let title = format!("take the broker away for {} s", options.broker_away.as_secs());
            self.phase(&title, async |line| self.take_broker_away(options.broker_away, line).await).await?;
        }
        let title = format!("make {} faults", steps.len());
        self.phase(&title, async |line| self.make(steps, options.minutes, line).await).await?;
        self.phase("heal everything", async |_| self.heal().await).await?;
        over.cancel();
        load.close();
        load.wait().await;
        let unrest = self.phase("wait for quiet", async |line| quiet::wait(self, line).await).await?;
        self.visitors.give_up();
        let after = memory::of_services(&self.stack);
        let mut findings = lock(&self.findings);
        findings.unrest = unrest;
        findings.memory = before
            .into_iter()
            .filter_map(|(process, before)| Some((process, (before, *after.get(&process)?))))
            .collect();
        Ok(())
    }

    /// What the phases found.
    pub(crate) fn findings(&self) -> MutexGuard<'_, Findings> {
        lock(&self.findings)
    }

    /// An idempotency key that nobody used.
    pub(crate) fn next_key(&self) -> Uuid {
        uuid::Builder::from_random_bytes(lock(&self.random).u128(..).to_be_bytes()).into_uuid()
    }

    /// Notes a process that had to be killed although it was asked to end.
    pub(crate) fn note_overdue(&self, process: Process) {
        lock(&self.findings).overdue.push(process);
    }

    /// Notes a lead one of whose recipients will be refused.
    pub(crate) fn refuse(&self, lead: Uuid) {
        lock(&self.findings).refused.push(lead);
    }

    /// Notes a message nobody can deal with.
    pub(crate) fn poisoned(&self, queue: Queue, message_id: String) {
        lock(&self.findings).poison.push((queue, message_id));
    }

    /// Waits for a condition, with a deadline.
    pub(crate) async fn until(&self, what: &str, condition: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.interrupt.check()?;
            if tokio::task::block_in_place(&condition) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Error::failed(format!("{what} within {} s", PATIENCE.as_secs())));
            }
            sleep(BETWEEN_LOOKS).await;
        }
    }

    async fn phase<T>(&self, title: &str, work: impl AsyncFnOnce(&Line) -> Result<T>) -> Result<T> {
        tokio::task::block_in_place(|| {
            self.progress.run(title, |line| tokio::runtime::Handle::current().block_on(work(line)))
        })
    }

    async fn pause(&self, length: Duration) -> Result<()> {
        let deadline = Instant::now() + length;
        while Instant::now() < deadline {
            self.interrupt.check()?;
            sleep(BETWEEN_LOOKS.min(deadline.saturating_duration_since(Instant::now()))).await;
        }
        Ok(())
    }

    /// Says how far the load is, and what goes on.
    pub(crate) fn show(&self, line: &Line, what: &str) {
        let (pressed, acknowledged) = self.visitors.counts();
        line.detail(&format!("{pressed} sent, {acknowledged} acknowledged; {what}"));
    }

    async fn roll(&self, line: &Line) -> Result<()> {
        let from = now();
        for process in Process::SERVICES {
            self.show(line, process.name());
            processes::stop(self, process);
            processes::start(self, process).await?;
        }
        self.show(line, "nginx");
        let nginx = self.stack.supervisor.pid(Process::Nginx.name());
        if let Some(master) = nginx.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            kill_process(master, Signal::HUP)
                .map_err(|error| Error::failed(format!("nginx cannot be told to reload: {error}")))?;
        }
        self.pause(Duration::from_secs(2)).await?;
        lock(&self.findings).rolling = Span { from, to: now() };
        Ok(())
    }

    async fn take_broker_away(&self, length: Duration, line: &Line) -> Result<()> {
        processes::stop(self, Process::Broker);
        let from = now();
        let until = Instant::now() + length;
        while Instant::now() < until {
            self.show(line, "no broker");
            self.pause(Duration::from_secs(1).min(until.saturating_duration_since(Instant::now()))).await?;
        }
        lock(&self.findings).broker_away = Span { from, to: now() };
        processes::start(self, Process::Broker).await.map(drop)
    }

    async fn make(self: &Arc<Self>, steps: Vec<Step>, minutes: f64, line: &Line) -> Result<()> {
        let over = CancellationToken::new();
        let faults = TaskTracker::new();
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
                let wrong = history::names(&lock(&self.wrong));
                self.show(line, if wrong.is_empty() { "nothing is wrong" } else { &wrong });
            }
            sleep(BETWEEN_LOOKS).await;
        }
        over.cancel();
        // What began late is still to be made and put right.
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
        let target = Arc::clone(lock(&self.targets).entry(step.fault.target()).or_default());
        let _alone = target.lock().await;
        lock(&self.wrong).push(step.fault);
        let from = now();
        self.tell(from, "begins", step.fault);
        let outcome = self.try_to_make(step, over).await;
        self.tell(now(), "is over", step.fault);
        lock(&self.wrong).retain(|fault| *fault != step.fault);
        let mut findings = lock(&self.findings);
        match outcome {
            Ok(Made::Done) => findings.windows.push(Window { fault: step.fault, from, to: now() }),
            Ok(Made::NotPossibleHere) => findings.impossible.push(step.fault),
            Err(error) => {
                findings.windows.push(Window { fault: step.fault, from, to: now() });
                findings.failed.push(format!("{}: {error}", step.fault));
            }
        }
    }

    fn tell(&self, at: Millis, what: &str, fault: Fault) {
        // As the services' logs write times. Without this line a run is judged all the same.
        let time = chrono::DateTime::from_timestamp_millis(at).unwrap_or_default();
        let _unwritten = self.faults.append(&format!("{} {fault} {what}", time.format("%FT%T%.3fZ")));
    }

    /// What is needed to make a fault may itself be away at the moment.
    async fn try_to_make(&self, step: Step, over: &CancellationToken) -> Result<Made> {
        const TRIES: u32 = 8;
        let mut tries = 1;
        loop {
            match step.fault.make(self, step.lasts, over).await {
                Ok(made) => return Ok(made),
                Err(error) if tries == TRIES || self.interrupt.check().is_err() => return Err(error),
                Err(_) => tries += 1,
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Whatever a fault may have left behind is put right once more.
    async fn heal(&self) -> Result<()> {
        for link in Link::ALL {
            self.stack.links.set(link, Mode::Pass);
        }
        for disk in [&self.stack.database_disk, &self.stack.broker_disk].into_iter().flatten() {
            disk.clear()?;
        }
        for process in Process::ALL {
            self.stack.supervisor.signal(process.name(), Signal::CONT);
            self.stack.supervisor.release(process.name());
        }
        for process in Process::ALL {
            self.until(&format!("{} is not ready again", process.name()), || self.stack.is_ready(process))
                .await?;
        }
        mail_server::tell(self.stack.mail_control, None).await?;
        tokio::task::block_in_place(|| {
            self.stack.sql.administer(&[
                "ALTER SYSTEM RESET default_transaction_read_only".to_owned(),
                format!("ALTER ROLE {ROLE} CONNECTION LIMIT -1"),
                "SELECT pg_reload_conf()".to_owned(),
            ])
        })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Nothing of this lasts: there is no need to let it end well.
        self.stack.supervisor.kill_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
