//! Generates leads of equal size, each of a different person, and sends them with wrk or one at a time.

use std::cell::Cell;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use lead::privacy_policy;
use serde::Deserialize;
use tokio::task::spawn_blocking;
use uuid::Uuid;
use xtask::http;
use xtask::process::command;
use xtask::stack::services::ANON_KEY;

/// The numbers of leads have eight digits, as phone numbers in Singapore do.
const FIRST_NUMBER: u32 = 80_000_000;
/// More leads than one run of wrk sends.
const NUMBERS_PER_RUN: u32 = 1_000_000;
/// At most one request in this many may fail.
const FAILED_ONE_IN: u64 = 1000;
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// A lead with the number `{HIGH}{LOW}`, two halves of four digits. Each lead comes from a different network, because
/// nginx limits the connections of one.
const REQUEST: &str = include_str!("../lead.http");

/// A source of distinct leads from one visit.
pub(crate) struct Leads {
    /// [`REQUEST`] with placeholders for the number only.
    request: String,
    next: Cell<u32>,
}

/// The result of one run of wrk, as `load.lua` prints it.
#[derive(Debug, Deserialize)]
pub(crate) struct Load {
    pub(crate) accepted: u64,
    failed: u64,
    pub(crate) per_second: f64,
    /// Response times in milliseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Leads {
    pub(crate) fn new(session_token: &str) -> Self {
        let request = REQUEST.trim_end().replace('\n', "\r\n");
        let body = request
            .split_once("\r\n\r\n")
            .map(|(_, body)| numbered(body, FIRST_NUMBER).len());
        let length = body.unwrap_or_default().to_string();
        let request = request
            .replace("{LENGTH}", &length)
            .replace("{ANON_KEY}", ANON_KEY);
        let request = request.replace("{POLICY}", privacy_policy::current());
        Self {
            request: request.replace("{TOKEN}", session_token),
            next: Cell::new(FIRST_NUMBER),
        }
    }

    /// wrk, which sends leads to a port for some seconds, as fast as the process accepts them.
    pub(crate) fn wrk(&self, script: &Path, port: u16, seconds: u64) -> Command {
        let first = self.next.replace(self.next.get() + NUMBERS_PER_RUN);
        let mut wrk = command("wrk");
        wrk.args([
            "--threads=1",
            "--connections=64",
            "--timeout=10s",
            &format!("--duration={seconds}s"),
        ]);
        wrk.arg("--script")
            .arg(script)
            .arg(format!("http://127.0.0.1:{port}/"));
        wrk.args(["--", &first.to_string(), &self.request]);
        wrk
    }

    /// Sends one lead over a new connection and returns the time of the response.
    pub(crate) async fn send_one(&self, port: u16) -> Result<Instant> {
        let number = self.next.replace(self.next.get() + 1);
        let request =
            numbered(&self.request, number).replacen("\r\n", "\r\nConnection: close\r\n", 1);
        let exchange = move || {
            (
                http::exchange(port, &request, RESPONSE_TIMEOUT),
                Instant::now(),
            )
        };
        let (response, at) = spawn_blocking(exchange).await?;
        match response {
            Ok(response) if response.status == 202 => Ok(at),
            Ok(response) => Err(anyhow!("a lead was rejected: {}", response.body)),
            Err(error) => Err(anyhow!("a lead received no response: {error}")),
        }
    }

    /// The idempotency key of the lead that [`Self::send_one`] sends next.
    pub(crate) fn next_key(&self) -> Result<Uuid> {
        let request = numbered(&self.request, self.next.get());
        let key = request
            .lines()
            .find_map(|line| line.strip_prefix("Idempotency-Key: "));
        Ok(key.unwrap_or_default().parse()?)
    }
}

impl Load {
    /// Reads the last result in the output of wrk.
    pub(crate) fn parse(output: &str) -> Result<Self> {
        let json = output.lines().rev().find(|line| line.starts_with('{'));
        let load = json.and_then(|json| serde_json::from_str::<Self>(json).ok());
        let load = load.context("wrk printed no result")?;
        let Self {
            accepted, failed, ..
        } = load;
        if failed * FAILED_ONE_IN >= accepted {
            bail!("{failed} leads failed, {accepted} were accepted");
        }
        Ok(load)
    }
}

fn numbered(template: &str, number: u32) -> String {
    let digits = format!("{number:08}");
    template
        .replace("{HIGH}", &digits[..4])
        .replace("{LOW}", &digits[4..])
}
