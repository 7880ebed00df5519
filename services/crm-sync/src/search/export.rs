//! Streams all leads that pass a filter.

use std::pin::Pin;

use contracts::crm::v1::{ExportLeadsRequest, ExportLeadsResponse};
use futures_util::{Stream, StreamExt, stream};
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

pub(crate) type Pages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Reads a page when the client has room for it, so that an export of any length takes the same memory.
pub(crate) async fn exported(
    store: &Store,
    caller: &Caller,
    request: ExportLeadsRequest,
    stop: &CancellationToken,
) -> Result<Pages<ExportLeadsResponse>, Status> {
    let filter = Filter::from_contract(request.filter)?;
    let total = store.total(&filter).await?;
    store.audit(&caller.to_string(), "export", total).await?;
    info!(client = %caller, leads = total, "ExportLeads");
    let export = Export { store: store.clone(), filter, total, after: None };
    let pages = stream::try_unfold(Some(export), async |export| match export {
        Some(export) => export.next().await.map(Some),
        None => Ok(None),
    });
    Ok(until_stop(pages, stop))
}

/// Ends with an error on `stop`, so that half an export is not taken for all of it.
pub(crate) fn until_stop<T: Send + 'static>(
    pages: impl Stream<Item = Result<T, Status>> + Send + 'static,
    stop: &CancellationToken,
) -> Pages<T> {
    let stop = stop.clone();
    Box::pin(stream::unfold(Some(Box::pin(pages)), move |pages| {
        let stop = stop.clone();
        async move {
            let mut pages = pages?;
            tokio::select! {
                biased;
                () = stop.cancelled() => {
                    Some((Err(Status::unavailable("crm-sync is stopping: export again")), None))
                }
                page = pages.next() => page.map(|page| (page, Some(pages))),
            }
        }
    }))
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
