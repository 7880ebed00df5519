//! What happened to a lead, as clients get it.

use contracts::{
    crm::v1::{self as crm, TimelineEntry, timeline_entry as entry},
    leads::v1 as leads,
};

use ::lead::field::timestamp;

use super::encode::{lead, other_lead, state};
use crate::domain::{
    contact::OtherLead,
    lead::StoredLead,
    source::Source,
    timeline::{Entry, Event, History, Reason},
};

/// A lead, all that happened to it, and what else its person sent.
#[must_use]
pub fn lead_with_others(one: StoredLead, history: History, others: Vec<OtherLead>) -> crm::Lead {
    crm::Lead { others: others.into_iter().map(other_lead).collect(), ..lead_with_history(one, history) }
}

/// A lead and all that happened to it.
#[must_use]
pub fn lead_with_history(one: StoredLead, history: History) -> crm::Lead {
    crm::Lead {
        timeline: history.timeline.into_iter().map(timeline_entry).collect(),
        conflicts: history.conflicts.into_iter().map(Into::into).collect(),
        ..lead(one)
    }
}

fn timeline_entry(entry: Entry) -> TimelineEntry {
    TimelineEntry {
        at: Some(timestamp(entry.at)),
        recipient: entry.recipient,
        event: Some(event(entry.event)),
    }
}

fn event(event: Event) -> entry::Event {
    match event {
        Event::Submitted => entry::Event::Submitted(entry::Submitted {}),
        Event::Recorded(by) => entry::Event::Recorded(entry::Recorded { source: source(by).into() }),
        Event::Conflicting => entry::Event::Conflicting(entry::Conflicting {}),
        Event::Delivered { server_reply } => entry::Event::Delivered(entry::Delivered { server_reply }),
        Event::Deferred { until, reason: why } => entry::Event::Deferred(entry::Deferred {
            until: Some(timestamp(until)),
            reason: Some(reason(why)),
        }),
        Event::Dead(why) => entry::Event::Dead(entry::Dead { reason: Some(reason(why)) }),
        Event::Settled(why) => entry::Event::Settled(entry::Settled { reason: Some(reason(why)) }),
        Event::Leased { holder, until } => {
            entry::Event::Leased(entry::Leased { holder, until: Some(timestamp(until)) })
        }
        Event::Replayed { client } => entry::Event::Replayed(entry::Replayed { client }),
        Event::Discarded { why, client } => entry::Event::Discarded(entry::Discarded { why, client }),
        Event::Progressed { state: step, owner, client } => {
            entry::Event::Progressed(entry::Progressed { state: state(step).into(), owner, client })
        }
    }
}

pub(crate) fn reason(reason: Reason) -> leads::Reason {
    leads::Reason { class: reason.class, detail: reason.detail }
}

fn source(source: Source) -> crm::Source {
    match source {
        Source::Erasure => crm::Source::Unspecified,
        Source::Broker => crm::Source::Broker,
        Source::Grpc => crm::Source::Grpc,
        Source::Claim => crm::Source::Claim,
    }
}
