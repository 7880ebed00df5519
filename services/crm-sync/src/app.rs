//! Starts the service, also in tests.

use std::{io, net::SocketAddr};

use chrono::TimeDelta;
use lead::PhoneNumber;
use messaging::{Consumer, Publisher, topology::CRM_SYNC};
use runtime::{backoff::Backoff, network::listen, service::Context};
use tokio::time::sleep;
use tracing::{info, warn};

use crate::{
    auth::Authority,
    config::Config,
    consumer::{BATCHING, EventRecorder},
    db::{self, Store, error::StoreError, settings::Settings, suppression_key::SuppressionKey},
    grpc, jobs,
    metrics::Metrics,
};

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Listen(#[from] io::Error),
    #[error("cannot open the database")]
    Store(#[from] StoreError),
    #[error("cannot set up gRPC reflection")]
    Reflection(#[from] tonic_reflection::server::Error),
    #[error("stopped while waiting for the database")]
    Stopped,
}

pub struct App {
    pub grpc_addr: SocketAddr,
}

impl App {
    /// Starts all parts, which run until the context's lifecycle stops them. Waits while the database server is unavailable.
    pub async fn start(config: Config, context: &Context) -> Result<Self, StartError> {
        let listener = listen("GRPC_ADDR", config.grpc.grpc_addr).await?;
        let grpc_addr = listener.local_addr()?;

        let store = wait_for_store(&config.database, &config.suppression_key, context).await?;
        PhoneNumber::load_data();
        let metrics = Metrics::new(context);

        // gRPC serves the fallback path during a broker outage, so its start does not depend on the broker.
        let authority = Authority {
            clients: config.crm_tokens,
            desk_keys: config.desk_session_keys,
            clock: context.clock.clone(),
            calls: metrics.calls.clone(),
        };
        let certificate = config.grpc.certificate();
        grpc::serve(
            listener,
            store.clone(),
            metrics.clone(),
            authority,
            certificate,
            context,
        )
        .await?;
        let retention = config
            .retention_days
            .map(|days| TimeDelta::days(days.into()));
        jobs::start(&store, &metrics, retention, context);
        let publisher = Publisher::start(config.messaging.clone(), context);
        let handler = EventRecorder {
            store,
            metrics,
            clock: context.clock.clone(),
        };
        Consumer {
            subscription: CRM_SYNC,
            batching: BATCHING,
            handler,
        }
        .start(config.messaging, publisher, context);
        Ok(Self { grpc_addr })
    }
}

/// Connects to the database, and completes rows of the previous version, because a link cannot withdraw consent before that.
async fn open_store(settings: &Settings, suppression: SuppressionKey) -> db::Result<Store> {
    let store = Store::connect(settings, suppression).await?;
    let mailboxes = store.complete_rows().await?;
    store.fold_digits().await?;
    if mailboxes > 0 {
        info!(mailboxes, "rows of the previous version completed");
    }
    Ok(store)
}

async fn wait_for_store(
    settings: &Settings,
    suppression: &SuppressionKey,
    context: &Context,
) -> Result<Store, StartError> {
    let mut backoff = Backoff::default();
    let stop = context.lifecycle.soft_stop();
    loop {
        let error = match open_store(settings, suppression.clone()).await {
            Ok(store) => return Ok(store),
            // Includes an outdated schema, which `crm-sync migrate` updates in another process.
            Err(
                error @ (StoreError::Unavailable(_)
                | StoreError::Slow(_)
                | StoreError::SchemaOutdated),
            ) if settings.may_recover() => error,
            Err(error) => return Err(error.into()),
        };
        let wait = backoff.next_delay();
        warn!(%error, ?wait, "start failed, retrying");
        tokio::select! {
            () = sleep(wait) => {}
            () = stop.cancelled() => return Err(StartError::Stopped),
        }
    }
}
