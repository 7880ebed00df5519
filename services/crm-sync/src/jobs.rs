//! Runs maintenance and samples gauges at intervals. Every replica runs both.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use opentelemetry::{
    KeyValue,
    metrics::{AsyncInstrument, Meter},
};
use parking_lot::Mutex;
use runtime::service::Context;
use tokio::time::sleep;
use tracing::{info, warn};

use crate::{
    db::{self, Store},
    metrics::Metrics,
};

const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(60);
const SAMPLE_INTERVAL: Duration = Duration::from_secs(10);

/// Starts the jobs, which run until the process stops. Erases leads `retention` after submission; `None` disables this.
pub(crate) fn start(
    store: &Store,
    metrics: &Metrics,
    retention: Option<TimeDelta>,
    context: &Context,
) {
    let (lifecycle, stop) = (&context.lifecycle, context.lifecycle.soft_stop());
    let (maintained, metrics) = (store.clone(), metrics.clone());
    lifecycle.spawn_until("maintenance", stop.clone(), async move {
        loop {
            maintain(&maintained, &metrics, retention).await;
            sleep(MAINTENANCE_INTERVAL).await;
        }
    });
    let (sampled, sample) = (
        store.clone(),
        register_gauges(store, context.metrics.meter()),
    );
    lifecycle.spawn_until("sampler", stop, async move {
        loop {
            let latest = take_sample(&sampled).await;
            *sample.lock() = latest
                .inspect_err(|error| warn!(%error, "gauges not sampled"))
                .ok();
            sleep(SAMPLE_INTERVAL).await;
        }
    });
}

/// Completes rows of the previous version, erases leads past their retention, deletes old canaries and tasks, and truncates
/// SQLite's log. Runs each step, even if another fails.
async fn maintain(store: &Store, metrics: &Metrics, retention: Option<TimeDelta>) {
    // Replicas of the previous version may still store leads.
    log_failure("complete rows", store.complete_rows().await);
    if let Some(age) = retention {
        let erased = erase_old_leads(store, metrics, age).await;
        log_failure("erase leads past RETENTION_DAYS", erased);
    }
    log_failure("delete old canaries", delete_old_canaries(store).await);
    log_failure("delete old tasks", store.delete_old_tasks().await);
    if !matches!(store.checkpoint().await, Ok(true)) {
        warn!("SQLite log not truncated, it may contain erased data; retrying");
    }
}

fn log_failure<T>(step: &str, result: db::Result<T>) {
    if let Err(error) = result {
        warn!(step, %error, "maintenance step failed, retrying");
    }
}

async fn erase_old_leads(store: &Store, metrics: &Metrics, age: TimeDelta) -> db::Result<()> {
    while let leads @ 1.. = store.erase_older_than(age).await? {
        metrics.add_erased("retention", leads);
        info!(leads, "leads past RETENTION_DAYS erased");
    }
    Ok(())
}

async fn delete_old_canaries(store: &Store) -> db::Result<()> {
    while store.delete_old_canaries().await? > 0 {}
    Ok(())
}

/// Name, unit and description of each gauge in a sample.
const GAUGES: [[&str; 3]; 9] = [
    [
        "crm_pending_leads",
        "",
        "Leads with unfinished emails to the sales team, except to full mailboxes; failed deliveries do not count.",
    ],
    [
        "crm_pending_oldest_age",
        "s",
        "Time since the oldest pending lead was stored; 0 if there is none.",
    ],
    [
        "crm_failed_deliveries",
        "",
        "Failed deliveries, which an operator must retry or discard, except emails to full mailboxes.",
    ],
    [
        "crm_full_mailboxes",
        "",
        "Recipients in the sales team whose mailbox is full.",
    ],
    [
        "crm_waiting_deliveries",
        "",
        "Deliveries of open leads that wait for a later attempt, by reason class.",
    ],
    [
        "crm_first_contact_median",
        "s",
        "Median time from submission to the first contact, of the last week's leads that sales contacted within a day; absent if none.",
    ],
    [
        "crm_erasure_request_oldest_age",
        "s",
        "Time since the oldest open request for erasure; 0 if there is none.",
    ],
    [
        "crm_canary_age",
        "s",
        "Time since the latest canary at the stage was submitted, by stage.",
    ],
    [
        "crm_canary_duration",
        "s",
        "Time the latest canary took to reach the stage, by stage.",
    ],
];

/// Reason classes of deliveries that usually wait: for the mail server, a full mailbox, a limit of emails, or another system.
const WAITING_CLASSES: [&str; 4] = ["smtp", "mailbox-full", "limit", "webhook"];

/// The value of one gauge, at most one label, e.g. the stage of canaries.
struct Reading {
    gauge: &'static str,
    label: Option<KeyValue>,
    value: f64,
}

type Sample = Vec<Reading>;

async fn take_sample(store: &Store) -> db::Result<Sample> {
    let plain = |gauge, value| Reading {
        gauge,
        label: None,
        value,
    };
    let pending = store.pending().await?;
    let failed = store.failed_deliveries().await?;
    let full_mailboxes = store.full_mailboxes().await?;
    let oldest_request = store.oldest_erasure_request().await?;
    let mut sample = vec![
        plain("crm_pending_leads", pending.leads as f64),
        plain("crm_pending_oldest_age", pending.oldest.as_secs_f64()),
        plain("crm_failed_deliveries", failed as f64),
        plain("crm_full_mailboxes", full_mailboxes as f64),
        plain(
            "crm_erasure_request_oldest_age",
            oldest_request.as_secs_f64(),
        ),
    ];
    if let Some(median) = store.median_first_contact().await? {
        sample.push(plain("crm_first_contact_median", median.as_secs_f64()));
    }
    // These classes have a value from the start, so the first delivery that waits is an increase.
    let mut waiting = WAITING_CLASSES.map(|class| (class.to_owned(), 0)).to_vec();
    for (class, deliveries) in store.waiting_deliveries().await? {
        waiting.retain(|(known, _)| *known != class);
        waiting.push((class, deliveries));
    }
    for (class, deliveries) in waiting {
        sample.push(Reading {
            gauge: "crm_waiting_deliveries",
            label: Some(KeyValue::new("reason", class)),
            value: deliveries as f64,
        });
    }
    for (stage, canary) in store.canaries().await? {
        for (gauge, time) in [
            ("crm_canary_age", canary.age),
            ("crm_canary_duration", canary.took),
        ] {
            sample.push(Reading {
                gauge,
                label: Some(KeyValue::new("stage", stage)),
                value: time.as_secs_f64(),
            });
        }
    }
    Ok(sample)
}

/// Registers the gauges, which export the latest sample. While the database is unavailable, the gauges are absent,
/// because stale values would hide the outage.
fn register_gauges(store: &Store, meter: &Meter) -> Arc<Mutex<Option<Sample>>> {
    let sample = Arc::new(Mutex::new(None::<Sample>));
    for [name, unit, description] in GAUGES {
        let sample = sample.clone();
        let observe = move |observer: &dyn AsyncInstrument<f64>| {
            for reading in sample.lock().iter().flatten().filter(|it| it.gauge == name) {
                observer.observe(reading.value, reading.label.as_slice());
            }
        };
        let gauge = meter
            .f64_observable_gauge(name)
            .with_unit(unit)
            .with_description(description);
        let _registered = gauge.with_callback(observe).build();
    }

    let store = store.clone();
    let observe_connections = move |observer: &dyn AsyncInstrument<u64>| {
        let connections = store.connections();
        for (state, count) in [("used", connections.used), ("idle", connections.idle)] {
            observer.observe(count, &[KeyValue::new("state", state)]);
        }
    };
    let connections = meter.u64_observable_gauge("db.client.connection.count");
    let connections =
        connections.with_description("Database connections, by state (used or idle).");
    let _connections = connections.with_callback(observe_connections).build();
    sample
}
