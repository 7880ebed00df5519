//! Samples gauges: pending leads, failed deliveries, canaries and database connections.

use parking_lot::Mutex;
use std::{convert::Infallible, sync::Arc, time::Duration};

use opentelemetry::{
    KeyValue,
    metrics::{AsyncInstrument, Gauge, Meter},
};
use runtime::service::Context;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use crate::{
    canary::{Canaries, Canary},
    db::{Store, error::StoreError},
    deliveries::pending::Pending,
};

const INTERVAL: Duration = Duration::from_secs(10);

pub(crate) struct Sampler {
    pub(crate) store: Store,
}

struct Gauges {
    pending: Gauge<u64>,
    oldest: Gauge<f64>,
    failed: Gauge<u64>,
    connections: Gauge<u64>,
    /// The last sample; a missing canary is not reported.
    canaries: Arc<Mutex<Canaries>>,
}

impl Gauges {
    fn new(meter: &Meter) -> Self {
        let canaries = Arc::new(Mutex::new(Canaries::default()));
        let gauge = |name, description, seconds: fn(Canary) -> Duration| {
            let canaries = canaries.clone();
            let observe = move |observer: &dyn AsyncInstrument<f64>| {
                let Canaries { stored, mailed } = *canaries.lock();
                for (stage, canary) in [("stored", stored), ("mailed", mailed)] {
                    if let Some(canary) = canary {
                        observer.observe(seconds(canary).as_secs_f64(), &[KeyValue::new("stage", stage)]);
                    }
                }
            };
            let gauge = meter.f64_observable_gauge(name).with_unit("s").with_description(description);
            let _registered = gauge.with_callback(observe).build();
        };
        gauge("crm_canary_age", "Time since the latest canary at the stage was submitted, by stage.", |it| {
            it.age
        });
        gauge("crm_canary_duration", "Time the latest canary took to reach the stage, by stage.", |it| {
            it.took
        });
        Self {
            canaries,
            pending: meter
                .u64_gauge("crm_pending_leads")
                .with_description(
                    "Leads with unfinished emails to the sales team; failed deliveries do not count.",
                )
                .build(),
            oldest: meter
                .f64_gauge("crm_pending_oldest_age")
                .with_unit("s")
                .with_description("Time since the oldest pending lead was stored; 0 if there is none.")
                .build(),
            failed: meter
                .u64_gauge("crm_failed_deliveries")
                .with_description("Failed deliveries, which an operator must retry or discard.")
                .build(),
            connections: meter
                .u64_gauge("db.client.connection.count")
                .with_description("Database connections, by state (used or idle).")
                .build(),
        }
    }
}

impl Sampler {
    /// Samples every [`INTERVAL`] until the process stops.
    pub(crate) fn start(self, context: &Context) {
        let (gauges, stop) = (Gauges::new(context.metrics.meter()), context.lifecycle.soft_stop());
        context.lifecycle.spawn("sampler", async move {
            self.run(&gauges, &stop).await;
            Ok::<_, Infallible>(())
        });
    }

    async fn run(&self, gauges: &Gauges, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                taken = self.take(gauges) => if let Err(error) = taken {
                    debug!(%error, "gauges not sampled");
                },
                () = stop.cancelled() => return,
            }
            tokio::select! {
                () = sleep(INTERVAL) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    async fn take(&self, gauges: &Gauges) -> Result<(), StoreError> {
        let connections = self.store.connections();
        for (state, count) in [("used", connections.used), ("idle", connections.idle)] {
            gauges.connections.record(count, &[KeyValue::new("state", state)]);
        }
        let Pending { leads, oldest } = self.store.pending().await?;
        gauges.pending.record(leads, &[]);
        gauges.oldest.record(oldest.as_secs_f64(), &[]);
        gauges.failed.record(self.store.failed_deliveries().await?, &[]);
        let canaries = self.store.canaries().await?;
        *gauges.canaries.lock() = canaries;
        Ok(())
    }
}
