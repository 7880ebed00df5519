//! The daily summary, as a mail program reads it.

use chrono::TimeDelta;
use lead::{Channel, Lead, LeadState};
use notifier::mail::{self, Backlog, RelatedLeads, WaitingLead};

use crate::support::{
    desk_mail_context, filled_with, find_magic_links, lead, leads, mail_context, now, parse, sales,
};

fn uncontacted(lead: &Lead) -> WaitingLead {
    WaitingLead {
        lead: lead.clone(),
        owner: String::new(),
        state: LeadState::New,
        next_step_at: None,
    }
}

#[test]
fn summary_escapes_visitor_text() {
    let markup = r#"<script>alert("1")</script>\r\nBcc: x@y.z"#;
    let mut event = filled_with(markup);
    event.mobile = "\"><b>9123 4567".to_owned();
    let waiting = WaitingLead {
        owner: markup.to_owned(),
        ..uncontacted(&lead(&event))
    };
    let backlog = Backlog {
        new: vec![waiting].into(),
        ..Backlog::default()
    };
    let mail = mail::summary(&backlog, &sales(), &mail_context(), now()).unwrap();
    let html = &mail.content.html;
    assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    assert!(html.contains("&#60;script&#62;"), "{html}");
    assert!(parse(&mail.bytes).bcc().is_none());
}

#[test]
fn summary_shows_who_waits_and_how_long() {
    let mut waiting: Vec<_> = leads(97).iter().map(uncontacted).collect();
    waiting[0].owner = "grace.lim".to_owned();
    waiting.reverse();
    let next_day = now() + TimeDelta::hours(20);
    let one = Backlog {
        new: vec![waiting[96].clone()].into(),
        ..Backlog::default()
    };
    let many = Backlog {
        new: waiting.into(),
        ..Backlog::default()
    };
    let mail = mail::summary(&many, &sales(), &mail_context(), next_day).unwrap();
    assert_eq!(
        mail.content.subject,
        "97 enquiries waiting for a call · 2 Mar · Zyon Grand"
    );
    for shown in [&mail.content.text, &mail.content.html] {
        let at = |text: &str| {
            shown
                .find(text)
                .unwrap_or_else(|| panic!("{text} is not in {shown}"))
        };
        assert!(at("Visitor 0000") < at("Visitor 0049"));
        assert!(!shown.contains("Visitor 0050"));
        assert!(at("ssigned to ") < at("Visitor 0001") && shown.contains("grace."));
        assert!(at("nd 47 more") > at("Visitor 0049"));
        assert!(shown.contains("leadctl list --state new"));
        assert!(shown.contains("tel:+6590000049"));
        assert!(shown.contains("waiting 19 h") && shown.contains("waiting 20 h"));
    }
    let few = mail::summary(&one, &sales(), &mail_context(), next_day).unwrap();
    assert_eq!(
        few.content.subject,
        "1 enquiry waiting for a call · 2 Mar · Zyon Grand"
    );
    assert!(!few.content.text.contains("more"));
}

#[test]
fn summary_has_links_for_agreed_channels_only() {
    for (channels, note) in [
        (
            vec![],
            "Did not agree to calls, WhatsApp or SMS: check the Do Not Call registry first.",
        ),
        (
            vec![Channel::Phone],
            "Agreed to calls, not to WhatsApp or SMS: check the Do Not Call registry first.",
        ),
        (
            vec![Channel::Message],
            "Agreed to WhatsApp and SMS, not to calls: check the Do Not Call registry first.",
        ),
        (
            vec![Channel::Phone, Channel::Message],
            "Agreed to calls, WhatsApp and SMS.",
        ),
    ] {
        let waiting = uncontacted(&Lead {
            channels: channels.clone(),
            ..leads(1).remove(0)
        });
        let backlog = Backlog {
            new: vec![waiting].into(),
            ..Backlog::default()
        };
        let mail = mail::summary(&backlog, &sales(), &mail_context(), now()).unwrap();
        let text = &mail.content.text;
        let html = &mail.content.html;
        for shown in [text, html] {
            assert!(shown.contains(note), "{shown}");
            assert!(shown.contains("9000 0000"), "{shown}");
            assert_eq!(shown.contains("tel:"), channels.contains(&Channel::Phone));
        }
        assert_eq!(
            html.contains("https://wa.me/"),
            channels.contains(&Channel::Message)
        );
    }
}

#[test]
fn waits_have_coarse_units() {
    for (minutes, text) in [
        (-5, "waiting 0 min"),
        (59, "waiting 59 min"),
        (60, "waiting 1 h"),
        (26 * 60 + 59, "waiting 26 h"),
        (48 * 60, "waiting 2 days"),
        (99_999, "waiting 69 days"),
    ] {
        let lead = Lead {
            submitted_at: now() - TimeDelta::minutes(minutes),
            ..leads(1).remove(0)
        };
        let backlog = Backlog {
            new: vec![uncontacted(&lead)].into(),
            ..Backlog::default()
        };
        let mail = mail::summary(&backlog, &sales(), &mail_context(), now()).unwrap();
        assert!(mail.content.text.contains(&format!("  {text}  ")), "{text}");
    }
}

#[test]
fn summary_links_each_lead_for_people_only() {
    let (leads, context) = (leads(3), desk_mail_context());
    let backlog = Backlog {
        new: leads.iter().map(uncontacted).collect::<Vec<_>>().into(),
        ..Backlog::default()
    };
    let summary = mail::summary(&backlog, &sales(), &context, now()).unwrap();
    let keys = find_magic_links(&summary.content.html);
    assert_eq!(
        keys.iter().map(|key| key.lead).collect::<Vec<_>>(),
        leads.iter().map(|it| it.id).collect::<Vec<_>>()
    );
    assert!(
        keys.iter()
            .all(|key| key.login.unwrap().email == summary.message_id.id)
    );
    assert_eq!(find_magic_links(&summary.content.text), keys);
    let nobody = "desk@zyongrand.example".parse().unwrap();
    let summary = mail::summary(&backlog, &nobody, &context, now()).unwrap();
    let one = mail::sales(
        &leads[0],
        &RelatedLeads::default(),
        &nobody,
        None,
        &context,
        now(),
    )
    .unwrap();
    for mail in [summary, one] {
        assert!(!mail.content.html.contains("/desk") && !mail.content.text.contains("/desk"));
    }
}

#[test]
fn summary_lists_at_most_fifty_due_follow_ups() {
    let leads = leads(2);
    let at = |hours| Some(now() + TimeDelta::hours(hours));
    let waiting = |number: usize, state, next_step_at| WaitingLead {
        state,
        next_step_at,
        ..uncontacted(&leads[number])
    };
    let mut due = vec![
        waiting(0, LeadState::VisitBooked, at(3)),
        waiting(1, LeadState::New, at(-30)),
    ];
    due.extend((0..51).map(|_| waiting(1, LeadState::Contacted, at(4))));
    let backlog = Backlog {
        due: due.into(),
        ..Backlog::default()
    };
    let mail = mail::summary(&backlog, &sales(), &mail_context(), now()).unwrap();
    assert_eq!(mail.content.subject, "53 due today · 1 Mar · Zyon Grand");
    for shown in [&mail.content.text, &mail.content.html] {
        assert!(
            shown.contains("And 3 more are due") && shown.contains("visit at 15:05"),
            "{shown}"
        );
    }
}
