use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use lead::text::single_line;
use runtime::random::{Ids, RandomIds};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
    task::spawn_blocking,
    time::{Instant, MissedTickBehavior, interval, sleep},
};
use ureq::{
    Agent, RequestBuilder,
    http::StatusCode,
    tls::{RootCerts, TlsConfig},
    typestate::WithBody,
};

use crate::{cli::Context, config::Canary as Settings, error::Error, output::Output};

/// Interval of the queries for the lead in the CRM.
const POLL: Duration = Duration::from_millis(100);

/// Of a request; longer than the site's own limit.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Interval until the first canary arrives: leadctl may have started before its network policies.
const FIRST_INTERVAL: Duration = Duration::from_secs(15);

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
    #[arg(long, value_name = "DURATION", value_parser = parse_span)]
    interval: Option<humantime::Duration>,
    /// How long to wait for the email
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_span)]
    timeout: humantime::Duration,
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

#[derive(Deserialize)]
struct Session {
    access_token: String,
}

#[derive(Deserialize)]
struct Accepted {
    id: String,
    reference: String,
}

impl Canary {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let Some(settings) = &context.config.canary else {
            bail!(Error::Usage(format!(
                "{} has no [canary] section: add it as `leadctl --help` shows.\n\
                 Its key is the CANARY_KEY of lead-intake.",
                context.config.path.display()
            )));
        };
        let timeout = self.timeout.into();
        let Some(period) = self.interval else {
            return send_canary(settings, timeout, context).await?.print(&context.output);
        };
        let mut ticks = interval(period.into());
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let listen = |kind| signal(kind).map_err(|error| anyhow!("cannot install signal handlers: {error}"));
        let (mut interrupt, mut terminate) =
            (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
        let mut has_arrived = false;
        loop {
            let attempt = async {
                ticks.tick().await;
                send_canary(settings, timeout, context).await
            };
            select! {
                sent = attempt => match sent {
                    Ok(arrival) => {
                        has_arrived = true;
                        arrival.print(&context.output)?;
                    }
                    Err(error) => {
                        context.output.remark(&format!("{error:#}"))?;
                        if !has_arrived {
                            ticks.reset_after(FIRST_INTERVAL.min(period.into()));
                        }
                    }
                },
                _ = interrupt.recv() => return Ok(()),
                _ = terminate.recv() => return Ok(()),
            }
        }
    }
}

async fn send_canary(settings: &Settings, timeout: Duration, context: &Context) -> Result<Arrival> {
    let start = Instant::now();
    let elapsed = || start.elapsed().as_secs_f64();
    let settings = settings.clone();
    let Accepted { id, reference } = spawn_blocking(move || submit(&settings)).await??;
    let accepted_seconds = elapsed();
    let mut crm = context.crm().await?;
    let mut stored_seconds = None;
    loop {
        match crm.find_lead(&id).await {
            Ok(lead) => {
                let stored_seconds = *stored_seconds.get_or_insert_with(elapsed);
                if !lead.deliveries.is_empty() {
                    let emailed_seconds = elapsed();
                    return Ok(Arrival { id, reference, accepted_seconds, stored_seconds, emailed_seconds });
                }
            }
            Err(Error::NoMatch(_)) => {}
            Err(error) => return Err(error.into()),
        }
        if start.elapsed() >= timeout {
            let missing = if stored_seconds.is_some() { "emailed" } else { "stored" };
            bail!(Error::Late(format!(
                "canary {} was accepted but not {missing} within {timeout:?}.\n\
                 Run `leadctl show {}` for its timeline.",
                single_line(&reference),
                single_line(&id)
            )));
        }
        sleep(POLL).await;
    }
}

impl Arrival {
    fn print(&self, output: &Output) -> Result<()> {
        let Self { id: _, reference, accepted_seconds, stored_seconds, emailed_seconds } = self;
        let text = format!(
            "{}  accepted after {accepted_seconds:.2} s, stored after {stored_seconds:.2} s, emailed after {emailed_seconds:.2} s",
            single_line(reference)
        );
        output.say(self, &text)
    }
}

/// Submits a form with invented contents, as a visitor's browser does.
fn submit(settings: &Settings) -> Result<Accepted, Error> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder().timeout_global(Some(TIMEOUT)).tls_config(tls);
    let http = Agent::new_with_config(config.http_status_as_error(false).build());
    let request = http.post(format!("{}/auth/v1/session", settings.site));
    let session: Session = post_json(request, &json!({}), StatusCode::CREATED, &settings.site)?;
    let request = http
        .post(format!("{}/functions/v1/send-contact-email", settings.site))
        .header("apikey", &settings.anon_key)
        .header("Authorization", format!("Bearer {}", session.access_token))
        .header("Idempotency-Key", RandomIds.next().to_string())
        .header("Content-Language", "en")
        .header("Canary-Key", settings.key.expose_secret());
    let form = json!({
        "interests": ["brochure"], "name": "Canary", "mobile": "00000000",
        "email": "canary@example.invalid", "questions": "",
    });
    post_json(request, &form, StatusCode::ACCEPTED, &settings.site)
}

fn post_json<T: DeserializeOwned>(
    request: RequestBuilder<WithBody>,
    body: &Value,
    expected: StatusCode,
    site: &str,
) -> Result<T, Error> {
    let unreachable = |error: ureq::Error| {
        let cause = single_line(&error.to_string());
        Error::Unreachable(format!(
            "the site at {site} is unreachable: {cause}. Visitors may be affected too."
        ))
    };
    let mut answer = request.send_json(body).map_err(unreachable)?;
    let status = answer.status();
    if status == expected {
        return answer.body_mut().read_json().map_err(unreachable);
    }
    let refusal = answer.body_mut().read_json::<Value>().unwrap_or_default();
    let code = refusal["error"]["code"].as_str().map(single_line).unwrap_or_default();
    let answer = format!("{status} {code}");
    Err(Error::Failed(format!("the site at {site} rejected the canary: {}", answer.trim_end())))
}

fn parse_span(text: &str) -> Result<humantime::Duration, String> {
    let span: humantime::Duration =
        text.parse().map_err(|_| "expected a duration such as 30s or 5m".to_owned())?;
    if span.is_zero() { Err("must be longer than zero".to_owned()) } else { Ok(span) }
}
