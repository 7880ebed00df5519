//! Calls, on whichever replica answers.

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

use crate::{settings::Settings, span, token::Token};

/// The CRM's own client, on one replica.
pub type Crm = CrmServiceClient<InterceptedService<Channel, Token>>;

/// Calls one replica and, when it does not answer, the others. Connects when there is a call. Clones share
/// connections. For calls that may be made twice: a replica that did not answer in time may have done what it was
/// asked to.
#[derive(Clone)]
pub struct CrmClient {
    replicas: Arc<[Crm]>,
    /// The replica that answered last, counted on without end.
    preferred: Arc<AtomicUsize>,
}

impl CrmClient {
    /// A client of these replicas. To be made where tokio runs.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { replicas, token } = settings;
        let client = |endpoint: &tonic::transport::Endpoint| {
            CrmServiceClient::with_interceptor(endpoint.connect_lazy(), token.clone())
        };
        Self { replicas: replicas.iter().map(client).collect(), preferred: Arc::default() }
    }

    /// Makes a call within a deadline, which the replicas share.
    ///
    /// # Errors
    /// The last replica's status: [`Code::Unavailable`] or [`Code::DeadlineExceeded`] when none was there.
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
            // Of several calls that failed together, one moves on and the others find it done.
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

/// Whether another replica may answer otherwise.
#[must_use]
pub fn is_about_the_replica(status: &Status) -> bool {
    // Not the replica's word: tonic made it of a connection that broke, with a code that depends on how.
    let is_of_the_connection = status.source().is_some();
    is_of_the_connection
        || match status.code() {
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => true,
            Code::Ok
            | Code::Unknown
            | Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::ResourceExhausted
            | Code::FailedPrecondition
            | Code::Aborted
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::Internal
            | Code::DataLoss
            | Code::Unauthenticated => false,
        }
}
