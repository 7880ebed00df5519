//! The CRM's calls.

use std::{error::Error as _, path::PathBuf, time::Duration};

use contracts::crm::v1::{
    Action, GetLeadRequest, ListLeadsRequest, NoteLeadRequest, WatchLeadsRequest, WatchLeadsResponse,
    crm_service_client::CrmServiceClient, get_lead_request::Key,
};
use crm_client::Token;
use tonic::{Status, Streaming, service::interceptor::InterceptedService, transport::Channel};
use uuid::Uuid;

use crate::{
    config::Config,
    error::Error,
    lead::{FullLead, Lead},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// How often to ask whether a silent server is still there, while watching.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// The largest page the server gives.
const LARGEST_PAGE: u32 = 500;

/// Several times what the largest page could take.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// A connection to the CRM.
pub(crate) struct Client {
    crm: CrmServiceClient<InterceptedService<Channel, Token>>,
    address: String,
    path: PathBuf,
}

/// Leads as they are recorded.
pub(crate) struct Watch {
    stream: Streaming<WatchLeadsResponse>,
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
                Ok(Self { crm, address, path })
            }
            Err(error) => Err(Error::Away { address, cause: root_cause(&error), path }),
        }
    }

    /// At most so many leads, newest first, and the token of the page after them, empty after the last.
    pub(crate) async fn list(
        &mut self,
        wanted: u32,
        page_token: String,
    ) -> Result<(Vec<Lead>, String), Error> {
        let page_size = wanted.min(LARGEST_PAGE);
        let request = ListLeadsRequest { page_size, page_token, filter: None };
        let page = self.crm.list_leads(request).await.map_err(|status| self.error(&status))?.into_inner();
        let leads = page.leads.into_iter().map(Lead::from_wire).collect::<Result<_, _>>()?;
        Ok((leads, page.next_page_token))
    }

    /// The lead of this id or reference.
    pub(crate) async fn get(&mut self, typed: &str) -> Result<FullLead, Error> {
        let key = match Uuid::try_parse(typed.trim()) {
            Ok(id) => Key::LeadId(id.to_string()),
            Err(_) => Key::Reference(typed.to_owned()),
        };
        let request = GetLeadRequest { key: Some(key) };
        let answer = self.crm.get_lead(request).await.map_err(|status| self.error(&status))?.into_inner();
        FullLead::from_wire(answer.lead.ok_or_else(|| Error::Failed("its answer holds no lead".to_owned()))?)
    }

    /// Adds what was done about a lead to its timeline; the lead need not be stored.
    pub(crate) async fn note(&mut self, lead_id: Uuid, action: Action, why: &str) -> Result<(), Error> {
        let request =
            NoteLeadRequest { lead_id: lead_id.to_string(), action: action.into(), why: why.to_owned() };
        self.crm.note_lead(request).await.map_err(|status| self.error(&status))?;
        Ok(())
    }

    /// Leads recorded from now on.
    pub(crate) async fn watch(&mut self) -> Result<Watch, Error> {
        let request = WatchLeadsRequest { filter: None };
        let answer = self.crm.watch_leads(request).await.map_err(|status| self.error(&status))?;
        Ok(Watch { stream: answer.into_inner() })
    }

    fn error(&self, status: &Status) -> Error {
        Error::from_status(status, &self.address, &self.path)
    }
}

impl Watch {
    /// Waits for the next lead.
    pub(crate) async fn next(&mut self) -> Result<Lead, Error> {
        let ended = |why: &str| Error::WatchEnded(crate::output::one_line(why));
        let message = self.stream.message().await.map_err(|status| ended(status.message()))?;
        let lead = message.and_then(|message| message.lead);
        Lead::from_wire(lead.ok_or_else(|| ended("the CRM closed it"))?)
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
