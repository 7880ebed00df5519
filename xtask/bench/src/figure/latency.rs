//! Time from click to row and to mail, one lead at a time, compared with the sum of the unavoidable steps.

use std::cell::RefCell;
use std::time::{Duration, Instant};
use std::{slice, thread};

use runtime::clock::{Clock, SystemClock};
use testkit::smtp::Mail;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::baseline::mail;
use crate::baseline::publisher::Publisher;
use crate::database::{Database, Engine, Rows};
use crate::environment::{Environment, Part, PeerRole};
use crate::load::{Browser, Door};
use crate::measure::{Who, in_turn, percentile};
use crate::row::{Goal, Row, Unit};
use crate::sink::Sink;
use crate::system::System;

const ROW: Goal = Goal::Times(2.0);
const MAIL: Goal = Goal::Times(0.25);
/// Poll interval for a stored row, below what tokio's timer can tell apart.
const BETWEEN_LOOKS: Duration = Duration::from_micros(200);
const ROW_WITHIN: Duration = Duration::from_secs(10);
/// Time for the report of the previous lead. A baseline's steps are made at the same pace, on a machine as idle.
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
    let all = [Who::Ours, Who::Ceiling, Who::Peer];
    let rounds = in_turn(system.plan, &all, async |who| match who {
        Who::Ours | Who::Peer => {
            let (times, rows, mail) = whole(system, line, who).await?;
            if who == Who::Ours {
                sample.replace(Some((rows, mail)));
            }
            Ok(Latency {
                row: PERCENTS.map(|percent| percentile(&times.row, percent)),
                mail: PERCENTS.map(|percent| percentile(&times.mail, percent)),
            })
        }
        Who::Ceiling => {
            let sample = sample.borrow().clone();
            let (rows, mail) = sample.ok_or_else(|| Error::failed("no lead was sent yet"))?;
            baseline(system, line, &rows, &mail).await
        }
    })
    .await?;
    let mut table = Vec::new();
    for (index, percent) in PERCENTS.into_iter().enumerate() {
        let row = rounds.compared(|latency| latency.row[index]);
        let mail = rounds.compared(|latency| latency.mail[index]);
        let [of_row, of_mail] = if percent == 50 { [ROW, MAIL] } else { [Goal::None; 2] };
        table.push(Row::beside(format!("click to row, p{percent}"), Unit::Milliseconds, row, of_row));
        let what = format!("click to email accepted, p{percent}");
        table.push(Row::beside(what, Unit::Milliseconds, mail, of_mail));
    }
    Ok(table)
}

/// Measures the whole system, ours or the Express app. Also returns our stored rows and an email.
async fn whole(system: &System<'_>, line: &Step, whose: Who) -> Result<(Times, Vec<Rows>, Mail)> {
    let sink = Sink::start().await?;
    let environment = Environment::begin(system, line, Some(Engine::Postgres), Some(sink.port())).await?;
    let ports = &environment.ports;
    environment.start(Part::Intake, 0)?;
    let intake = if whose == Who::Peer {
        for role in [PeerRole::Store, PeerRole::Mail, PeerRole::Intake] {
            environment.start_peer(role).await?;
        }
        ports.peer_intake
    } else {
        for part in [Part::Crm, Part::Notifier] {
            environment.start(part, 0)?;
        }
        ports.intake
    };
    environment.start_nginx(ports.site, intake)?;
    let database = environment.database()?;
    let door = Door::open(ports.intake).await?.at(ports.site);
    sleep(system.scale.visit).await;
    let mut browser = Browser::new(door);
    let mut times = Times { row: Vec::new(), mail: Vec::new() };
    for number in 0..WARM_UP + usize::try_from(system.scale.singles).unwrap_or(usize::MAX) {
        line.detail(&format!("{}: {number} leads, one at a time", whose.name()));
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
        let id = if whose == Who::Peer { lead.key() } else { ::lead::id_of(lead.key()) };
        let ((), stored, mailed) = tokio::try_join!(submit, stored(database, id), mailed)?;
        if number >= WARM_UP {
            times.row.push(milliseconds(stored - began));
            times.mail.push(milliseconds(mailed - began));
        }
        sleep(BETWEEN_LEADS).await;
    }
    let rows = if whose == Who::Peer { Vec::new() } else { database.rows().await? };
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
        spawn_blocking(|| thread::sleep(BETWEEN_LOOKS))
            .await
            .map_err(|_| Error::failed("a sleep panicked"))?;
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
        sleep(BETWEEN_LEADS).await;
    }
    line.detail("inserts, one at a time");
    let mut inserts = Vec::new();
    for row in rows {
        let took = environment.database()?.insert(slice::from_ref(row), 1).await?;
        inserts.extend(took.into_iter().map(milliseconds));
        sleep(BETWEEN_LEADS).await;
    }
    line.detail("emails, one at a time");
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
