//! Shared fixtures.

use std::{
    process::ExitCode,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use contracts::leads::v1::LeadSubmitted;
use messaging::{
    Batching, Consumer, Event, Handler, Publisher, Reason, Settings, Verdict, topology::NOTIFIER,
};
use runtime::{clock::ManualClock, service::Context, trace};
use serde_json::Value;
use testkit::wait;

pub(crate) const SINGLE: Batching = Batching {
    size: 1,
    concurrency: 4,
};
pub(crate) const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Upper bound of an operation that does not wait.
pub(crate) const PROMPT: Duration = Duration::from_millis(500);

pub(crate) fn id(number: usize) -> String {
    format!("00000000-0000-0000-0000-{number:012}")
}

pub(crate) fn lead(number: usize) -> Event {
    Event::LeadSubmitted(LeadSubmitted {
        lead_id: id(number),
        name: "陈伟".to_owned(),
        ..LeadSubmitted::default()
    })
}

pub(crate) fn settings(url: String) -> Settings {
    Settings::new(url.into())
}

/// Retries three times, each after `wait`.
pub(crate) fn retrying(url: String, wait: Duration) -> Settings {
    Settings {
        retry_waits: [wait; 3],
        ..settings(url)
    }
}

pub(crate) fn publisher(url: String) -> (Publisher, Context) {
    let (context, _) = testkit::context("test");
    (Publisher::start(settings(url), &context), context)
}

pub(crate) fn refused() -> Reason {
    Reason::new("smtp", "connection refused")
}

/// An event and the current `traceparent` of its handler.
pub(crate) type Seen = (Event, Option<String>);

/// Records the events and returns the verdict of a function.
struct ScriptedHandler<F> {
    seen: Arc<Mutex<Vec<Seen>>>,
    is_unavailable: Arc<AtomicBool>,
    probes: Arc<AtomicUsize>,
    verdict: F,
}

impl<F: Fn(&Event) -> Verdict + Send + Sync + 'static> Handler for ScriptedHandler<F> {
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        let seen = batch
            .iter()
            .map(|event| (event.clone(), trace::current_traceparent()));
        self.seen.lock().unwrap().extend(seen);
        if self.is_unavailable.load(Ordering::SeqCst) {
            return vec![Verdict::Retry(refused()); batch.len()];
        }
        batch.iter().map(&self.verdict).collect()
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.probes.fetch_add(1, Ordering::SeqCst);
        if self.is_unavailable.load(Ordering::SeqCst) {
            Err(refused())
        } else {
            Ok(())
        }
    }
}

pub(crate) struct TestConsumer {
    pub(crate) publisher: Publisher,
    pub(crate) context: Context,
    pub(crate) clock: ManualClock,
    seen: Arc<Mutex<Vec<Seen>>>,
    is_unavailable: Arc<AtomicBool>,
    probes: Arc<AtomicUsize>,
}

impl TestConsumer {
    pub(crate) fn start(
        settings: Settings,
        batching: Batching,
        verdict: impl Fn(&Event) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(settings, batching, false, verdict)
    }

    /// Starts a consumer whose dependency is unavailable.
    pub(crate) fn start_unavailable(settings: Settings, batching: Batching) -> Self {
        Self::start_with(settings, batching, true, |_| Verdict::Done)
    }

    fn start_with(
        settings: Settings,
        batching: Batching,
        is_unavailable: bool,
        verdict: impl Fn(&Event) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        let (context, clock) = testkit::context("test");
        // Longer than a busy broker takes to confirm. Without a confirm, a consumer copies a dead letter again.
        let publish_timeout = Duration::from_secs(60);
        let publisher = Publisher::start(
            Settings {
                publish_timeout,
                ..settings.clone()
            },
            &context,
        );
        let (seen, is_unavailable, probes) = (
            Arc::default(),
            Arc::new(AtomicBool::new(is_unavailable)),
            Arc::new(AtomicUsize::new(0)),
        );
        let handler = ScriptedHandler {
            seen: Arc::clone(&seen),
            is_unavailable: Arc::clone(&is_unavailable),
            probes: Arc::clone(&probes),
            verdict,
        };
        Consumer {
            subscription: NOTIFIER,
            batching,
            handler,
        }
        .start(settings, publisher.clone(), &context);
        Self {
            publisher,
            context,
            clock,
            seen,
            is_unavailable,
            probes,
        }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) async fn wait_until_seen(&self, count: usize) {
        wait::until(&format!("{count} deliveries"), async || {
            self.seen().len() == count
        })
        .await;
    }

    pub(crate) fn probes(&self) -> usize {
        self.probes.load(Ordering::SeqCst)
    }

    /// Waits for two more probes, because one may already be in flight.
    pub(crate) async fn wait_for_probes(&self) {
        let wanted = self.probes() + 2;
        wait::until("probes", async || self.probes() >= wanted).await;
    }

    pub(crate) fn set_unavailable(&self, is_unavailable: bool) {
        self.is_unavailable.store(is_unavailable, Ordering::SeqCst);
    }

    pub(crate) fn has_metric(&self, line: &str) -> bool {
        has_metric(&self.context, line)
    }

    /// Whether the process published a message, whatever the result.
    pub(crate) fn has_published(&self) -> bool {
        metrics(&self.context)
            .lines()
            .any(|line| line.starts_with("messaging_published_total{") && !line.ends_with(" 0"))
    }

    /// Closes all connections gracefully, which returns only unacknowledged messages to their queue.
    pub(crate) async fn stop(self) {
        drop(self.publisher);
        stop(&self.context).await;
    }
}

pub(crate) async fn stop(context: &Context) {
    context.lifecycle.stop();
    assert_eq!(
        context
            .lifecycle
            .run(Duration::from_secs(20))
            .await
            .unwrap(),
        ExitCode::SUCCESS
    );
}

pub(crate) fn has_metric(context: &Context, line: &str) -> bool {
    metrics(context).lines().any(|found| found == line)
}

fn metrics(context: &Context) -> String {
    String::from_utf8(context.metrics.encode().unwrap()).unwrap()
}

/// Whether no property or header shows an earlier delivery.
pub(crate) fn is_as_new(message: &Value) -> bool {
    let headers = &message["properties"]["headers"];
    let deliveries = headers["x-delivery-count"].as_u64().unwrap_or(0);
    message["redelivered"] == false && headers["x-error-class"].is_null() && deliveries == 0
}
