//! Handles ExportPerson and ErasePerson.

use contracts::crm::v1::{
    ErasePersonRequest, ErasePersonResponse, ExportPersonRequest, ExportPersonResponse,
};
use tonic::Status;
use tracing::info;

use super::{
    People,
    person::{erasure, person},
};
use crate::auth::Caller;

pub(crate) async fn export(
    people: &People,
    caller: &Caller,
    request: ExportPersonRequest,
) -> Result<ExportPersonResponse, Status> {
    let person = person(&request.person)?;
    let leads = people.export(&person, &caller.to_string()).await?;
    info!(client = %caller, leads = leads.len(), "ExportPerson");
    Ok(ExportPersonResponse { leads })
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
