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

use contracts::crm::v1::CheckTokenRequest;
use runtime::{service::Context, trace::TARGET};
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Response, Status, service::interceptor::InterceptedService, transport::Channel};
use tracing::{Instrument, Span, field::Empty, info_span};

use crate::{
    address::Address,
    former_name::FormerName,
    replica::Replica,
    settings::{Settings, Token},
};

/// The services of one replica, over a connection with a token.
pub type Crm = Replica<Connection>;

type Connection = InterceptedService<FormerName<Channel>, Token>;

/// Calls the CRM over one connection, without failover.
pub fn connect(channel: Channel, token: Token) -> Crm {
    Replica::new(InterceptedService::new(FormerName(channel), token))
}

/// Interval and deadline of the token checks.
const TOKEN_INTERVAL: Duration = Duration::from_secs(10);
const TOKEN_DEADLINE: Duration = Duration::from_secs(2);

/// Calls one replica and fails over to the others. Connects lazily; clones share connections. Only for idempotent
/// calls: a replica that did not answer in time may still have processed the call.
#[derive(Clone)]
pub struct CrmClient {
    replicas: Arc<[Replica<Connection>]>,
    /// Index of the replica that answered last, modulo the number of replicas.
    preferred: Arc<AtomicUsize>,
}

impl CrmClient {
    /// Creates a client for the replicas. Must be called within a tokio runtime.
    ///
    /// # Panics
    /// If the settings are invalid; see [`Validate`](runtime::config::Validate).
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let addresses = settings
            .parse_addresses()
            .expect("the settings are validated");
        let connect =
            |address: &Address| connect(address.connect_lazy(), settings.crm_token.clone());
        Self {
            replicas: addresses.iter().map(connect).collect(),
            preferred: Arc::default(),
        }
    }

    /// Reports on `/readyz` whether the CRM accepts the token. The report does not change while the CRM is unavailable.
    pub fn watch_token(&self, context: &Context) {
        const REJECTION: &str = "the CRM rejects the token in CRM_TOKEN";
        let client = self.clone();
        let readiness = context.readiness.clone();
        context
            .lifecycle
            .spawn_until("crm-token", context.lifecycle.soft_stop(), async move {
                loop {
                    let check = |mut crm: Crm| async move {
                        crm.access.check_token(CheckTokenRequest {}).await
                    };
                    match client.call(TOKEN_DEADLINE, check).await {
                        Ok(_) => readiness.record_credential(REJECTION, true),
                        Err(status) if should_fail_over(&status) => {}
                        Err(status) => {
                            readiness.record_credential(
                                REJECTION,
                                status.code() != Code::Unauthenticated,
                            );
                        }
                    }
                    sleep(TOKEN_INTERVAL).await;
                }
            });
    }

    /// Tries the replicas in turn. The attempts share the deadline `within`.
    ///
    /// # Errors
    /// The status of the last replica tried: [`Code::Unavailable`] or [`Code::DeadlineExceeded`] when none was
    /// reachable. Other statuses are returned immediately, without failover.
    pub async fn call<T, Answer>(
        &self,
        within: Duration,
        call: impl Fn(Crm) -> Answer,
    ) -> Result<T, Status>
    where
        Answer: Future<Output = Result<Response<T>, Status>>,
    {
        let late = || Status::deadline_exceeded("the CRM did not answer in time");
        let deadline = Instant::now() + within;
        let count = self.replicas.len();
        let first = self.preferred.load(Ordering::Relaxed);
        let mut failure = late();
        for tried in 0..count {
            let index = first.wrapping_add(tried);
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(count - tried).unwrap_or(u32::MAX);
            let span = call_span();
            let answer = timeout(share, call(self.replicas[index % count].clone()));
            let outcome = answer
                .instrument(span.clone())
                .await
                .unwrap_or_else(|_| Err(late()));
            let code = outcome.as_ref().err().map_or(Code::Ok, Status::code);
            span.record("rpc.grpc.status_code", i32::from(code));
            if outcome.is_err() {
                span.record("otel.status_code", "ERROR");
            }
            failure = match outcome {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) if !should_fail_over(&status) => return Err(status),
                Err(status) => status,
            };
            // When several concurrent calls fail, only one of them changes the preferred replica.
            let next = index.wrapping_add(1);
            let _ =
                self.preferred
                    .compare_exchange(index, next, Ordering::Relaxed, Ordering::Relaxed);
        }
        Err(failure)
    }
}

/// Follows OpenTelemetry's conventions for gRPC. [`Token`] adds the service and the method.
fn call_span() -> Span {
    info_span!(
        target: TARGET,
        "call",
        otel.kind = "client",
        otel.status_code = Empty,
        rpc.system = "grpc",
        rpc.service = Empty,
        rpc.method = Empty,
        rpc.grpc.status_code = Empty,
    )
}

/// Whether the failure concerns this replica only, so that another may succeed.
#[must_use]
pub fn should_fail_over(status: &Status) -> bool {
    // tonic created this status from a broken connection; its code depends on how the connection broke.
    let is_of_the_connection = status.source().is_some();
    is_of_the_connection
        || matches!(
            status.code(),
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled
        )
}
