//! What there is of a person, and what was erased: no more of it than one needs to agree.

use chrono_tz::Tz;
use serde_json::{Value, json};

use super::text::{counted, minute, one_line};
use crate::person::{Erased, Found, Lying};

/// What would be erased.
pub(super) fn found(found: &Found, zone: Tz) -> String {
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let mut text = format!("{} in the CRM", counted(number(found.leads.len()), "lead", "leads"));
    for full in &found.leads {
        let submission = &full.lead.submission;
        let at = minute(submission.submitted_at, zone);
        text.push_str(&format!("\n  {}  {at}", one_line(&submission.reference)));
    }
    if let Some(lying) = &found.lying {
        let messages = lying.messages.values().sum::<usize>();
        text.push_str(&format!("\n{} in queues", counted(number(messages), "message", "messages")));
        for (queue, count) in &lying.messages {
            text.push_str(&format!("\n  {count}  {queue}"));
        }
        text.push_str(&unreadable(lying.unreadable));
    }
    text
}

/// What was.
pub(super) fn erased(erased: &Erased) -> String {
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let leads = counted(number(erased.leads.len()), "lead", "leads");
    let messages = match erased.messages {
        Some(count) => format!(", and {} in queues", counted(number(count), "message", "messages")),
        None => "; what lies in queues stays there, and is not stored again".to_owned(),
    };
    let unreadable = unreadable(erased.unreadable);
    format!(
        "Erased: {leads} in the CRM{messages}.{unreadable}\n\
         Out of reach, and for you to see to: mails that were sent, exports, backups."
    )
}

/// The same for programs.
pub(super) fn found_json(found: &Found) -> Value {
    let leads: Vec<_> = found.leads.iter().map(|full| &full.lead.submission.id).collect();
    let messages = found.lying.as_ref().map(|Lying { messages, .. }| messages);
    json!({ "leads": leads, "messages": messages, "unreadable": found.lying.as_ref().map(|it| it.unreadable) })
}

fn unreadable(count: usize) -> String {
    let number = u64::try_from(count).unwrap_or(u64::MAX);
    match count {
        0 => String::new(),
        _ => format!(
            "\n{} in queues cannot be read, so that nobody knows whose: `leadctl parked list` shows what is parked.",
            counted(number, "message", "messages")
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use uuid::Uuid;

    use super::*;
    use crate::output::samples;

    #[test]
    fn nothing_is_shown_that_one_does_not_need() {
        let messages = [("notifier.parked".to_owned(), 1), ("notifier.retry.6h".to_owned(), 12)];
        let lying = Lying { messages: BTreeMap::from(messages), leads: BTreeSet::new(), unreadable: 1 };
        let all = Found { leads: vec![samples::full_lead(), samples::full_lead()], lying: Some(lying) };
        let crm = Found { leads: vec![samples::full_lead()], lying: None };
        let shown = [found(&all, Tz::Asia__Singapore), found(&crm, Tz::Asia__Singapore)].join("\n\n");
        assert!(!shown.contains("9123") && !shown.contains("example.com"), "{shown}");
        insta::assert_snapshot!("person_found", shown);
        let leads = BTreeSet::from([Uuid::from_u128(1)]);
        let both = [
            Erased { leads: leads.clone(), messages: Some(13), unreadable: 2 },
            Erased { leads, messages: None, unreadable: 0 },
        ];
        insta::assert_snapshot!("person_erased", both.map(|it| erased(&it)).join("\n\n"));
    }
}
