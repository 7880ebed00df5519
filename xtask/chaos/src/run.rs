//! One run: the system, its load, and the findings for the checks.

use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use xtask::error::{Error, Result};
use xtask::interrupt::Interrupt;
use xtask::progress::{Progress, Step as Line};

use crate::fault::{Fault, Queue, Target};
use crate::stack::Stack;
use crate::stack::parts::Process;
use crate::visitor::{Millis, Visitors};

/// Maximum wait for a process to become ready.
const TIMEOUT: Duration = Duration::from_secs(90);
pub(crate) const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Millis,
    pub(crate) to: Millis,
}

impl Span {
    pub(crate) fn holds(self, at: Millis) -> bool {
        (self.from..=self.to).contains(&at)
    }
}

/// Findings of the phases for the checks.
#[derive(Default)]
pub(crate) struct Findings {
    /// Faults in the script, and those that ended.
    pub(crate) scheduled: usize,
    pub(crate) ended: usize,
    /// Faults that could not be made or healed, with the error.
    pub(crate) failed: Vec<String>,
    pub(crate) frozen_nginx: Vec<Span>,
    /// When the first fault could begin.
    pub(crate) faults_from: Millis,
    /// Queue and message id of each poison message.
    pub(crate) poison: Vec<(Queue, String)>,
    /// Leads with one recipient refused on purpose.
    pub(crate) refused: Vec<Uuid>,
    /// Processes that exceeded their grace period.
    pub(crate) overdue: Vec<Process>,
    pub(crate) rolling_restart: Span,
    pub(crate) broker_away: Span,
    /// The activity that prevented quiescence in time.
    pub(crate) unrest: Option<String>,
}

pub(crate) struct Run {
    pub(crate) stack: Stack,
    pub(crate) visitors: Visitors,
    /// Start and end of each fault, for reading alongside the logs.
    pub(crate) faults: Mutex<File>,
    /// Set when the user interrupts the run.
    pub(crate) interrupt: Interrupt,
    progress: Progress,
    random: Mutex<Rng>,
    findings: Mutex<Findings>,
    pub(crate) wrong: Mutex<Vec<Fault>>,
    pub(crate) targets: Mutex<HashMap<Target, Arc<tokio::sync::Mutex<()>>>>,
}

impl Run {
    pub(crate) fn new(
        stack: Stack,
        visitors: Visitors,
        faults: File,
        seed: u64,
        progress: Progress,
        interrupt: Interrupt,
    ) -> Self {
        Self {
            stack,
            visitors,
            faults: Mutex::new(faults),
            interrupt,
            progress,
            random: Mutex::new(Rng::with_seed(!seed)),
            findings: Mutex::default(),
            wrong: Mutex::default(),
            targets: Mutex::default(),
        }
    }

    pub(crate) fn findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock()
    }

    /// A new idempotency key.
    pub(crate) fn next_key(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.random.lock().u128(..).to_be_bytes()).into_uuid()
    }

    /// Waits until a process is ready again.
    pub(crate) async fn ready(&self, process: Process) -> Result<()> {
        self.until(&format!("{} was not ready again", process.name()), || self.stack.is_ready(process)).await
    }

    /// Stops a process gracefully, and records if it had to be killed.
    pub(crate) fn stop(&self, process: Process) {
        if !tokio::task::block_in_place(|| self.stack.supervisor.hold(process.name())) {
            self.findings().overdue.push(process);
        }
    }

    /// Starts a stopped process and waits until it is ready.
    pub(crate) async fn start(&self, process: Process) -> Result<()> {
        self.stack.supervisor.release(process.name());
        self.ready(process).await
    }

    /// Polls a condition until [`TIMEOUT`]; the error contains `what`.
    pub(crate) async fn until(&self, what: &str, condition: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            self.interrupt.check()?;
            if tokio::task::block_in_place(&condition) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Error::failed(format!("{what} within {} s", TIMEOUT.as_secs())));
            }
            sleep(BETWEEN_LOOKS).await;
        }
    }

    pub(crate) async fn phase<T>(
        &self,
        title: &str,
        work: impl AsyncFnOnce(&Line) -> Result<T>,
    ) -> Result<T> {
        tokio::task::block_in_place(|| {
            self.progress.run(title, |line| tokio::runtime::Handle::current().block_on(work(line)))
        })
    }

    pub(crate) async fn pause(&self, length: Duration) -> Result<()> {
        let deadline = Instant::now() + length;
        while Instant::now() < deadline {
            self.interrupt.check()?;
            sleep(BETWEEN_LOOKS.min(deadline.saturating_duration_since(Instant::now()))).await;
        }
        Ok(())
    }

    /// Shows the progress of the load and the current activity.
    pub(crate) fn show(&self, line: &Line, what: &str) {
        let (submitted, acknowledged) = self.visitors.counts();
        line.detail(&format!("{submitted} sent, {acknowledged} acknowledged; {what}"));
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // All data of the run is disposable, so nothing needs a graceful end.
        self.stack.supervisor.kill_all();
    }
}

/// Waits for `lasts`, or until `over` is cancelled.
pub(crate) async fn last(lasts: Duration, over: &CancellationToken) {
    tokio::select! {
        () = tokio::time::sleep(lasts) => {}
        () = over.cancelled() => {}
    }
}
