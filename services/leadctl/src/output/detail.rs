//! One lead for people, with all that is known of it.

use chrono::{DateTime, Utc};

use super::text::{lines, one_line};
use crate::lead::{Campaign, Lead, Notification, Session};

/// Its fields, one below the other; those that are empty are left out.
pub(super) fn render(lead: &Lead) -> String {
    let mut fields = vec![
        ("Name", vec![one_line(&lead.name)]),
        ("Mobile", vec![one_line(&lead.mobile)]),
        ("E-mail", vec![one_line(&lead.email)]),
        ("Interests", vec![lead.interests.join(", ")]),
        ("Questions", lines(&lead.questions).collect()),
        ("Language", vec![lead.language.to_owned()]),
        ("Submitted", vec![time(lead.submitted_at)]),
        ("Recorded", vec![time(lead.recorded_at)]),
        ("Told", told(&lead.notifications)),
        ("Privacy", vec![one_line(&lead.privacy_policy_version)]),
    ];
    if let Some(session) = &lead.session {
        fields.extend(visit(session));
    }
    let mut text = format!("{}  {}\n", one_line(&lead.reference), one_line(&lead.id));
    for (label, lines) in fields {
        let mut label = label;
        for line in lines.iter().filter(|_| lines.iter().any(|line| !line.is_empty())) {
            text.push_str(format!("\n  {label:<11}{line}").trim_end());
            label = "";
        }
    }
    text
}

fn visit(session: &Session) -> [(&'static str, Vec<String>); 5] {
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
        ("Session", vec![one_line(&session.id)]),
        ("Began", vec![time(session.started_at)]),
        ("Landed on", vec![one_line(&session.landing_path)]),
        ("Came from", vec![one_line(&session.referrer_host)]),
        ("Campaign", campaign.collect()),
    ]
}

fn told(notifications: &[Notification]) -> Vec<String> {
    if notifications.is_empty() {
        return vec!["nobody yet".to_owned()];
    }
    let line = |it: &Notification| {
        [
            format!("{}  {}", time(it.notified_at), one_line(&it.recipient)),
            format!("  {}  {}", one_line(&it.server_reply), one_line(&it.mail_message_id)),
        ]
    };
    notifications.iter().flat_map(line).collect()
}

fn time(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}
