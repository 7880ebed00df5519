mod site;

use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
    time::{Instant, MissedTickBehavior, interval, sleep},
};

use self::site::Site;
use crate::{
    context::Context,
    error::Error,
    leads::FullLead,
    terminal::{Terminal, single_line},
};

/// Interval of the queries for the lead in the CRM.
const POLL: Duration = Duration::from_millis(100);

/// Send a test lead through the site and measure how long it takes
#[derive(Args)]
#[command(after_help = "\
Prints the time until the lead was accepted, stored and emailed. The sales team does not receive or see test leads.
With --interval, leadctl continues after a lead that did not arrive.

Examples:
  leadctl canary
  leadctl canary --interval 5m --json")]
pub(crate) struct Canary {
    /// Repeat at this interval until SIGINT or SIGTERM, for example 5m or 90s
    #[arg(long, value_name = "DURATION", value_parser = span)]
    interval: Option<humantime::Duration>,
    /// How long to wait for the email
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = span)]
    timeout: humantime::Duration,
}

/// Between attempts until the first one has arrived.
const AT_THE_START: Duration = Duration::from_secs(15);

/// Times since the start of the submission.
#[derive(Serialize)]
struct Arrival {
    id: String,
    reference: String,
    accepted_seconds: f64,
    stored_seconds: f64,
    emailed_seconds: f64,
}

impl Canary {
    /// With `--interval`, continues after a canary that does not arrive.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let (site, timeout) = (Site::new(&context.config)?, self.timeout.into());
        let Some(period) = self.interval else {
            return send(&site, timeout, context).await?.show(&context.terminal);
        };
        let mut turns = interval(period.into());
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut has_arrived = false;
        let listen = |kind| signal(kind).map_err(Error::Signals);
        let (mut interrupt, mut terminate) =
            (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
        loop {
            let turn = async {
                turns.tick().await;
                send(&site, timeout, context).await
            };
            select! {
                sent = turn => match sent {
                    Ok(arrival) => {
                        has_arrived = true;
                        arrival.show(&context.terminal)?;
                    }
                    Err(error) => {
                        context.terminal.remark(&error.to_string())?;
                        // It may have started before its network policies.
                        if !has_arrived {
                            turns.reset_after(AT_THE_START.min(period.into()));
                        }
                    }
                },
                _ = interrupt.recv() => return Ok(()),
                _ = terminate.recv() => return Ok(()),
            }
        }
    }
}

async fn send(site: &Site, within: Duration, context: &Context) -> Result<Arrival, Error> {
    let start = Instant::now();
    let since = || start.elapsed().as_secs_f64();
    let accepted = site.submit(&context.ids).await?;
    let accepted_seconds = since();
    let mut crm = context.crm().await?;
    let mut stored_seconds = None;
    loop {
        match FullLead::find(&mut crm, &accepted.id).await {
            Ok(full) => {
                let stored_seconds = *stored_seconds.get_or_insert_with(since);
                if !full.lead.deliveries.is_empty() {
                    let (id, reference, emailed_seconds) = (accepted.id, accepted.reference, since());
                    return Ok(Arrival { id, reference, accepted_seconds, stored_seconds, emailed_seconds });
                }
            }
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
        if start.elapsed() >= within {
            let missing = if stored_seconds.is_some() { "emailed" } else { "stored" };
            let (id, reference) = (accepted.id, accepted.reference);
            return Err(Error::CanaryLate { id, reference, missing, within });
        }
        sleep(POLL).await;
    }
}

impl Arrival {
    fn show(&self, terminal: &Terminal) -> Result<(), Error> {
        let Self { id: _, reference, accepted_seconds, stored_seconds, emailed_seconds } = self;
        let reference = single_line(reference);
        let text = format!(
            "{reference}  accepted after {accepted_seconds:.2} s, stored after {stored_seconds:.2} s, emailed after {emailed_seconds:.2} s"
        );
        terminal.say(&text, self)
    }
}

fn span(text: &str) -> Result<humantime::Duration, String> {
    let span: humantime::Duration =
        text.parse().map_err(|_| "expected a duration such as 30s or 5m".to_owned())?;
    if span.is_zero() { Err("must be longer than zero".to_owned()) } else { Ok(span) }
}
