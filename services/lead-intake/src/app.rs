//! Wires the service, the same way in production and in tests.

use std::{future::IntoFuture, io, net::SocketAddr};

use chrono::TimeDelta;
use crm_client::CrmClient;
use messaging::Publisher;
use runtime::{http::HttpMetrics, limit::Limit, network::listen, service::Context};
use tokio::sync::Semaphore;
use tracing::info;

use crate::{
    config::Config,
    http::{self, Intake},
    submit::Submitter,
};

/// Leads of one network in an hour after which crm-sync may send its visitors' confirmations later. A household sends
/// fewer.
const LEADS_PER_NETWORK: u32 = 3;

/// Starts all parts; returns the HTTP address.
///
/// # Errors
/// When the address cannot be bound.
pub async fn start(config: Config, context: &Context) -> io::Result<SocketAddr> {
    let Config { http_addr, anon_key, session_keys, withdrawal_keys, canary_key, max_in_flight, broker, crm } =
        config;
    let listener = listen(http_addr).await.map_err(|error| {
        io::Error::new(error.kind(), format!("cannot bind HTTP_ADDR={http_addr}: {error}"))
    })?;
    let address = listener.local_addr()?;
    let meter = context.metrics.meter();
    let crm = CrmClient::new(crm);
    crm.watch_token(context);
    let intake = Intake {
        submitter: Submitter::new(Publisher::start(broker, context), crm, meter),
        network_limit: Limit::new(LEADS_PER_NETWORK, TimeDelta::hours(1)),
        anon_key,
        session_keys,
        withdrawal_keys,
        canary_key,
        clock: context.clock.clone(),
        ids: context.ids.clone(),
        browser_errors: meter
            .u64_counter("browser_errors")
            .with_description("Errors reported by visitors' browsers, by kind.")
            .build(),
        metrics: HttpMetrics::new(meter),
        in_flight: Semaphore::new(max_in_flight),
    };
    let server = axum::serve(listener, http::router(intake))
        .with_graceful_shutdown(context.lifecycle.soft_stop().cancelled_owned());
    context.lifecycle.spawn("http", server.into_future());
    info!(%address, "serving HTTP");
    Ok(address)
}
