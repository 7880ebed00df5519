//! Supervises programs: restarts them when they die, and stops them in order.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use parking_lot::{Condvar, Mutex};
use rustix::process::Signal;

use crate::process;
use crate::session::{Interrupt, line};

const RESTART_DELAY: Duration = Duration::from_millis(500);
/// How often a wait checks for a second interrupt.
const POLL: Duration = Duration::from_millis(100);

/// A program to keep running. Clones share its command.
#[derive(Clone)]
pub struct Service {
    /// The name in messages and for lookups.
    pub name: String,
    pub command: Arc<Mutex<Command>>,
    pub log: PathBuf,
    /// The signal that requests a graceful stop.
    pub stop_signal: Signal,
    /// Time allowed for a graceful stop.
    pub grace: Duration,
}

impl Service {
    /// A service that is stopped with SIGTERM and has ten seconds to end.
    pub fn new(name: impl Into<String>, command: Command, logs: &Path) -> Self {
        let name = name.into();
        Self {
            log: logs.join(format!("{name}.log")),
            name,
            command: Arc::new(Mutex::new(command)),
            stop_signal: Signal::TERM,
            grace: Duration::from_secs(10),
        }
    }
}

/// An unrequested end of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub name: String,
    /// Exit code or signal.
    pub how: String,
}

/// Runs services until stopped or dropped.
pub struct Supervisor {
    interrupt: Interrupt,
    endings: Arc<Mutex<Vec<Ending>>>,
    running: Mutex<Vec<(Arc<Supervised>, JoinHandle<()>)>>,
}

struct Supervised {
    service: Service,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pid: Option<u32>,
    is_ready: bool,
    is_held: bool,
    is_stopping: bool,
    /// How it ended before it was ready.
    failed: Option<String>,
}

impl Supervisor {
    pub fn new(interrupt: Interrupt) -> Self {
        Self { interrupt, endings: Arc::default(), running: Mutex::default() }
    }

    /// Starts a service and waits until `is_ready` returns true. Afterwards it is restarted whenever it dies.
    pub fn start(
        &self,
        service: Service,
        patience: Duration,
        mut is_ready: impl FnMut() -> bool,
    ) -> Result<()> {
        self.interrupt.check()?;
        let supervised = Arc::new(Supervised { service, state: Mutex::default(), changed: Condvar::new() });
        let (kept, endings) = (Arc::clone(&supervised), Arc::clone(&self.endings));
        // The thread must live as long as its children, because of their death signal.
        let keeper = thread::spawn(move || kept.keep_running(&endings));
        self.running.lock().push((Arc::clone(&supervised), keeper));

        let Service { name, log, .. } = &supervised.service;
        let outcome = self.interrupt.poll(&format!("{name} was not ready"), patience, || {
            let failed = supervised.state.lock().failed.clone();
            match failed {
                Some(how) => Err(anyhow!("{name} did not start: {how}")),
                None => Ok(is_ready()),
            }
        });
        outcome.map_err(|error| process::with_tail(error, log))?;
        supervised.state.lock().is_ready = true;
        Ok(())
    }

    /// The current process id of a service, if it runs.
    pub fn pid(&self, name: &str) -> Option<u32> {
        self.find(name)?.state.lock().pid
    }

    /// Signals a service and all its descendants. A killed service is restarted after a short wait.
    pub fn signal(&self, name: &str, signal: Signal) {
        if let Some(pid) = self.pid(name) {
            process::signal_tree(pid, signal);
        }
    }

    /// Stops a service until [`Self::release`]. Returns false if it exceeded its grace period and was killed.
    pub fn hold(&self, name: &str) -> bool {
        let Some(supervised) = self.find(name) else { return true };
        supervised.change(|state| state.is_held = true);
        supervised.end(&self.interrupt)
    }

    /// Restarts a service stopped by [`Self::hold`].
    pub fn release(&self, name: &str) {
        if let Some(supervised) = self.find(name) {
            supervised.change(|state| state.is_held = false);
        }
    }

    /// All unrequested ends of services, in order.
    pub fn endings(&self) -> Vec<Ending> {
        self.endings.lock().clone()
    }

    /// Stops all services in reverse order of their start, and returns when they have ended.
    pub fn stop_all(&self) {
        loop {
            let Some((supervised, keeper)) = self.running.lock().pop() else { break };
            supervised.change(|state| state.is_stopping = true);
            supervised.end(&self.interrupt);
            let _ended = keeper.join();
        }
    }

    /// Kills all services together, for data that is no longer needed.
    pub fn kill_all(&self) {
        for (supervised, _) in self.running.lock().iter() {
            supervised.change(|state| {
                state.is_stopping = true;
                state.pid.into_iter().for_each(|pid| process::signal_tree(pid, Signal::KILL));
            });
        }
        self.stop_all();
    }

    fn find(&self, name: &str) -> Option<Arc<Supervised>> {
        let running = self.running.lock();
        running.iter().map(|(supervised, _)| supervised).find(|it| it.service.name == name).cloned()
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl Supervised {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock());
        self.changed.notify_all();
    }

    /// Stops the current process gracefully. Returns false if it had to be killed, after its grace period or a second
    /// interrupt.
    fn end(&self, interrupt: &Interrupt) -> bool {
        let mut state = self.state.lock();
        let Some(pid) = state.pid else { return true };
        process::signal_group(pid, self.service.stop_signal);
        let deadline = Instant::now() + self.service.grace;
        while state.pid == Some(pid) && Instant::now() < deadline && interrupt.count() < 2 {
            self.changed.wait_for(&mut state, POLL);
        }
        let is_in_time = state.pid != Some(pid);
        if !is_in_time {
            process::signal_group(pid, Signal::KILL);
            self.changed.wait_while(&mut state, |state| state.pid == Some(pid));
        }
        is_in_time
    }

    /// Restarts the service until told to stop.
    fn keep_running(&self, endings: &Mutex<Vec<Ending>>) {
        loop {
            let how = self.run_once().unwrap_or_else(|error| format!("{error:#}"));
            let mut state = self.state.lock();
            state.pid = None;
            self.changed.notify_all();
            if !state.is_ready && !state.is_stopping {
                state.failed = Some(how);
                return;
            }
            let mut delay = Duration::ZERO;
            if !state.is_held && !state.is_stopping {
                let name = self.service.name.clone();
                line(format!("! {name} ended ({how}) and is restarted"));
                endings.lock().push(Ending { name, how });
                delay = RESTART_DELAY;
            }
            self.changed.wait_while_for(&mut state, |state| !state.is_stopping, delay);
            self.changed.wait_while(&mut state, |state| state.is_held && !state.is_stopping);
            if state.is_stopping {
                return;
            }
        }
    }

    /// Runs it to its end; returns how it ended.
    fn run_once(&self) -> Result<String> {
        let mut state = self.state.lock();
        if state.is_stopping {
            return Ok("stopped".to_owned());
        }
        let mut child = process::spawn(&mut self.service.command.lock(), &self.service.log)?;
        state.pid = Some(child.id());
        drop(state);
        let status = child.wait();
        // Ends the rest of the process group.
        process::signal_group(child.id(), Signal::KILL);
        Ok(status?.to_string())
    }
}
