//! Child processes, each in a separate process group. None outlives this process.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow, ensure};
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

/// A program without input, started by setpriv(1) with these options.
pub fn command_with(options: &[&str], program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("/usr/bin/setpriv");
    command
        .args(options)
        .arg("--")
        .arg(program)
        .stdin(Stdio::null())
        .process_group(0);
    command
}

/// Starts a command with its output appended to `log`. The calling thread must outlive the child.
pub fn spawn(command: &mut Command, log: &Path) -> Result<Child> {
    let output = OpenOptions::new().create(true).append(true).open(log)?;
    let errors = output.try_clone()?;
    command
        .stdout(output)
        .stderr(errors)
        .spawn()
        .context("cannot start setpriv")
}

/// Runs a command to its end with its output in `log`. The error of a failed command contains its last lines.
pub fn run(command: &mut Command, log: &Path, interrupt: &Interrupt) -> Result<()> {
    interrupt.check()?;
    let child = spawn(command, log)?;
    wait(child, interrupt).map_err(|error| with_tail(error, log))
}

/// Runs a command and returns its standard output. The error of a failed command is its standard error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(anyhow!(text(&output.stderr)))
    }
}

/// Waits until a child ends, and ends its group. Stops the child when interrupted.
pub fn wait(mut child: Child, interrupt: &Interrupt) -> Result<()> {
    while child.try_wait()?.is_none() {
        if interrupt.wait_timeout(POLL) {
            stop(&mut child, Signal::TERM, GRACE, interrupt);
            return Err(Interrupted.into());
        }
    }
    signal_group(child.id(), Signal::KILL);
    let status = child.wait()?;
    ensure!(status.success(), "{status}");
    Ok(())
}

/// Stops a child and its group. Returns false if the child had to be killed, after `grace` or on a second interrupt.
pub fn stop(child: &mut Child, signal: Signal, grace: Duration, interrupt: &Interrupt) -> bool {
    signal_group(child.id(), signal);
    let deadline = Instant::now() + grace;
    let mut runs = || matches!(child.try_wait(), Ok(None));
    while runs() && Instant::now() < deadline && interrupt.count() < 2 {
        thread::sleep(POLL);
    }
    let is_in_time = !runs();
    signal_group(child.id(), Signal::KILL);
    let _reaped = child.wait();
    is_in_time
}

/// Adds the last lines of a log file to the error of a failed program.
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

/// Signals all processes of a group, which can outlive the child that leads it.
pub fn signal_group(id: u32, signal: Signal) {
    let _gone = kill_process_group(pid(id), signal);
}

/// Signals a process and its descendants in all groups. Parents come first, because they could start other processes.
pub fn signal_tree(id: u32, signal: Signal) {
    let children = children(id);
    let _gone = kill_process(pid(id), signal);
    children
        .into_iter()
        .for_each(|child| signal_tree(child, signal));
}

/// Makes this process the parent of descendants that outlive their parents, such as Erlang's helpers.
pub fn adopt_orphans() -> Result<()> {
    set_child_subreaper(Some(getpid())).context("cannot become a subreaper")
}

/// Kills all descendants of this process.
pub fn kill_descendants() {
    children(std::process::id())
        .into_iter()
        .for_each(|child| signal_tree(child, Signal::KILL));
}

/// Returns the ids of a process's children, or none if the process ended.
pub fn children(id: u32) -> Vec<u32> {
    // Linux has a list for each thread.
    let threads = fs::read_dir(format!("/proc/{id}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .collect::<String>()
        .split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect()
}

fn pid(id: u32) -> Pid {
    i32::try_from(id)
        .ok()
        .and_then(Pid::from_raw)
        .expect("Linux process ids are positive and fit")
}
