//! Calls to the CRM for the morning mail: claiming the task and listing uncontacted leads.

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::crm::v1::{
    self, ClaimTaskRequest, CountLeadsRequest, FinishTaskRequest, LeadFilter, LeadState, ListLeadsRequest,
};
use crm_client::Crm;
use lead::{
    field::{duration, timestamp},
    text::Line,
};
use prost_types::Timestamp;
use tonic::Code;

use super::ledger::{Ledger, Unanswered};
use crate::mail::Uncontacted;

const TASK_DEADLINE: Duration = Duration::from_secs(5);

/// Counting may scan every lead.
const LIST_DEADLINE: Duration = Duration::from_secs(30);

pub(crate) struct Backlog {
    pub(crate) leads: Vec<Uncontacted>,
    pub(crate) total: usize,
}

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

    /// Uncontacted leads submitted before `submitted_before`: at most `at_most` of them, and the total.
    pub(crate) async fn uncontacted(
        &self,
        submitted_before: DateTime<Utc>,
        at_most: u32,
    ) -> Result<Backlog, Unanswered> {
        let request = ListLeadsRequest {
            page_size: at_most,
            page_token: String::new(),
            filter: Some(LeadFilter {
                state: LeadState::New.into(),
                submitted_before: Some(timestamp(submitted_before)),
                ..LeadFilter::default()
            }),
        };
        let list = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.list_leads(request).await }
        };
        let page = self.call(LIST_DEADLINE, list).await?;
        let listed = page.leads.len();
        let total = match page.next_page_token.as_str() {
            "" => listed,
            // If counting fails, the mail is sent with a total that is too low.
            _ => self.count_new(submitted_before).await.unwrap_or_default().max(listed),
        };
        Ok(Backlog { leads: page.leads.into_iter().filter_map(uncontacted).collect(), total })
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

/// `None` when the stored lead cannot be read.
fn uncontacted(stored: v1::Lead) -> Option<Uncontacted> {
    let lead = stored.submission?.try_into().ok()?;
    let owner = stored.progress.and_then(|progress| Line::new(&progress.owner));
    Some(Uncontacted { lead, owner })
}
