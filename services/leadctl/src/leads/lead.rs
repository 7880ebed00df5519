//! Leads of the CRM, with their deliveries and related leads.

use ::lead::{Lead as Submission, LeadState};
use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{self as crm, GetLeadRequest, get_lead_request::Key},
    leads::v1::LeadSubmitted,
};
use serde::Serialize;
use uuid::Uuid;

use super::{
    contract::{all, interest, language, optional_time, time},
    progress::Progress,
    timeline::TimelineEntry,
};
use crate::{crm::Crm, error::Error};

/// A lead in a list.
#[derive(Serialize)]
pub(crate) struct Lead {
    #[serde(flatten)]
    pub(crate) submission: Submission,
    pub(crate) recorded_at: DateTime<Utc>,
    /// Oldest first.
    pub(crate) deliveries: Vec<Delivery>,
    /// The id of the person's first lead.
    pub(crate) contact_id: String,
    /// The owner of the telephone number, when the address belongs to another person; otherwise empty.
    pub(crate) conflicting_contact_id: String,
    /// References of leads with the same number from other people, newest first; only in `show` and `export`.
    pub(crate) same_number: Vec<String>,
    pub(crate) progress: Progress,
    pub(crate) consent: Option<Consent>,
}

/// All data of a lead in the CRM.
#[derive(Serialize)]
pub(crate) struct FullLead {
    #[serde(flatten)]
    pub(crate) lead: Lead,
    /// Leads of the same person, newest first.
    pub(crate) related: Vec<RelatedLead>,
    /// Oldest first.
    pub(crate) timeline: Vec<TimelineEntry>,
    /// Other contents under the same key; the first submission remains valid.
    pub(crate) conflicts: Vec<Submission>,
}

/// A mail that the mail server accepted.
#[derive(Serialize)]
pub(crate) struct Delivery {
    pub(crate) recipient: String,
    pub(crate) mail_message_id: String,
    pub(crate) server_reply: String,
    pub(crate) delivered_at: DateTime<Utc>,
}

#[derive(Serialize)]
pub(crate) struct Consent {
    /// Empty when the client did not send it.
    pub(crate) policy_version: String,
    pub(crate) language: &'static str,
    pub(crate) given_at: Option<DateTime<Utc>>,
    pub(crate) purpose: &'static str,
}

#[derive(Serialize)]
pub(crate) struct RelatedLead {
    pub(crate) id: String,
    pub(crate) reference: String,
    pub(crate) submitted_at: DateTime<Utc>,
    pub(crate) interests: Vec<&'static str>,
    pub(crate) state: Option<LeadState>,
}

impl Lead {
    pub(crate) fn read(lead: crm::Lead) -> Result<Self, Error> {
        Ok(FullLead::read(lead)?.lead)
    }
}

impl FullLead {
    /// Finds a lead by its id or reference as typed.
    pub(crate) async fn find(crm: &mut Crm, typed: &str) -> Result<Self, Error> {
        let key = match Uuid::try_parse(typed.trim()) {
            Ok(id) => Key::LeadId(id.to_string()),
            Err(_) => Key::Reference(typed.to_owned()),
        };
        let answer = crm.call(async |crm| crm.get_lead(GetLeadRequest { key: Some(key) }).await).await?;
        Self::read(answer.lead.ok_or_else(|| Error::Failed("its answer holds no lead".to_owned()))?)
    }

    pub(crate) fn read(lead: crm::Lead) -> Result<Self, Error> {
        let submission = lead.submission;
        let submission =
            submission.ok_or_else(|| Error::Failed("its answer holds an empty lead".to_owned()))?;
        Ok(Self {
            lead: Lead {
                submission: submitted(submission)?,
                recorded_at: time(lead.recorded_at)?,
                deliveries: all(lead.deliveries, delivery)?,
                contact_id: lead.contact_id,
                conflicting_contact_id: lead.conflicting_contact_id,
                same_number: lead.same_number,
                progress: Progress::read(lead.progress)?,
                consent: lead.consent.map(consent).transpose()?,
            },
            related: all(lead.related, related)?,
            timeline: all(lead.timeline, TimelineEntry::read)?,
            conflicts: all(lead.conflicts, submitted)?,
        })
    }
}

fn submitted(submission: LeadSubmitted) -> Result<Submission, Error> {
    submission
        .try_into()
        .map_err(|error| Error::Failed(format!("its answer holds a lead that is none: {error}")))
}

fn delivery(delivery: crm::Delivery) -> Result<Delivery, Error> {
    Ok(Delivery {
        recipient: delivery.recipient,
        mail_message_id: delivery.mail_message_id,
        server_reply: delivery.server_reply,
        delivered_at: time(delivery.delivered_at)?,
    })
}

fn consent(consent: crm::Consent) -> Result<Consent, Error> {
    Ok(Consent {
        language: language(consent.language()),
        purpose: match consent.purpose() {
            crm::Purpose::Unspecified => "unknown",
            crm::Purpose::Enquiry => "enquiry",
        },
        given_at: optional_time(consent.given_at)?,
        policy_version: consent.policy_version,
    })
}

fn related(lead: crm::RelatedLead) -> Result<RelatedLead, Error> {
    Ok(RelatedLead {
        interests: lead.interests().map(interest).collect(),
        state: LeadState::from_repr(lead.state),
        id: lead.lead_id,
        reference: lead.reference,
        submitted_at: time(lead.submitted_at)?,
    })
}

#[cfg(test)]
pub(crate) use self::tests::{delivered, full_lead, submission};

#[cfg(test)]
mod tests {
    use contracts::{
        crm::v1::{
            self as crm, Consent, Delivery, LeadState, Progress, Purpose, RelatedLead, Source, TimelineEntry,
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

    use super::FullLead;

    const REPLY: &str = "250 2.0.0 OK queued as 7F3K2Q";

    fn at(seconds: i64) -> Option<Timestamp> {
        Some(Timestamp { seconds: 1_772_337_906 + seconds, nanos: 0 })
    }

    pub(crate) fn submission() -> LeadSubmitted {
        LeadSubmitted {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            submitted_at: at(0),
            interests: vec![Interest::Purchase.into(), Interest::Showflat.into()],
            name: "欧阳陈伟".to_owned(),
            mobile: "+65 9123 4567".to_owned(),
            email: "wei@example.com".to_owned(),
            questions: format!(
                "几时开放? 🏙\nAnd how do we get there from {}?",
                "Bukit Timah Road ".repeat(4)
            ),
            language: Language::Zh.into(),
            privacy_policy_version: "2025-07".to_owned(),
            channels: vec![ContactChannel::Phone.into()],
            session: Some(Session {
                session_id: "0b5e9f2e-0000-4000-8000-000000000001".to_owned(),
                started_at: at(-60),
                landing_path: "/floor-plans".to_owned(),
                campaign: Some(Campaign { source: "news".to_owned(), ..Campaign::default() }),
                ..Session::default()
            }),
            signals: vec![SpamSignal::TooFast.into(), SpamSignal::Links.into()],
        }
    }

    fn reason(class: &str, detail: &str) -> Option<Reason> {
        Some(Reason { class: class.to_owned(), detail: detail.to_owned() })
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
        let failed =
            delivery_report::Failed { reason: reason("smtp-rejected", "550 5.1.1 no such user here") };
        LeadDelivered {
            lead: Some(submission()),
            recipients: Vec::new(),
            reports: vec![
                report("sales@zyon.example", Outcome::Delivered(taken)),
                report("visitor", Outcome::Failed(failed)),
            ],
            holder: String::new(),
        }
    }

    /// A lead with every kind of event.
    pub(crate) fn full_lead() -> FullLead {
        let (sales, boss) = ("sales@zyon.example", "boss@zyon.example");
        let holder = "notifier-0b5e9f2e-0000-4000-8000-000000000002".to_owned();
        let rejected = reason("smtp-rejected", "550 5.1.1 no such user here");
        let client = || "leadctl".to_owned();
        let reason_text = "收件人已离职, the address is gone for good".to_owned();
        let timeline = [
            (0, "", Some(Event::Submitted(Submitted {}))),
            (1, "", Some(Event::Recorded(Recorded { source: Source::Grpc.into() }))),
            (31, "", Some(Event::Leased(Leased { holder, until: at(331) }))),
            (32, sales, Some(Event::Delivered(Delivered { server_reply: REPLY.to_owned() }))),
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
            (100, boss, Some(Event::Retried(Retried { client: client() }))),
            (200, boss, Some(Event::Discarded(Discarded { reason: reason_text, client: client() }))),
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
            (400, "", Some(Event::Noted(Noted { text: "Comes on Sunday".to_owned(), client: client() }))),
            (400, "", Some(Event::ContactChanged(ContactChanged { allowed: false, client: client() }))),
            (
                401,
                "visitor",
                Some(Event::Cancelled(Cancelled { reason: reason("too-many", "had its mails of the day") })),
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
            ..submission()
        };
        let delivery = Delivery {
            recipient: sales.to_owned(),
            mail_message_id: "<6f9619ff.sales@zyon.example>".to_owned(),
            server_reply: REPLY.to_owned(),
            delivered_at: at(32),
        };
        let lead = crm::Lead {
            submission: Some(submission()),
            recorded_at: at(1),
            deliveries: vec![delivery],
            timeline: timeline.map(entry).into(),
            conflicts: vec![later],
            contact_id: "6f9619ff-8b86-5011-b42d-00cf4fc964aa".to_owned(),
            conflicting_contact_id: "6f9619ff-8b86-5011-b42d-00cf4fc964bb".to_owned(),
            same_number: vec!["ZG-4M2P-9K".to_owned()],
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
        };
        FullLead::read(lead).unwrap()
    }
}
