//! Calls the CRM.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use contracts::crm::v1::{GetLeadRequest, Lead, crm_service_client::CrmServiceClient, get_lead_request::Key};
use lead::text::single_line;
use tonic::{Code, Response, Status};
use uuid::Uuid;

use crate::{config::Config, error::Error, leads::submission};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// Interval of HTTP/2 pings during a long export.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// In bytes; several times the size of the largest page.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

pub(crate) struct Crm {
    client: crm_client::Crm,
    address: String,
    /// The file that contains the address, for errors.
    path: PathBuf,
}

impl Crm {
    pub(crate) async fn connect(config: &Config) -> Result<Self, Error> {
        let (path, mut server) = (config.path.clone(), config.address.clone());
        let address = server.endpoint.uri().to_string().trim_end_matches('/').to_owned();
        server.endpoint = server
            .endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_while_idle(true);
        let channel = server.connect().await.map_err(|error| {
            // The innermost cause is the operating system's message.
            let cause = anyhow::Error::from(error).root_cause().to_string();
            unreachable("the CRM", &address, &cause, &path)
        })?;
        let client = CrmServiceClient::with_interceptor(channel, config.token.clone())
            .max_decoding_message_size(LARGEST_ANSWER);
        Ok(Self { client, address, path })
    }

    pub(crate) async fn call<T>(
        &mut self,
        call: impl AsyncFnOnce(&mut crm_client::Crm) -> Result<Response<T>, Status>,
    ) -> Result<T, Error> {
        let answer = call(&mut self.client).await;
        answer.map(Response::into_inner).map_err(|status| self.error(&status))
    }

    /// Finds a lead by its id or reference as typed. The lead has an id.
    pub(crate) async fn find_lead(&mut self, typed: &str) -> Result<Lead, Error> {
        let key = match Uuid::try_parse(typed.trim()) {
            Ok(id) => Key::LeadId(id.to_string()),
            Err(_) => Key::Reference(typed.to_owned()),
        };
        let lead = self.call(async |crm| crm.get_lead(GetLeadRequest { key: Some(key) }).await).await?.lead;
        lead.filter(|lead| Uuid::try_parse(&submission(lead).lead_id).is_ok())
            .ok_or_else(|| Error::Failed("the CRM's response contains no lead".to_owned()))
    }

    pub(crate) fn error(&self, status: &Status) -> Error {
        let message = single_line(status.message());
        #[expect(clippy::wildcard_enum_match_arm, reason = "gRPC's list of codes does not grow")]
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => Error::Denied(format!(
                "the CRM at {} rejected this call for the token in {}.\n\
                 Ask an operator of the CRM for a token with the required role.",
                self.address,
                self.path.display()
            )),
            Code::NotFound => Error::NoMatch(format!("{message}: run `leadctl list` to find it")),
            Code::FailedPrecondition => Error::NoMatch(message),
            Code::InvalidArgument | Code::OutOfRange => {
                Error::Usage(format!("the CRM rejected the request: {message}"))
            }
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => {
                unreachable("the CRM", &self.address, &message, &self.path)
            }
            _ => Error::Failed(format!("the CRM failed: {message}")),
        }
    }
}

pub(crate) fn unreachable(service: &str, address: &str, cause: &str, path: &Path) -> Error {
    Error::Unreachable(format!(
        "{service} at {address} is unreachable: {cause}.\n\
         `cargo xtask up` starts it. The address comes from {}.",
        path.display()
    ))
}
