//! Describes the machine that ran the measurements.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use xtask::error::{Error, Result};
use xtask::system::tools;

use crate::system::System;

/// Name and value of each property of this machine.
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
        ("RabbitMQ", system.vhost("/").0.versions().await.map_err(Error::of)?),
        ("PostgreSQL", postgres),
        ("nginx", said(Command::new(tools::nginx()?).arg("-v"))?),
    ])
}

fn read(path: &str) -> String {
    fs::read_to_string(path).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

/// The first value for `name` in a file with lines of the form `name : value`.
fn field(path: &str, name: &str) -> String {
    let text = read(path);
    let value = text.lines().filter_map(|line| line.split_once(':')).find(|(found, _)| found.trim() == name);
    value.map_or_else(|| "unknown".to_owned(), |(_, value)| value.trim().to_owned())
}

/// Converts `16123456 kB` to gigabytes.
fn memory(total: &str) -> String {
    let kilobytes = total.strip_suffix(" kB").and_then(|number| number.parse::<f64>().ok());
    kilobytes.map_or_else(|| total.to_owned(), |kilobytes| format!("{:.1} GB", kilobytes * 1024.0 / 1e9))
}

/// The output of a program on both streams.
fn said(program: &mut Command) -> Result<String> {
    let output = program
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::failed(format!("cannot run a program for its version: {error}")))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_in_gigabytes() {
        assert_eq!(memory("24731024 kB"), "25.3 GB");
        assert_eq!(memory("unknown"), "unknown");
    }
}
