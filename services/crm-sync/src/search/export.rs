//! Streams all leads that pass a filter.

use std::pin::Pin;

use contracts::crm::v1::{ExportLeadsRequest, ExportLeadsResponse};
use futures_util::{Stream, stream};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tracing::info;

use super::{
    cursor::{Cursor, PageSize},
    filter::Filter,
};
use crate::{auth::Caller, db::Store};

/// Leads per message: even of the largest leads, less than a client accepts.
const PAGE: u32 = 250;

pub(crate) type Exported = Pin<Box<dyn Stream<Item = Result<ExportLeadsResponse, Status>> + Send>>;

/// Reads a page when the client has room for it, so that an export of any length takes the same memory. Ends with an
/// error on `stop`.
pub(crate) async fn exported(
    store: &Store,
    caller: &Caller,
    request: ExportLeadsRequest,
    stop: &CancellationToken,
) -> Result<Exported, Status> {
    let filter = Filter::from_contract(request.filter)?;
    let total = store.total(&filter).await?;
    store.audit(&caller.to_string(), "export", total).await?;
    info!(client = %caller, leads = total, "ExportLeads");
    let export = Export { store: store.clone(), filter, total, after: None };
    let stop = stop.clone();
    Ok(Box::pin(stream::unfold(Some(export), move |export| {
        let stop = stop.clone();
        async move {
            let export = export?;
            tokio::select! {
                biased;
                () = stop.cancelled() => {
                    Some((Err(Status::unavailable("crm-sync is stopping: export again")), None))
                }
                page = export.next() => match page {
                    Ok((page, rest)) => Some((Ok(page), rest)),
                    Err(failure) => Some((Err(failure), None)),
                },
            }
        }
    })))
}

struct Export {
    store: Store,
    filter: Filter,
    /// The number of leads in the first message, 0 afterwards.
    total: u64,
    after: Option<Cursor>,
}

impl Export {
    async fn next(self) -> Result<(ExportLeadsResponse, Option<Self>), Status> {
        let page = self.store.page(&self.filter, self.after, PageSize::asked(PAGE)).await?;
        let leads = self.store.with_same_number(page.leads).await?;
        let message = ExportLeadsResponse { leads, total: self.total };
        let rest = page.next.map(|after| Self { total: 0, after: Some(after), ..self });
        Ok((message, rest))
    }
}
