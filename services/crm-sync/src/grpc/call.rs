//! What all calls share: the services behind them, the caller's role, and the audit of what people read.

use std::any::type_name;

use futures_util::{Stream, StreamExt, stream::BoxStream};
use lead::field::uuid;
use runtime::clock::SharedClock;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::{
    auth::{Caller, Role},
    db::{Store, audit::Call},
    error::Invalid,
    metrics::Metrics,
};

pub(super) type Reply<T> = Result<Response<T>, Status>;

pub(super) type Pages<T> = BoxStream<'static, Result<T, Status>>;

/// Implements the four services of `crm.v1`, each in its own file. Each method checks the caller's role, parses the request,
/// calls the store and logs the call.
pub(super) struct Crm {
    pub(super) store: Store,
    pub(super) metrics: Metrics,
    pub(super) clock: SharedClock,
    /// Ends exports when the process stops.
    pub(super) stop: CancellationToken,
}

impl Crm {
    /// Records which leads a person reads. The call fails if the rows cannot be written. Changes are recorded in their own
    /// transaction.
    pub(super) async fn audit_read(
        &self,
        caller: &Caller,
        action: &'static str,
        leads: &[Uuid],
    ) -> Result<(), Status> {
        if caller.role.is_audited() {
            let author = &caller.author();
            self.store
                .audit_read(Call { author, action }, leads)
                .await?;
        }
        Ok(())
    }

    /// Ends the stream with an error when the process stops, so clients do not treat a partial export as complete.
    pub(super) fn until_stop<T: Send + 'static>(
        &self,
        pages: impl Stream<Item = Result<T, Status>> + Send + 'static,
    ) -> Pages<T> {
        let stop = self.stop.clone();
        let stopping = || Status::unavailable("crm-sync is stopping: export again");
        pages
            .map(move |page| {
                if stop.is_cancelled() {
                    Err(stopping())
                } else {
                    page
                }
            })
            .boxed()
    }
}

/// Returns the caller and the message. Rejects callers that have none of these roles.
pub(super) fn authorize<T>(request: Request<T>, roles: &[Role]) -> Result<(Caller, T), Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    let caller = caller.ok_or_else(|| Status::unauthenticated("missing token"))?;
    caller.check_role(roles, type_name::<T>())?;
    Ok((caller, request.into_inner()))
}

pub(super) fn to_strings(ids: impl IntoIterator<Item = Uuid>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

pub(super) fn parse_id(field: &'static str, text: &str) -> Result<Uuid, Invalid> {
    Ok(uuid(field, text)?)
}

pub(super) fn parse_ids(
    texts: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<Vec<Uuid>, Invalid> {
    texts
        .into_iter()
        .map(|text| parse_id("lead_ids", text.as_ref()))
        .collect()
}
