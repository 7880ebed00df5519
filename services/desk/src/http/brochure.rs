//! Counts the visitors who wait for the brochure, and requests brochure emails.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use contracts::{
    crm::v1::{MailLeadRequest, SendBrochureRequest, SendBrochureResponse},
    leads::v1::Interest,
};
use serde::Deserialize;
use tracing::info;
use uuid::Uuid;

use super::{Body, Desk, DeskError, LoggedIn};

/// Maximum number of emails that one call requests. The page repeats the call until none is left, and shows the progress.
const BATCH: u32 = 500;

/// An empty JSON object, which a form on another site cannot send.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SendRequest {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestRequest {
    /// A lead whose visitor asked for the brochure.
    lead: Uuid,
}

pub(super) async fn count(
    State(desk): State<Arc<Desk>>,
    user: LoggedIn,
) -> Result<Json<SendBrochureResponse>, DeskError> {
    desk.request_brochures(&user, 0).await.map(Json)
}

pub(super) async fn send(
    State(desk): State<Arc<Desk>>,
    user: LoggedIn,
    Body(SendRequest {}): Body<SendRequest>,
) -> Result<Json<SendBrochureResponse>, DeskError> {
    let SendBrochureResponse {
        requested, left, ..
    } = desk.request_brochures(&user, BATCH).await?;
    info!(requested, left, "brochure emails requested");
    // The CRM counts only when the limit is 0.
    let counted = desk.request_brochures(&user, 0).await?;
    Ok(Json(SendBrochureResponse {
        requested,
        ..counted
    }))
}

/// Emails the person the brochure that a lead's visitor would receive.
pub(super) async fn send_test(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Body(TestRequest { lead }): Body<TestRequest>,
) -> Result<StatusCode, DeskError> {
    if !person.may_send_brochures() {
        return Err(DeskError::Forbidden);
    }
    let name = person.name();
    let request = MailLeadRequest {
        lead_id: lead.to_string(),
        person: name.to_owned(),
        brochure: true,
    };
    desk.call(name, request, async |mut crm, request| {
        crm.deliveries.mail_lead(request).await
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Desk {
    /// Requests at most `limit` emails. With a limit of 0, the CRM only counts.
    async fn request_brochures(
        &self,
        LoggedIn { person, .. }: &LoggedIn,
        limit: u32,
    ) -> Result<SendBrochureResponse, DeskError> {
        if !person.may_send_brochures() {
            return Err(DeskError::Forbidden);
        }
        let request = SendBrochureRequest {
            interest: Interest::Brochure.into(),
            submitted_from: None,
            limit,
        };
        self.call(person.name(), request, async |mut crm, request| {
            crm.deliveries.send_brochure(request).await
        })
        .await
    }
}
