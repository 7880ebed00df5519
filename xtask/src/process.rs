//! Child processes: each in a separate process group, ended with this process.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow};
use fs_err as fs;
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group, set_child_subreaper};

use crate::interrupt::{Interrupt, Interrupted};

const POLL: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_secs(5);
const TAIL_LINES: usize = 40;

/// A program with its arguments and environment, which can be started repeatedly.
#[derive(Clone, Debug)]
pub struct Invocation {
    program: OsString,
    arguments: Vec<OsString>,
    inherits: bool,
    environment: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
    user: Option<&'static str>,
    death_signal: &'static str,
}

impl Invocation {
    /// `program` is a name or a path.
    pub fn new<A: AsRef<OsStr>>(program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = A>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect(),
            inherits: true,
            environment: Vec::new(),
            directory: None,
            user: None,
            death_signal: "KILL",
        }
    }

    #[must_use]
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn arguments<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Self::argument)
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.into(), Some(value.as_ref().to_owned())));
        self
    }

    #[must_use]
    pub fn envs<'a>(self, variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        variables.into_iter().fold(self, |invocation, (name, value)| invocation.env(name, value))
    }

    /// Inherits no variable.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.inherits = false;
        self
    }

    /// Removes an inherited variable.
    #[must_use]
    pub fn env_remove(mut self, name: &str) -> Self {
        self.environment.push((name.into(), None));
        self
    }

    #[must_use]
    pub fn directory(mut self, directory: &Path) -> Self {
        self.directory = Some(directory.to_owned());
        self
    }

    /// Runs it as another user and the group of the same name; requires root.
    #[must_use]
    pub fn user(mut self, user: Option<&'static str>) -> Self {
        self.user = user;
        self
    }

    /// The signal sent when this process dies; `KILL` unless the program must stop its children.
    #[must_use]
    pub fn death_signal(mut self, name: &'static str) -> Self {
        self.death_signal = name;
        self
    }

    fn command(&self) -> Command {
        // The kernel signals the child when the thread that started it ends, so nothing survives kill -9.
        let mut command = Command::new("/usr/bin/setpriv");
        command.args(["--pdeathsig", self.death_signal]);
        if let Some(user) = self.user {
            command.args(["--reuid", user, "--regid", user, "--clear-groups"]);
        }
        command.arg("--").arg(&self.program).args(&self.arguments).stdin(Stdio::null()).process_group(0);
        if !self.inherits {
            command.env_clear();
        }
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }

    /// Starts it with its output appended to `log`. The calling thread must outlive the child.
    pub fn spawn(&self, log: &Path) -> Result<Child> {
        let output = OpenOptions::new().create(true).append(true).open(log)?;
        let errors = output.try_clone()?;
        self.command().stdout(output).stderr(errors).spawn().with_context(|| self.start_failed())
    }

    /// Runs it to its end with its output in `log`; the error of a failure has the last lines.
    pub fn run(&self, log: &Path, interrupt: &Interrupt) -> Result<()> {
        interrupt.check()?;
        let outcome = self.wait(self.spawn(log)?, interrupt);
        outcome.map_err(|error| with_tail(error, log))
    }

    /// Runs it to its end with its output where ours goes.
    pub fn run_in_foreground(&self, interrupt: &Interrupt) -> Result<()> {
        interrupt.check()?;
        self.wait(self.command().spawn().with_context(|| self.start_failed())?, interrupt)
    }

    fn wait(&self, mut child: Child, interrupt: &Interrupt) -> Result<()> {
        let name = || Path::new(&self.program).file_name().unwrap_or(&self.program).to_string_lossy();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => {
                    // Processes left in its group would outlive it.
                    signal_group(child.id(), Signal::KILL);
                    let failed = || anyhow!("{} failed ({status})", name());
                    return if status.success() { Ok(()) } else { Err(failed()) };
                }
                Ok(None) if interrupt.wait_timeout(POLL) => {
                    stop(&mut child, Signal::TERM, GRACE, interrupt);
                    return Err(Interrupted.into());
                }
                Ok(None) => {}
                Err(error) => return Err(anyhow!("cannot wait for {}: {error}", name())),
            }
        }
    }

    /// Runs it and discards its output; true when it succeeded.
    pub fn succeeds(&self) -> bool {
        let status = self.command().stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status: ExitStatus| status.success())
    }

    /// Runs it and returns its standard output; fails with its standard error.
    pub fn output(&self) -> Result<String> {
        let output = self.command().output().with_context(|| self.start_failed())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(anyhow!(text(&output.stderr))) }
    }

    fn start_failed(&self) -> String {
        format!("cannot start {}", Path::new(&self.program).display())
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
        let children: Vec<u32> = lists
            .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
            .collect();
        found.extend(children);
        next += 1;
    }
    found.split_off(1)
}

fn pid(id: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id).ok()?)
}

/// Signals a child's group, and kills it after `grace` or on a second interrupt.
pub fn stop(child: &mut Child, signal: Signal, grace: Duration, interrupt: &Interrupt) {
    signal_group(child.id(), signal);
    let deadline = Instant::now() + grace;
    while Instant::now() < deadline && interrupt.count() < 2 && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(POLL);
    }
    signal_group(child.id(), Signal::KILL);
    let _reaped = child.wait();
}
