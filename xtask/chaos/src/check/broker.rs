//! Checks what remains in the queues.

use std::collections::BTreeSet;

use serde_json::Value;
use xtask::error::{Error, Result};

use super::Row;
use crate::fault::Queue;
use crate::run::Run;

pub(super) async fn rows(run: &Run) -> Result<Vec<Row>> {
    let depths = run.stack.management.depths().await.map_err(Error::of)?;
    let left: Vec<String> = depths
        .iter()
        .filter(|depth| depth.is_work())
        .map(|depth| format!("{} messages in {}", depth.messages, depth.queue))
        .collect();
    let mut dead_letters = Vec::new();
    for queue in Queue::ALL {
        let name = format!("{}.dead-letters", queue.service());
        let messages = run.stack.management.messages(&name, false).await.map_err(Error::of)?;
        let id = |message: &Value| {
            message["properties"]["message_id"].as_str().unwrap_or("without a message id").to_owned()
        };
        dead_letters.push((queue, messages.iter().map(id).collect::<Vec<_>>()));
    }
    let findings = run.findings();
    let (mut missing, mut unexpected, mut count) = (0, 0, 0);
    for (queue, ids) in &dead_letters {
        count += ids.len();
        let found: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
        let poison: BTreeSet<&str> =
            findings.poison.iter().filter(|(of, _)| of == queue).map(|(_, id)| id.as_str()).collect();
        missing += poison.difference(&found).count();
        unexpected += found.difference(&poison).count();
    }
    Ok(vec![
        Row::new(
            "the work queues are empty",
            left.is_empty() && !depths.is_empty(),
            if left.is_empty() { format!("{} queues", depths.len()) } else { left.join(", ") },
        ),
        Row::new(
            "the dead letters are exactly the poison messages",
            missing == 0 && unexpected == 0,
            format!("{count} dead letters, {missing} missing, {unexpected} unexpected"),
        ),
    ])
}
