//! Calls to the CRM, with failover between its replicas.

use std::{
    error::Error,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use contracts::crm::v1::crm_service_client::CrmServiceClient;
use tokio::time::{Instant, timeout};
use tonic::{Code, Response, Status, service::interceptor::InterceptedService, transport::Channel};
use tracing::Instrument;

use crate::{address::Address, settings::Settings, span, token::Token};

/// The generated CRM client for one replica.
pub type Crm = CrmServiceClient<InterceptedService<Channel, Token>>;

/// Calls one replica and fails over to the others. Connects lazily; clones share connections. Only for idempotent
/// calls: a replica that did not answer in time may still have done the work.
#[derive(Clone)]
pub struct CrmClient {
    replicas: Arc<[Crm]>,
    /// Index of the replica that answered last, modulo the number of replicas.
    preferred: Arc<AtomicUsize>,
}

impl CrmClient {
    /// Creates a client for these replicas. Must be called within a tokio runtime.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { replicas, token } = settings;
        let client =
            |address: &Address| CrmServiceClient::with_interceptor(address.connect_lazy(), token.clone());
        Self { replicas: replicas.iter().map(client).collect(), preferred: Arc::default() }
    }

    /// Makes a call. The replicas tried share the deadline `within`.
    ///
    /// # Errors
    /// The status of the last replica tried: [`Code::Unavailable`] or [`Code::DeadlineExceeded`] when none was
    /// reachable. Other statuses are returned at once, without failover.
    pub async fn call<T, Answer>(&self, within: Duration, call: impl Fn(Crm) -> Answer) -> Result<T, Status>
    where
        Answer: Future<Output = Result<Response<T>, Status>>,
    {
        let deadline = Instant::now() + within;
        let mut failure = Status::deadline_exceeded("the CRM did not answer in time");
        let first = self.preferred.load(Ordering::Relaxed);
        for tried in 0..self.replicas.len() {
            let index = first.wrapping_add(tried);
            let replica = self.replicas[index % self.replicas.len()].clone();
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(self.replicas.len() - tried).unwrap_or(u32::MAX);
            let span = span::calling();
            let outcome = timeout(share, call(replica)).instrument(span.clone()).await;
            let late = |_| Err(Status::deadline_exceeded("the CRM did not answer in time"));
            let outcome = outcome.unwrap_or_else(late);
            span::end(&span, &outcome);
            failure = match outcome {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) if !is_about_the_replica(&status) => return Err(status),
                Err(status) => status,
            };
            // When several concurrent calls fail, only one of them moves on to the next replica.
            let _ = self.preferred.compare_exchange(
                index,
                index.wrapping_add(1),
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
        }
        Err(failure)
    }
}

/// Whether the failure concerns this replica only, so that another may succeed.
#[must_use]
pub fn is_about_the_replica(status: &Status) -> bool {
    // tonic created this status from a broken connection; its code depends on how the connection broke.
    let is_of_the_connection = status.source().is_some();
    is_of_the_connection
        || matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled)
}
