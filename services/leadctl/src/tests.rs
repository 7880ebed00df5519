//! Test data shared by several tests.

use chrono::DateTime;
use chrono_tz::Tz;
use contracts::{
    crm::v1::{
        self as crm, Consent, Delivery, DeliveryState, DeliverySummary, LeadState, Progress,
        Purpose, RelatedLead, Source, TimelineEntry,
        timeline_entry::{
            Cancelled, Conflicting, ContactChanged, Deferred, Delivered, Discarded, Event, Failed,
            Leased, Noted, Progressed, Recorded, Retried, Submitted,
        },
    },
    leads::v1::{
        Campaign, ContactChannel, DeliveryReport, Interest, Language, LeadDelivered, LeadSubmitted,
        Reason, Session, SpamSignal,
        delivery_report::{self, Outcome},
    },
};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::{broker::Message, output::Output};

const REPLY: &str = "250 2.0.0 OK queued as 7F3K2Q";

fn at(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp {
        seconds: 1_772_337_906 + seconds,
        nanos: 0,
    })
}

pub(crate) fn submitted() -> LeadSubmitted {
    LeadSubmitted {
        interests: vec![Interest::Purchase.into(), Interest::Showflat.into()],
        name: "欧阳陈伟".to_owned(),
        questions: format!(
            "几时开放? 🏙\nAnd how do we get there from {}?",
            "Bukit Timah Road ".repeat(4)
        ),
        channels: vec![ContactChannel::Phone.into()],
        session: Some(Session {
            session_id: "0b5e9f2e-0000-4000-8000-000000000001".to_owned(),
            is_network_busy: false,
            started_at: at(-60),
            landing_path: "/floor-plans".to_owned(),
            campaign: Some(Campaign {
                source: "news".to_owned(),
                ..Campaign::default()
            }),
            ..Session::default()
        }),
        signals: vec![SpamSignal::TooFast.into(), SpamSignal::Links.into()],
        ..testkit::lead::full()
    }
}

fn reason(class: &str, detail: &str) -> Option<Reason> {
    Some(Reason {
        class: class.to_owned(),
        detail: detail.to_owned(),
    })
}

pub(crate) fn delivered() -> LeadDelivered {
    let report = |recipient: &str, outcome| DeliveryReport {
        recipient: recipient.to_owned(),
        outcome: Some(outcome),
    };
    let taken = delivery_report::Delivered {
        mail_message_id: "<6f9619ff.sales@zyon.example>".to_owned(),
        server_reply: REPLY.to_owned(),
        delivered_at: at(32),
    };
    let failed = delivery_report::Failed {
        reason: reason("smtp-rejected", "550 5.1.1 no such user here"),
    };
    LeadDelivered {
        lead: Some(submitted()),
        recipients: Vec::new(),
        reports: vec![
            report("sales@zyon.example", Outcome::Delivered(taken)),
            report("visitor", Outcome::Failed(failed)),
        ],
        holder: String::new(),
    }
}

/// A lead with every kind of event.
pub(crate) fn full_lead() -> crm::Lead {
    let (sales, boss) = ("sales@zyon.example", "boss@zyon.example");
    let holder = "notifier-0b5e9f2e-0000-4000-8000-000000000002".to_owned();
    let rejected = reason("smtp-rejected", "550 5.1.1 no such user here");
    let client = || "leadctl".to_owned();
    let reason_text = "收件人已离职, the address is gone for good".to_owned();
    let timeline = [
        (0, "", Some(Event::Submitted(Submitted {}))),
        (
            1,
            "",
            Some(Event::Recorded(Recorded {
                source: Source::Grpc.into(),
            })),
        ),
        (
            31,
            "",
            Some(Event::Leased(Leased {
                holder,
                until: at(331),
            })),
        ),
        (
            32,
            sales,
            Some(Event::Delivered(Delivered {
                server_reply: REPLY.to_owned(),
            })),
        ),
        (
            33,
            boss,
            Some(Event::Deferred(Deferred {
                until: at(63),
                reason: reason("smtp", "451 4.7.1 greylisted, try again later"),
            })),
        ),
        (64, boss, Some(Event::Failed(Failed { reason: rejected }))),
        (90, "", Some(Event::Conflicting(Conflicting {}))),
        (
            100,
            boss,
            Some(Event::Retried(Retried { client: client() })),
        ),
        (
            200,
            boss,
            Some(Event::Discarded(Discarded {
                reason: reason_text,
                client: client(),
            })),
        ),
        (300, "", None),
        (
            400,
            "",
            Some(Event::Progressed(Progressed {
                state: LeadState::Contacted.into(),
                owner: "Mei".to_owned(),
                client: client(),
                next_step_at: at(90_000),
                closing_reason: crm::ClosingReason::Unspecified.into(),
            })),
        ),
        (
            400,
            "",
            Some(Event::Noted(Noted {
                text: "Comes on Sunday".to_owned(),
                client: client(),
            })),
        ),
        (
            400,
            "",
            Some(Event::ContactChanged(ContactChanged {
                allowed: false,
                client: client(),
            })),
        ),
        (
            401,
            "visitor",
            Some(Event::Cancelled(Cancelled {
                reason: reason("too-many", "had its emails of the day"),
            })),
        ),
    ];
    let entry = |(seconds, recipient, event): (i64, &str, Option<Event>)| TimelineEntry {
        at: at(seconds),
        recipient: recipient.to_owned(),
        event,
    };
    let later = LeadSubmitted {
        submitted_at: at(90),
        mobile: "+65 9999 9999".to_owned(),
        questions: String::new(),
        ..submitted()
    };
    let delivery = Delivery {
        recipient: sales.to_owned(),
        mail_message_id: "<6f9619ff.sales@zyon.example>".to_owned(),
        server_reply: REPLY.to_owned(),
        delivered_at: at(32),
    };
    let unfinished = || DeliverySummary {
        lead_id: submitted().lead_id,
        reference: submitted().reference,
        since: at(402),
        ..DeliverySummary::default()
    };
    crm::Lead {
        submission: Some(submitted()),
        recorded_at: at(1),
        deliveries: vec![delivery],
        timeline: timeline.map(entry).into(),
        conflicts: vec![later],
        contact_id: "6f9619ff-8b86-5011-b42d-00cf4fc964aa".to_owned(),
        conflicting_contact_id: "6f9619ff-8b86-5011-b42d-00cf4fc964bb".to_owned(),
        same_number: vec!["ZG-4M2P-9K".to_owned()],
        number_withdrawn_at: at(300),
        withdrawn_at: at(320),
        erasure_requested_at: at(350),
        progress: Some(Progress {
            state: LeadState::Contacted.into(),
            owner: "Mei".to_owned(),
            changed_at: at(400),
            changed_by: "leadctl".to_owned(),
            contacted_at: at(400),
            next_step_at: at(90_000),
            closing_reason: crm::ClosingReason::Unspecified.into(),
            do_not_contact_at: at(400),
        }),
        consent: Some(Consent {
            policy_version: "2025-07".to_owned(),
            language: Language::Zh.into(),
            given_at: at(0),
            purpose: Purpose::Enquiry.into(),
        }),
        related: vec![RelatedLead {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964aa".to_owned(),
            reference: "ZG-AAAA-AA".to_owned(),
            submitted_at: at(-86_400),
            interests: vec![Interest::Brochure.into(), Interest::Showflat.into()],
            state: LeadState::Invalid.into(),
        }],
        unfinished: vec![
            DeliverySummary {
                recipient: "brochure".to_owned(),
                state: DeliveryState::Deferred.into(),
                until: at(3_600),
                reason: reason("limit", "hourly email limit of all visitors reached"),
                ..unfinished()
            },
            DeliverySummary {
                recipient: "webhook:crm".to_owned(),
                state: DeliveryState::Pending.into(),
                ..unfinished()
            },
        ],
    }
}

/// Text output of 80 cells in Singapore's time zone.
pub(crate) const NARROW: Output = Output {
    is_json: false,
    width: 80,
    zone: Tz::Asia__Singapore,
    now: DateTime::from_timestamp(1_772_337_906, 0).unwrap(),
};

pub(crate) fn dead_letter(
    queue: &'static str,
    reference: Option<&str>,
    class: &str,
    detail: &str,
) -> Message {
    Message {
        queue,
        id: "feed0000".to_owned(),
        lead_id: Some("6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned()),
        reference: reference.map(str::to_owned),
        kind: "lead.submitted.v1".to_owned(),
        since: DateTime::from_timestamp(1_772_337_906, 0),
        replayed: 1,
        class: class.to_owned(),
        detail: detail.to_owned(),
        trace_id: Some("4bf92f3577b34da6a3ce929d0e0e4736".to_owned()),
        fingerprint: Uuid::nil(),
        event: None,
    }
}
