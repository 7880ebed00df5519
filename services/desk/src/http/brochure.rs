//! Counts who waits for the brochure, and has it mailed to them.

use std::sync::Arc;

use axum::{Json, extract::State};
use contracts::{
    crm::v1::{SendBrochureRequest, SendBrochureResponse},
    leads::v1::Interest,
};
use crm_client::Crm;
use serde::{Deserialize, Serialize};
use tokens::Person;
use tonic::Request;
use tracing::info;

use super::{Body, Desk, LoggedIn, error::DeskError};

/// Mails that one call asks for. The page repeats it while some are left, and shows how far it is.
const AT_ONCE: u32 = 500;

/// Numbers of addresses.
#[derive(Serialize)]
pub(super) struct Brochure {
    asked: u64,
    /// May still be asked for.
    left: u64,
    waiting: u64,
    delivered: u64,
    /// Given up.
    failed: u64,
    /// Not mailed, as they are not to be contacted.
    do_not_contact: u64,
}

pub(super) async fn count(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
) -> Result<Json<Brochure>, DeskError> {
    request(&desk, &person, 0).await.map(Json)
}

/// An empty object, so that no form can send it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sending {}

pub(super) async fn send(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Body(Sending {}): Body<Sending>,
) -> Result<Json<Brochure>, DeskError> {
    request(&desk, &person, AT_ONCE).await?;
    // The CRM does not count what it asks for.
    request(&desk, &person, 0).await.map(Json)
}

async fn request(desk: &Desk, person: &Person, limit: u32) -> Result<Brochure, DeskError> {
    if !person.may_send_brochures() {
        return Err(DeskError::Forbidden);
    }
    let request = SendBrochureRequest { interest: Interest::Brochure.into(), submitted_from: None, limit };
    let send = |mut crm: Crm, request: Request<_>| async move { crm.send_brochure(request).await };
    let counted: SendBrochureResponse = desk.crm.call(person.name(), request, send).await?;
    if limit > 0 {
        info!(requested = counted.requested, left = counted.left, "brochure emails requested");
    }
    Ok(Brochure {
        asked: counted.asked,
        left: counted.left,
        waiting: counted.waiting,
        delivered: counted.delivered,
        failed: counted.failed,
        do_not_contact: counted.do_not_contact,
    })
}
