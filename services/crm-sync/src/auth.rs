//! Who may call: every client has a token of its own.

use std::{collections::BTreeSet, fmt, str::FromStr, sync::Arc};

use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;
use tonic::{Request, Status, service::Interceptor};
use tracing::warn;

/// Tokens shorter than this could be guessed.
const SHORTEST_TOKEN: usize = 32;

#[derive(Clone)]
pub struct Clients(Arc<Vec<Client>>);

struct Client {
    name: Arc<str>,
    token: SecretString,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct InvalidClients(Vec<String>);

impl FromStr for Clients {
    type Err = InvalidClients;

    /// Reads `client=token`, separated by commas or line ends.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut clients, mut errors) = (Vec::new(), Vec::new());
        let (mut names, mut tokens) = (BTreeSet::new(), BTreeSet::new());
        let entries = text.split([',', '\n']).map(str::trim).filter(|entry| !entry.is_empty());
        for (number, entry) in (1..).zip(entries) {
            let Some((name, token)) = entry.split_once('=').map(|(name, token)| (name.trim(), token.trim()))
            else {
                errors.push(format!("entry {number} is not client=token"));
                continue;
            };
            if !is_name(name) {
                errors.push(format!("entry {number}: a client's name is made of letters, digits, - and _"));
                continue;
            }
            if !names.insert(name) {
                errors.push(format!("client {name} is there twice"));
            }
            if token.len() < SHORTEST_TOKEN {
                errors.push(format!("the token of {name} is shorter than {SHORTEST_TOKEN} characters"));
            } else if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                errors.push(format!("the token of {name} holds characters that a header cannot"));
            } else if !tokens.insert(token) {
                errors.push(format!("the token of {name} is another client's too"));
            }
            clients.push(Client { name: name.into(), token: token.into() });
        }
        if clients.is_empty() && errors.is_empty() {
            errors.push("no client is listed: nobody could call".to_owned());
        }
        if errors.is_empty() { Ok(Self(Arc::new(clients))) } else { Err(InvalidClients(errors)) }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

impl Clients {
    /// Whose token it is. Takes the same time whichever it is, and however much of it is right.
    fn find(&self, token: &str) -> Option<Caller> {
        let mut found = None;
        for client in self.0.iter() {
            if bool::from(client.token.expose_secret().as_bytes().ct_eq(token.as_bytes())) {
                found = Some(Caller(client.name.clone()));
            }
        }
        found
    }
}

/// The client a call comes from, for logs and for what it notes.
#[derive(Clone)]
pub(crate) struct Caller(Arc<str>);

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Lets calls of clients pass, with their [`Caller`] among the request's extensions.
#[derive(Clone)]
pub(crate) struct Guard {
    clients: Clients,
}

impl Guard {
    pub(crate) fn new(clients: Clients) -> Self {
        Self { clients }
    }
}

impl Interceptor for Guard {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let header = request.metadata().get("authorization").and_then(|value| value.to_str().ok());
        let Some(token) = header.and_then(bearer) else {
            warn!(peer = ?request.remote_addr(), "refused a call without a token");
            return Err(Status::unauthenticated("a token is needed: authorization: Bearer <token>"));
        };
        match self.clients.find(token) {
            Some(caller) => {
                request.extensions_mut().insert(caller);
                Ok(request)
            }
            None => {
                warn!(peer = ?request.remote_addr(), "refused a call with a token that is nobody's");
                Err(Status::unauthenticated("the token is not valid"))
            }
        }
    }
}

/// The scheme's name knows no case (RFC 9110, section 11.1).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: &str = "anna-token-0123456789-0123456789";
    const BERT: &str = "bert-token-0123456789-0123456789";

    fn errors(text: &str) -> Vec<String> {
        match text.parse::<Clients>() {
            Ok(_) => Vec::new(),
            Err(InvalidClients(errors)) => errors,
        }
    }

    #[test]
    fn each_client_is_known_by_its_token() {
        let clients: Clients =
            format!("anna={ANNA}, bert = {BERT}\n,\n").parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(clients.find(ANNA).map(|it| it.to_string()).as_deref(), Some("anna"));
        assert_eq!(clients.find(BERT).map(|it| it.to_string()).as_deref(), Some("bert"));
        for wrong in ["", "anna", &ANNA[1..], &format!("{ANNA}0"), &ANNA.to_uppercase()] {
            assert!(clients.find(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn all_that_is_wrong_with_a_list_is_said_at_once_and_no_token_with_it() {
        let text = format!("anna={ANNA},anna={BERT},bert=short-token,tokenonly,c d={BERT},eve={ANNA}");
        let errors = errors(&text);
        assert_eq!(
            errors,
            [
                "client anna is there twice",
                "the token of bert is shorter than 32 characters",
                "entry 4 is not client=token",
                "entry 5: a client's name is made of letters, digits, - and _",
                "the token of eve is another client's too",
            ]
        );
    }

    #[test]
    fn a_list_of_nobody_is_wrong() {
        for text in ["", " ,\n, "] {
            assert_eq!(errors(text), ["no client is listed: nobody could call"]);
        }
    }

    #[test]
    fn a_token_must_fit_a_header() {
        let token = "界".repeat(20);
        assert_eq!(
            errors(&format!("anna={token}")),
            ["the token of anna holds characters that a header cannot"]
        );
    }

    #[test]
    fn the_header_is_read_as_the_standard_says() {
        assert_eq!(bearer("Bearer abc"), Some("abc"));
        assert_eq!(bearer("bearer  abc"), Some("abc"));
        assert_eq!(bearer("Basic abc"), None);
        assert_eq!(bearer("abc"), None);
    }
}
