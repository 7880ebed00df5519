//! The ledger: claim, lease, report, note.

use contracts::crm::v1::{
    ClaimRecipientRequest, ClaimRecipientResponse, LeaseUntoldRequest, LeaseUntoldResponse, NoteLeadRequest,
    NoteLeadResponse, ReportRecipientRequest, ReportRecipientResponse,
};
use runtime::crash;
use tonic::Status;
use tracing::info;

use super::auth::Caller;
use crate::{
    domain::{ledger::Answer, road::Road},
    ledger::Ledger,
    wire::{self, Report},
};

pub(super) async fn claim(
    ledger: &Ledger,
    caller: &Caller,
    request: ClaimRecipientRequest,
) -> Result<ClaimRecipientResponse, Status> {
    let claim = wire::claim(request)?;
    let claimed = ledger.claim(&claim).await?;
    crash::point("crm-sync-claimed");
    let granted = matches!(claimed.answer, Answer::Granted { .. });
    info!(client = %caller, lead_id = %claim.submission.id, holder = claim.holder, granted, "ClaimRecipient");
    Ok(wire::answer(claimed))
}

pub(super) async fn lease(
    ledger: &Ledger,
    caller: &Caller,
    request: LeaseUntoldRequest,
) -> Result<LeaseUntoldResponse, Status> {
    let lease = wire::lease(request)?;
    let leads = ledger.lease(&lease).await?;
    if !leads.is_empty() {
        info!(client = %caller, holder = lease.holder, leads = leads.len(), "LeaseUntold");
    }
    Ok(LeaseUntoldResponse { leads: leads.into_iter().map(wire::submitted).collect() })
}

pub(super) async fn report(
    ledger: &Ledger,
    caller: &Caller,
    request: ReportRecipientRequest,
) -> Result<ReportRecipientResponse, Status> {
    let lead_id = match wire::report(request)? {
        Report::Told(told) => {
            ledger.tell(Road::Grpc, std::slice::from_ref(&told)).await?;
            told.notification.lead_id
        }
        Report::Setback(setback) => {
            ledger.set_back(&setback).await?;
            setback.lead_id
        }
    };
    info!(client = %caller, %lead_id, "ReportRecipient");
    Ok(ReportRecipientResponse {})
}

pub(super) async fn note(
    ledger: &Ledger,
    caller: &Caller,
    request: NoteLeadRequest,
) -> Result<NoteLeadResponse, Status> {
    let note = wire::note(request, caller.to_string())?;
    ledger.annotate(&note).await?;
    info!(client = %caller, lead_id = %note.lead_id, action = note.action.tag(), "NoteLead");
    Ok(NoteLeadResponse {})
}
