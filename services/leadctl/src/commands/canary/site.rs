//! Sends a canary to the site, as a visitor's browser sends a lead.

use std::time::Duration;

use runtime::random::Ids;
use secrecy::ExposeSecret;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use ureq::{
    Agent,
    http::StatusCode,
    tls::{RootCerts, TlsConfig},
};

use crate::{
    config::{Canary, Config},
    error::Error,
    terminal::single_line,
};

/// Longer than the site's own limit for a request.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub(super) struct Site {
    http: Agent,
    settings: Canary,
}

#[derive(Deserialize)]
pub(super) struct Accepted {
    pub(super) id: String,
    pub(super) reference: String,
}

#[derive(Deserialize)]
struct Session {
    access_token: String,
}

impl Site {
    pub(super) fn new(config: &Config) -> Result<Self, Error> {
        let settings = config.canary.clone().ok_or_else(|| Error::NoCanary { path: config.path.clone() })?;
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let http = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .tls_config(tls)
            .build();
        Ok(Self { http: http.into(), settings })
    }

    /// Sends a canary with invented contents.
    pub(super) async fn submit(&self, ids: &impl Ids) -> Result<Accepted, Error> {
        let (site, key) = (self.clone(), ids.next().to_string());
        let submitted = spawn_blocking(move || {
            let session: Session = site.post("/auth/v1/session", &[], &json!({}), StatusCode::CREATED)?;
            let headers = [
                ("apikey", site.settings.anon_key.as_str()),
                ("Authorization", &format!("Bearer {}", session.access_token)),
                ("Idempotency-Key", &key),
                ("Content-Language", "en"),
                ("Canary-Key", site.settings.key.expose_secret()),
            ];
            let form = json!({
                "interests": ["brochure"], "name": "Canary", "mobile": "00000000",
                "email": "canary@example.invalid", "questions": "",
            });
            site.post("/functions/v1/send-contact-email", &headers, &form, StatusCode::ACCEPTED)
        });
        submitted.await.map_err(|error| Error::Failed(error.to_string()))?
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
        wanted: StatusCode,
    ) -> Result<T, Error> {
        let site = &self.settings.site;
        let away = |error: ureq::Error| Error::SiteAway { site: site.clone(), cause: error.to_string() };
        let request = self.http.post(format!("{site}{path}"));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let mut answer = request.send_json(body).map_err(away)?;
        let status = answer.status();
        if status == wanted {
            return answer.body_mut().read_json().map_err(away);
        }
        let refusal = answer.body_mut().read_json::<Value>().unwrap_or_default();
        let code = refusal["error"]["code"].as_str().map(single_line);
        let said = format!("{status} {}", code.unwrap_or_default());
        Err(Error::SiteRefused { site: site.clone(), said: said.trim_end().to_owned() })
    }
}
