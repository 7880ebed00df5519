//! Counting leads.

use contracts::crm::v1::{CountLeadsRequest, CountLeadsResponse};
use tonic::Status;
use tracing::info;

use super::auth::Caller;
use crate::{store::Store, wire};

pub(super) async fn count(
    store: &Store,
    caller: &Caller,
    request: CountLeadsRequest,
) -> Result<CountLeadsResponse, Status> {
    let spans = wire::spans(request.from, request.before)?;
    let statistics = store.statistics(spans).await?;
    info!(client = %caller, leads = statistics.total.leads, "CountLeads");
    Ok(wire::statistics(statistics))
}
