//! Handles RecordLead, WithdrawLead, UpdateLead and MailLead, and parses leads from calls and events.

use ::lead::{
    ClosingReason, FieldError, Lead, LeadState,
    field::{filled, limited, optional_time, required_time, uuid},
    is_email_address,
};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::{
    crm::v1 as crm,
    leads::v1::{LeadSubmitted, LeadWithdrawn},
};
use runtime::crash;
use tonic::Status;
use tracing::info;

use super::service::Crm;
use crate::{
    auth::{Caller, PERSON_LENGTH},
    error::Invalid,
    leads::{
        do_not_contact::Withdrawal,
        progress::{Change, NotChanged, Seen},
        record::Source,
    },
};

const NOTE_LENGTH: usize = 2000;

/// How far the clocks of two machines may differ.
const CLOCK_SKEW: TimeDelta = TimeDelta::days(1);

pub(super) async fn record_lead(
    crm: &Crm,
    caller: &Caller,
    request: crm::RecordLeadRequest,
) -> Result<crm::RecordLeadResponse, Status> {
    let lead = parse_lead(request.lead, crm.clock.now())?;
    let leads = std::slice::from_ref(&lead);
    let recorded = crm.store.record_leads(Source::Grpc, leads).await?;
    crm.metrics.add_recorded(Source::Grpc, recorded, leads);
    crash::point("crm-sync-recorded");
    let created = recorded.created > 0;
    info!(client = %caller, lead_id = %lead.id, reference = %lead.reference, created, "RecordLead");
    Ok(crm::RecordLeadResponse { created })
}

pub(super) async fn withdraw_lead(
    crm: &Crm,
    caller: &Caller,
    request: crm::WithdrawLeadRequest,
) -> Result<crm::WithdrawLeadResponse, Status> {
    let message = request.withdrawal.ok_or(Invalid::from(FieldError::Missing("withdrawal")))?;
    let withdrawal = parse_withdrawal(message)?;
    let lead_id = withdrawal.lead_id;
    if !crm.store.withdraw(&withdrawal).await? {
        return Err(Status::not_found(format!("there is no lead {lead_id}")));
    }
    info!(client = %caller, %lead_id, "WithdrawLead");
    Ok(crm::WithdrawLeadResponse {})
}

pub(super) async fn update_lead(
    crm: &Crm,
    caller: &Caller,
    request: crm::UpdateLeadRequest,
) -> Result<crm::UpdateLeadResponse, Status> {
    let change = parse_change(request, caller.author())?;
    let id = change.lead_id;
    let progress = crm.store.update_lead(&change).await.map_err(|error| match error {
        NotChanged::NoSuchLead => Status::not_found(format!("there is no lead {id}")),
        NotChanged::Meanwhile => Status::aborted(error.to_string()),
        NotChanged::Store(failure) => failure.into(),
    })?;
    if caller.role().is_audited() {
        crm.store.audit(&change.author, "change", 1, Some(id)).await?;
    }
    info!(client = %caller, lead_id = %id, state = ?progress.state(), "UpdateLead");
    Ok(crm::UpdateLeadResponse { progress: Some(progress) })
}

pub(super) async fn mail_lead(
    crm: &Crm,
    caller: &Caller,
    request: crm::MailLeadRequest,
) -> Result<crm::MailLeadResponse, Status> {
    let id = uuid("lead_id", &request.lead_id).map_err(Invalid::from)?;
    let person = filled("person", request.person.trim(), PERSON_LENGTH).map_err(Invalid::from)?;
    if !crm.store.request_mail(id, &person, &caller.author()).await? {
        return Err(Status::not_found(format!("there is no lead {id}")));
    }
    info!(client = %caller, lead_id = %id, "MailLead");
    Ok(crm::MailLeadResponse {})
}

/// The lead of a message, if lead-intake could have accepted it before `now`.
pub(crate) fn parse_lead(message: Option<LeadSubmitted>, now: DateTime<Utc>) -> Result<Lead, Invalid> {
    let lead = Lead::try_from(message.ok_or(FieldError::Missing("lead"))?)?;
    if !is_email_address(&lead.email) {
        return Err(FieldError::NotEmail("email").into());
    }
    if lead.submitted_at > now + CLOCK_SKEW {
        return Err(FieldError::InFuture("submitted_at").into());
    }
    Ok(lead)
}

pub(crate) fn parse_withdrawal(message: LeadWithdrawn) -> Result<Withdrawal, Invalid> {
    Ok(Withdrawal {
        lead_id: uuid("lead_id", &message.lead_id)?,
        withdrawn_at: required_time("withdrawn_at", message.withdrawn_at)?,
        erasure_requested: message.erasure_requested,
    })
}

fn parse_change(request: crm::UpdateLeadRequest, author: String) -> Result<Change, Invalid> {
    let owner = request.owner.map(|owner| limited("owner", owner.trim(), PERSON_LENGTH)).transpose()?;
    let seen = request.seen.map(|seen| optional_time("seen", seen.changed_at).map(Seen)).transpose()?;
    Ok(Change {
        lead_id: uuid("lead_id", &request.lead_id)?,
        state: LeadState::from_contract(request.state)?,
        owner,
        next_step_at: optional_time("next_step_at", request.next_step_at)?,
        closing_reason: ClosingReason::from_contract(request.closing_reason)?,
        do_not_contact: request.do_not_contact,
        note: limited("note", request.note.trim(), NOTE_LENGTH)?,
        seen,
        author,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(state: i32, owner: Option<&str>) -> Result<Change, Invalid> {
        let lead_id = "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned();
        let owner = owner.map(str::to_owned);
        let request = crm::UpdateLeadRequest { lead_id, state, owner, ..crm::UpdateLeadRequest::default() };
        parse_change(request, "leadctl".to_owned())
    }

    #[test]
    fn an_absent_owner_differs_from_no_owner() {
        let nothing = parsed(0, None).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(nothing.state.is_none() && nothing.owner.is_none());
        let no_owner = parsed(4, Some(" ")).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(no_owner.state == Some(LeadState::Closed) && no_owner.owner.as_deref() == Some(""));
    }

    #[test]
    fn unknown_states_and_long_owners_are_refused() {
        assert_eq!(parsed(9, None).err(), Some(FieldError::UnknownValue("state").into()));
        assert_eq!(parsed(1, Some(&"x".repeat(101))).err(), Some(FieldError::TooLong("owner", 100).into()));
    }
}
