//! The supervisor restarts and stops real programs, and leaves none running.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tempfile::TempDir;
use xtask::process::command;
use xtask::session::Interrupt;
use xtask::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(10);

struct Fixture {
    supervisor: Supervisor,
    directory: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let supervisor = Supervisor::new(Interrupt::default());
        Self { supervisor, directory: tempfile::tempdir().expect("a directory") }
    }

    /// Starts a shell with a child; returns the process ids of both.
    fn start(&self, name: &str, child: &str) -> [u32; 2] {
        let script = format!("{child} & echo $! > {name}.new; mv {name}.new {name}; wait");
        let mut shell = command("sh");
        shell.args(["-c", &script]).current_dir(&self.directory);
        let mut service = Service::new(name, shell, self.directory.path());
        service.grace = Duration::from_millis(500);
        let pid = || fs::read_to_string(self.directory.path().join(name)).ok()?.trim().parse().ok();
        self.supervisor.start(service, TIMEOUT, || pid().is_some()).expect("started");
        [self.supervisor.pid(name).expect("a parent"), pid().expect("a child")]
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // Also ends children in other groups.
        self.supervisor.kill_all();
    }
}

fn until(what: &str, mut ready: impl FnMut() -> bool) {
    Interrupt::default().poll(what, TIMEOUT, || Ok(ready())).expect("in time");
}

/// Whether a process has ended. `cargo xtask test` adopts the orphans of its checks, and reaps none before it ends.
fn is_gone(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|state| state.starts_with('Z')))
}

#[test]
fn stop_ends_grandchildren_and_unresponsive_programs() {
    let fixture = Fixture::new();
    let pids =
        [fixture.start("unresponsive", "trap '' TERM; sleep 1000"), fixture.start("parent", "sleep 1000")];
    let started = Instant::now();
    fixture.supervisor.stop_all();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    until("a process did not end", || pids.iter().flatten().all(|pid| is_gone(*pid)));
}

#[test]
fn held_program_stays_stopped_until_released() {
    let fixture = Fixture::new();
    let [parent, _] = fixture.start("worker", "sleep 1000");
    assert!(fixture.supervisor.hold("worker"), "SIGTERM ends it");
    assert!(is_gone(parent));
    assert_eq!(fixture.supervisor.pid("worker"), None);
    assert!(fixture.supervisor.endings().is_empty(), "a requested stop is not recorded");

    fixture.supervisor.release("worker");
    until("the program did not start", || fixture.supervisor.pid("worker").is_some_and(|pid| pid != parent));
}

#[test]
fn killed_program_is_restarted_without_its_children() {
    let fixture = Fixture::new();
    // The child is in another process group.
    let [parent, child] = fixture.start("parent", "setsid sleep 20");
    fixture.supervisor.signal("parent", Signal::KILL);
    until("the child did not end", || is_gone(child));
    until("the program did not restart", || {
        fixture.supervisor.pid("parent").is_some_and(|pid| pid != parent)
    });
    let endings = fixture.supervisor.endings();
    assert_eq!(endings.len(), 1);
    assert_eq!((endings[0].name.as_str(), endings[0].how.as_str()), ("parent", "signal: 9 (SIGKILL)"));
}
