//! People: export, erase.

use contracts::crm::v1::{
    ErasePersonRequest, ErasePersonResponse, ExportPersonRequest, ExportPersonResponse,
};
use tonic::Status;
use tracing::info;

use super::auth::Caller;
use crate::{people::People, wire};

pub(super) async fn export(
    people: &People,
    caller: &Caller,
    request: ExportPersonRequest,
) -> Result<ExportPersonResponse, Status> {
    let person = wire::person(&request.person)?;
    let leads = people.export(&person, &caller.to_string()).await?;
    info!(client = %caller, leads = leads.len(), "ExportPerson");
    let leads = leads.into_iter().map(|(lead, history)| wire::lead_with_history(lead, history)).collect();
    Ok(ExportPersonResponse { leads })
}

pub(super) async fn erase(
    people: &People,
    caller: &Caller,
    request: ErasePersonRequest,
) -> Result<ErasePersonResponse, Status> {
    let erasure = wire::erasure(request)?;
    let erased = people.erase(&erasure.person, &erasure.also, &caller.to_string()).await?;
    info!(client = %caller, leads = erased.len(), "ErasePerson");
    Ok(ErasePersonResponse { lead_ids: erased.iter().map(ToString::to_string).collect() })
}
