//! Emails per second sent by notifier from a backlog with claims and reports, compared with lettre in a loop.

use std::cell::RefCell;

use testkit::smtp::Mail;
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::baseline::mail::{self, CONNECTIONS};
use crate::database::Engine;
use crate::environment::{Environment, Part, PeerRole};
use crate::measure::{Who, in_turn};
use crate::row::{Goal, Row, Unit};
use crate::sink::Sink;
use crate::system::System;

const GOAL: Goal = Goal::Share(1.5);

pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let sample: RefCell<Option<Mail>> = RefCell::default();
    let rounds = in_turn(system.plan, &[Who::Ours, Who::Ceiling, Who::Peer], async |who| match who {
        Who::Ours => {
            let (rate, mail) = by_notifier(system, line, 1).await?;
            sample.replace(mail);
            Ok(rate)
        }
        Who::Ceiling => {
            line.detail("lettre in a loop");
            let sample = sample.borrow().clone().ok_or_else(|| Error::failed("no mail was sent yet"))?;
            let sink = Sink::start().await?;
            mail::send(sink.port(), &sample, system.scale.mails, CONNECTIONS).await?;
            sink.taken().per_second()
        }
        Who::Peer => by_peer(system, line).await,
    })
    .await?;
    let compared = rounds.compared(|rate| *rate);
    Ok(vec![Row::beside("emails sent", Unit::PerSecond, compared, GOAL)])
}

async fn by_peer(system: &System<'_>, line: &Step) -> Result<f64> {
    let sink = Sink::start().await?;
    let environment = Environment::begin(system, line, None, Some(sink.port())).await?;
    let mails = system.scale.mails;
    environment.fill(Who::Peer, mails, |count| line.detail(&format!("{count} of {mails} published"))).await?;
    environment.start_peer(PeerRole::Mail).await?;
    let taken = sink
        .wait_for(mails, |count| line.detail(&format!("Express app: {count} of {mails} emailed")))
        .await?;
    environment.end().await?;
    taken.per_second()
}

/// Emails per second of this many notifiers, and one of the emails. The leads are stored first, as after an outage of
/// the mail server.
pub(crate) async fn by_notifier(
    system: &System<'_>,
    line: &Step,
    replicas: usize,
) -> Result<(f64, Option<Mail>)> {
    let sink = Sink::start().await?;
    let environment = Environment::begin(system, line, Some(Engine::Postgres), Some(sink.port())).await?;
    let mails = system.scale.mails;
    environment.fill(Who::Ours, mails, |count| line.detail(&format!("{count} of {mails} published"))).await?;
    environment.start(Part::Crm, 0)?;
    let stored = |count| line.detail(&format!("{count} of {mails} stored"));
    environment.database()?.wait_for(mails, stored).await?;
    for number in 0..replicas {
        environment.start(Part::Notifier, number)?;
    }
    let taken = sink.wait_for(mails, |count| line.detail(&format!("{count} of {mails} emailed"))).await?;
    environment.end().await?;
    Ok((taken.per_second()?, taken.mail))
}
