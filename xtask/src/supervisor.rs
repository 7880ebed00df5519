//! Keeps programs running: restarts one that dies, says so, and stops them all in order.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::process::{self, Invocation};
use crate::progress::Progress;
use crate::random;

const FIRST_DELAY: Duration = Duration::from_millis(200);
const LONGEST_DELAY: Duration = Duration::from_secs(5);
const STEADY: Duration = Duration::from_secs(30);

/// A program to be kept running.
#[derive(Clone)]
pub struct Service {
    /// Its name in messages.
    pub name: &'static str,
    /// How to start it.
    pub invocation: Invocation,
    /// Where its output goes.
    pub log: PathBuf,
    /// A file that always names its current process, where something needs to know.
    pub pid_file: Option<PathBuf>,
    /// The signal that it takes as a request to end.
    pub stop_signal: Signal,
    /// How long it may take to end.
    pub grace: Duration,
}

impl Service {
    /// A service that ends on SIGTERM within ten seconds.
    pub fn new(name: &'static str, invocation: Invocation, logs: &Path) -> Self {
        Self {
            name,
            invocation,
            log: logs.join(format!("{name}.log")),
            pid_file: None,
            stop_signal: Signal::TERM,
            grace: Duration::from_secs(10),
        }
    }
}

/// Runs services until it is stopped or dropped.
pub struct Supervisor {
    progress: Progress,
    interrupt: Interrupt,
    running: Mutex<Vec<Supervised>>,
}

struct Supervised {
    service: Service,
    state: Arc<(Mutex<State>, Condvar)>,
    keeper: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    pid: Option<u32>,
    ready: bool,
    stopping: bool,
    ended: Option<String>,
}

impl Supervisor {
    /// A supervisor of nothing yet.
    pub fn new(progress: Progress, interrupt: Interrupt) -> Self {
        Self { progress, interrupt, running: Mutex::new(Vec::new()) }
    }

    /// Starts a service and waits until `ready` says so; from then on it is restarted whenever it dies.
    pub fn start(&self, service: Service, patience: Duration, mut ready: impl FnMut() -> bool) -> Result<()> {
        self.interrupt.check()?;
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let keeper = {
            let (service, state, progress) = (service.clone(), Arc::clone(&state), self.progress.clone());
            thread::spawn(move || keep(&service, &state, &progress))
        };
        let (name, log) = (service.name, service.log.clone());
        lock(&self.running).push(Supervised { service, state: Arc::clone(&state), keeper });

        let outcome = crate::wait::until(&format!("{name} was not ready"), patience, &self.interrupt, || {
            if let Some(how) = lock(&state.0).ended.clone() {
                return Err(Error::failed(format!("{name} did not start: {how}")));
            }
            Ok(ready())
        });
        match outcome {
            Ok(()) => {
                lock(&state.0).ready = true;
                Ok(())
            }
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(error) => {
                Err(Error::failed(format!("{error}; the end of {}:\n{}", log.display(), process::tail(&log))))
            }
        }
    }

    /// Stops everything, the latest started first, and returns when all of it is gone.
    pub fn stop_all(&self) {
        loop {
            let Some(supervised) = lock(&self.running).pop() else { break };
            supervised.stop(&self.interrupt);
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl Supervised {
    fn stop(self, interrupt: &Interrupt) {
        let (state, changed) = &*self.state;
        let mut current = lock(state);
        current.stopping = true;
        changed.notify_all();
        let asked = current.pid;
        if let Some(pid) = asked {
            process::signal_group(pid, self.service.stop_signal);
        }
        let deadline = Instant::now() + self.service.grace;
        while current.pid.is_some() && Instant::now() < deadline && interrupt.count() < 2 {
            current = wait_timeout(changed, current, Duration::from_millis(100));
        }
        drop(current);
        if let Some(pid) = asked {
            process::signal_group(pid, Signal::KILL);
        }
        let _ended = self.keeper.join();
        if let Some(pid_file) = &self.service.pid_file {
            let _gone = fs::remove_file(pid_file);
        }
    }
}

/// Starts the service again and again until told to stop. This thread lives as long as its children do.
fn keep(service: &Service, state: &(Mutex<State>, Condvar), progress: &Progress) {
    let (state, changed) = state;
    let mut delay = FIRST_DELAY;
    loop {
        let started = Instant::now();
        let how = run_once(service, state, changed);
        let mut current = lock(state);
        current.pid = None;
        changed.notify_all();
        if current.stopping {
            return;
        }
        if !current.ready {
            current.ended = Some(how);
            return;
        }
        if started.elapsed() > STEADY {
            delay = FIRST_DELAY;
        }
        let pause = random::jitter(delay);
        progress.line(&format!(
            "! {} ended ({how}), starting it again in {} ms",
            service.name,
            pause.as_millis()
        ));
        let deadline = Instant::now() + pause;
        while !current.stopping && Instant::now() < deadline {
            current = wait_timeout(changed, current, deadline.saturating_duration_since(Instant::now()));
        }
        if current.stopping {
            return;
        }
        delay = (delay * 2).min(LONGEST_DELAY);
    }
}

fn run_once(service: &Service, state: &Mutex<State>, changed: &Condvar) -> String {
    let mut child = {
        let mut current = lock(state);
        if current.stopping {
            return "stopped".to_owned();
        }
        let child = match service.invocation.spawn(&service.log) {
            Ok(child) => child,
            Err(error) => return error.to_string(),
        };
        current.pid = Some(child.id());
        changed.notify_all();
        child
    };
    if let Some(pid_file) = &service.pid_file
        && let Err(error) = crate::files::replace(pid_file, child.id().to_string().as_bytes(), 0o644)
    {
        process::signal_group(child.id(), Signal::KILL);
        let _reaped = child.wait();
        return error.to_string();
    }
    let how = match child.wait() {
        Ok(status) => describe(status),
        Err(error) => error.to_string(),
    };
    // What is left of its group is of no use without it.
    process::signal_group(child.id(), Signal::KILL);
    how
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait_timeout<'a>(
    changed: &Condvar,
    guard: MutexGuard<'a, State>,
    patience: Duration,
) -> MutexGuard<'a, State> {
    changed.wait_timeout(guard, patience).unwrap_or_else(PoisonError::into_inner).0
}
