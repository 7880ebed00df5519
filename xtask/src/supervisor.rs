//! Supervises programs: restarts them when they die, and stops them in order.

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

const RESTART_DELAY: Duration = Duration::from_millis(500);

/// A program to keep running.
#[derive(Clone)]
pub struct Service {
    /// The name in messages and for lookups.
    pub name: String,
    pub invocation: Invocation,
    pub log: PathBuf,
    /// A file with the current process id, if needed.
    pub pid_file: Option<PathBuf>,
    /// The signal that requests a graceful stop.
    pub stop_signal: Signal,
    /// Time allowed for a graceful stop.
    pub grace: Duration,
}

impl Service {
    /// A service that is stopped with SIGTERM and has ten seconds to end.
    pub fn new(name: impl Into<String>, invocation: Invocation, logs: &Path) -> Self {
        let name = name.into();
        Self {
            log: logs.join(format!("{name}.log")),
            name,
            invocation,
            pid_file: None,
            stop_signal: Signal::TERM,
            grace: Duration::from_secs(10),
        }
    }
}

/// Runs services until stopped or dropped.
pub struct Supervisor {
    progress: Option<Progress>,
    endings: Endings,
    interrupt: Interrupt,
    running: Mutex<Vec<Supervised>>,
}

/// An unrequested end of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub name: String,
    /// Exit code or signal.
    pub how: String,
}

type SharedState = Arc<(Mutex<State>, Condvar)>;
type Endings = Arc<Mutex<Vec<Ending>>>;

struct Supervised {
    service: Service,
    state: SharedState,
    keeper: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    pid: Option<u32>,
    ready: bool,
    held: bool,
    stopping: bool,
    ended: Option<String>,
}

impl Supervisor {
    pub fn new(progress: Progress, interrupt: Interrupt) -> Self {
        Self {
            progress: Some(progress),
            endings: Endings::default(),
            interrupt,
            running: Mutex::new(Vec::new()),
        }
    }

    /// Prints no line per restart, for callers that end services on purpose.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.progress = None;
        self
    }

    /// Starts a service and waits until `ready` returns true. Afterwards it is restarted whenever it dies.
    pub fn start(&self, service: Service, patience: Duration, mut ready: impl FnMut() -> bool) -> Result<()> {
        self.interrupt.check()?;
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let keeper = {
            let (service, state) = (service.clone(), Arc::clone(&state));
            let (progress, endings) = (self.progress.clone(), Arc::clone(&self.endings));
            thread::spawn(move || keep(&service, &state, progress.as_ref(), &endings))
        };
        let (name, log) = (service.name.clone(), service.log.clone());
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
            Err(error) => Err(Error::failed(format!(
                "{error}; last lines of {}:\n{}",
                log.display(),
                process::tail(&log)
            ))),
        }
    }

    /// The current process id of a service, if it runs.
    pub fn pid(&self, name: &str) -> Option<u32> {
        lock(&self.find(name)?.1.0).pid
    }

    /// Signals a service and all its descendants. A killed service is restarted after a short wait.
    pub fn signal(&self, name: &str, signal: Signal) {
        if let Some((_, state)) = self.find(name)
            && let Some(pid) = lock(&state.0).pid
        {
            process::signal_tree(pid, signal);
        }
    }

    /// Stops a service until [`Self::release`]. Returns false if it exceeded its grace period and was killed.
    pub fn hold(&self, name: &str) -> bool {
        let Some((service, state)) = self.find(name) else { return true };
        let (state, changed) = &*state;
        let mut current = lock(state);
        current.held = true;
        changed.notify_all();
        let Some(pid) = current.pid else { return true };
        drop(current);
        process::signal_group(pid, service.stop_signal);
        let is_gone = |current: &State| current.pid != Some(pid);
        let deadline = Instant::now() + service.grace;
        current = lock(state);
        while !is_gone(&current) && Instant::now() < deadline && self.interrupt.count() < 2 {
            current = wait_timeout(changed, current, Duration::from_millis(100));
        }
        if is_gone(&current) {
            return true;
        }
        drop(current);
        process::signal_group(pid, Signal::KILL);
        current = lock(state);
        while !is_gone(&current) && self.interrupt.count() < 2 {
            current = wait_timeout(changed, current, Duration::from_millis(100));
        }
        false
    }

    /// Restarts a service stopped by [`Self::hold`].
    pub fn release(&self, name: &str) {
        if let Some((_, state)) = self.find(name) {
            lock(&state.0).held = false;
            state.1.notify_all();
        }
    }

    /// All unrequested ends of services, in order.
    pub fn endings(&self) -> Vec<Ending> {
        lock(&self.endings).clone()
    }

    /// Kills all services at once, for data that is no longer needed.
    pub fn kill_all(&self) {
        let all = std::mem::take(&mut *lock(&self.running));
        for supervised in &all {
            lock(&supervised.state.0).stopping = true;
            supervised.state.1.notify_all();
        }
        for supervised in &all {
            let pid = lock(&supervised.state.0).pid;
            if let Some(pid) = pid {
                process::signal_tree(pid, Signal::KILL);
            }
        }
        for supervised in all {
            let _ended = supervised.keeper.join();
        }
    }

    fn find(&self, name: &str) -> Option<(Service, SharedState)> {
        let running = lock(&self.running);
        let found = running.iter().find(|supervised| supervised.service.name == name)?;
        Some((found.service.clone(), Arc::clone(&found.state)))
    }

    /// Stops all services in reverse order of their start, and returns when they have ended.
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

/// Restarts the service until told to stop. The thread must live as long as its children, because of their death
/// signal.
fn keep(
    service: &Service,
    state: &(Mutex<State>, Condvar),
    progress: Option<&Progress>,
    endings: &Mutex<Vec<Ending>>,
) {
    let (state, changed) = state;
    loop {
        let how = run_once(service, state, changed);
        let mut current = lock(state);
        current.pid = None;
        changed.notify_all();
        if !current.ready && !current.stopping {
            current.ended = Some(how);
            return;
        }
        let mut deadline = Instant::now();
        if !current.held && !current.stopping {
            if let Some(progress) = progress {
                progress.line(&format!("! {} ended ({how}) and is restarted", service.name));
            }
            lock(endings).push(Ending { name: service.name.clone(), how });
            deadline += RESTART_DELAY;
        }
        while !current.stopping && (current.held || Instant::now() < deadline) {
            current = wait_timeout(changed, current, RESTART_DELAY);
        }
        if current.stopping {
            return;
        }
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
    // Ends the rest of the process group.
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
