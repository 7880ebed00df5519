//! Shows the report on the launch.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
};
use contracts::crm::v1::{GetReportRequest, GetReportResponse};
use serde::Deserialize;

use super::{Desk, DeskError, LoggedIn};

/// Numbers of days that the page offers.
const PERIODS: [u32; 3] = [7, 30, 90];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportQuery {
    #[serde(default = "default_days")]
    days: u32,
}

fn default_days() -> u32 {
    30
}

pub(super) async fn show_report(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    query: Result<Query<ReportQuery>, QueryRejection>,
) -> Result<Json<GetReportResponse>, DeskError> {
    if !person.may_see_report() {
        return Err(DeskError::Forbidden);
    }
    let Query(ReportQuery { days }) = query.map_err(|_| DeskError::Invalid)?;
    if !PERIODS.contains(&days) {
        return Err(DeskError::Invalid);
    }
    let request = GetReportRequest {
        days,
        time_zone: desk.config.time_zone.name().to_owned(),
    };
    desk.call(person.name(), request, async |mut crm, request| {
        crm.leads.get_report(request).await
    })
    .await
    .map(Json)
}
