//! What happened to a lead.

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{self as crm, timeline_entry::Event as Wire},
    leads::v1 as leads,
};
use serde::Serialize;

use super::{State, rfc3339, time};
use crate::error::Error;

/// One thing that happened.
#[derive(Serialize)]
pub(crate) struct TimelineEntry {
    #[serde(serialize_with = "rfc3339")]
    pub(crate) at: DateTime<Utc>,
    /// Whose mail it is about; empty when it is about the lead as a whole.
    pub(crate) recipient: String,
    #[serde(flatten)]
    pub(crate) event: Event,
}

/// What happened.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Submitted,
    Recorded {
        source: Source,
    },
    Conflicting,
    Delivered {
        server_reply: String,
    },
    Deferred {
        #[serde(serialize_with = "rfc3339")]
        until: DateTime<Utc>,
        reason: Reason,
    },
    Dead {
        reason: Reason,
    },
    Leased {
        holder: String,
        #[serde(serialize_with = "rfc3339")]
        until: DateTime<Utc>,
    },
    Replayed {
        client: String,
    },
    Progressed {
        state: State,
        owner: String,
        client: String,
    },
    Settled {
        reason: Reason,
    },
    Discarded {
        why: String,
        client: String,
    },
    /// The CRM is newer than this program.
    Unknown,
}

/// How a lead came to the CRM.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    Broker,
    Grpc,
    Claim,
    Unknown,
}

/// Why a mail was not delivered.
#[derive(Serialize)]
pub(crate) struct Reason {
    pub(crate) class: String,
    pub(crate) detail: String,
}

impl TimelineEntry {
    /// What the CRM sent; fails on what it never should.
    pub(super) fn from_wire(entry: crm::TimelineEntry) -> Result<Self, Error> {
        Ok(Self {
            at: time(entry.at)?,
            recipient: entry.recipient,
            event: entry.event.map_or(Ok(Event::Unknown), Event::from_wire)?,
        })
    }
}

impl Event {
    fn from_wire(event: Wire) -> Result<Self, Error> {
        Ok(match event {
            Wire::Submitted(_) => Self::Submitted,
            Wire::Recorded(it) => Self::Recorded { source: Source::from_wire(it.source()) },
            Wire::Conflicting(_) => Self::Conflicting,
            Wire::Delivered(it) => Self::Delivered { server_reply: it.server_reply },
            Wire::Deferred(it) => {
                Self::Deferred { until: time(it.until)?, reason: Reason::from_wire(it.reason) }
            }
            Wire::Dead(it) => Self::Dead { reason: Reason::from_wire(it.reason) },
            Wire::Leased(it) => Self::Leased { until: time(it.until)?, holder: it.holder },
            Wire::Replayed(it) => Self::Replayed { client: it.client },
            Wire::Progressed(it) => {
                Self::Progressed { state: State::from_wire(it.state()), owner: it.owner, client: it.client }
            }
            Wire::Settled(it) => Self::Settled { reason: Reason::from_wire(it.reason) },
            Wire::Discarded(it) => Self::Discarded { why: it.why, client: it.client },
        })
    }
}

impl Source {
    fn from_wire(source: crm::Source) -> Self {
        match source {
            crm::Source::Unspecified => Self::Unknown,
            crm::Source::Broker => Self::Broker,
            crm::Source::Grpc => Self::Grpc,
            crm::Source::Claim => Self::Claim,
        }
    }
}

impl Reason {
    /// What the CRM sent.
    pub(crate) fn from_wire(reason: Option<leads::Reason>) -> Self {
        let leads::Reason { class, detail } = reason.unwrap_or_default();
        Self { class, detail }
    }
}
