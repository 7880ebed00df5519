//! A canary: a lead of our own, sent the way a visitor's is, and watched until it is mailed.

mod site;

pub(crate) use site::Settings;

use std::time::Duration;

use runtime::random::Ids;
use serde::Serialize;
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
    time::{Instant, MissedTickBehavior, interval, sleep},
};

use self::site::Site;
use crate::{client::Client, config::Config, error::Error, output::Output};

/// How often the CRM is asked how far it came.
const POLL: Duration = Duration::from_millis(100);

/// How long each part of the way took, from the first byte sent.
#[derive(Serialize)]
pub(crate) struct Arrival {
    pub(crate) id: String,
    pub(crate) reference: String,
    pub(crate) accepted_seconds: f64,
    pub(crate) stored_seconds: f64,
    pub(crate) mailed_seconds: f64,
}

/// Sends one, or one after the other until somebody ends it: then one that does not arrive is no reason to stop.
pub(crate) async fn run(
    every: Option<Duration>,
    within: Duration,
    config: &Config,
    ids: &impl Ids,
    output: &mut Output,
) -> Result<(), Error> {
    let site = Site::new(config)?;
    let Some(every) = every else {
        return output.arrival(&send(&site, within, config, ids).await?);
    };
    let mut turns = interval(every);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listen = |kind| signal(kind).map_err(Error::Signals);
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    loop {
        let turn = async {
            turns.tick().await;
            send(&site, within, config, ids).await
        };
        select! {
            sent = turn => match sent {
                Ok(arrival) => output.arrival(&arrival)?,
                Err(error) => output.remark(&error.to_string())?,
            },
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        }
    }
}

async fn send(site: &Site, within: Duration, config: &Config, ids: &impl Ids) -> Result<Arrival, Error> {
    let start = Instant::now();
    let since = || start.elapsed().as_secs_f64();
    let accepted = site.submit(ids).await?;
    let accepted_seconds = since();
    let mut client = Client::connect(config).await?;
    let mut stored_seconds = None;
    loop {
        match client.get(&accepted.id).await {
            Ok(full) => {
                let stored_seconds = *stored_seconds.get_or_insert_with(since);
                if !full.lead.deliveries.is_empty() {
                    let (id, reference, mailed_seconds) = (accepted.id, accepted.reference, since());
                    return Ok(Arrival { id, reference, accepted_seconds, stored_seconds, mailed_seconds });
                }
            }
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
        if start.elapsed() >= within {
            let missing = if stored_seconds.is_some() { "mailed" } else { "stored" };
            let (id, reference) = (accepted.id, accepted.reference);
            return Err(Error::CanaryLate { id, reference, missing, within });
        }
        sleep(POLL).await;
    }
}
