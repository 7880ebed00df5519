//! The primary path: the broker confirms the event.

use contracts::leads::v1::LeadSubmitted;
use messaging::{Event, PublishError, Publisher, TraceParent};
use runtime::crash;

pub(super) async fn submit(
    publisher: &Publisher,
    lead: &LeadSubmitted,
    trace: Option<&TraceParent>,
) -> Result<(), PublishError> {
    publisher.publish(&Event::LeadSubmitted(lead.clone()), trace).await?;
    crash::point("lead-intake-confirmed");
    Ok(())
}
