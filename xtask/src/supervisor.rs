//! Supervises programs: restarts them when they die, and stops them in order.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use parking_lot::Mutex;
use rustix::process::Signal;

use crate::process;
use crate::session::{Interrupt, line};

const RESTART_DELAY: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(20);

/// A program that the supervisor restarts when it dies. Clones share the command.
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
    /// The signal that ends it immediately, when nobody needs its data.
    pub kill_signal: Signal,
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
            kill_signal: Signal::KILL,
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
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    running: Vec<Supervised>,
    endings: Vec<Ending>,
}

struct Supervised {
    service: Service,
    child: Option<Child>,
    /// Whether it is restarted when it dies.
    is_ready: bool,
    /// Whether it is started when it does not run.
    is_wanted: bool,
    not_before: Instant,
    /// How it ended before it was ready.
    failed: Option<String>,
}

impl Supervisor {
    pub fn new(interrupt: Interrupt) -> Self {
        let shared = Arc::<Mutex<Shared>>::default();
        let weak = Arc::downgrade(&shared);
        // One thread starts all programs, because the kernel kills them when the thread ends.
        thread::spawn(move || {
            while let Some(shared) = weak.upgrade() {
                shared.lock().update();
                thread::sleep(POLL);
            }
        });
        Self { interrupt, shared }
    }

    /// Starts a service and waits until `is_ready` returns true. Restarts it from then on whenever it dies.
    pub fn start(
        &self,
        service: Service,
        patience: Duration,
        mut is_ready: impl FnMut() -> bool,
    ) -> Result<()> {
        self.interrupt.check()?;
        let (name, log) = (service.name.clone(), service.log.clone());
        self.shared.lock().running.push(Supervised {
            service,
            child: None,
            is_ready: false,
            is_wanted: true,
            not_before: Instant::now(),
            failed: None,
        });
        let outcome = self
            .interrupt
            .poll(&format!("{name} was not ready"), patience, || {
                let failed = self
                    .change(&name, |supervised| supervised.failed.take())
                    .flatten();
                failed.map_or_else(
                    || Ok(is_ready()),
                    |how| Err(anyhow!("{name} did not start: {how}")),
                )
            });
        outcome.map_err(|error| process::with_tail(error, &log))?;
        self.change(&name, |supervised| supervised.is_ready = true);
        Ok(())
    }

    /// The current process id of a service, if it runs.
    pub fn pid(&self, name: &str) -> Option<u32> {
        self.change(name, |supervised| supervised.child.as_ref().map(Child::id))
            .flatten()
    }

    /// Signals a service and all its descendants. A killed service is restarted after a short wait.
    pub fn signal(&self, name: &str, signal: Signal) {
        if let Some(pid) = self.pid(name) {
            process::signal_tree(pid, signal);
        }
    }

    /// Stops a service until [`Self::release`]. Returns false if it had to be killed, after its grace period or a second
    /// interrupt.
    pub fn hold(&self, name: &str) -> bool {
        let running = self.change(
            name,
            |Supervised {
                 service,
                 child,
                 is_wanted,
                 ..
             }| {
                *is_wanted = false;
                Some((child.take()?, service.stop_signal, service.grace))
            },
        );
        let stop =
            |(mut child, signal, grace)| process::stop(&mut child, signal, grace, &self.interrupt);
        running.flatten().is_none_or(stop)
    }

    /// Restarts a service stopped by [`Self::hold`].
    pub fn release(&self, name: &str) {
        self.change(name, |supervised| supervised.is_wanted = true);
    }

    /// All unrequested ends of services, in order.
    pub fn endings(&self) -> Vec<Ending> {
        self.shared.lock().endings.clone()
    }

    /// Stops all services in reverse order of their start, and returns when they have ended.
    pub fn stop_all(&self) {
        while let Some(name) = self.names().pop() {
            self.hold(&name);
            self.shared
                .lock()
                .running
                .retain(|supervised| supervised.service.name != name);
        }
    }

    /// Kills all services together, for data that is no longer needed.
    pub fn kill_all(&self) {
        for name in self.names() {
            let signal = self.change(&name, |supervised| {
                supervised.is_wanted = false;
                supervised.service.kill_signal
            });
            self.signal(&name, signal.unwrap_or(Signal::KILL));
        }
        self.stop_all();
    }

    fn names(&self) -> Vec<String> {
        self.shared
            .lock()
            .running
            .iter()
            .map(|supervised| supervised.service.name.clone())
            .collect()
    }

    fn change<T>(&self, name: &str, change: impl FnOnce(&mut Supervised) -> T) -> Option<T> {
        let mut shared = self.shared.lock();
        shared
            .running
            .iter_mut()
            .find(|supervised| supervised.service.name == name)
            .map(change)
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl Shared {
    fn update(&mut self) {
        self.endings
            .extend(self.running.iter_mut().filter_map(Supervised::update));
    }
}

impl Supervised {
    /// Starts or reaps the program. Returns its end, unless it was requested.
    fn update(&mut self) -> Option<Ending> {
        let how = self
            .start_or_reap()
            .unwrap_or_else(|error| Some(format!("{error:#}")))?;
        if !self.is_wanted {
            return None;
        }
        if !self.is_ready {
            self.is_wanted = false;
            self.failed = Some(how);
            return None;
        }
        let name = self.service.name.clone();
        line(format!("! {name} ended ({how}) and is restarted"));
        self.not_before = Instant::now() + RESTART_DELAY;
        Some(Ending { name, how })
    }

    /// Starts the program if it is wanted and does not run. Returns how it ended.
    fn start_or_reap(&mut self) -> Result<Option<String>> {
        if let Some(child) = &mut self.child {
            let Some(status) = child.try_wait()? else {
                return Ok(None);
            };
            process::signal_group(child.id(), Signal::KILL);
            self.child = None;
            return Ok(Some(status.to_string()));
        }
        if self.is_wanted && Instant::now() >= self.not_before {
            self.child = Some(process::spawn(
                &mut self.service.command.lock(),
                &self.service.log,
            )?);
        }
        Ok(None)
    }
}
