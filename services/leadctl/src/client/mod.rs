//! The CRM's calls.

mod dead;
mod leads;
mod person;

pub(crate) use leads::Exporting;

use std::{error::Error as _, path::PathBuf, time::Duration};

use contracts::crm::v1::crm_service_client::CrmServiceClient;
use crm_client::Token;
use tonic::{Status, service::interceptor::InterceptedService, transport::Channel};

use crate::{config::Config, error::Error};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// How often to ask whether a silent server is still there, while watching.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// Several times what the largest page could take.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// A connection to the CRM.
pub(crate) struct Client {
    crm: CrmServiceClient<InterceptedService<Channel, Token>>,
    server: Server,
}

/// Which server is asked, and which file says so: for errors.
#[derive(Clone)]
struct Server {
    address: String,
    path: PathBuf,
}

impl Client {
    /// Connects.
    pub(crate) async fn connect(config: &Config) -> Result<Self, Error> {
        let (path, endpoint) = (config.path.clone(), config.endpoint.clone());
        let address = endpoint.uri().to_string().trim_end_matches('/').to_owned();
        let endpoint = endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_while_idle(true);
        match endpoint.connect().await {
            Ok(channel) => {
                let crm = CrmServiceClient::with_interceptor(channel, config.token.clone())
                    .max_decoding_message_size(LARGEST_ANSWER);
                Ok(Self { crm, server: Server { address, path } })
            }
            Err(error) => Err(Error::Away { address, cause: root_cause(&error), path }),
        }
    }

    fn error(&self, status: &Status) -> Error {
        self.server.error(status)
    }
}

impl Server {
    fn error(&self, status: &Status) -> Error {
        Error::from_status(status, &self.address, &self.path)
    }
}

/// The innermost of an error's causes: what the operating system said.
fn root_cause(error: &tonic::transport::Error) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(|cause| cause.source()) {
        cause = Some(deeper);
    }
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}
