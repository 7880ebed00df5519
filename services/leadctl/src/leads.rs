//! Words for the messages of the contract. All texts are safe to show.

use std::sync::LazyLock;

use contracts::{
    crm::v1::{Lead, Progress, Source, TimelineEntry, timeline_entry::Event},
    leads::v1::{LeadSubmitted, Reason},
};
use lead::{
    Channel, ClosingReason, Interest, Language, LeadState, SpamSignal,
    text::{several_lines, single_line},
};

use crate::output::{Field, Output};

/// For a value of a newer CRM.
const UNKNOWN: &str = "unknown";

/// The form of a lead; empty if the CRM sends none.
pub(crate) fn submission(lead: &Lead) -> &LeadSubmitted {
    static EMPTY: LazyLock<LeadSubmitted> = LazyLock::new(LeadSubmitted::default);
    lead.submission.as_ref().unwrap_or(&EMPTY)
}

/// A state as typed and shown, such as `visit-booked`.
pub(crate) fn state_name(state: i32) -> String {
    LeadState::from_repr(state).map_or(UNKNOWN, LeadState::id).replace('_', "-")
}

pub(crate) fn closing_reason_name(reason: ClosingReason) -> String {
    reason.id().replace('_', "-")
}

pub(crate) fn interest_name(interest: i32) -> &'static str {
    Interest::from_repr(interest).map_or(UNKNOWN, Interest::id)
}

pub(crate) fn interest_names(interests: &[i32]) -> Vec<&'static str> {
    interests.iter().copied().map(interest_name).collect()
}

pub(crate) fn language_name(language: i32) -> &'static str {
    Language::from_repr(language).map_or(UNKNOWN, Language::id)
}

pub(crate) fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

pub(crate) fn reason_text(reason: Option<&Reason>) -> String {
    reason.map(|it| format!("{} ({})", single_line(&it.detail), single_line(&it.class))).unwrap_or_default()
}

/// The form as filled in, valid or not.
pub(crate) fn form_fields(lead: &LeadSubmitted) -> [Field; 6] {
    // Destructured without `..`, so that a new field of the form is shown too.
    let LeadSubmitted {
        name,
        mobile,
        email,
        interests,
        questions,
        language,
        lead_id: _,
        reference: _,
        submitted_at: _,
        privacy_policy_version: _,
        session: _,
        signals: _,
        channels: _,
    } = lead;
    [
        ("Name", single_line(name)),
        ("Mobile", single_line(mobile)),
        ("Email", single_line(email)),
        ("Interests", interest_names(interests).join(", ")),
        ("Questions", several_lines(questions)),
        ("Language", language_name(*language).to_owned()),
    ]
}

/// Signs of an automatic submission.
pub(crate) fn signals_text(signals: &[i32]) -> String {
    let signals = signals.iter().filter_map(|signal| SpamSignal::from_repr(*signal));
    let texts = signals.map(|signal| match signal {
        SpamSignal::NoSession => "sent without a session",
        SpamSignal::TooFast => "form sent within seconds of the visit",
        SpamSignal::Links => "links in the question",
        SpamSignal::Trapped => "hidden field filled in",
        SpamSignal::Canary => "canary (test lead)",
    });
    match texts.collect::<Vec<_>>()[..] {
        // A browser that fills in forms is quick, too.
        [one] => one.to_owned(),
        [] => String::new(),
        ref several => format!("looks automated: {}", several.join(", ")),
    }
}

/// The channels that the visitor agreed to.
pub(crate) fn channels_text(channels: &[i32]) -> String {
    let channels = channels.iter().filter_map(|channel| Channel::from_repr(*channel));
    let texts = channels.map(|channel| match channel {
        Channel::Phone => "calls",
        Channel::Message => "WhatsApp and SMS",
    });
    match texts.collect::<Vec<_>>()[..] {
        [] => "neither calls nor messages".to_owned(),
        ref some => some.join(", "),
    }
}

/// State and owner, closing reason, follow-up, contact preference; what is not set is left out.
pub(crate) fn progress_texts(progress: &Progress, output: &Output) -> Vec<String> {
    let mut texts = vec![format!("{}, {}", state_name(progress.state), owner_text(&progress.owner))];
    if let Some(reason) = ClosingReason::from_repr(progress.closing_reason) {
        texts.push(format!("reason: {}", closing_reason_name(reason)));
    }
    if progress.next_step_at.is_some() {
        texts.push(format!("follow-up {}", output.zoned(progress.next_step_at)));
    }
    if progress.do_not_contact_at.is_some() {
        texts.push(format!("do not contact since {}", output.zoned(progress.do_not_contact_at)));
    }
    texts
}

fn owner_text(owner: &str) -> String {
    if owner.is_empty() { "unassigned".to_owned() } else { format!("owner {}", single_line(owner)) }
}

pub(crate) fn event_text(entry: &TimelineEntry, output: &Output) -> String {
    let recipient = single_line(&entry.recipient);
    let Some(event) = &entry.event else { return "unknown event (leadctl is older than the CRM)".to_owned() };
    match event {
        Event::Submitted(_) => "submitted".to_owned(),
        Event::Recorded(it) => match it.source() {
            Source::Broker => "stored from the queue".to_owned(),
            Source::Grpc => "stored by gRPC call".to_owned(),
            Source::Claim => "stored by a notifier's claim".to_owned(),
            Source::Unspecified => "stored".to_owned(),
        },
        Event::Conflicting(_) => "sent again with different contents".to_owned(),
        Event::Delivered(it) => format!("{recipient}: delivered: {}", single_line(&it.server_reply)),
        Event::Deferred(it) => {
            let reason = reason_text(it.reason.as_ref());
            format!("{recipient}: deferred until {}: {reason}", output.second(it.until))
        }
        Event::Failed(it) => format!("{recipient}: failed: {}", reason_text(it.reason.as_ref())),
        Event::Leased(it) => {
            format!("leased by {} until {}", single_line(&it.holder), output.second(it.until))
        }
        Event::Retried(it) => format!("{recipient}: retried by {}", single_line(&it.client)),
        Event::Cancelled(it) => format!("{recipient}: cancelled: {}", reason_text(it.reason.as_ref())),
        Event::Discarded(it) => {
            format!("{recipient}: discarded by {}: {}", single_line(&it.client), single_line(&it.reason))
        }
        Event::Progressed(it) => {
            let mut text = state_name(it.state);
            if let Some(reason) = ClosingReason::from_repr(it.closing_reason) {
                text.push_str(&format!(" ({})", closing_reason_name(reason)));
            }
            if it.next_step_at.is_some() {
                text.push_str(&format!(", follow-up {}", output.second(it.next_step_at)));
            }
            format!("{text}, {}, by {}", owner_text(&it.owner), single_line(&it.client))
        }
        Event::Noted(it) => format!("note by {}: {}", single_line(&it.client), single_line(&it.text)),
        Event::ContactChanged(it) => {
            let text = if it.allowed { "may be contacted again" } else { "do not contact" };
            format!("{text}, by {}", single_line(&it.client))
        }
        Event::ErasureRequested(_) => "erasure requested by the visitor".to_owned(),
        Event::PersonChanged(it) => match single_line(&it.reference) {
            none if none.is_empty() => format!("moved to a new person by {}", single_line(&it.client)),
            lead => format!("moved to the person of {lead} by {}", single_line(&it.client)),
        },
    }
}

#[cfg(test)]
pub(crate) use self::tests::{delivered, full_lead, submitted};

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

    const REPLY: &str = "250 2.0.0 OK queued as 7F3K2Q";

    fn at(seconds: i64) -> Option<Timestamp> {
        Some(Timestamp { seconds: 1_772_337_906 + seconds, nanos: 0 })
    }

    pub(crate) fn submitted() -> LeadSubmitted {
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
            ..submitted()
        };
        let delivery = Delivery {
            recipient: sales.to_owned(),
            mail_message_id: "<6f9619ff.sales@zyon.example>".to_owned(),
            server_reply: REPLY.to_owned(),
            delivered_at: at(32),
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
        }
    }
}
