//! Leads accepted, leads stored and emails sent per second, the cost of a lead, and latency.

use std::time::{Duration, Instant};

use anyhow::Result;
use fs_err as fs;
use tokio::time::sleep;

use crate::candidate::{ACCEPT, Candidate, EMAIL, STORE};
use crate::footprint::{PEAK, megabytes};
use crate::measure::{Who, compare, percentile};
use crate::stack::Stack;
use crate::table::{Goal, Row, Unit, rows};

// Load and single leads before the measurement.
const WARM_UP_SECONDS: u64 = 2;
const WARM_UP_LEADS: usize = 3;
/// Leads that are sent one at a time and measured.
const LEADS: usize = 300;
/// Time for the report of the previous lead.
const BETWEEN_LEADS: Duration = Duration::from_millis(100);
/// Seconds of load before the emails are sent.
const EMAIL_BACKLOG: u64 = 1;
const MOST_EMAILS: u64 = 5_000;

/// A lead counts once the broker has confirmed it and the client has the response.
pub(crate) async fn measure_accepted(stack: &Stack<'_>) -> Result<Vec<Row>> {
    let values = compare(
        stack.rounds,
        &[Who::Ours, Who::Express, Who::Baseline],
        async |who| {
            let candidate = Candidate::new(stack, who).await?;
            candidate.start(ACCEPT)?;
            candidate.start_nginx()?;
            let leads = candidate.begin_visit().await?;
            candidate.load(&leads, stack.ports.site, WARM_UP_SECONDS)?;
            let nginx = candidate.load(&leads, stack.ports.site, stack.load_seconds)?;
            let pid = candidate.pid(ACCEPT)?;
            let before = cpu_microseconds(pid)?;
            let direct = candidate.load(&leads, stack.intake_port(), stack.load_seconds)?;
            let per_lead = (cpu_microseconds(pid)? - before) / direct.accepted as f64;
            let memory = megabytes(pid, PEAK)?;
            Ok([
                nginx.per_second,
                direct.per_second,
                nginx.p50,
                nginx.p99,
                per_lead,
                memory,
            ])
        },
    )
    .await?;
    Ok(rows(
        values,
        [
            (
                "leads accepted through nginx",
                Unit::PerSecond,
                Goal::BeatExpress,
            ),
            (
                "leads accepted without nginx",
                Unit::PerSecond,
                Goal::BeatExpress,
            ),
            (
                "response time at full load, p50",
                Unit::Milliseconds,
                Goal::None,
            ),
            (
                "response time at full load, p99",
                Unit::Milliseconds,
                Goal::None,
            ),
            (
                "CPU time per lead accepted",
                Unit::Microseconds,
                Goal::AtMost(60.0),
            ),
            (
                "peak memory of the accepting process",
                Unit::Megabytes,
                Goal::AtMost(40.0),
            ),
        ],
    ))
}

/// Time from the submission through nginx to the response, the row and the email, one lead at a time.
pub(crate) async fn measure_latency(stack: &Stack<'_>) -> Result<Vec<Row>> {
    let values = compare(stack.rounds, &[Who::Ours, Who::Express], async |who| {
        let candidate = Candidate::new(stack, who).await?;
        candidate.start_all()?;
        let leads = candidate.begin_visit().await?;
        // For each lead, the milliseconds to the response, the row and the email.
        let mut times: Vec<[f64; 3]> = Vec::new();
        for number in 1..=WARM_UP_LEADS + LEADS {
            let key = leads.next_key()?;
            let id = if who == Who::Ours {
                lead::id_of(key)
            } else {
                key
            };
            let began = Instant::now();
            let (response, row, email) = tokio::try_join!(
                leads.send_one(stack.ports.site),
                stack.leads.wait_for_lead(id),
                stack.mailbox.wait_for(number)
            )?;
            if number > WARM_UP_LEADS {
                times.push([response, row, email].map(|at| (at - began).as_secs_f64() * 1e3));
            }
            sleep(BETWEEN_LEADS).await;
        }
        let percentile = |event: usize, percent| {
            let times: Vec<f64> = times.iter().map(|times| times[event]).collect();
            percentile(&times, percent)
        };
        Ok([(0, 50), (0, 99), (1, 50), (1, 99), (2, 50), (2, 99)]
            .map(|(event, p)| percentile(event, p)))
    })
    .await?;
    let names = [
        "response, p50",
        "response, p99",
        "row, p50",
        "row, p99",
        "email, p50",
        "email, p99",
    ];
    Ok(rows(
        values,
        names.map(|name| (format!("submit to {name}"), Unit::Milliseconds, Goal::None)),
    ))
}

/// PostgreSQL stores a backlog of leads.
pub(crate) async fn measure_stored(stack: &Stack<'_>) -> Result<Vec<Row>> {
    let values = compare(stack.rounds, &[Who::Ours, Who::Express], async |who| {
        let candidate = Candidate::new(stack, who).await?;
        let leads = candidate.fill_queues(stack.load_seconds).await?;
        candidate.start(STORE)?;
        stack.leads.wait_for_leads(leads).await?;
        // Includes the start of the process.
        let spent = cpu_microseconds(candidate.pid(STORE)?)?;
        let per_second = stack.leads.leads_per_second().await?;
        Ok([per_second, spent / leads as f64])
    })
    .await?;
    Ok(rows(
        values,
        [
            ("leads stored", Unit::PerSecond, Goal::BeatExpress),
            ("CPU time per lead stored", Unit::Microseconds, Goal::None),
        ],
    ))
}

/// A backlog of leads is emailed.
pub(crate) async fn measure_emailed(stack: &Stack<'_>) -> Result<Vec<Row>> {
    let values = compare(stack.rounds, &[Who::Ours, Who::Express], async |who| {
        let candidate = Candidate::new(stack, who).await?;
        let leads = candidate.fill_queues(EMAIL_BACKLOG).await?;
        if who == Who::Ours {
            // notifier claims and reports each email through crm-sync. The Express app does neither.
            candidate.start(STORE)?;
            stack.leads.wait_for_leads(leads).await?;
        }
        candidate.start(EMAIL)?;
        let emails = usize::try_from(leads.min(MOST_EMAILS))?;
        let last = stack.mailbox.wait_for(emails).await?;
        let first = stack.mailbox.wait_for(1).await?;
        Ok([(emails - 1) as f64 / (last - first).as_secs_f64()])
    })
    .await?;
    Ok(rows(values, [("emails sent", Unit::PerSecond, Goal::None)]))
}

/// The CPU time that a process and its threads have spent, in microseconds.
fn cpu_microseconds(pid: u32) -> Result<f64> {
    /// The same on every Linux that people run.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // utime and stime are fields 14 and 15 (proc_pid_stat(5)), and the name in brackets is the second.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .flat_map(str::parse)
        .collect();
    Ok(ticks.iter().sum::<f64>() / TICKS_PER_SECOND * 1e6)
}
