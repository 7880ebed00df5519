//! What the figures were measured on, and how much of it there was.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use xtask::error::{Error, Result};
use xtask::system::tools;

use crate::system::System;

/// What the processors spent since the machine was started, in ticks of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    total: u64,
    stolen: u64,
}

impl Spent {
    /// Until now.
    pub(crate) fn now() -> Self {
        Self::read(&read("/proc/stat"))
    }

    /// From the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal, and guests, who are in
    /// user and nice already (proc_stat(5)).
    fn read(stat: &str) -> Self {
        let line = stat.lines().next().unwrap_or_default();
        let ticks: Vec<u64> =
            line.split_whitespace().skip(1).take(8).map_while(|it| it.parse().ok()).collect();
        Self { total: ticks.iter().sum(), stolen: ticks.get(7).copied().unwrap_or_default() }
    }

    /// The share that other machines on the same processors took since then, from 0 to 1.
    pub(crate) fn stolen_since(self, before: Self) -> f64 {
        let total = self.total.saturating_sub(before.total).max(1);
        self.stolen.saturating_sub(before.stolen) as f64 / total as f64
    }
}

/// A description of this machine, a name and a value a line.
pub(crate) async fn describe(system: &System<'_>) -> Result<Vec<(&'static str, String)>> {
    let server = system.server().await?;
    let postgres = server.text("SHOW server_version").await?;
    server.close().await?;
    let cores = available_parallelism().map(usize::from).unwrap_or_default();
    Ok(vec![
        ("processor", field("/proc/cpuinfo", "model name")),
        ("cores", cores.to_string()),
        ("memory", memory(&field("/proc/meminfo", "MemTotal"))),
        ("kernel", read("/proc/sys/kernel/osrelease")),
        ("rustc", said(Command::new("rustc").arg("--version").current_dir(system.session.checkout.root()))?),
        ("RabbitMQ", system.broker.versions().await?),
        ("PostgreSQL", postgres),
        ("nginx", said(Command::new(tools::nginx()?).arg("-v"))?),
    ])
}

fn read(path: &str) -> String {
    fs::read_to_string(path).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

/// The first value of a name in a file of lines such as `name : value`.
fn field(path: &str, name: &str) -> String {
    let text = read(path);
    let value = text.lines().filter_map(|line| line.split_once(':')).find(|(found, _)| found.trim() == name);
    value.map_or_else(|| "unknown".to_owned(), |(_, value)| value.trim().to_owned())
}

/// `16123456 kB` in larger units.
fn memory(total: &str) -> String {
    let kilobytes = total.strip_suffix(" kB").and_then(|number| number.parse::<f64>().ok());
    kilobytes.map_or_else(|| total.to_owned(), |kilobytes| format!("{:.1} GB", kilobytes * 1024.0 / 1e9))
}

/// What a program prints, on whichever stream.
fn said(program: &mut Command) -> Result<String> {
    let output = program
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::failed(format!("cannot ask for a version: {error}")))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_took_is_a_share_of_all_time() {
        let before = Spent::read("cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n");
        assert_eq!(before, Spent { total: 1000, stolen: 35 });
        let now = Spent::read("cpu  150 0 50 810 10 0 5 75 9 0\n");
        assert_eq!(now.stolen_since(before), 0.4);
        assert_eq!(Spent::read("unknown").stolen_since(before), 0.0);
    }

    #[test]
    fn memory_is_told_in_gigabytes() {
        assert_eq!(memory("24731024 kB"), "25.3 GB");
        assert_eq!(memory("unknown"), "unknown");
    }
}
