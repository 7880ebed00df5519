//! Confirmed publishing in this process, compared with raw lapin and the same number of callers.

use std::time::Duration;

use messaging::{Event, Settings, TraceParent};
use runtime::clock::{Clock, SystemClock};
use tokio::time::timeout;
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::baseline::publisher::Publisher;
use crate::environment::Environment;
use crate::lead::Lead;
use crate::load::callers;
use crate::measure::{Who, in_turn};
use crate::row::{Goal, Row, Unit};
use crate::system::System;

const GOAL: Goal = Goal::Share(0.8);
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);

/// Each measurement has its own queues: deleting a hundred thousand messages keeps the broker busy for a while.
pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let rounds = in_turn(system.plan, &[Who::Ours, Who::Ceiling], async |who| {
        line.detail(who.name());
        let environment = Environment::begin(system, line, None, None).await?;
        let rate = match who {
            Who::Ours => by_ours(system, &environment.amqp_url).await?,
            Who::Ceiling | Who::Peer => by_lapin(system, &environment.amqp_url).await?,
        };
        environment.end().await?;
        Ok(rate)
    })
    .await?;
    let compared = rounds.compared(|rate| *rate);
    Ok(vec![Row::beside("confirmed publishing", Unit::PerSecond, compared, GOAL)])
}

async fn by_ours(system: &System<'_>, amqp_url: &str) -> Result<f64> {
    let (context, _) = testkit::context("bench");
    let ours = messaging::Publisher::start(Settings::new(amqp_url.into()), &context);
    // The first publish waits for the connection.
    timeout(CONNECTED_WITHIN, publish(&ours, system.leads.next()))
        .await
        .map_err(|_| Error::failed("the publisher did not connect"))??;
    rate(system, move |lead| {
        let ours = ours.clone();
        async move { publish(&ours, lead).await }
    })
    .await
}

async fn by_lapin(system: &System<'_>, amqp_url: &str) -> Result<f64> {
    let baseline = Publisher::connect(amqp_url).await?;
    rate(system, move |lead| {
        let baseline = baseline.clone();
        async move { baseline.publish(&lead.event(SystemClock.now()), &lead.trace()).await }
    })
    .await
}

/// Leads published per second by `scale.publishes` callers.
async fn rate<F>(system: &System<'_>, publish: impl Fn(Lead) -> F + Clone + Send + 'static) -> Result<f64>
where
    F: Future<Output = Result<()>> + Send,
{
    callers(system.scale.publishes, system.scale.length, |_, window| {
        let (publish, leads) = (publish.clone(), system.leads.clone());
        async move {
            let mut counted = 0;
            while window.is_open() {
                publish(leads.next()).await?;
                counted += window.counts();
            }
            Ok(counted)
        }
    })
    .await
}

async fn publish(publisher: &messaging::Publisher, lead: Lead) -> Result<()> {
    let trace: TraceParent =
        lead.trace().parse().map_err(|error| Error::failed(format!("no trace: {error}")))?;
    let event = Event::LeadSubmitted(lead.event(SystemClock.now()));
    let published = publisher.publish(&event, Some(&trace)).await;
    published.map_err(|error| Error::failed(format!("publishing: {error}")))
}
