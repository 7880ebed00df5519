//! Calls to the CRM for the daily summary: claiming the task and listing what waits.

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::crm::v1::{self, ClaimTaskRequest, FinishTaskRequest, LeadFilter, ListLeadsRequest};
use crm_client::Crm;
use lead::{
    LeadState,
    field::{duration, optional_time, timestamp},
};

use super::ledger::{Ledger, Unanswered};
use crate::mail::{Backlog, Group, Waiting};

const TASK_DEADLINE: Duration = Duration::from_secs(5);

const LIST_DEADLINE: Duration = Duration::from_secs(30);

/// The most that the CRM gives.
const PAGE: u32 = 500;

impl Ledger {
    /// Whether this process was granted a task that runs once among all replicas.
    pub(crate) async fn claim_task(&self, task: &str) -> Result<bool, Unanswered> {
        let request = ClaimTaskRequest {
            task: task.to_owned(),
            holder: self.holder.clone(),
            lease: Some(duration(self.lease)),
            repeatable_for: None,
        };
        let claim = async |mut crm: Crm, request| crm.claim_task(request).await;
        Ok(self.call(TASK_DEADLINE, request, claim).await?.granted)
    }

    pub(crate) async fn finish_task(&self, task: &str) -> Result<(), Unanswered> {
        let request = FinishTaskRequest { task: task.to_owned(), holder: self.holder.clone() };
        let finish = async |mut crm: Crm, request| crm.finish_task(request).await;
        self.call(TASK_DEADLINE, request, finish).await.map(drop)
    }

    /// Leads whose next step is before `due_before`, and uncontacted ones submitted before `submitted_before` that have none.
    pub(crate) async fn backlog(
        &self,
        due_before: DateTime<Utc>,
        submitted_before: DateTime<Utc>,
    ) -> Result<Backlog, Unanswered> {
        let due = LeadFilter {
            next_step_before: Some(timestamp(due_before)),
            unfinished: Some(true),
            ..LeadFilter::default()
        };
        let new = LeadFilter {
            submitted_before: Some(timestamp(submitted_before)),
            state: LeadState::number(LeadState::New),
            ..LeadFilter::default()
        };
        let due = self.group(due, |_| true).await?;
        Ok(Backlog { due, new: self.group(new, |it| it.next_step_at.is_none()).await? })
    }

    /// Reads all pages: the CRM knows neither whose visitor is not to be called, nor what is most urgent.
    async fn group(&self, filter: LeadFilter, is_meant: fn(&Waiting) -> bool) -> Result<Group, Unanswered> {
        let mut group = Group::default();
        let mut page_token = String::new();
        loop {
            let request = ListLeadsRequest { page_size: PAGE, page_token, filter: Some(filter.clone()) };
            let list = async |mut crm: Crm, request| crm.list_leads(request).await;
            let page = self.call(LIST_DEADLINE, request, list).await?;
            group.add(page.leads.into_iter().filter_map(waiting).filter(is_meant));
            if page.next_page_token.is_empty() {
                return Ok(group);
            }
            page_token = page.next_page_token;
        }
    }
}

/// `None` when the stored lead cannot be read, or its visitor must not be contacted.
fn waiting(stored: v1::Lead) -> Option<Waiting> {
    let progress = stored.progress.unwrap_or_default();
    if progress.do_not_contact_at.is_some() {
        return None;
    }
    let next_step_at = optional_time("next_step_at", progress.next_step_at).ok().flatten();
    let state = LeadState::from_contract(progress.state).ok().flatten().unwrap_or_default();
    Some(Waiting { lead: stored.submission?.try_into().ok()?, owner: progress.owner, state, next_step_at })
}
