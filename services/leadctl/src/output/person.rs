//! What there is of a person, and what was erased: no more of it than one needs to agree.

use chrono_tz::Tz;
use serde_json::{Value, json};

use super::text::{counted, minute, one_line};
use crate::person::{Erased, Found};

/// What would be erased.
pub(super) fn found(found: &Found, zone: Tz) -> String {
    let mut text = format!("{} in the CRM", counted(found.leads.len() as u64, "lead", "leads"));
    for full in &found.leads {
        let submission = &full.lead.submission;
        let at = minute(submission.submitted_at, zone);
        text.push_str(&format!("\n  {}  {at}", submission.reference));
    }
    if let Some(letters) = &found.letters {
        text.push_str(&format!("\n{}", counted(letters.theirs.len() as u64, "dead letter", "dead letters")));
        for message in &letters.theirs {
            text.push_str(&format!("\n  {}  {}", one_line(&message.name), message.queue));
        }
        text.push_str(&unreadable(letters.unreadable));
    }
    text
}

/// What was.
pub(super) fn erased(erased: &Erased) -> String {
    let leads = counted(erased.leads.len() as u64, "lead", "leads");
    let letters = match erased.dead_letters {
        Some(count) => format!(", and {}", counted(count as u64, "dead letter", "dead letters")),
        None => "; dead letters stay where they are, and none of these leads is stored again".to_owned(),
    };
    let unreadable = unreadable(erased.unreadable);
    format!(
        "Erased: {leads} in the CRM{letters}.{unreadable}\n\
         Out of reach, and for you to see to: mails that were sent, exports, backups."
    )
}

/// The same for programs.
pub(super) fn found_json(found: &Found) -> Value {
    let leads: Vec<_> = found.leads.iter().map(|full| &full.lead.submission.id).collect();
    let letters = found.letters.as_ref();
    json!({
        "leads": leads,
        "dead_letters": letters.map(|it| &it.theirs),
        "unreadable": letters.map(|it| it.unreadable),
    })
}

fn unreadable(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!(
            "\n{} cannot be read, so that nobody knows whose: see `leadctl dead messages list`.",
            counted(count as u64, "dead letter", "dead letters")
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use uuid::Uuid;

    use super::*;
    use crate::{output::samples, person::DeadLetters};

    #[test]
    fn nothing_is_shown_that_one_does_not_need() {
        let theirs = samples::dead_letter("notifier", "ZG-7F3K-2Q", "panic", "");
        let letters = DeadLetters { queues: Vec::new(), theirs: vec![theirs], unreadable: 1 };
        let all = Found { leads: vec![samples::full_lead(), samples::full_lead()], letters: Some(letters) };
        let crm = Found { leads: vec![samples::full_lead()], letters: None };
        let shown = [found(&all, Tz::Asia__Singapore), found(&crm, Tz::Asia__Singapore)].join("\n\n");
        assert!(!shown.contains("9123") && !shown.contains("example.com"), "{shown}");
        insta::assert_snapshot!("person_found", shown);
        let leads = BTreeSet::from([Uuid::from_u128(1)]);
        let both = [
            Erased { leads: leads.clone(), dead_letters: Some(13), unreadable: 2 },
            Erased { leads, dead_letters: None, unreadable: 0 },
        ];
        insta::assert_snapshot!("person_erased", both.map(|it| erased(&it)).join("\n\n"));
    }
}
