//! Waits for a condition with a deadline.

use std::time::Duration;

use tokio::time::{Instant, sleep};

const DEADLINE: Duration = Duration::from_secs(60);
const INTERVAL: Duration = Duration::from_millis(20);

/// Calls `poll` until it returns a value.
///
/// # Panics
/// After a minute; the message contains `what`.
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
/// After a minute; the message contains `what`.
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    for_some(what, async || condition().await.then_some(())).await;
}
