//! Calls to the CRM for the morning mail: claiming the task and listing what waits.

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::crm::v1::{
    self, ClaimTaskRequest, CountLeadsRequest, FinishTaskRequest, LeadFilter, LeadState, ListLeadsRequest,
    ListLeadsResponse,
};
use crm_client::Crm;
use lead::{
    field::{duration, optional_time, timestamp},
    text::Line,
};
use prost_types::Timestamp;
use tonic::Code;

use super::ledger::{Ledger, Unanswered};
use crate::mail::{Backlog, Step, Waiting};

const TASK_DEADLINE: Duration = Duration::from_secs(5);

/// Counting may scan every lead.
const LIST_DEADLINE: Duration = Duration::from_secs(30);

impl Ledger {
    /// Whether this process was granted a task that runs once among all replicas.
    pub(crate) async fn claim_task(&self, task: &str) -> Result<bool, Unanswered> {
        let request = ClaimTaskRequest {
            task: task.to_owned(),
            holder: self.holder.clone(),
            lease: Some(duration(self.lease())),
        };
        let claim = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.claim_task(request).await }
        };
        Ok(self.call(TASK_DEADLINE, claim).await?.granted)
    }

    pub(crate) async fn finish_task(&self, task: &str) -> Result<(), Unanswered> {
        let request = FinishTaskRequest { task: task.to_owned(), holder: self.holder.clone() };
        let finish = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.finish_task(request).await }
        };
        self.call(TASK_DEADLINE, finish).await.map(drop)
    }

    /// Leads whose next step is before `due_before`, and uncontacted ones submitted before `submitted_before` that have
    /// none: at most `at_most` of each, and the total of the uncontacted.
    pub(crate) async fn backlog(
        &self,
        due_before: DateTime<Utc>,
        submitted_before: DateTime<Utc>,
        at_most: u32,
    ) -> Result<Backlog, Unanswered> {
        let due = LeadFilter { next_step_before: Some(timestamp(due_before)), ..LeadFilter::default() };
        let due = self.list(LeadFilter { unfinished: Some(true), ..due }, at_most).await?;
        let new = LeadFilter { submitted_before: Some(timestamp(submitted_before)), ..LeadFilter::default() };
        let new = self.list(LeadFilter { state: LeadState::New.into(), ..new }, at_most).await?;
        let leads: Vec<_> =
            new.leads.into_iter().filter_map(waiting).filter(|it| it.next_step.is_none()).collect();
        let total = match new.next_page_token.as_str() {
            "" => leads.len(),
            // If counting fails, the mail is sent with a total that is too low.
            _ => self.count_new(submitted_before).await.unwrap_or_default().max(leads.len()),
        };
        Ok(Backlog { due: due.leads.into_iter().filter_map(waiting).collect(), leads, total })
    }

    async fn list(&self, filter: LeadFilter, at_most: u32) -> Result<ListLeadsResponse, Unanswered> {
        let request =
            ListLeadsRequest { page_size: at_most, page_token: String::new(), filter: Some(filter) };
        let list = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.list_leads(request).await }
        };
        self.call(LIST_DEADLINE, list).await
    }

    async fn count_new(&self, submitted_before: DateTime<Utc>) -> Result<usize, Unanswered> {
        let request =
            CountLeadsRequest { from: vec![Timestamp::default()], before: Some(timestamp(submitted_before)) };
        let count = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.count_leads(request).await }
        };
        let states = self.call(LIST_DEADLINE, count).await?.total.unwrap_or_default().states;
        let new = states.iter().find(|count| count.state() == LeadState::New);
        new.map_or(Ok(0), |count| usize::try_from(count.leads).map_err(|_| Unanswered(Code::Unknown)))
    }
}

/// `None` when the stored lead cannot be read, or its visitor must not be contacted.
fn waiting(stored: v1::Lead) -> Option<Waiting> {
    let progress = stored.progress.unwrap_or_default();
    if progress.do_not_contact_at.is_some() {
        return None;
    }
    let step = match progress.state() {
        LeadState::New => Some(Step::TryAgain),
        LeadState::Contacted => Some(Step::CallAgain),
        LeadState::Visiting => Some(Step::Visit),
        LeadState::Closed | LeadState::NotALead | LeadState::Unspecified => None,
    };
    let at = optional_time("next_step_at", progress.next_step_at).ok().flatten();
    let owner = Line::new(&progress.owner);
    Some(Waiting { lead: stored.submission?.try_into().ok()?, owner, next_step: step.zip(at) })
}
