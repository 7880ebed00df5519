//! The supervisor restarts and stops real programs, and leaves none running.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use xtask::files;
use xtask::process::command;
use xtask::session::Interrupt;
use xtask::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(10);

struct Fixture {
    directory: PathBuf,
    interrupt: Interrupt,
    supervisor: Supervisor,
}

impl Fixture {
    fn new(name: &str) -> Self {
        let directory =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("supervisor-{name}-{}", std::process::id()));
        files::empty_directory(&directory).expect("a directory");
        let interrupt = Interrupt::default();
        let supervisor = Supervisor::new(interrupt.clone());
        Self { directory, interrupt, supervisor }
    }

    /// A shell script that first writes its process id to `name`.
    fn service(&self, name: &'static str, script: &str) -> Service {
        let script = format!("echo $$ > {name}.new; mv {name}.new {name}; {script}");
        let mut shell = command("sh");
        shell.args(["-c", &script]).current_dir(&self.directory);
        Service::new(name, shell, &self.directory)
    }

    fn pid(&self, file: &str) -> Option<Pid> {
        Pid::from_raw(fs::read_to_string(self.directory.join(file)).ok()?.trim().parse().ok()?)
    }

    fn until(&self, what: &str, mut ready: impl FnMut() -> bool) {
        self.interrupt.poll(what, TIMEOUT, || Ok(ready())).expect("in time");
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // Also ends children in other groups.
        self.supervisor.kill_all();
        files::remove(&self.directory).expect("removed");
    }
}

/// Whether a process has ended. `cargo xtask test` adopts the orphans of its checks, and reaps none before it ends.
fn is_gone(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|state| state.starts_with('Z')))
}

#[test]
fn stop_ends_grandchildren_and_unresponsive_programs() {
    let fixture = Fixture::new("stop");
    let mut unresponsive = fixture.service("unresponsive", "trap '' TERM; while :; do sleep 1000; done");
    unresponsive.grace = Duration::from_millis(200);
    fixture
        .supervisor
        .start(unresponsive, TIMEOUT, || fixture.pid("unresponsive").is_some())
        .expect("started");
    let parent = fixture.service("parent", "sleep 1000 & echo $! > child; wait");
    fixture.supervisor.start(parent, TIMEOUT, || fixture.pid("child").is_some()).expect("started");
    let pids = ["unresponsive", "parent", "child"].map(|file| fixture.pid(file).expect("a pid"));

    let started = Instant::now();
    fixture.supervisor.stop_all();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    for pid in pids {
        fixture.until("a process did not end", || is_gone(pid));
    }
}

#[test]
fn held_program_stays_stopped_until_released() {
    let fixture = Fixture::new("hold");
    let service = fixture.service("worker", "exec sleep 1000");
    fixture.supervisor.start(service, TIMEOUT, || fixture.pid("worker").is_some()).expect("started");
    let first = fixture.pid("worker").expect("a pid");

    assert!(fixture.supervisor.hold("worker"), "SIGTERM ends it");
    assert!(is_gone(first));
    assert_eq!(fixture.supervisor.pid("worker"), None);
    assert!(fixture.supervisor.endings().is_empty(), "a requested stop is not recorded");

    fixture.supervisor.release("worker");
    fixture.until("the program did not start after its release", || {
        fixture.pid("worker").is_some_and(|pid| pid != first)
    });
}

#[test]
fn killed_program_is_restarted_without_its_children() {
    let fixture = Fixture::new("kill");
    // The child is in another process group, so the child of the second parent outlives the test for a while.
    let service = fixture.service("parent", "setsid sleep 20 & echo $! > child; wait");
    fixture.supervisor.start(service, TIMEOUT, || fixture.pid("child").is_some()).expect("started");
    let (parent, child) = (fixture.pid("parent").expect("a pid"), fixture.pid("child").expect("a pid"));

    fixture.supervisor.signal("parent", Signal::KILL);
    fixture.until("the child did not end", || is_gone(child));
    fixture.until("the program did not restart", || fixture.pid("parent").is_some_and(|pid| pid != parent));
    let endings = fixture.supervisor.endings();
    assert_eq!(endings.len(), 1);
    assert_eq!((endings[0].name.as_str(), endings[0].how.as_str()), ("parent", "signal: 9 (SIGKILL)"));
}
