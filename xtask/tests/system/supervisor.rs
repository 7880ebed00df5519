//! The supervisor restarts and stops real programs, and leaves none running. Chaos stops and releases services.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;
use xtask::process::command;
use xtask::session::Interrupt;
use xtask::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(10);

#[test]
fn no_descendant_outlives_a_program() {
    let directory = tempfile::tempdir().unwrap();
    let supervisor = Supervisor::new(Interrupt::default());
    // Starts a shell with a child. Returns the process ids of both.
    let start = |name: &str, child: &str| {
        let script = format!("{child} & echo $! > {name}.new; mv {name}.new {name}; wait");
        let mut shell = command("sh");
        shell.args(["-c", &script]).current_dir(&directory);
        let mut service = Service::new(name, shell, directory.path());
        service.grace = Duration::from_millis(500);
        let pid = || {
            fs::read_to_string(directory.path().join(name))
                .ok()?
                .trim()
                .parse()
                .ok()
        };
        supervisor
            .start(service, TIMEOUT, || pid().is_some())
            .expect("started");
        [
            supervisor.pid(name).expect("a parent"),
            pid().expect("a child"),
        ]
    };
    // The child is in another process group.
    let [parent, child] = start("killed", "setsid sleep 20");
    supervisor.signal("killed", Signal::KILL);
    until("the child did not end", || is_gone(child));
    until("the program did not restart", || {
        supervisor.pid("killed").is_some_and(|pid| pid != parent)
    });
    let endings = supervisor.endings();
    assert_eq!(endings.len(), 1);
    assert_eq!(
        (endings[0].name.as_str(), endings[0].how.as_str()),
        ("killed", "signal: 9 (SIGKILL)")
    );

    let pids = [
        start("unresponsive", "trap '' TERM; sleep 1000"),
        start("parent", "sleep 1000"),
    ];
    supervisor.hold("killed");
    supervisor.stop_all();
    until("a process did not end", || {
        pids.iter().flatten().all(|pid| is_gone(*pid))
    });
}

fn until(what: &str, mut ready: impl FnMut() -> bool) {
    Interrupt::default()
        .poll(what, TIMEOUT, || Ok(ready()))
        .unwrap();
}

/// Whether a process has ended. `cargo xtask test` adopts the orphans of its checks, and reaps none before it ends.
fn is_gone(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| {
        stat.rsplit(") ")
            .next()
            .is_some_and(|state| state.starts_with('Z'))
    })
}
