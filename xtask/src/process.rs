//! Child processes: each in a separate process group, ended with this process.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow};
use fs_err as fs;
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group, set_child_subreaper};

use crate::session::{Interrupt, Interrupted};

const POLL: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_secs(5);
const TAIL_LINES: usize = 40;

/// A program without input. The kernel kills it when the thread that started it ends, so nothing survives kill -9.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    command_with(&["--pdeathsig=KILL"], program)
}

/// Likewise, with other options of setpriv(1).
pub fn command_with(options: &[&str], program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("/usr/bin/setpriv");
    command.args(options).arg("--").arg(program).stdin(Stdio::null()).process_group(0);
    command
}

/// Starts a command with its output appended to `log`. The calling thread must outlive the child.
pub fn spawn(command: &mut Command, log: &Path) -> Result<Child> {
    let output = OpenOptions::new().create(true).append(true).open(log)?;
    let errors = output.try_clone()?;
    let child = command.stdout(output).stderr(errors).spawn();
    child.with_context(|| format!("cannot start {}", name(command)))
}

/// Runs a command to its end with its output in `log`; the error of a failure has the last lines.
pub fn run(command: &mut Command, log: &Path, interrupt: &Interrupt) -> Result<()> {
    interrupt.check()?;
    let child = spawn(command, log)?;
    wait(child, &name(command), interrupt).map_err(|error| with_tail(error, log))
}

/// Runs a command to its end with its output where ours goes.
pub fn run_in_foreground(command: &mut Command, interrupt: &Interrupt) -> Result<()> {
    interrupt.check()?;
    let child = command.spawn().with_context(|| format!("cannot start {}", name(command)))?;
    wait(child, &name(command), interrupt)
}

/// Runs a command and discards its output; true when it succeeded.
pub fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Runs a command and returns its standard output; fails with its standard error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", name(command)))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(anyhow!(text(&output.stderr))) }
}

/// The program that setpriv starts.
fn name(command: &Command) -> String {
    let program = command.get_args().skip_while(|argument| *argument != "--").nth(1).unwrap_or_default();
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}

fn wait(mut child: Child, name: &str, interrupt: &Interrupt) -> Result<()> {
    loop {
        if let Some(status) = child.try_wait().with_context(|| format!("cannot wait for {name}"))? {
            // Processes left in its group would outlive it.
            signal_group(child.id(), Signal::KILL);
            return if status.success() { Ok(()) } else { Err(anyhow!("{name} failed ({status})")) };
        }
        if interrupt.wait_timeout(POLL) {
            stop(&mut child, Signal::TERM, GRACE, interrupt);
            return Err(Interrupted.into());
        }
    }
}

/// Adds the last lines of a log file to the error of a failure.
pub fn with_tail(error: Error, log: &Path) -> Error {
    if error.is::<Interrupted>() {
        return error;
    }
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n    ");
    anyhow!("{error:#}; last lines of {}:\n    {last}", log.display())
}

/// Signals a process group; a missing group is ignored.
pub fn signal_group(id: u32, signal: Signal) {
    if let Some(group) = pid(id) {
        let _gone = kill_process_group(group, signal);
    }
}

/// Signals a process with its group, then its descendants in other groups. Parents come first, so that none starts
/// another process meanwhile.
pub fn signal_tree(id: u32, signal: Signal) {
    let descendants = descendants(id);
    signal_group(id, signal);
    for pid in descendants.into_iter().filter_map(pid) {
        let _gone = kill_process(pid, signal);
    }
}

/// Makes this process the parent of descendants that outlive their parents, such as Erlang's helpers.
pub fn adopt_orphans() -> Result<()> {
    set_child_subreaper(Some(getpid())).context("cannot become a subreaper")
}

/// Kills all descendants of this process.
pub fn kill_descendants() {
    for pid in descendants(std::process::id()).into_iter().filter_map(pid) {
        let _gone = kill_process(pid, Signal::KILL);
    }
}

/// Parents come before their children.
fn descendants(id: u32) -> Vec<u32> {
    let mut found = vec![id];
    let mut next = 0;
    while let Some(id) = found.get(next) {
        // Each thread has its list of children.
        let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let children: String = lists.collect();
        found.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        next += 1;
    }
    found.split_off(1)
}

fn pid(id: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id).ok()?)
}

/// Stops a child's group. Returns false if it had to be killed, after `grace` or on a second interrupt.
pub fn stop(child: &mut Child, signal: Signal, grace: Duration, interrupt: &Interrupt) -> bool {
    signal_group(child.id(), signal);
    let deadline = Instant::now() + grace;
    let mut runs = || matches!(child.try_wait(), Ok(None));
    while runs() && Instant::now() < deadline && interrupt.count() < 2 {
        thread::sleep(POLL);
    }
    let is_in_time = !runs();
    // Also ends processes left in its group, which would outlive it.
    signal_group(child.id(), Signal::KILL);
    let _reaped = child.wait();
    is_in_time
}
