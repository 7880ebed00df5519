//! What happened to a lead, in plain words.

use chrono_tz::Tz;

use super::{
    columns::{GAP, columns},
    text::{one_line, when},
};
use crate::lead::timeline::{Event, Reason, Source, TimelineEntry};

/// As wide as [`when`].
const WHEN: u16 = 19;

/// An entry each, in the order they are given.
pub(super) fn render(timeline: &[TimelineEntry], width: u16, zone: Tz) -> String {
    columns(
        timeline.iter().map(|entry| [when(entry.at, zone), what(entry, zone)]),
        [WHEN, width - WHEN - GAP],
    )
}

fn what(entry: &TimelineEntry, zone: Tz) -> String {
    let recipient = one_line(&entry.recipient);
    match &entry.event {
        Event::Submitted => "submitted".to_owned(),
        Event::Recorded { source: Source::Broker } => "recorded over the broker".to_owned(),
        Event::Recorded { source: Source::Grpc } => "recorded over gRPC".to_owned(),
        Event::Recorded { source: Source::Claim } => "recorded with a notifier's claim".to_owned(),
        Event::Recorded { source: Source::Unknown } => "recorded".to_owned(),
        Event::Conflicting => "the same key came again with other contents".to_owned(),
        Event::Delivered { server_reply } => format!("delivered to {recipient}: {}", one_line(server_reply)),
        Event::Deferred { until, reason } => {
            format!("deferred until {}: {recipient}, because {}", when(*until, zone), because(reason))
        }
        Event::Dead { reason } => format!("dead: {recipient}, because {}", because(reason)),
        Event::Leased { holder, until } => {
            format!("leased by {} until {}", one_line(holder), when(*until, zone))
        }
        Event::Replayed { client } => format!("replayed by {}: {recipient}", one_line(client)),
        Event::Discarded { why, client } => {
            format!("discarded by {}: {recipient}, because {}", one_line(client), one_line(why))
        }
        Event::Progressed { state, owner, client } => {
            let whose =
                if owner.is_empty() { "nobody's".to_owned() } else { format!("{}'s", one_line(owner)) };
            format!("{}, {whose}, said {}", state.as_str(), one_line(client))
        }
        Event::Settled { reason } => format!("settled: {recipient}, because {}", because(reason)),
        Event::Unknown => "something that this version of leadctl does not know".to_owned(),
    }
}

/// What happened, and its kind.
pub(super) fn because(reason: &Reason) -> String {
    format!("{} ({})", one_line(&reason.detail), one_line(&reason.class))
}
