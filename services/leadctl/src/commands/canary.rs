use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use crm_client::should_fail_over;
use humantime::Duration as Span;
use lead::text::single_line;
use serde::Serialize;
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
    time::{Instant, sleep},
};
use tonic::{Code, Status};

use crate::{
    config::Canary as Settings,
    context::Context,
    crm::{explain, find_lead},
    error::Exit,
    site::{Accepted, Visit, request},
};

/// Interval of the queries for the lead in the CRM.
const POLL: Duration = Duration::from_millis(100);

/// Interval of the attempts to reach the site. In a new pod, connections fail until its network policies apply.
const RETRY: Duration = Duration::from_secs(1);

/// Interval until the first canary arrives. Short, because leadctl may start before its network policies apply.
const FIRST_INTERVAL: Duration = Duration::from_secs(15);

/// Send a test lead through the site and measure how long it takes
#[derive(Args)]
#[command(after_help = "\
Prints the time until the lead was accepted, stored and emailed. The sales team does not receive or see test leads.
With --interval, leadctl continues after a lead that did not arrive.

Example:
  leadctl canary --interval 5m --json")]
pub(crate) struct Canary {
    /// Repeat at this interval until SIGINT or SIGTERM, for example 5m or 90s
    #[arg(long, value_name = "DURATION")]
    interval: Option<Span>,
    /// How long to retry connections and wait for the email
    #[arg(long, value_name = "DURATION", default_value = "30s")]
    timeout: Span,
}

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
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let settings = context.config.canary.as_ref().ok_or_else(|| {
            Exit::Usage.error(format!(
                "{} has no [canary] section: add it as `leadctl --help` shows.\n\
                 Its key is one of the CANARY_KEYS of lead-intake.",
                context.config.path.display()
            ))
        })?;
        let Some(interval) = self.interval else {
            return self.send(settings, context).await;
        };
        let repeat = async {
            let mut pause = FIRST_INTERVAL.min(*interval);
            loop {
                match self.send(settings, context).await {
                    Ok(()) => pause = *interval,
                    Err(error) => eprintln!("error: {:#}", explain(error, &context.config)),
                }
                sleep(pause).await;
            }
        };
        // The first process of a container ignores SIGTERM without a handler.
        let mut terminate = signal(SignalKind::terminate())
            .map_err(|error| anyhow!("cannot handle SIGTERM: {error}"))?;
        select! {
            never = repeat => never,
            _ = terminate.recv() => Ok(()),
        }
    }

    /// Sends one canary and waits for the email.
    async fn send(&self, settings: &Settings, context: &Context) -> Result<()> {
        let start = Instant::now();
        let elapsed = || (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let visit = self.reach_site(settings, start).await?;
        let with_key = settings.clone();
        let submission = request(move || visit.submit_canary(&with_key));
        let Accepted { id, reference } = submission.await?;
        let (mut crm, accepted_seconds, mut stored_seconds) = (context.crm(), elapsed(), None);
        let mut unreachable = None;
        while start.elapsed() < *self.timeout {
            match find_lead(&id, &mut crm).await {
                Ok(lead) => {
                    unreachable = None;
                    let stored_seconds = *stored_seconds.get_or_insert_with(elapsed);
                    if !lead.deliveries.is_empty() {
                        let emailed_seconds = elapsed();
                        let arrival = Arrival {
                            id,
                            reference,
                            accepted_seconds,
                            stored_seconds,
                            emailed_seconds,
                        };
                        return context.output.print_fields(&arrival);
                    }
                }
                Err(error) if has_status(&error, |status| status.code() == Code::NotFound) => {
                    unreachable = None;
                }
                Err(error) if has_status(&error, should_fail_over) => {
                    if unreachable.is_none() {
                        eprintln!("retrying: the CRM is unreachable");
                    }
                    unreachable = Some(error);
                }
                Err(error) => return Err(error),
            }
            sleep(POLL).await;
        }
        if let Some(error) = unreachable {
            return Err(error);
        }
        let missing = if stored_seconds.is_some() {
            "emailed"
        } else {
            "stored"
        };
        let [id, reference] = [id, reference].map(|name| single_line(&name));
        bail!(Exit::Late.error(format!(
            "canary {reference} was accepted but not {missing} within {}.\n\
             Run `leadctl show {id}` for its timeline.",
            self.timeout
        )));
    }

    /// Tries until the timeout, because a new pod's network policies and a new gateway need a moment.
    async fn reach_site(&self, settings: &Settings, start: Instant) -> Result<Visit> {
        let mut printed = String::new();
        loop {
            let settings = settings.clone();
            let error = match request(move || Visit::begin(&settings)).await {
                Ok(visit) => return Ok(visit),
                Err(error) => error,
            };
            if error.exit != Exit::Unreachable || start.elapsed() + RETRY >= *self.timeout {
                return Err(error.into());
            }
            if printed != error.message {
                eprintln!("retrying: {error}");
                printed = error.message;
            }
            sleep(RETRY).await;
        }
    }
}

fn has_status(error: &anyhow::Error, is_wanted: impl Fn(&Status) -> bool) -> bool {
    error.downcast_ref::<Status>().is_some_and(is_wanted)
}
