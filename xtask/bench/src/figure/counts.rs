//! What a lead costs in things that can be counted, on which a busy machine has no influence.

use std::fs;
use std::time::{Duration, Instant};

use prost::Message;
use runtime::clock::{Clock, SystemClock};
use tokio::time::sleep;
use xtask::error::{Error, Result};
use xtask::http;
use xtask::progress::Step;

use crate::database::{Database, Engine};
use crate::environment::{Environment, Part};
use crate::load::{Browser, Door, Length};
use crate::measure::{Compared, Who};
use crate::row::{Goal, Row, Unit};
use crate::sink::Sink;
use crate::system::System;

/// Under valgrind, which runs one thread at a time.
const CONNECTIONS: usize = 32;
const ANSWER: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
const REPORTED_WITHIN: Duration = Duration::from_secs(60);

pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let [ours, ceiling] =
        [instructions(system, line, Who::Ours).await?, instructions(system, line, Who::Ceiling).await?];
    let figure = Compared::once(ours / 1000.0, ceiling / 1000.0);
    let mut table =
        vec![Row::beside("thousand instructions per lead acknowledged", Unit::Count, figure, Goal::None)];
    table.extend(whole(system, line).await?);
    Ok(table)
}

/// Instructions of the process that acknowledges, for a lead: of a long run less those of a short one.
async fn instructions(system: &System<'_>, line: &Step, who: Who) -> Result<f64> {
    let mut totals = Vec::new();
    for times in [1, 4] {
        line.detail(&format!("instructions of {}", who.name()));
        let environment = Environment::begin(system, line, None, None).await?;
        let file = environment.file("callgrind.out");
        let arguments = ["--tool=callgrind".to_owned(), format!("--callgrind-out-file={}", file.display())];
        let port = environment.start_intake_under(who, "valgrind", &arguments)?;
        // The baseline has no sessions, and looks at none.
        let door = if who == Who::Ours { Door::open(port).await? } else { Door::without_session(port) };
        sleep(system.scale.visit).await;
        let Length { warm_up, counted } = system.scale.length;
        let length = Length { warm_up, counted: counted * times };
        let leads = door.acknowledged(CONNECTIONS, length, &system.leads).await?.all;
        environment.stop();
        totals.push((total(&fs::read_to_string(&file).unwrap_or_default())?, leads));
        environment.end().await?;
    }
    let [(few, fewer), (many, more)] = totals[..] else { return Err(Error::failed("two runs")) };
    if more <= fewer {
        return Err(Error::failed("the longer run had no more leads"));
    }
    Ok((many - few) / (more - fewer) as f64)
}

fn total(profile: &str) -> Result<f64> {
    let total = profile.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).ok_or_else(|| Error::failed("valgrind wrote no total"))
}

/// What the whole system does for a lead that comes alone.
async fn whole(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let sink = Sink::start().await?;
    let environment = Environment::begin(system, line, Some(Engine::Postgres), Some(sink.port())).await?;
    let database = environment.database()?;
    database.run(&format!("ALTER DATABASE {} SET log_statement = 'all'", environment.name())).await?;
    for part in [Part::Crm, Part::Notifier, Part::Intake] {
        environment.start(part, 0)?;
    }
    let door = Door::open(environment.ports.intake).await?;
    sleep(system.scale.visit).await;
    let mut browser = Browser::new(door);
    let log = system.directory.join("logs/postgres.log");
    let leads = system.scale.singles;
    let before = (statements(&log), written(database).await?, published(&environment)?);
    for number in 1..=leads {
        line.detail(&format!("{number} of {leads} leads"));
        browser.submit(system.leads.next()).await?;
        sink.wait_for(number, |_| {}).await?;
    }
    let deadline = Instant::now() + REPORTED_WITHIN;
    let open = "SELECT count(*)::text FROM lead WHERE open";
    while database.text(open).await? != "0" {
        if Instant::now() > deadline {
            return Err(Error::failed("a mail was not reported"));
        }
        sleep(BETWEEN_LOOKS).await;
    }
    let after = (statements(&log), written(database).await?, published(&environment)?);
    environment.end().await?;
    let message = system.leads.next().event(SystemClock.now()).encoded_len();
    let row = |what: &str, count: f64| Row::alone(what, Unit::Count, count, Goal::None);
    let each = |before: f64, after: f64| (after - before) / leads as f64;
    Ok(vec![
        row("publishes per lead", each(before.2, after.2)),
        row("message bytes per lead", message as f64),
        row("PostgreSQL statements per lead", each(before.0, after.0)),
        row("PostgreSQL WAL bytes per lead", each(before.1, after.1)),
    ])
}

/// Statements that PostgreSQL has logged.
fn statements(log: &std::path::Path) -> f64 {
    let log = fs::read(log).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    log.lines().filter(|line| line.contains("LOG:  execute ") || line.contains("LOG:  statement: ")).count()
        as f64
}

async fn written(database: &Database) -> Result<f64> {
    let bytes = database.text("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text").await?;
    bytes.parse().map_err(|_| Error::failed("PostgreSQL says no position of its log"))
}

/// Messages that all services have published, by their own count.
fn published(environment: &Environment<'_>) -> Result<f64> {
    let mut all = 0.0;
    for part in Part::ALL {
        let answer = http::get(environment.admin_port(part), "/metrics", &[], ANSWER)
            .map_err(|error| Error::failed(format!("no metrics of {}: {error}", part.name())))?;
        let text = answer.text();
        let counts = text.lines().filter(|line| line.starts_with("messaging_published_total"));
        all += counts.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_at_the_end_of_the_profile() {
        assert_eq!(total("events: Ir\nfn=(1) main\n1 2\n\ntotals: 12345\n").unwrap(), 12_345.0);
        assert!(total("").is_err());
    }
}
