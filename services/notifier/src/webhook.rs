//! Posts leads, updates and erasures to other systems, signed according to [Standard Webhooks](https://www.standardwebhooks.com).

use std::{
    error::Error,
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
    vec,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use http::{
    HeaderMap, Request, StatusCode, Uri,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{
        Client,
        connect::{HttpConnector, dns::Name},
    },
    rt::TokioExecutor,
};
use lead::{Channel, Interest, Language, Lead, UserText};
use ring::hmac::{self, HMAC_SHA256, Key};
use runtime::{
    network::is_loopback,
    trace::{TARGET, traced},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{net::lookup_host, sync::OnceCell, time::timeout};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tower::{BoxError, service_fn, util::ServiceFn};
use tracing::{field::Empty, info_span};
use uuid::Uuid;

/// Time limit of a request and its reply, as the standard recommends.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Prefix of a secret. The rest is base64.
const SECRET_PREFIX: &str = "whsec_";

const MIN_SECRET_BYTES: usize = 24;

/// A `[[webhook]]` of the routes.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// The name in the CRM, after `webhook:`, and in logs.
    pub name: String,
    url: Url,
    /// Contains `whsec_` and at least 24 bytes as base64.
    secret_file: PathBuf,
    /// Whether the receiver may be on this machine or in a private network.
    #[serde(default)]
    allow_private: bool,
    #[serde(default)]
    pub interests: Vec<Interest>,
    #[serde(default)]
    pub languages: Vec<Language>,
}

/// Begins with `https://`, or with `http://` and a loopback host.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Url(pub Uri);

impl TryFrom<String> for Url {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let url = text
            .parse::<Uri>()
            .ok()
            .filter(|url| match url.scheme_str() {
                Some("https") => true,
                Some("http") => url.host().is_some_and(is_loopback),
                _ => false,
            });
        url.map(Self)
            .ok_or("a webhook's `url` must begin with https://, or with http:// and a host of this machine")
    }
}

impl Webhook {
    /// Checks name, URL and secret file.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if self.name.is_empty() || !self.name.bytes().all(is_name) {
            return Err("the `name` must have only letters, digits and -".to_owned());
        }
        if self.is_private() && !self.allow_private {
            return Err(
                "the `url` is not public: set `allow_private = true` to allow this".to_owned(),
            );
        }
        self.load_key().map(drop)
    }

    /// Whether the URL contains a private address. Host names are checked when they are resolved.
    fn is_private(&self) -> bool {
        let Url(url) = &self.url;
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
        url.scheme_str() == Some("http") || host.parse().is_ok_and(|address| !is_public(address))
    }

    /// Called for each request, so the secret can be replaced without a restart.
    fn load_key(&self) -> Result<Key, String> {
        let text = fs::read_to_string(&self.secret_file)
            .map_err(|error| format!("the `secret_file` cannot be read: {error}"))?;
        let encoded = text.trim().strip_prefix(SECRET_PREFIX);
        let secret = encoded.and_then(|encoded| BASE64_STANDARD.decode(encoded).ok());
        let secret = secret.filter(|secret| secret.len() >= MIN_SECRET_BYTES).ok_or_else(|| {
            format!("the `secret_file` must contain whsec_ and at least {MIN_SECRET_BYTES} bytes in base64")
        })?;
        Ok(Key::new(HMAC_SHA256, &secret))
    }
}

/// The receiver did not accept an event. Contains neither reply nor URL, because both may contain secrets.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    #[error("receiver replied 410 and accepts no more leads")]
    Gone,
    #[error("receiver replied {status}")]
    Replied {
        status: u16,
        /// The receiver's `Retry-After`.
        retry_after: Option<Duration>,
    },
    #[error("receiver did not reply")]
    NoReply,
    #[error("receiver is in a private network, and its route does not set allow_private")]
    PrivateAddress,
    #[error("the webhook's key cannot be read")]
    NoKey,
    #[error("cannot set up TLS")]
    NoTls,
}

/// A message to a receiver. Every attempt has the same `webhook-id`, with which the receiver can detect a repetition.
pub(crate) struct WebhookEvent {
    id: String,
    body: String,
}

impl WebhookEvent {
    fn new(id: String, kind: &str, at: DateTime<Utc>, data: &Value) -> Self {
        Self {
            id,
            body: json!({ "type": kind, "timestamp": at, "data": data }).to_string(),
        }
    }

    pub(crate) fn lead_submitted(lead: &Lead, do_not_contact_at: Option<DateTime<Utc>>) -> Self {
        let mut data = json!(lead);
        data["do_not_contact_at"] = json!(do_not_contact_at);
        Self::new(
            format!("lead-{}", lead.id),
            "lead.submitted",
            lead.submitted_at,
            &data,
        )
    }

    /// The id contains the time of the change, because a receiver drops an event whose id it has already received.
    pub(crate) fn lead_updated(id: Uuid, reference: &str, update: &ContactUpdate) -> Self {
        let ContactUpdate {
            name,
            mobile,
            email,
            channels,
            do_not_contact_at,
            updated_at,
        } = update;
        let data = json!({
            "id": id,
            "reference": reference,
            "name": name,
            "mobile": mobile,
            "email": email,
            "channels": channels,
            "do_not_contact_at": do_not_contact_at,
        });
        let version = updated_at.timestamp_micros();
        Self::new(
            format!("lead-{id}-updated-{version}"),
            "lead.updated",
            *updated_at,
            &data,
        )
    }

    pub(crate) fn lead_erased(id: Uuid, reference: &str, erased_at: DateTime<Utc>) -> Self {
        let data = json!({ "id": id, "reference": reference, "erased_at": erased_at });
        Self::new(format!("lead-{id}-erased"), "lead.erased", erased_at, &data)
    }
}

/// How sales may contact the visitor of a lead, after a change.
pub(crate) struct ContactUpdate {
    pub(crate) name: UserText,
    pub(crate) mobile: UserText,
    pub(crate) email: UserText,
    pub(crate) channels: Vec<Channel>,
    pub(crate) do_not_contact_at: Option<DateTime<Utc>>,
    /// The time of the last change.
    pub(crate) updated_at: DateTime<Utc>,
}

type HttpClient = Client<HttpsConnector<HttpConnector<ServiceFn<Resolve>>>, String>;
type Resolve = fn(Name) -> BoxFuture<'static, Result<vec::IntoIter<SocketAddr>, BoxError>>;

/// Posts events with HTTP clients that follow no redirect and use no proxy. The first request creates a client, because a
/// notifier without webhooks needs no root certificates.
#[derive(Default)]
pub(crate) struct WebhookClient {
    /// Without and with `allow_private`.
    clients: [OnceCell<HttpClient>; 2],
}

impl WebhookClient {
    /// Returns the `webhook-id` and the receiver's status.
    pub(crate) async fn post(
        &self,
        webhook: &Webhook,
        WebhookEvent { id, body }: WebhookEvent,
        now: DateTime<Utc>,
    ) -> Result<(String, StatusCode), WebhookError> {
        let key = webhook.load_key().map_err(|_| WebhookError::NoKey)?;
        let request = Request::post(&webhook.url.0)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", now.timestamp())
            .header("webhook-signature", sign(&key, &id, now.timestamp(), &body))
            .body(body)
            .expect("ids, numbers and base64 are header values");
        let client = self.client_for(webhook.allow_private).await?;
        let span = info_span!(
            target: TARGET,
            "post",
            otel.name = "post event",
            otel.kind = "client",
            otel.status_code = Empty,
            webhook = webhook.name,
        );
        let posting = async {
            let reply = timeout(TIMEOUT, client.request(request))
                .await
                .map_err(|_| WebhookError::NoReply)?;
            let reply = reply.map_err(|error| match is_private_address(&error) {
                true => WebhookError::PrivateAddress,
                false => WebhookError::NoReply,
            })?;
            match reply.status() {
                status if status.is_success() => Ok((id, status)),
                StatusCode::GONE => Err(WebhookError::Gone),
                status => Err(WebhookError::Replied {
                    status: status.as_u16(),
                    retry_after: parse_retry_after(status, reply.headers(), now),
                }),
            }
        };
        traced(span, posting).await
    }

    async fn client_for(&self, allow_private: bool) -> Result<&HttpClient, WebhookError> {
        let resolve: Resolve = match allow_private {
            true => |name| Box::pin(resolve(name, |_| true)),
            false => |name| Box::pin(resolve(name, is_public)),
        };
        let set_up = async || {
            let mut http = HttpConnector::new_with_resolver(service_fn(resolve));
            http.enforce_http(false);
            let https =
                HttpsConnectorBuilder::new().with_provider_and_native_roots(default_provider());
            let https = https
                .map_err(|_| WebhookError::NoTls)?
                .https_or_http()
                .enable_http1();
            Ok(Client::builder(TokioExecutor::new()).build(https.wrap_connector(http)))
        };
        self.clients[usize::from(allow_private)]
            .get_or_try_init(set_up)
            .await
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the name has no allowed address")]
struct PrivateAddress;

/// Returns the allowed addresses of a name. The client connects to these addresses only, which prevents DNS rebinding.
async fn resolve(
    name: Name,
    is_allowed: fn(IpAddr) -> bool,
) -> Result<vec::IntoIter<SocketAddr>, BoxError> {
    let found = lookup_host((name.as_str(), 0)).await?;
    let allowed: Vec<_> = found.filter(|address| is_allowed(address.ip())).collect();
    if allowed.is_empty() {
        Err(PrivateAddress.into())
    } else {
        Ok(allowed.into_iter())
    }
}

fn is_private_address(error: &(dyn Error + 'static)) -> bool {
    error.is::<PrivateAddress>() || error.source().is_some_and(is_private_address)
}

/// Whether an address is public, according to the registries of special-purpose addresses (RFC 6890).
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let is_special = match v4.octets() {
                [0 | 240.., ..] | [192, 0, 0, _] => true,
                // Carrier-grade NAT and benchmarks.
                [100, 64..128, ..] | [198, 18..20, ..] => true,
                _ => v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_multicast(),
            };
            !is_special
        }
        IpAddr::V6(v6) => match v6.segments() {
            // NAT64 and 6to4 contain an IPv4 address.
            [0x64, 0xff9b, 0, 0, 0, 0, a, b] | [0x2002, a, b, ..] => {
                is_public(Ipv4Addr::from(u32::from(a) << 16 | u32::from(b)).into())
            }
            // Teredo tunnels.
            [0x2001, 0, ..] => false,
            [first, ..] => first & 0xe000 == 0x2000,
        },
    }
}

/// The header `Retry-After` (RFC 9110, section 10.2.3), which contains seconds or a point in time.
fn parse_retry_after(
    status: StatusCode,
    headers: &HeaderMap,
    now: DateTime<Utc>,
) -> Option<Duration> {
    if !matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    ) {
        return None;
    }
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    match value.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => (DateTime::parse_from_rfc2822(value).ok()?.to_utc() - now)
            .to_std()
            .ok(),
    }
}

/// The `webhook-signature`: `v1,` and, in base64, HMAC-SHA256 of id, time and body.
fn sign(key: &Key, id: &str, timestamp: i64, body: &str) -> String {
    let signed = hmac::sign(key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", BASE64_STANDARD.encode(signed))
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, time::Instant};

    use tempfile::NamedTempFile;
    use tokio::runtime::Runtime;

    use super::*;

    /// An example from the reference libraries of the standard.
    #[test]
    fn signatures_follow_the_standard() {
        let secret = BASE64_STANDARD
            .decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            .unwrap();
        let key = Key::new(HMAC_SHA256, &secret);
        let signed = sign(
            &key,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn webhook_requires_https() {
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
            assert_eq!(Url::try_from(text.to_owned()).is_ok(), is_fine, "{text}");
        }
    }

    fn webhook(url: String, allow_private: bool) -> (Webhook, NamedTempFile) {
        let file = NamedTempFile::new().unwrap();
        fs::write(
            file.path(),
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8G",
        )
        .unwrap();
        let webhook = Webhook {
            name: "crm".to_owned(),
            url: url.try_into().unwrap(),
            secret_file: file.path().to_owned(),
            allow_private,
            interests: Vec::new(),
            languages: Vec::new(),
        };
        (webhook, file)
    }

    async fn post(webhook: &Webhook) -> Result<(String, StatusCode), WebhookError> {
        let lead = Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH);
        let event = WebhookEvent::lead_submitted(&lead, None);
        WebhookClient::default()
            .post(webhook, event, DateTime::UNIX_EPOCH)
            .await
    }

    #[test]
    fn process_end_does_not_wait_for_a_receiver() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let (webhook, _file) = webhook(format!("http://{}/", silent.local_addr().unwrap()), true);
        let runtime = Runtime::new().unwrap();
        runtime.spawn(async move { post(&webhook).await });
        let _connection = silent.accept().unwrap();
        let ended = Instant::now();
        drop(runtime);
        assert!(ended.elapsed() < TIMEOUT / 4, "{:?}", ended.elapsed());
    }

    #[tokio::test]
    async fn private_addresses_get_no_connection() {
        let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
        receiver.set_nonblocking(true).unwrap();
        let url = format!(
            "https://localhost:{}/",
            receiver.local_addr().unwrap().port()
        );
        let (refused, _file) = webhook(url.clone(), false);
        assert!(matches!(
            post(&refused).await,
            Err(WebhookError::PrivateAddress)
        ));
        assert!(receiver.accept().is_err());
        let (allowed, _file) = webhook(url, true);
        let connected = testkit::wait::until("a connection", async || receiver.accept().is_ok());
        tokio::select! {
            () = connected => {}
            posted = post(&allowed) => panic!("{posted:?}"),
        }
    }

    #[test]
    fn reads_retry_after_of_429_and_503() {
        let now = DateTime::from_timestamp(784_111_777, 0).unwrap();
        for (status, value, seconds) in [
            (429, "120", Some(120)),
            (503, "Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            (503, "Sun, 06 Nov 1994 08:48:37 GMT", None),
            (503, "soon", None),
            (502, "120", None),
        ] {
            let headers = [(RETRY_AFTER, value.parse().unwrap())]
                .into_iter()
                .collect();
            let wait = parse_retry_after(StatusCode::from_u16(status).unwrap(), &headers, now);
            assert_eq!(wait.map(|wait| wait.as_secs()), seconds, "{status} {value}");
        }
    }

    #[test]
    fn private_addresses_need_permission() {
        for (url, allow_private, is_fine) in [
            ("https://93.184.215.14/", false, true),
            ("https://10.1.2.3/", false, false),
            ("https://10.1.2.3/", true, true),
            ("https://169.254.169.254/latest/meta-data", false, false),
            ("https://[::1]:9000/", false, false),
            ("http://localhost:9000/", false, false),
            ("http://127.0.0.1:9000/", true, true),
        ] {
            let (webhook, _file) = webhook(url.to_owned(), allow_private);
            assert_eq!(webhook.validate().is_ok(), is_fine, "{url}");
        }
    }

    #[test]
    fn recognises_public_addresses() {
        for (address, expected) in [
            ("93.184.215.14", true),
            ("0.0.0.0", false),
            ("10.0.0.1", false),
            ("100.64.0.1", false),
            ("100.128.0.1", true),
            ("127.0.0.2", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("192.168.1.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", true),
            ("::", false),
            ("::1", false),
            ("::ffff:10.0.0.1", false),
            ("64:ff9b::5db8:d70e", true),
            ("64:ff9b::a00:1", false),
            ("2002:a00:1::", false),
            ("fd00::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
        }
    }
}
