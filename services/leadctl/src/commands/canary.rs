use std::{slice, time::Duration};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use contracts::crm::v1::Lead;
use humantime::Duration as Span;
use lead::text::single_line;
use runtime::random::{Ids, RandomIds};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{
    select,
    signal::{
        ctrl_c,
        unix::{SignalKind, signal},
    },
    task::spawn_blocking,
    time::{Instant, sleep},
};
use tonic::{Code, Status};
use ureq::{
    Agent, RequestBuilder,
    tls::{RootCerts, TlsConfig},
    typestate::WithBody,
};

use crate::{Error, Exit, cli::Context, config::Canary as Settings, crm::find_lead};

/// Interval of the queries for the lead in the CRM.
const POLL: Duration = Duration::from_millis(100);

/// Of a request; longer than the site's own limit.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Interval until the first canary arrives: leadctl may have started before its network policies.
const FIRST_INTERVAL: Duration = Duration::from_secs(15);

const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

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
    /// How long to wait for the email
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
        let settings = context.config.canary.as_ref().ok_or_else(|| {
            Exit::Usage.error(format!(
                "{} has no [canary] section: add it as `leadctl --help` shows.\n\
                 Its key is the CANARY_KEY of lead-intake.",
                context.config.path.display()
            ))
        })?;
        let Some(interval) = self.interval else { return self.send(settings, context).await };
        let interval = SHORTEST_INTERVAL.max(*interval);
        let mut terminate = signal(SignalKind::terminate())
            .map_err(|error| anyhow!("cannot install signal handlers: {error}"))?;
        let repeat = async {
            let mut pause = FIRST_INTERVAL.min(interval);
            loop {
                match self.send(settings, context).await.map_err(|error| context.explain(error)) {
                    Ok(()) => pause = interval,
                    Err(error) => eprintln!("leadctl: {error:#}"),
                }
                sleep(pause).await;
            }
        };
        select! {
            never = repeat => never,
            _ = ctrl_c() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    }

    /// Sends one canary and waits until it is emailed.
    async fn send(&self, settings: &Settings, context: &Context) -> Result<()> {
        let start = Instant::now();
        let elapsed = || (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let settings = settings.clone();
        let Accepted { id, reference } = spawn_blocking(move || submit(&settings)).await??;
        let accepted_seconds = elapsed();
        let (mut crm, mut stored_seconds) = (context.crm(), None);
        loop {
            let lead = match find_lead(&id, &mut crm).await {
                Err(error) if is_not_found(&error) => Lead::default(),
                found => {
                    stored_seconds.get_or_insert_with(elapsed);
                    found?
                }
            };
            if let (Some(stored_seconds), false) = (stored_seconds, lead.deliveries.is_empty()) {
                let emailed_seconds = elapsed();
                let arrival = Arrival { id, reference, accepted_seconds, stored_seconds, emailed_seconds };
                return context.output.print_fields(slice::from_ref(&arrival));
            }
            if start.elapsed() >= *self.timeout {
                let missing = if stored_seconds.is_some() { "emailed" } else { "stored" };
                bail!(Exit::Late.error(format!(
                    "canary {} was accepted but not {missing} within {}.\n\
                     Run `leadctl show {}` for its timeline.",
                    single_line(&reference),
                    self.timeout,
                    single_line(&id)
                )));
            }
            sleep(POLL).await;
        }
    }
}

fn is_not_found(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Status>().is_some_and(|status| status.code() == Code::NotFound)
}

/// Submits a form with invented contents, as a visitor's browser does.
fn submit(settings: &Settings) -> Result<Accepted, Error> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder().timeout_global(Some(TIMEOUT)).tls_config(tls);
    let http = Agent::new_with_config(config.http_status_as_error(false).build());
    let site = settings.site.trim_end_matches('/');
    let session: Session = post_json(http.post(format!("{site}/auth/v1/session")), &json!({}), site)?;
    let request = http
        .post(format!("{site}/functions/v1/send-contact-email"))
        .header("apikey", &settings.anon_key)
        .header("Authorization", format!("Bearer {}", session.access_token))
        .header("Idempotency-Key", RandomIds.next().to_string())
        .header("Content-Language", "en")
        .header("Canary-Key", settings.key.expose_secret());
    let form = json!({
        "interests": ["brochure"], "name": "Canary", "mobile": "00000000",
        "email": "canary@example.invalid", "questions": "",
    });
    post_json(request, &form, site)
}

fn post_json<T: DeserializeOwned>(
    request: RequestBuilder<WithBody>,
    body: &Value,
    site: &str,
) -> Result<T, Error> {
    let unreachable = |error: ureq::Error| {
        let cause = single_line(&error.to_string());
        Exit::Unreachable
            .error(format!("the site at {site} is unreachable: {cause}. Visitors may be affected too."))
    };
    let mut answer = request.send_json(body).map_err(unreachable)?;
    let status = answer.status();
    if status.is_success() {
        return answer.body_mut().read_json().map_err(unreachable);
    }
    let refusal = answer.body_mut().read_json::<Value>().unwrap_or_default();
    let code = refusal["error"]["code"].as_str().map(single_line).unwrap_or_default();
    Err(Exit::Failed.error(format!("the site at {site} rejected the canary: {status} {code}")))
}
