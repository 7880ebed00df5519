//! Confirmed publishing alone, in this process: ours against raw lapin, with as many callers.

use std::time::Duration;

use messaging::{Event, Settings, TraceParent};
use runtime::clock::{Clock, SystemClock};
use tokio::time::timeout;
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::bare::publisher::Publisher;
use crate::lead::Lead;
use crate::load::crowd;
use crate::measure::in_turn;
use crate::row::{Goal, Row, Unit};
use crate::scene::Scene;
use crate::system::System;

const GOAL: Goal = Goal::Share(0.8);
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);

/// Measures it.
pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let scene = Scene::begin(system, line, None, None).await?;
    let (context, _) = testkit::context("bench");
    let ours = messaging::Publisher::start(Settings::new(scene.amqp_url.clone().into()), &context);
    // Who asks before there is a connection waits for it.
    timeout(CONNECTED_WITHIN, publish(&ours, system.leads.next()))
        .await
        .map_err(|_| Error::failed("the publisher did not connect"))??;
    let bare = Publisher::connect(&scene.amqp_url).await?;
    let rounds = in_turn(
        system.scale.rounds,
        system.same,
        async || {
            line.detail("ours");
            scene.purge().await?;
            crowd(system.scale.publishes, system.scale.length, |_, window| {
                let (ours, leads) = (ours.clone(), system.leads.clone());
                async move {
                    let mut counted = 0;
                    while window.is_open() {
                        publish(&ours, leads.next()).await?;
                        counted += window.counts();
                    }
                    Ok(counted)
                }
            })
            .await
        },
        async || {
            line.detail("raw lapin");
            scene.purge().await?;
            crowd(system.scale.publishes, system.scale.length, |_, window| {
                let (bare, leads) = (bare.clone(), system.leads.clone());
                async move {
                    let mut counted = 0;
                    while window.is_open() {
                        let lead = leads.next();
                        bare.publish(&lead.event(SystemClock.now()), &lead.trace()).await?;
                        counted += window.counts();
                    }
                    Ok(counted)
                }
            })
            .await
        },
    )
    .await?;
    drop((ours, bare));
    scene.end().await?;
    let compared = rounds.compared(|rate| *rate);
    Ok(vec![Row::beside("confirmed publishing", Unit::PerSecond, compared, GOAL)])
}

async fn publish(publisher: &messaging::Publisher, lead: Lead) -> Result<()> {
    let trace: TraceParent =
        lead.trace().parse().map_err(|error| Error::failed(format!("no trace: {error}")))?;
    let event = Event::LeadSubmitted(lead.event(SystemClock.now()));
    let published = publisher.publish(&event, Some(&trace)).await;
    published.map_err(|error| Error::failed(format!("publishing: {error}")))
}
