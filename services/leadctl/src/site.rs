//! Submits leads through the site.

use std::time::Duration;

use lead::text::single_line;
use runtime::random::{Ids, RandomIds};
use secrecy::ExposeSecret;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use ureq::{
    Agent, RequestBuilder,
    tls::{RootCerts, TlsConfig},
    typestate::WithBody,
};

use crate::{
    config::Canary,
    error::{Error, Exit},
};

/// Timeout of a request; longer than the site's limit.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
pub(crate) struct Accepted {
    pub(crate) id: String,
    pub(crate) reference: String,
}

/// Makes blocking requests to the site. Signals are handled meanwhile.
pub(crate) async fn request<T: Send + 'static>(
    requests: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    spawn_blocking(requests)
        .await
        .unwrap_or_else(|error| Err(Exit::Failed.error(format!("request failed: {error}"))))
}

/// A visit to the site before the form is submitted. Its functions block; see [`request`].
pub(crate) struct Visit {
    http: Agent,
    site: String,
    anon_key: String,
    token: String,
}

impl Visit {
    /// Reads what a visitor's browser reads. Stores nothing at the site, so a caller may try again.
    pub(crate) fn begin(settings: &Canary) -> Result<Self, Error> {
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .tls_config(tls);
        let http = Agent::new_with_config(config.http_status_as_error(false).build());
        let site = settings.site.trim_end_matches('/');
        let anon_key = match &settings.anon_key {
            Some(key) => key.clone(),
            None => read_anon_key(&http, site)?,
        };
        let session: Value = post_json(
            http.post(format!("{site}/auth/v1/session")),
            &json!({}),
            site,
        )?;
        let token = session["access_token"].as_str().unwrap_or_default();
        Ok(Self {
            http,
            site: site.to_owned(),
            anon_key,
            token: token.to_owned(),
        })
    }

    /// Submits a form with test data, as a visitor's browser does.
    pub(crate) fn submit_canary(&self, settings: &Canary) -> Result<Accepted, Error> {
        let request = self
            .http
            .post(format!("{}/functions/v1/send-contact-email", self.site))
            .header("apikey", &self.anon_key)
            .header("Authorization", format!("Bearer {}", self.token))
            .header("Idempotency-Key", RandomIds.next_id().to_string())
            .header("Content-Language", "en")
            .header("Canary-Key", settings.key.expose_secret());
        let form = json!({
            "interests": ["brochure"], "name": "Canary", "mobile": "00000000",
            "email": "canary@example.invalid", "questions": "",
        });
        post_json(request, &form, &self.site)
    }
}

/// Reads the key that the site's pages send, which may differ from the key that lead-intake accepts.
fn read_anon_key(http: &Agent, site: &str) -> Result<String, Error> {
    let mut answer = http
        .get(format!("{site}/anon-key.txt"))
        .call()
        .map_err(|error| unreachable(site, &error))?;
    let status = answer.status();
    if !status.is_success() {
        return Err(Exit::Failed.error(format!(
            "the site at {site} does not publish its key: /anon-key.txt answers {status}"
        )));
    }
    let key = answer
        .body_mut()
        .read_to_string()
        .map_err(|error| unreachable(site, &error))?;
    Ok(single_line(&key))
}

fn unreachable(site: &str, error: &ureq::Error) -> Error {
    let cause = single_line(&error.to_string());
    Exit::Unreachable.error(format!(
        "the site at {site} is unreachable: {cause}. Visitors may be affected too."
    ))
}

fn post_json<T: DeserializeOwned>(
    request: RequestBuilder<WithBody>,
    body: &Value,
    site: &str,
) -> Result<T, Error> {
    let unreachable = |error: ureq::Error| unreachable(site, &error);
    let mut answer = request.send_json(body).map_err(unreachable)?;
    let status = answer.status();
    if status.is_success() {
        return answer.body_mut().read_json().map_err(unreachable);
    }
    let refusal = answer.body_mut().read_json::<Value>().unwrap_or_default();
    let code = refusal["error"]["code"]
        .as_str()
        .map(single_line)
        .unwrap_or_default();
    Err(Exit::Failed.error(format!(
        "the site at {site} rejected the canary: {status} {code}"
    )))
}
