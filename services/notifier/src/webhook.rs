//! Posts leads to systems of the sales team's, signed as [Standard Webhooks](https://www.standardwebhooks.com) describe.

use std::{collections::BTreeSet, fs, io, path::PathBuf, str::FromStr, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use lead::Lead;
use ring::hmac::{self, HMAC_SHA256, Key};
use serde::Serialize;
use tokio::task::spawn_blocking;
use tracing::{Instrument, field::Empty, info_span};
use ureq::{
    Agent,
    http::{StatusCode, Uri},
    tls::{RootCerts, TlsConfig},
};

/// For the whole exchange, as the standard advises.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What every secret begins with; base64 follows.
const SECRET_PREFIX: &str = "whsec_";

/// In bytes.
const SHORTEST_SECRET: usize = 24;

/// One `[[webhook]]` of the routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its name in the CRM, after `webhook:`, and in logs.
    pub name: String,
    pub url: Url,
    /// Holds `whsec_` and at least 24 bytes as base64.
    pub secret_file: PathBuf,
}

/// An address that leads may be sent to: encrypted, or on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(Uri);

#[derive(Debug, thiserror::Error)]
#[error("a webhook's `url` must begin with https://, or http:// for this machine")]
pub struct InvalidUrl;

impl FromStr for Url {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url: Uri = text.parse().map_err(|_| InvalidUrl)?;
        let is_here = matches!(url.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
        match url.scheme_str() {
            Some("https") => Ok(Self(url)),
            Some("http") if is_here => Ok(Self(url)),
            _ => Err(InvalidUrl),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum InvalidKey {
    #[error("the `secret_file` of webhook {name} cannot be read: {error}")]
    Unreadable { name: String, error: io::Error },
    #[error(
        "the `secret_file` of webhook {0} must contain whsec_ and at least {SHORTEST_SECRET} bytes in base64"
    )]
    Malformed(String),
    #[error("two webhooks have the name {0}: rename one")]
    Duplicate(String),
}

impl Webhook {
    /// Reads the key, so that it may be replaced while the notifier runs.
    fn key(&self) -> Result<Key, InvalidKey> {
        let Self { name, secret_file, .. } = self;
        let text = fs::read_to_string(secret_file)
            .map_err(|error| InvalidKey::Unreadable { name: name.clone(), error })?;
        let encoded = text.trim().strip_prefix(SECRET_PREFIX);
        let secret = encoded.and_then(|encoded| BASE64_STANDARD.decode(encoded).ok());
        let secret = secret.filter(|secret| secret.len() >= SHORTEST_SECRET);
        let secret = secret.ok_or_else(|| InvalidKey::Malformed(name.clone()))?;
        Ok(Key::new(HMAC_SHA256, &secret))
    }
}

/// Checks the keys and names of all webhooks.
///
/// # Errors
/// [`InvalidKey`] for the first that cannot be used.
pub fn check<'a>(webhooks: impl Iterator<Item = &'a Webhook>) -> Result<(), InvalidKey> {
    let mut names = BTreeSet::new();
    for webhook in webhooks {
        webhook.key()?;
        if !names.insert(&webhook.name) {
            return Err(InvalidKey::Duplicate(webhook.name.clone()));
        }
    }
    Ok(())
}

/// The receiver did not take a lead. Its answers and address are left out: both may hold secrets.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    #[error("receiver replied 410 and accepts no more leads")]
    Gone,
    #[error("receiver replied {0}")]
    Answered(u16),
    #[error("receiver did not reply")]
    Unanswered,
    #[error("the webhook's key cannot be read")]
    Unsigned,
}

/// A lead that the receiver took.
#[derive(Debug)]
pub struct Posted {
    /// The `webhook-id`: the same for every attempt, so that the receiver can tell a second one.
    pub id: String,
    pub status: u16,
}

#[derive(Serialize)]
struct Body<'a> {
    r#type: &'static str,
    timestamp: DateTime<Utc>,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    lead: &'a Lead,
    /// When the person was marked as not to be contacted.
    do_not_contact_at: Option<DateTime<Utc>>,
}

pub(crate) struct Poster {
    http: Agent,
}

impl Poster {
    pub(crate) fn new() -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let http = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            // A lead goes nowhere but to the address that was configured.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .tls_config(tls)
            .build();
        Self { http: http.into() }
    }

    pub(crate) async fn post(
        &self,
        webhook: &Webhook,
        lead: &Lead,
        do_not_contact_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Posted, WebhookError> {
        let key = webhook.key().map_err(|_| WebhookError::Unsigned)?;
        let id = format!("lead-{}", lead.id);
        let data = Data { lead, do_not_contact_at };
        let body = Body { r#type: "lead.submitted", timestamp: lead.submitted_at, data };
        // Everything in a lead can be written as JSON.
        let body = serde_json::to_string(&body).map_err(|_| WebhookError::Unsigned)?;
        let signature = signature(&key, &id, now.timestamp(), &body);
        let request = self
            .http
            .post(&webhook.url.0)
            .header("content-type", "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", now.timestamp().to_string())
            .header("webhook-signature", signature);
        let span = info_span!(
            "post",
            otel.name = "post lead",
            otel.kind = "client",
            otel.status_code = Empty,
            webhook = webhook.name,
        );
        let posting = async { spawn_blocking(move || request.send(&body)).await };
        let result = match posting.instrument(span.clone()).await {
            Ok(Ok(answer)) => match answer.status() {
                status if status.is_success() => Ok(Posted { id, status: status.as_u16() }),
                StatusCode::GONE => Err(WebhookError::Gone),
                status => Err(WebhookError::Answered(status.as_u16())),
            },
            Ok(Err(_)) | Err(_) => Err(WebhookError::Unanswered),
        };
        if result.is_err() {
            span.record("otel.status_code", "ERROR");
        }
        result
    }
}

/// The `webhook-signature`: `v1,` and, in base64, HMAC-SHA256 of id, time and body.
fn signature(key: &Key, id: &str, timestamp: i64, body: &str) -> String {
    let signed = hmac::sign(key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", BASE64_STANDARD.encode(signed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the standard's reference libraries.
    #[test]
    fn a_message_is_signed_as_the_standard_says() {
        let secret = BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let key = Key::new(HMAC_SHA256, &secret);
        let signed =
            signature(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn leads_go_nowhere_unencrypted() {
        for (text, is_fine) in [
            ("https://crm.example.com/leads?token=1", true),
            ("http://localhost:9000/", true),
            ("http://[::1]:9000/", true),
            ("http://crm.example.com/leads", false),
            ("http://localhost.example.com/", false),
            ("ftp://crm.example.com", false),
            ("crm.example.com", false),
            ("", false),
        ] {
            assert_eq!(text.parse::<Url>().is_ok(), is_fine, "{text}");
        }
    }
}
