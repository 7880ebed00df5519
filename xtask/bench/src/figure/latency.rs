//! Time from click to row and to mail, one lead at a time, compared with the sum of the unavoidable steps.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use runtime::clock::{Clock, SystemClock};
use testkit::smtp::Mail;
use tokio::time::sleep;
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::baseline::mail;
use crate::baseline::publisher::Publisher;
use crate::database::{Database, Engine, Rows};
use crate::environment::{Environment, Part};
use crate::load::{Browser, Door};
use crate::measure::{in_turn, percentile};
use crate::row::{Goal, Row, Unit};
use crate::sink::Sink;
use crate::system::System;

const GOAL: Goal = Goal::Times(1.5);
/// Poll interval for a stored row.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);
const ROW_WITHIN: Duration = Duration::from_secs(10);
/// Time for the report of the previous lead.
const BETWEEN_LEADS: Duration = Duration::from_millis(100);
/// Leads sent before the measurement.
const WARM_UP: usize = 3;

/// Per lead, in milliseconds.
struct Times {
    row: Vec<f64>,
    mail: Vec<f64>,
}

struct Latency {
    row: [f64; 2],
    mail: [f64; 2],
}

const PERCENTS: [usize; 2] = [50, 99];

pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let sample: RefCell<Option<(Vec<Rows>, Mail)>> = RefCell::default();
    let rounds = in_turn(
        system.scale.rounds,
        system.same,
        async || {
            let (times, rows, mail) = ours(system, line).await?;
            sample.replace(Some((rows, mail)));
            Ok(Latency {
                row: PERCENTS.map(|percent| percentile(&times.row, percent)),
                mail: PERCENTS.map(|percent| percentile(&times.mail, percent)),
            })
        },
        async || {
            let sample = sample.borrow().clone();
            let (rows, mail) = sample.ok_or_else(|| Error::failed("no lead was sent yet"))?;
            baseline(system, line, &rows, &mail).await
        },
    )
    .await?;
    let mut table = Vec::new();
    for (index, (percent, goal)) in PERCENTS.into_iter().zip([GOAL, Goal::None]).enumerate() {
        let row = rounds.compared(|latency| latency.row[index]);
        let mail = rounds.compared(|latency| latency.mail[index]);
        table.push(Row::beside(format!("click to row, p{percent}"), Unit::Milliseconds, row, goal));
        let what = format!("click to mail accepted, p{percent}");
        table.push(Row::beside(what, Unit::Milliseconds, mail, goal));
    }
    Ok(table)
}

/// Measures the whole system. Also returns the stored rows and a mail.
async fn ours(system: &System<'_>, line: &Step) -> Result<(Times, Vec<Rows>, Mail)> {
    let sink = Sink::start().await?;
    let environment = Environment::begin(system, line, Some(Engine::Postgres), Some(sink.port())).await?;
    for part in [Part::Crm, Part::Notifier, Part::Intake] {
        environment.start(part, 0)?;
    }
    environment.start_nginx(environment.ports.site, environment.ports.intake)?;
    let database = environment.database()?;
    let door = Door::open(environment.ports.intake).await?.at(environment.ports.site);
    sleep(system.scale.visit).await;
    let mut browser = Browser::new(door);
    let mut times = Times { row: Vec::new(), mail: Vec::new() };
    for number in 0..WARM_UP + usize::try_from(system.scale.singles).unwrap_or(usize::MAX) {
        line.detail(&format!("{number} leads, one at a time"));
        system.session.interrupt.check()?;
        let lead = system.leads.next();
        let mails = sink.taken().count;
        let began = Instant::now();
        let submit = async {
            match browser.submit(lead).await? {
                202 => Ok(()),
                status => Err(Error::failed(format!("a lead was answered {status}"))),
            }
        };
        let mailed = async {
            let taken = sink.wait_for(mails + 1, |_| {}).await?;
            taken.last.ok_or_else(|| Error::failed("no mail came"))
        };
        let ((), stored, mailed) =
            tokio::try_join!(submit, stored(database, ::lead::id_of(lead.key())), mailed)?;
        if number >= WARM_UP {
            times.row.push(milliseconds(stored - began));
            times.mail.push(milliseconds(mailed - began));
        }
        sleep(BETWEEN_LEADS).await;
    }
    let rows = database.rows().await?;
    environment.end().await?;
    let mail = sink.taken().mail.ok_or_else(|| Error::failed("no mail came"))?;
    Ok((times, rows, mail))
}

async fn stored(database: &Database, lead: uuid::Uuid) -> Result<Instant> {
    let deadline = Instant::now() + ROW_WITHIN;
    while !database.has(lead).await? {
        if Instant::now() > deadline {
            return Err(Error::failed("a lead was not stored"));
        }
        sleep(BETWEEN_LOOKS).await;
    }
    Ok(Instant::now())
}

/// Measures single publishes, inserts and SMTP transactions, and adds up their percentiles.
async fn baseline(system: &System<'_>, line: &Step, rows: &[Rows], sample: &Mail) -> Result<Latency> {
    let environment = Environment::begin(system, line, Some(Engine::Postgres), None).await?;
    line.detail("publishes, one at a time");
    let publisher = Publisher::connect(&environment.amqp_url).await?;
    let mut publishes = Vec::new();
    for _ in rows {
        let lead = system.leads.next();
        let began = Instant::now();
        publisher.publish(&lead.event(SystemClock.now()), &lead.trace()).await?;
        publishes.push(milliseconds(began.elapsed()));
    }
    line.detail("inserts, one at a time");
    let took = environment.database()?.insert(rows, 1).await?;
    let inserts: Vec<f64> = took.into_iter().map(milliseconds).collect();
    line.detail("mails, one at a time");
    let sink = Sink::start().await?;
    let took = mail::send(sink.port(), sample, rows.len() as u64, 1).await?;
    let mails: Vec<f64> = took.into_iter().map(milliseconds).collect();
    drop(publisher);
    environment.end().await?;
    let sum =
        |other: &[f64]| PERCENTS.map(|percent| percentile(&publishes, percent) + percentile(other, percent));
    Ok(Latency { row: sum(&inserts), mail: sum(&mails) })
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
