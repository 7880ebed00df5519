//! Runs recurring work that any replica may do: maintenance, and samples of gauges.

use std::{convert::Infallible, sync::Arc, time::Duration};

use chrono::TimeDelta;
use opentelemetry::{
    KeyValue,
    metrics::{AsyncInstrument, Gauge, Meter},
};
use parking_lot::Mutex;
use runtime::service::Context;
use tokio::time::sleep;
use tracing::{debug, info, warn};

use crate::{
    canary::{Canaries, Canary},
    db::{Store, error::StoreError},
    deliveries::pending::Pending,
    metrics::{ErasureCause, Metrics},
};

const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(60);

/// Erases leads past their retention, deletes old canaries and tasks, and truncates SQLite's log.
pub(crate) struct Maintenance {
    pub(crate) store: Store,
    pub(crate) metrics: Metrics,
    /// `None` keeps leads forever.
    pub(crate) retention: Option<TimeDelta>,
}

impl Maintenance {
    /// Runs immediately, and then every [`MAINTENANCE_INTERVAL`] until the process stops.
    pub(crate) fn start(self, context: &Context) {
        let maintenance = Arc::new(self);
        repeat(context, "maintenance", MAINTENANCE_INTERVAL, move || {
            let maintenance = maintenance.clone();
            async move {
                if let Err(error) = maintenance.maintain().await {
                    warn!(%error, "maintenance failed, retrying");
                }
            }
        });
    }

    async fn maintain(&self) -> Result<(), StoreError> {
        if let Some(age) = self.retention {
            let mut erased = 0;
            loop {
                let some = self.store.erase_older_than(age).await?;
                self.metrics.add_erased(ErasureCause::Retention, some);
                erased += some;
                if some == 0 {
                    break;
                }
            }
            if erased > 0 {
                info!(leads = erased, "leads past RETENTION_DAYS erased");
            }
        }
        while self.store.forget_canaries().await? > 0 {}
        self.store.delete_old_tasks().await?;
        if !matches!(self.store.checkpoint().await, Ok(true)) {
            warn!("SQLite log not truncated, it may contain erased data; retrying");
        }
        Ok(())
    }
}

const SAMPLE_INTERVAL: Duration = Duration::from_secs(10);

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
    /// Samples every [`SAMPLE_INTERVAL`] until the process stops.
    pub(crate) fn start(self, context: &Context) {
        let sampler = Arc::new((self, Gauges::new(context.metrics.meter())));
        repeat(context, "sampler", SAMPLE_INTERVAL, move || {
            let sampler = sampler.clone();
            async move {
                let (sampler, gauges) = &*sampler;
                if let Err(error) = sampler.sample(gauges).await {
                    debug!(%error, "gauges not sampled");
                }
            }
        });
    }

    async fn sample(&self, gauges: &Gauges) -> Result<(), StoreError> {
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

/// Runs a job immediately and again after each interval. The stop of the process ends a running job.
fn repeat<F: Future<Output = ()> + Send>(
    context: &Context,
    name: &'static str,
    interval: Duration,
    job: impl Fn() -> F + Send + Sync + 'static,
) {
    let stop = context.lifecycle.soft_stop();
    context.lifecycle.spawn(name, async move {
        let jobs = async {
            loop {
                job().await;
                sleep(interval).await;
            }
        };
        stop.run_until_cancelled(jobs).await;
        Ok::<_, Infallible>(())
    });
}
