//! One lead for people, with all that is known of it.

use super::{
    columns::{GAP, columns, indented, usable},
    text::{lines, one_line, second},
    timeline,
};
use crate::lead::{Campaign, Form, FullLead, Notification, Session, Submission};

/// As wide as the longest label.
const LABEL: u16 = 9;

/// What all but the first line begins with.
const INDENT: u16 = 2;

/// A label and what stands beside it.
pub(super) type Field = (&'static str, String);

/// Its fields, its timeline, and what came with the same key.
pub(super) fn render(full: &FullLead, width: u16) -> String {
    let FullLead { lead, timeline, conflicts } = full;
    let submission = &lead.submission;
    let mut all = form(&submission.form);
    all.extend([
        ("Submitted", second(submission.submitted_at)),
        ("Recorded", second(lead.recorded_at)),
        ("Told", told(&lead.notifications)),
        ("Privacy", one_line(&submission.privacy_policy_version)),
    ]);
    if let Some(session) = &submission.session {
        all.extend(visit(session));
    }
    let title = format!("{}  {}", one_line(&submission.reference), one_line(&submission.id));
    let mut text = format!("{title}\n\n{}", fields(all, width));
    let inner = usable(width) - INDENT;
    if !timeline.is_empty() {
        let timeline = timeline::render(timeline, inner);
        text.push_str(&format!("\n\n  Timeline (UTC)\n{}", indented(&timeline)));
    }
    for conflict in conflicts {
        let comparison = indented(&beside(&submission.form, conflict, inner));
        text.push_str(&format!(
            "\n\n  The same key again, with other contents; the first stands\n{comparison}"
        ));
    }
    text
}

/// Fields, one below the other; those that are empty are left out.
pub(super) fn fields(fields: Vec<Field>, width: u16) -> String {
    let filled = fields.into_iter().filter(|(_, value)| !value.is_empty());
    let value = usable(width) - INDENT - LABEL - GAP;
    indented(&columns(filled.map(|(label, value)| [label.to_owned(), value]), [LABEL, value]))
}

/// What the visitor filled in.
pub(super) fn form(form: &Form) -> Vec<Field> {
    vec![
        ("Name", one_line(&form.name)),
        ("Mobile", one_line(&form.mobile)),
        ("E-mail", one_line(&form.email)),
        ("Interests", form.interests.join(", ")),
        ("Questions", lines(&form.questions).collect::<Vec<_>>().join("\n")),
        ("Language", form.language.to_owned()),
    ]
}

/// The fields of a later submission that differ, beside those of the first.
fn beside(first: &Form, later: &Submission, width: u16) -> String {
    let heading = [String::new(), "FIRST".to_owned(), second(later.submitted_at)];
    let differing = form(first).into_iter().zip(form(&later.form)).filter(|(first, later)| first != later);
    let empty = |value: String| if value.is_empty() { "-".to_owned() } else { value };
    let rows = differing.map(|((label, first), (_, later))| [label.to_owned(), empty(first), empty(later)]);
    let half = (width - LABEL - 2 * GAP) / 2;
    columns(std::iter::once(heading).chain(rows), [LABEL, half, half])
}

fn visit(session: &Session) -> [Field; 5] {
    let Campaign { source, medium, name, term, content } = &session.campaign;
    let parameters = [
        ("utm_source", source),
        ("utm_medium", medium),
        ("utm_campaign", name),
        ("utm_term", term),
        ("utm_content", content),
    ];
    let campaign = parameters
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(parameter, value)| format!("{parameter}={}", one_line(value)));
    [
        ("Session", one_line(&session.id)),
        ("Began", second(session.started_at)),
        ("Landed on", one_line(&session.landing_path)),
        ("Came from", one_line(&session.referrer_host)),
        ("Campaign", campaign.collect::<Vec<_>>().join("\n")),
    ]
}

fn told(notifications: &[Notification]) -> String {
    if notifications.is_empty() {
        return "nobody yet".to_owned();
    }
    let line = |it: &Notification| {
        let (recipient, reply) = (one_line(&it.recipient), one_line(&it.server_reply));
        format!("{}  {recipient}\n{reply}\n{}", second(it.notified_at), one_line(&it.mail_message_id))
    };
    notifications.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use contracts::{
        crm::v1::{
            self as crm, Action, Road, TimelineEntry,
            timeline_entry::{Conflicting, Event, Leased, Noted, Parked, Recorded, Submitted, Told, Waiting},
        },
        leads::v1::{Campaign, Interest, Language, LeadNotified, LeadSubmitted, Session},
    };
    use prost_types::Timestamp;

    use super::super::json;
    use super::*;

    const REPLY: &str = "250 2.0.0 OK queued as 7F3K2Q";

    fn at(seconds: i64) -> Option<Timestamp> {
        Some(Timestamp { seconds: 1_772_337_906 + seconds, nanos: 0 })
    }

    fn submission() -> LeadSubmitted {
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
            session: Some(Session {
                session_id: "0b5e9f2e-0000-4000-8000-000000000001".to_owned(),
                started_at: at(-60),
                landing_path: "/floor-plans".to_owned(),
                campaign: Some(Campaign { source: "news".to_owned(), ..Campaign::default() }),
                ..Session::default()
            }),
        }
    }

    fn reason(class: &str, detail: &str) -> Option<crm::Reason> {
        Some(crm::Reason { class: class.to_owned(), detail: detail.to_owned() })
    }

    /// A lead to which everything happened that can.
    fn lead() -> FullLead {
        let (sales, boss) = ("sales@zyon.example", "boss@zyon.example");
        let holder = "notifier-0b5e9f2e-0000-4000-8000-000000000002".to_owned();
        let rejected = reason("smtp-rejected", "550 5.1.1 no such user here");
        let noted = |action: Action, why: &str| {
            Event::Noted(Noted { action: action.into(), why: why.to_owned(), client: "leadctl".to_owned() })
        };
        let timeline = [
            (0, "", Some(Event::Submitted(Submitted {}))),
            (1, "", Some(Event::Recorded(Recorded { road: Road::Grpc.into() }))),
            (31, "", Some(Event::Leased(Leased { holder, until: at(331) }))),
            (32, sales, Some(Event::Told(Told { server_reply: REPLY.to_owned() }))),
            (
                33,
                boss,
                Some(Event::Waiting(Waiting {
                    until: at(63),
                    reason: reason("smtp", "451 4.7.1 greylisted, try again later"),
                })),
            ),
            (64, boss, Some(Event::Parked(Parked { reason: rejected }))),
            (90, "", Some(Event::Conflicting(Conflicting {}))),
            (100, "", Some(noted(Action::Replayed, ""))),
            (200, "", Some(noted(Action::Discarded, "收件人已离职, the address is gone for good"))),
            (300, "", None),
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
        let told = LeadNotified {
            recipient: sales.to_owned(),
            mail_message_id: "<6f9619ff.sales@zyon.example>".to_owned(),
            server_reply: REPLY.to_owned(),
            notified_at: at(32),
            ..LeadNotified::default()
        };
        let lead = crm::Lead {
            submission: Some(submission()),
            recorded_at: at(1),
            notifications: vec![told],
            timeline: timeline.map(entry).into(),
            conflicts: vec![later],
        };
        FullLead::from_wire(lead).unwrap()
    }

    #[test]
    fn everything_fits_eighty_columns() {
        let text = render(&lead(), 80);
        insta::assert_snapshot!("show", text);
    }

    #[test]
    fn json_carries_all_of_it() {
        insta::assert_snapshot!("show.json", json::pretty(&lead()));
    }
}
