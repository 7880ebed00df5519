//! What is left in the queues.

use std::collections::BTreeSet;

use xtask::error::Result;

use super::Row;
use crate::fault::Queue;
use crate::run::Run;

pub(super) async fn rows(run: &Run) -> Result<Vec<Row>> {
    let depths = run.stack.management.depths().await?;
    let left: Vec<String> = depths
        .iter()
        .filter(|depth| depth.messages > 0 && !depth.queue.ends_with(".parked"))
        .map(|depth| format!("{} in {}", depth.messages, depth.queue))
        .collect();
    let mut parked = Vec::new();
    for queue in Queue::ALL {
        parked.push((queue, run.stack.management.message_ids(&format!("{}.parked", queue.service())).await?));
    }
    let findings = run.findings();
    let (mut missing, mut unexpected, mut count) = (0, 0, 0);
    for (queue, ids) in &parked {
        count += ids.len();
        let found: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
        let poison: BTreeSet<&str> =
            findings.poison.iter().filter(|(of, _)| of == queue).map(|(_, id)| id.as_str()).collect();
        let refused: Vec<String> = match queue {
            Queue::Notifier => findings.refused.iter().map(ToString::to_string).collect(),
            Queue::CrmSync => Vec::new(),
        };
        let wanted: BTreeSet<&str> = poison.into_iter().chain(refused.iter().map(String::as_str)).collect();
        missing += wanted.difference(&found).count();
        unexpected += found.difference(&wanted).count();
    }
    Ok(vec![
        Row::new(
            "queues and retry tiers are empty",
            left.is_empty() && !depths.is_empty(),
            if left.is_empty() { format!("{} queues", depths.len()) } else { left.join(", ") },
        ),
        Row::new(
            "parked is what was put in on purpose",
            missing == 0 && unexpected == 0,
            format!("{count} parked, {missing} missing, {unexpected} unexpected"),
        ),
    ])
}
