//! Connects to the CRM.

use std::{error::Error as _, path::PathBuf, time::Duration};

use contracts::crm::v1::crm_service_client::CrmServiceClient;
use tonic::{Code, Response, Status};

use crate::{config::Config, error::Error, terminal::single_line};

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
        match server.connect().await {
            Ok(channel) => {
                let client = CrmServiceClient::with_interceptor(channel, config.token.clone())
                    .max_decoding_message_size(LARGEST_ANSWER);
                Ok(Self { client, address, path })
            }
            Err(error) => Err(away(address, root_cause(&error), path)),
        }
    }

    pub(crate) async fn call<T>(
        &mut self,
        call: impl AsyncFnOnce(&mut crm_client::Crm) -> Result<Response<T>, Status>,
    ) -> Result<T, Error> {
        let answer = call(&mut self.client).await;
        answer.map(Response::into_inner).map_err(|status| self.error(&status))
    }

    pub(crate) fn error(&self, status: &Status) -> Error {
        let (address, path) = (self.address.clone(), self.path.clone());
        let message = single_line(status.message());
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => Error::TokenRefused { address, path },
            Code::NotFound => Error::NotFound(message),
            Code::FailedPrecondition => Error::Ambiguous(message),
            Code::InvalidArgument | Code::OutOfRange => Error::Asked(message),
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => away(address, message, path),
            Code::Ok
            | Code::Unknown
            | Code::AlreadyExists
            | Code::ResourceExhausted
            | Code::Aborted
            | Code::Unimplemented
            | Code::Internal
            | Code::DataLoss => Error::Failed(message),
        }
    }
}

fn away(address: String, cause: String, path: PathBuf) -> Error {
    Error::Away { service: "the CRM", address, cause, path }
}

/// The innermost cause, which is the operating system's message.
fn root_cause(error: &tonic::transport::Error) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(|cause| cause.source()) {
        cause = Some(deeper);
    }
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}
