//! The timeline of a lead.

use ::lead::{ClosingReason, LeadState};
use chrono::{DateTime, Utc};
use contracts::crm::v1::{self as crm, timeline_entry as wire};
use serde::Serialize;

use super::{
    contract::{Reason, optional_time, time},
    progress::{owner, reason_name, state_name},
};
use crate::{
    error::Error,
    terminal::{GAP, View, columns, single_line},
};

/// The length of a time to the second.
const TIME: u16 = 19;

#[derive(Serialize)]
pub(crate) struct TimelineEntry {
    at: DateTime<Utc>,
    /// Empty when the entry is about the lead as a whole.
    recipient: String,
    #[serde(flatten)]
    event: Event,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    Broker,
    Grpc,
    Claim,
    Unknown,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    Submitted,
    Recorded {
        source: Source,
    },
    Conflicting,
    Delivered {
        server_reply: String,
    },
    Deferred {
        until: DateTime<Utc>,
        reason: Reason,
    },
    Failed {
        reason: Reason,
    },
    Leased {
        holder: String,
        until: DateTime<Utc>,
    },
    Retried {
        client: String,
    },
    Progressed {
        state: Option<LeadState>,
        owner: String,
        client: String,
        next_step_at: Option<DateTime<Utc>>,
        closing_reason: Option<ClosingReason>,
    },
    Noted {
        text: String,
        client: String,
    },
    ContactChanged {
        allowed: bool,
        client: String,
    },
    ErasureRequested,
    Cancelled {
        reason: Reason,
    },
    Discarded {
        reason: String,
        client: String,
    },
    PersonChanged {
        reference: String,
        client: String,
    },
    Unknown,
}

impl TimelineEntry {
    pub(super) fn read(entry: crm::TimelineEntry) -> Result<Self, Error> {
        let event = entry.event.map_or(Ok(Event::Unknown), Event::read)?;
        Ok(Self { at: time(entry.at)?, recipient: entry.recipient, event })
    }
}

impl Event {
    fn read(event: wire::Event) -> Result<Self, Error> {
        Ok(match event {
            wire::Event::Submitted(_) => Self::Submitted,
            wire::Event::Recorded(it) => Self::Recorded { source: it.source().into() },
            wire::Event::Conflicting(_) => Self::Conflicting,
            wire::Event::Delivered(it) => Self::Delivered { server_reply: it.server_reply },
            wire::Event::Deferred(it) => Self::Deferred { until: time(it.until)?, reason: it.reason.into() },
            wire::Event::Failed(it) => Self::Failed { reason: it.reason.into() },
            wire::Event::Leased(it) => Self::Leased { until: time(it.until)?, holder: it.holder },
            wire::Event::Retried(it) => Self::Retried { client: it.client },
            wire::Event::Progressed(it) => Self::Progressed {
                state: LeadState::from_repr(it.state),
                closing_reason: ClosingReason::from_repr(it.closing_reason),
                next_step_at: optional_time(it.next_step_at)?,
                owner: it.owner,
                client: it.client,
            },
            wire::Event::Noted(it) => Self::Noted { text: it.text, client: it.client },
            wire::Event::ContactChanged(it) => {
                Self::ContactChanged { allowed: it.allowed, client: it.client }
            }
            wire::Event::ErasureRequested(_) => Self::ErasureRequested,
            wire::Event::Cancelled(it) => Self::Cancelled { reason: it.reason.into() },
            wire::Event::Discarded(it) => Self::Discarded { reason: it.reason, client: it.client },
            wire::Event::PersonChanged(it) => {
                Self::PersonChanged { reference: it.reference, client: it.client }
            }
        })
    }
}

impl From<crm::Source> for Source {
    fn from(source: crm::Source) -> Self {
        match source {
            crm::Source::Unspecified => Self::Unknown,
            crm::Source::Broker => Self::Broker,
            crm::Source::Grpc => Self::Grpc,
            crm::Source::Claim => Self::Claim,
        }
    }
}

pub(crate) fn timeline_rows(timeline: &[TimelineEntry], width: u16, view: &View) -> String {
    let rows = timeline.iter().map(|entry| [view.second(entry.at), entry.text(view)]);
    columns(rows, [TIME, width - TIME - GAP])
}

impl TimelineEntry {
    fn text(&self, view: &View) -> String {
        let recipient = single_line(&self.recipient);
        match &self.event {
            Event::Submitted => "submitted".to_owned(),
            Event::Recorded { source: Source::Broker } => "stored from the queue".to_owned(),
            Event::Recorded { source: Source::Grpc } => "stored by gRPC call".to_owned(),
            Event::Recorded { source: Source::Claim } => "stored by a notifier's claim".to_owned(),
            Event::Recorded { source: Source::Unknown } => "stored".to_owned(),
            Event::Conflicting => "sent again with different contents".to_owned(),
            Event::Delivered { server_reply } => {
                format!("{recipient}: delivered: {}", single_line(server_reply))
            }
            Event::Deferred { until, reason } => {
                format!("{recipient}: deferred until {}: {}", view.second(*until), reason.text())
            }
            Event::Failed { reason } => format!("{recipient}: failed: {}", reason.text()),
            Event::Leased { holder, until } => {
                format!("leased by {} until {}", single_line(holder), view.second(*until))
            }
            Event::Retried { client } => format!("{recipient}: retried by {}", single_line(client)),
            Event::Discarded { reason, client } => {
                format!("{recipient}: discarded by {}: {}", single_line(client), single_line(reason))
            }
            Event::Progressed { state, owner: name, client, next_step_at, closing_reason } => {
                let why = closing_reason.map(|reason| format!(" ({})", reason_name(reason)));
                let next = next_step_at.map(|at| format!(", follow-up {}", view.second(at)));
                let more = why.into_iter().chain(next).collect::<String>();
                format!("{}{more}, {}, by {}", state_name(*state), owner(name), single_line(client))
            }
            Event::Noted { text, client } => {
                format!("note by {}: {}", single_line(client), single_line(text))
            }
            Event::ContactChanged { allowed: true, client } => {
                format!("may be contacted again, by {}", single_line(client))
            }
            Event::ContactChanged { allowed: false, client } => {
                format!("do not contact, by {}", single_line(client))
            }
            Event::ErasureRequested => "erasure requested by the visitor".to_owned(),
            Event::PersonChanged { reference, client } if reference.is_empty() => {
                format!("moved to a new person by {}", single_line(client))
            }
            Event::PersonChanged { reference, client } => {
                format!("moved to the person of {} by {}", single_line(reference), single_line(client))
            }
            Event::Cancelled { reason } => format!("{recipient}: cancelled: {}", reason.text()),
            Event::Unknown => "unknown event (leadctl is older than the CRM)".to_owned(),
        }
    }
}
