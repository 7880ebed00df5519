//! Waits for a condition with a deadline.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Longer than a lease (50 s in tests) and an email without a reply (40 s) together: on a slow machine, a delivery may lose
/// its claim and must recover in time.
const DEADLINE: Duration = Duration::from_secs(120);
const INTERVAL: Duration = Duration::from_millis(20);

/// Calls `poll` until it returns a value.
///
/// # Panics
/// After two minutes; the message contains `what`.
pub async fn for_some<T>(what: &str, mut poll: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = poll().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {DEADLINE:?} for {what}");
        sleep(INTERVAL).await;
    }
}

/// Polls until `condition` is true.
///
/// # Panics
/// After two minutes; the message contains `what`.
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    for_some(what, async || condition().await.then_some(())).await;
}
