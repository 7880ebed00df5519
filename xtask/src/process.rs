//! Child processes: each in its own process group, with its output in a log file, ended with this process.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::error::{Error, Result};
use crate::interrupt::Interrupt;

const SETPRIV: &str = "/usr/bin/setpriv";
/// Environment variable with the id of this process, set for all its children.
const MARK: &str = "ZYON_GRAND_STARTED_BY";
const POLL: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_secs(5);

/// A user to run a program as; requires root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    pub uid: u32,
    pub gid: u32,
}

/// A program with its arguments and environment, which can be started repeatedly.
#[derive(Clone, Debug)]
pub struct Invocation {
    program: OsString,
    arguments: Vec<OsString>,
    inherits: bool,
    environment: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
    user: Option<User>,
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

    /// Runs it as the last arguments of another program.
    #[must_use]
    pub fn under(mut self, program: &str, arguments: &[String]) -> Self {
        let own = std::mem::replace(&mut self.program, program.into());
        let arguments = arguments.iter().map(OsString::from).chain([own]);
        self.arguments.splice(0..0, arguments);
        self
    }

    #[must_use]
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.into(), Some(value.as_ref().to_owned())));
        self
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

    /// Runs it as another user; requires root.
    #[must_use]
    pub fn user(mut self, user: Option<User>) -> Self {
        self.user = user;
        self
    }

    /// The signal sent when this process dies; `KILL` unless the program must stop its own children.
    #[must_use]
    pub fn death_signal(mut self, name: &'static str) -> Self {
        self.death_signal = name;
        self
    }

    fn command(&self) -> Command {
        // The kernel signals the child when the thread that started it ends, so nothing survives kill -9.
        let mut command = if cfg!(target_os = "linux") && Path::new(SETPRIV).exists() {
            let mut command = Command::new(SETPRIV);
            command.args(["--pdeathsig", self.death_signal, "--"]).arg(&self.program);
            command
        } else {
            Command::new(&self.program)
        };
        if !self.inherits {
            command.env_clear();
        }
        command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .process_group(0)
            .env(MARK, std::process::id().to_string());
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        if let Some(user) = self.user {
            command.uid(user.uid).gid(user.gid);
        }
        command
    }

    /// Starts it with its output appended to `log`. The calling thread must outlive the child.
    pub fn spawn(&self, log: &Path) -> Result<Child> {
        let output = append(log)?;
        let errors = output.try_clone().map_err(|error| Error::file("open", log, &error))?;
        self.command().stdout(output).stderr(errors).spawn().map_err(|error| self.unstartable(&error))
    }

    /// Runs it to its end with its output in `log`; the error of a failure has the last lines.
    pub fn run(&self, log: &Path, interrupt: &Interrupt) -> Result<()> {
        interrupt.check()?;
        let status = self.wait(self.spawn(log)?, interrupt)?;
        if status.success() {
            return Ok(());
        }
        Err(Error::failed(format!(
            "{} failed ({status}); last lines of {}:\n{}",
            self.name(),
            log.display(),
            tail(log)
        )))
    }

    /// Runs it to its end with its output where ours goes.
    pub fn run_in_foreground(&self, interrupt: &Interrupt) -> Result<()> {
        interrupt.check()?;
        let child = self.command().spawn().map_err(|error| self.unstartable(&error))?;
        let status = self.wait(child, interrupt)?;
        if status.success() {
            Ok(())
        } else {
            Err(Error::failed(format!("{} failed ({status})", self.name())))
        }
    }

    fn wait(&self, mut child: Child, interrupt: &Interrupt) -> Result<ExitStatus> {
        loop {
            match child.try_wait() {
                Ok(Some(status)) => {
                    // Processes left in its group would outlive it.
                    signal_group(child.id(), Signal::KILL);
                    return Ok(status);
                }
                Ok(None) if interrupt.wait_timeout(POLL) => {
                    stop(&mut child, Signal::TERM, GRACE, interrupt);
                    return Err(Error::Interrupted);
                }
                Ok(None) => {}
                Err(error) => {
                    return Err(Error::failed(format!("cannot wait for {}: {error}", self.name())));
                }
            }
        }
    }

    /// Runs it and discards its output; true when it succeeded.
    pub fn quiet_success(&self) -> bool {
        self.command()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn name(&self) -> String {
        Path::new(&self.program).file_name().unwrap_or(&self.program).to_string_lossy().into_owned()
    }

    fn unstartable(&self, error: &io::Error) -> Error {
        Error::failed(format!("cannot start {}: {error}", Path::new(&self.program).display()))
    }
}

/// The last 40 lines of a log file, indented and without colours.
pub fn tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut last: Vec<String> =
        text.lines().rev().take(40).map(|line| format!("    {}", plain(line))).collect();
    last.reverse();
    last.join("\n")
}

/// Signals a process group; a missing group is ignored.
pub fn signal_group(id: u32, signal: Signal) {
    let group = i32::try_from(id).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        let _gone = kill_process_group(group, signal);
    }
}

/// Signals a process with its group, then its descendants in other groups. Parents come first, so that none starts
/// another process meanwhile. Descendants are known on Linux only.
pub fn signal_tree(id: u32, signal: Signal) {
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, parent(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
        })
        .collect();
    let mut tree = vec![id];
    let mut next = 0;
    while let Some(of) = tree.get(next).copied() {
        tree.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| *pid));
        next += 1;
    }
    signal_group(id, signal);
    for pid in tree.into_iter().skip(1) {
        if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            let _gone = kill_process(pid, signal);
        }
    }
}

/// The parent in `/proc/PID/stat`, whose second field may contain spaces and parentheses.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
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

/// Kills all descendants of this process, including those that left their group and outlived their parents, such as
/// Erlang's helpers. Reads `/proc`, so it does nothing outside Linux.
pub fn end_descendants() {
    let mark = format!("{MARK}={}", std::process::id());
    let descends =
        |environment: &[u8]| environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes());
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid
            && fs::read(process.path().join("environ")).is_ok_and(|environment| descends(&environment))
        {
            let _gone = kill_process(pid, Signal::KILL);
        }
    }
}

/// Finds a program on the PATH, in `/usr/sbin` or in `/sbin`.
#[expect(clippy::disallowed_methods, reason = "PATH is the system's, not a setting of ours")]
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&path)
        .chain(system)
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}

fn append(log: &Path) -> Result<File> {
    OpenOptions::new().create(true).append(true).open(log).map_err(|error| Error::file("open", log, &error))
}

/// Removes terminal escape sequences.
fn plain(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\x1b' {
            // An escape sequence ends with its first letter.
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            clean.push(character);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(plain("\u{1b}[1;32mok\u{1b}[0m 陈"), "ok 陈");
    }

    #[test]
    fn a_parent_is_found_behind_an_odd_name() {
        assert_eq!(parent("12 (a) b (c) S 7 12 12 0"), Some(7));
    }
}
