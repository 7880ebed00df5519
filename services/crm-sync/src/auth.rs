//! Authenticates calls by the client's token. The client's role decides which calls it may make.

use std::{str::FromStr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, header::AUTHORIZATION},
    middleware::Next,
    response::Response,
};
use lead::field::required_text;
use opentelemetry::{KeyValue, metrics::Counter};
use runtime::{clock::SharedClock, telemetry};
use secrecy::{ExposeSecret, SecretString};
use strum::{EnumString, IntoStaticStr, VariantNames};
use subtle::ConstantTimeEq;
use tokens::{PersonToken, SigningKeys};
use tonic::{Code, Status};
use tracing::warn;

/// Maximum length of a salesperson's name, in characters.
pub(crate) const PERSON_LENGTH: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Role {
    Intake,
    Notifier,
    Canary,
    /// Calls on behalf of a person, whose signed name each call must contain.
    Desk,
    Sales,
    Operator,
}

impl Role {
    /// Whether people use this role. The audit records the leads that they read and change.
    pub(crate) fn is_audited(self) -> bool {
        matches!(self, Self::Desk | Self::Sales | Self::Operator)
    }
}

#[derive(Clone)]
pub struct Clients(Arc<[Client]>);

struct Client {
    caller: Caller,
    token: SecretString,
}

impl FromStr for Client {
    type Err = &'static str;

    /// Parses `role:client=token`. Errors do not contain the token.
    fn from_str(entry: &str) -> Result<Self, Self::Err> {
        let (client, token) = entry.split_once('=').ok_or("must be role:client=token")?;
        let (role, name) = client.split_once(':').ok_or("must be role:client=token")?;
        let (role, name, token) = (role.trim(), name.trim(), token.trim());
        let role = role.parse();
        let role =
            role.map_err(|_| "role must be intake, notifier, canary, desk, sales or operator")?;
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || !name.bytes().all(is_name_byte) {
            return Err("client must have only letters, digits, - and _");
        }
        tokens::check_key(token).map_err(|_| "token must have at least 32 characters")?;
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("token contains characters that cannot be sent in a header");
        }
        Ok(Self {
            caller: Caller {
                name: name.into(),
                role,
                person: None,
            },
            token: token.into(),
        })
    }
}

impl FromStr for Clients {
    type Err = String;

    /// Parses clients separated by commas or line ends. A client may have several tokens, so a new token can be rolled
    /// out before the old one is removed.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut clients: Vec<Client> = Vec::new();
        let entries = text
            .split([',', '\n'])
            .map(str::trim)
            .filter(|entry| !entry.is_empty());
        for (number, entry) in (1..).zip(entries) {
            let client: Client = entry
                .parse()
                .map_err(|error| format!("entry {number}: {error}"))?;
            for Client { caller, token } in &clients {
                if token.expose_secret() == client.token.expose_secret() {
                    return Err(format!("entry {number}: token of another entry"));
                }
                if caller.name == client.caller.name && caller.role != client.caller.role {
                    return Err(format!("entry {number}: client must have only one role"));
                }
            }
            clients.push(client);
        }
        if clients.is_empty() {
            Err("no clients: list at least one".to_owned())
        } else {
            Ok(Self(clients.into()))
        }
    }
}

impl Clients {
    /// Finds the client of a token. Compares every token in constant time to prevent timing attacks.
    fn find(&self, token: &str) -> Option<Caller> {
        let mut found = None;
        for client in self.0.iter() {
            if bool::from(
                client
                    .token
                    .expose_secret()
                    .as_bytes()
                    .ct_eq(token.as_bytes()),
            ) {
                found = Some(client.caller.clone());
            }
        }
        found
    }
}

/// The authenticated client of a call.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) name: Arc<str>,
    pub(crate) role: Role,
    /// The person who uses the desk. `None` in other roles, or without a valid `person-token`.
    person: Option<String>,
}

impl Caller {
    /// Rejects the call unless the client has one of these roles. The desk must also name a person.
    pub(crate) fn check_role(&self, roles: &[Role], request: &str) -> Result<(), Status> {
        if !roles.contains(&self.role) {
            let role: &str = self.role.into();
            warn!(client = %self.name, role, request, "call rejected: not allowed for the role");
            return Err(Status::permission_denied(format!(
                "role {role} may not make this call"
            )));
        }
        if self.role == Role::Desk && self.person.is_none() {
            warn!(client = %self.name, "call rejected: no valid person-token");
            return Err(Status::unauthenticated(
                "missing or invalid metadata person-token: calls of role desk must name a person",
            ));
        }
        Ok(())
    }

    /// The name for the timeline and the audit: the person who uses the desk, otherwise the client.
    pub(crate) fn author(&self) -> String {
        self.person.clone().unwrap_or_else(|| self.name.to_string())
    }
}

#[derive(Clone)]
pub(crate) struct Authority {
    pub(crate) clients: Clients,
    /// Keys that verify the `person-token` of the desk.
    pub(crate) desk_keys: SigningKeys,
    pub(crate) clock: SharedClock,
    pub(crate) calls: CallCounter,
}

/// Rejects calls without a valid token, and adds the [`Caller`] to the request's extensions. Each call checks its role.
pub(crate) async fn authenticate(
    State(authority): State<Authority>,
    mut request: Request,
    next: Next,
) -> Result<Response, Response> {
    let caller = authority
        .authenticate(request.headers())
        .map_err(Status::into_http)?;
    let role = caller.role;
    request.extensions_mut().insert(caller);
    let response = next.run(request).await;
    authority.calls.add(role, &response);
    Ok(response)
}

/// The result of an authenticated call. Its snake_case name is a metric label.
#[derive(Clone, Copy, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
enum CallResult {
    Succeeded,
    /// The client's mistake.
    Rejected,
    /// The role does not allow the call.
    Denied,
    /// Not the client's mistake.
    Failed,
}

impl From<Code> for CallResult {
    fn from(code: Code) -> Self {
        match code {
            Code::Ok => Self::Succeeded,
            Code::PermissionDenied => Self::Denied,
            Code::Unknown
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss => Self::Failed,
            Code::Cancelled
            | Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::FailedPrecondition
            | Code::Aborted
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::Unauthenticated => Self::Rejected,
        }
    }
}

/// Counts authenticated calls by the client's role and the result. Clones share the counter.
#[derive(Clone)]
pub(crate) struct CallCounter(Counter<u64>);

impl CallCounter {
    pub(crate) fn new(metrics: &telemetry::Metrics) -> Self {
        let calls = metrics.counter(
            "crm_calls",
            "Calls of authenticated clients, by role and result: succeeded, rejected, denied or failed.",
        );
        // For alerts, which do not see the first event of a series that begins with it.
        for role in Role::VARIANTS {
            for result in CallResult::VARIANTS {
                calls.add(0, &labels(role, result));
            }
        }
        Self(calls)
    }

    /// A stream that ends with an error counts as succeeded, because its status is in the trailers.
    fn add(&self, role: Role, response: &Response) {
        let status = Status::from_header_map(response.headers());
        let result = CallResult::from(status.map_or(Code::Ok, |status| status.code()));
        self.0.add(1, &labels(role.into(), result.into()));
    }
}

fn labels(role: &'static str, result: &'static str) -> [KeyValue; 2] {
    [KeyValue::new("role", role), KeyValue::new("result", result)]
}

impl Authority {
    fn authenticate(&self, headers: &HeaderMap) -> Result<Caller, Status> {
        let header = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let Some(token) = header.and_then(bearer) else {
            warn!("call rejected: no token");
            return Err(Status::unauthenticated(
                "missing token: send authorization: Bearer <token>",
            ));
        };
        let Some(caller) = self.clients.find(token) else {
            warn!("call rejected: unknown token");
            return Err(Status::unauthenticated("unknown token"));
        };
        let person = if caller.role == Role::Desk {
            self.person(headers)
        } else {
            None
        };
        Ok(Caller { person, ..caller })
    }

    /// The name in the `person-token` that the desk signed. The desk's CRM token does not identify a person.
    fn person(&self, headers: &HeaderMap) -> Option<String> {
        let token = headers.get("person-token")?.to_str().ok()?;
        let name = PersonToken::verify(token, &self.desk_keys, self.clock.now())?.name;
        required_text("person-token", name.trim(), PERSON_LENGTH).ok()
    }
}

/// Returns the token. The name of the scheme is case-insensitive (RFC 9110, section 11.1).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: &str = "anna-token-0123456789-0123456789";
    const BERT: &str = "bert-token-0123456789-0123456789";

    fn error(text: &str) -> Option<String> {
        text.parse::<Clients>().err()
    }

    #[test]
    fn finds_client_by_any_of_its_tokens() {
        let text = format!("sales:anna={ANNA}, operator:bert = {BERT}\n,\nsales:anna={ANNA}-new");
        let clients: Clients = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let found = |token: &str| clients.find(token).map(|it| (it.name.to_string(), it.role));
        assert_eq!(found(ANNA), Some(("anna".to_owned(), Role::Sales)));
        assert_eq!(
            found(&format!("{ANNA}-new")),
            found(ANNA),
            "both tokens are valid during a rotation"
        );
        assert_eq!(found(BERT), Some(("bert".to_owned(), Role::Operator)));
        for wrong in [
            "",
            "anna",
            &ANNA[1..],
            &format!("{ANNA}0"),
            &ANNA.to_uppercase(),
        ] {
            assert!(clients.find(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn invalid_client_is_named_without_its_token() {
        let foreign = "界".repeat(32);
        for (entry, expected) in [
            (
                format!("operator:anna={BERT}"),
                "client must have only one role",
            ),
            (
                "sales:bert=short-token".to_owned(),
                "token must have at least 32 characters",
            ),
            ("tokenonly".to_owned(), "must be role:client=token"),
            (format!("eve={BERT}"), "must be role:client=token"),
            (
                format!("sales:c d={BERT}"),
                "client must have only letters, digits, - and _",
            ),
            (format!("sales:eve={ANNA}"), "token of another entry"),
            (
                format!("cook:dan={BERT}"),
                "role must be intake, notifier, canary, desk, sales or operator",
            ),
            (
                format!("sales:anna={foreign}"),
                "token contains characters that cannot be sent in a header",
            ),
        ] {
            assert_eq!(
                error(&format!("sales:anna={ANNA},{entry}")),
                Some(format!("entry 2: {expected}"))
            );
        }
    }

    #[test]
    fn rejects_empty_client_list() {
        for text in ["", " ,\n, "] {
            assert_eq!(
                error(text).as_deref(),
                Some("no clients: list at least one")
            );
        }
    }

    #[test]
    fn parses_bearer_header() {
        assert_eq!(bearer("Bearer abc"), Some("abc"));
        assert_eq!(bearer("bearer  abc"), Some("abc"));
        assert_eq!(bearer("Basic abc"), None);
        assert_eq!(bearer("abc"), None);
    }
}
