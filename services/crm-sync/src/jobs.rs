//! Runs recurring work that any replica may do: maintenance, and samples of gauges.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use opentelemetry::{
    KeyValue,
    metrics::{AsyncInstrument, Gauge, Meter},
};
use parking_lot::Mutex;
use runtime::service::Context;
use tracing::{debug, info, warn};

use crate::{
    canary::{Canaries, Canary},
    db::{self, Store},
    deliveries::unfinished::Pending,
    metrics::{ErasureCause, Metrics},
};

const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(60);

const SAMPLE_INTERVAL: Duration = Duration::from_secs(10);

/// Starts the jobs, which run until the process stops. Leads are erased after `retention`; `None` keeps them forever.
pub(crate) fn start(store: &Store, metrics: &Metrics, retention: Option<TimeDelta>, context: &Context) {
    let (lifecycle, stop) = (&context.lifecycle, context.lifecycle.soft_stop());
    let (maintained, metrics) = (store.clone(), metrics.clone());
    lifecycle.spawn_every(
        "maintenance",
        || MAINTENANCE_INTERVAL,
        stop.clone(),
        move || {
            let (store, metrics) = (maintained.clone(), metrics.clone());
            async move {
                if let Err(error) = maintain(&store, &metrics, retention).await {
                    warn!(%error, "maintenance failed, retrying");
                }
            }
        },
    );
    let (sampled, gauges) = (store.clone(), Arc::new(Gauges::new(context.metrics.meter())));
    lifecycle.spawn_every(
        "sampler",
        || SAMPLE_INTERVAL,
        stop,
        move || {
            let (store, gauges) = (sampled.clone(), gauges.clone());
            async move {
                if let Err(error) = gauges.sample(&store).await {
                    debug!(%error, "gauges not sampled");
                }
            }
        },
    );
}

/// Erases leads past their retention, deletes old canaries and tasks, and truncates SQLite's log.
async fn maintain(store: &Store, metrics: &Metrics, retention: Option<TimeDelta>) -> db::Result<()> {
    if let Some(age) = retention {
        let mut erased = 0;
        loop {
            let some = store.erase_older_than(age).await?;
            metrics.add_erased(ErasureCause::Retention, some);
            erased += some;
            if some == 0 {
                break;
            }
        }
        if erased > 0 {
            info!(leads = erased, "leads past RETENTION_DAYS erased");
        }
    }
    while store.delete_old_canaries().await? > 0 {}
    store.delete_old_tasks().await?;
    if !matches!(store.checkpoint().await, Ok(true)) {
        warn!("SQLite log not truncated, it may contain erased data; retrying");
    }
    Ok(())
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
        let observe_canaries = |name, description, seconds: fn(Canary) -> Duration| {
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
        let age = "Time since the latest canary at the stage was submitted, by stage.";
        observe_canaries("crm_canary_age", age, |it| it.age);
        let duration = "Time the latest canary took to reach the stage, by stage.";
        observe_canaries("crm_canary_duration", duration, |it| it.took);
        let gauge = |name, description| meter.u64_gauge(name).with_description(description).build();
        let oldest = meter.f64_gauge("crm_pending_oldest_age").with_unit("s");
        let oldest =
            oldest.with_description("Time since the oldest pending lead was stored; 0 if there is none.");
        Self {
            canaries,
            pending: gauge(
                "crm_pending_leads",
                "Leads with unfinished emails to the sales team; failed deliveries do not count.",
            ),
            oldest: oldest.build(),
            failed: gauge(
                "crm_failed_deliveries",
                "Failed deliveries, which an operator must retry or discard.",
            ),
            connections: gauge(
                "db.client.connection.count",
                "Database connections, by state (used or idle).",
            ),
        }
    }

    async fn sample(&self, store: &Store) -> db::Result<()> {
        let connections = store.connections();
        for (state, count) in [("used", connections.used), ("idle", connections.idle)] {
            self.connections.record(count, &[KeyValue::new("state", state)]);
        }
        let Pending { leads, oldest } = store.pending().await?;
        self.pending.record(leads, &[]);
        self.oldest.record(oldest.as_secs_f64(), &[]);
        self.failed.record(store.failed_deliveries().await?, &[]);
        let canaries = store.canaries().await?;
        *self.canaries.lock() = canaries;
        Ok(())
    }
}
