//! Handles ExportPerson and ErasePerson.

use contracts::crm::v1::{
    ErasePersonRequest, ErasePersonResponse, ExportPersonRequest, ExportPersonResponse,
};
use futures_util::TryStreamExt;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tracing::info;

use super::{
    People,
    person::{erasure, person},
};
use crate::{
    auth::Caller,
    search::export::{Pages, until_stop},
};

pub(crate) async fn export(
    people: &People,
    caller: &Caller,
    request: &ExportPersonRequest,
    stop: &CancellationToken,
) -> Result<Pages<ExportPersonResponse>, Status> {
    let person = person(&request.person)?;
    let pages = people.export(&person, &caller.to_string()).await?;
    Ok(until_stop(pages.map_ok(|leads| ExportPersonResponse { leads }).map_err(Status::from), stop))
}

pub(crate) async fn erase(
    people: &People,
    caller: &Caller,
    request: ErasePersonRequest,
) -> Result<ErasePersonResponse, Status> {
    let erasure = erasure(request)?;
    let erased = people.erase(erasure.person.as_ref(), &erasure.also, &caller.to_string()).await?;
    info!(client = %caller, leads = erased.len(), "ErasePerson");
    Ok(ErasePersonResponse { lead_ids: erased.iter().map(ToString::to_string).collect() })
}
