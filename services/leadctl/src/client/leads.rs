//! Calls about leads.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use contracts::crm::v1::{
    CountLeadsRequest, ExportLeadsRequest, ExportLeadsResponse, GetLeadRequest, LeadFilter, LeadState,
    ListLeadsRequest, SetLeadStateRequest, WatchLeadsRequest, WatchLeadsResponse, get_lead_request::Key,
};
use lead::field::timestamp;
use tonic::Streaming;
use uuid::Uuid;

use super::{Client, Server};
use crate::{
    error::Error,
    lead::{FullLead, Lead, Progress},
    stats::Counts,
};

/// The largest page the server gives.
const LARGEST_PAGE: u32 = 500;

/// Leads as they are recorded.
pub(crate) struct Watch {
    stream: Streaming<WatchLeadsResponse>,
}

/// All leads of a filter, as they come.
pub(crate) struct Exporting {
    stream: Streaming<ExportLeadsResponse>,
    server: Server,
    waiting: VecDeque<Lead>,
    /// How many there are in all, once the first have come.
    pub(crate) total: u64,
}

impl Client {
    /// At most so many leads, newest first, and the token of the page after them, empty after the last.
    pub(crate) async fn list(
        &mut self,
        filter: LeadFilter,
        wanted: u32,
        page_token: String,
    ) -> Result<(Vec<Lead>, String), Error> {
        let page_size = wanted.min(LARGEST_PAGE);
        let request = ListLeadsRequest { page_size, page_token, filter: Some(filter) };
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

    /// Says how far a lead has come, unless unspecified, and whose it is, unless nothing is said; returns what holds
    /// now.
    pub(crate) async fn set_state(
        &mut self,
        lead_id: Uuid,
        state: LeadState,
        owner: Option<String>,
    ) -> Result<Progress, Error> {
        let request = SetLeadStateRequest { lead_id: lead_id.to_string(), state: state.into(), owner };
        let answer = self.crm.set_lead_state(request).await.map_err(|status| self.error(&status))?;
        Progress::from_wire(answer.into_inner().progress.unwrap_or_default())
    }

    /// Leads recorded from now on.
    pub(crate) async fn watch(&mut self, filter: LeadFilter) -> Result<Watch, Error> {
        let request = WatchLeadsRequest { filter: Some(filter) };
        let answer = self.crm.watch_leads(request).await.map_err(|status| self.error(&status))?;
        Ok(Watch { stream: answer.into_inner() })
    }

    /// All leads of a filter.
    pub(crate) async fn export(&mut self, filter: LeadFilter) -> Result<Exporting, Error> {
        let request = ExportLeadsRequest { filter: Some(filter) };
        let answer = self.crm.export_leads(request).await.map_err(|status| self.error(&status))?;
        let (stream, server) = (answer.into_inner(), self.server.clone());
        Ok(Exporting { stream, server, waiting: VecDeque::new(), total: 0 })
    }

    /// How many leads were submitted in each span of time; the last ends at `before`.
    pub(crate) async fn count(
        &mut self,
        from: &[DateTime<Utc>],
        before: DateTime<Utc>,
    ) -> Result<Counts, Error> {
        let from = from.iter().copied().map(timestamp).collect();
        let request = CountLeadsRequest { from, before: Some(timestamp(before)) };
        let answer = self.crm.count_leads(request).await.map_err(|status| self.error(&status))?;
        Counts::from_wire(answer.into_inner())
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

impl Exporting {
    /// The next lead, or nothing after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Lead>, Error> {
        loop {
            if let Some(lead) = self.waiting.pop_front() {
                return Ok(Some(lead));
            }
            let message = self.stream.message().await.map_err(|status| self.server.error(&status))?;
            let Some(message) = message else { return Ok(None) };
            self.total = self.total.max(message.total);
            for lead in message.leads {
                self.waiting.push_back(Lead::from_wire(lead)?);
            }
        }
    }
}
