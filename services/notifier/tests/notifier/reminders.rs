//! Reminders of leads that nobody has contacted. The test clock starts at 12:05:06 in the sales team's time zone, six seconds
//! after the test lead.

use std::{fs, time::Duration};

use chrono::TimeDelta;
use contracts::{
    crm::v1::{LeadState, UpdateLeadRequest},
    leads::v1::{Interest, Language, LeadSubmitted, SpamSignal},
};
use testkit::{
    smtp::{At, Fault, Times},
    wait,
};
use uuid::Uuid;

use crate::{
    support::{full, parse},
    system::{BY_QUEUE, Notifier, Scenario, System, cancelled},
};

const SALES: &str = "sales@zyongrand.example";
const MEI: &str = "mei@zyongrand.example";

const MINUTE: Duration = Duration::from_secs(60);

const REMINDING: Scenario = Scenario {
    reminder_interval: Duration::from_millis(20),
    ..BY_QUEUE
};

/// Leads go to the default recipient. Mei reads Chinese.
const ROUTES: &str = r#"
default = ["sales@zyongrand.example"]
reminder_minutes = 15
hours = "09:00-21:00"
[[person]]
name = "Mei Tan"
email = "mei@zyongrand.example"
language = "zh"
"#;

/// An English lead of a buyer.
fn buyer() -> LeadSubmitted {
    LeadSubmitted {
        interests: vec![Interest::Purchase.into()],
        name: "Rachel Lim".to_owned(),
        plan: "C2N".to_owned(),
        language: Language::En.into(),
        channels: Vec::new(),
        ..full()
    }
}

/// A lead of another visitor, because a do-not-contact mark applies to all leads of a visitor.
fn numbered(number: u128, lead: LeadSubmitted) -> LeadSubmitted {
    LeadSubmitted {
        lead_id: Uuid::from_u128(number).to_string(),
        email: format!("v{number}@example.com"),
        mobile: format!("+65 9123 000{number}"),
        ..lead
    }
}

/// Submits a lead and waits until the sales team has it.
async fn submit(system: &System, lead: &LeadSubmitted) {
    system.submit(lead.clone()).await;
    system.wait_for_deliveries(lead, 1).await;
}

async fn update(system: &System, change: UpdateLeadRequest) {
    let mut client = system.client.clone();
    client.leads.update_lead(change).await.expect("updated");
}

async fn assign(system: &System, lead: &LeadSubmitted, owner: &str) {
    let change = UpdateLeadRequest {
        lead_id: lead.lead_id.clone(),
        owner: Some(owner.to_owned()),
        ..UpdateLeadRequest::default()
    };
    update(system, change).await;
}

/// Waits until the notifiers have requested reminders twice more, with a lease after that.
async fn requests_pass(system: &System) {
    let requests = system.calls("RequestReminders");
    wait::until("two more requests", async || {
        system.calls("RequestReminders") > requests + 2
    })
    .await;
    let leases = system.calls("LeasePending");
    wait::until("two more leases", async || {
        system.calls("LeasePending") > leases + 2
    })
    .await;
}

/// Recipient and subject of each reminder.
fn reminders(system: &System) -> Vec<(String, String)> {
    let mut reminders = Vec::new();
    for mail in system.smtp.emails() {
        let subject = parse(&mail.raw).subject().expect("a subject").to_owned();
        if subject.starts_with("Waiting ") || subject.starts_with("已等 ") {
            reminders.push((mail.to.concat(), subject));
        }
    }
    reminders.sort();
    reminders
}

async fn wait_for_reminders(system: &System, count: usize) -> Vec<(String, String)> {
    wait::until("the reminders", async || reminders(system).len() >= count).await;
    reminders(system)
}

fn advance(notifiers: &[Notifier], time: Duration) {
    for notifier in notifiers {
        notifier.clock.advance(time);
    }
}

#[tokio::test]
async fn default_recipient_is_reminded_once_after_the_minutes() {
    let system = System::start(REMINDING).await;
    let notifiers = [
        system.start_notifier_with(ROUTES),
        system.start_notifier_with(ROUTES),
    ];
    let lead = buyer();
    submit(&system, &lead).await;
    advance(&notifiers, 14 * MINUTE);
    requests_pass(&system).await;
    assert!(reminders(&system).is_empty(), "14 minutes are not enough");
    advance(&notifiers, MINUTE);
    let sent = wait_for_reminders(&system, 1).await;
    let subject = "Waiting 15 min: Purchase · C2N · Rachel Lim · ZG-7F3K-2Q";
    assert_eq!(sent, [(SALES.to_owned(), subject.to_owned())]);
    advance(&notifiers, 30 * MINUTE);
    requests_pass(&system).await;
    assert_eq!(reminders(&system).len(), 1, "a lead has one reminder");
    let deliveries = system.wait_for_deliveries(&lead, 2).await.deliveries;
    assert!(
        deliveries
            .iter()
            .any(|it| it.recipient == format!("reminder:{SALES}"))
    );
}

#[tokio::test]
async fn owner_is_reminded_in_their_language_with_agreed_channels() {
    let system = System::start(REMINDING).await;
    let notifiers = [system.start_notifier_with(ROUTES)];
    let lead = buyer();
    submit(&system, &lead).await;
    assign(&system, &lead, "Mei Tan").await;
    system.wait_for_deliveries(&lead, 2).await;
    advance(&notifiers, 15 * MINUTE);
    let sent = wait_for_reminders(&system, 1).await;
    let subject = "已等 15 分钟：有意购买 · C2N · Rachel Lim · ZG-7F3K-2Q";
    assert_eq!(sent, [(MEI.to_owned(), subject.to_owned())]);
    let emails = system.smtp.emails();
    let message = parse(&emails.last().expect("a mail").raw);
    let text = message.body_text(0).expect("text");
    assert!(
        text.contains("客户于 2026年3月1日 12:05 登记，至今无人联系"),
        "{text}"
    );
    assert!(text.contains("价格大概多少"), "the question: {text}");
    assert!(!text.contains("tel:") && !text.contains("wa.me"), "{text}");
}

#[tokio::test]
async fn nobody_is_reminded_of_leads_that_do_not_wait() {
    let system = System::start(REMINDING).await;
    let notifiers = [system.start_notifier_with(ROUTES)];
    let brochure = LeadSubmitted {
        interests: vec![Interest::Brochure.into()],
        ..buyer()
    };
    let spam = LeadSubmitted {
        signals: vec![SpamSignal::TooFast.into()],
        ..buyer()
    };
    let [brochure, spam, contacted, blocked] =
        [(1, brochure), (2, spam), (3, buyer()), (4, buyer())]
            .map(|(number, lead)| numbered(number, lead));
    for lead in [&brochure, &spam, &contacted, &blocked] {
        submit(&system, lead).await;
    }
    let change = |lead: &LeadSubmitted| UpdateLeadRequest {
        lead_id: lead.lead_id.clone(),
        ..UpdateLeadRequest::default()
    };
    update(
        &system,
        UpdateLeadRequest {
            state: LeadState::Contacted.into(),
            ..change(&contacted)
        },
    )
    .await;
    update(
        &system,
        UpdateLeadRequest {
            do_not_contact: Some(true),
            ..change(&blocked)
        },
    )
    .await;
    // A lead that waits, whose reminder shows that the others have none.
    let waiting = numbered(5, buyer());
    submit(&system, &waiting).await;
    advance(&notifiers, 15 * MINUTE);
    wait_for_reminders(&system, 1).await;
    system.wait_for_deliveries(&waiting, 2).await;
    requests_pass(&system).await;
    assert_eq!(reminders(&system).len(), 1);
}

/// The hours end at 12:10, before the 15 minutes of a lead of 12:05, and the next ones begin at 9:00.
#[tokio::test]
async fn lead_of_the_last_minutes_is_reminded_of_at_the_next_opening() {
    let system = System::start(REMINDING).await;
    let routes = ROUTES.replace("09:00-21:00", "09:00-12:10");
    let notifiers = [system.start_notifier_with(&routes)];
    submit(&system, &buyer()).await;
    let requests = system.calls("RequestReminders");
    advance(&notifiers, 15 * MINUTE);
    // Outside the hours, notifier requests nothing, so only leases show that time passes.
    let leases = system.calls("LeasePending");
    wait::until("more leases", async || {
        system.calls("LeasePending") > leases + 5
    })
    .await;
    assert!(system.calls("RequestReminders") <= requests + 2);
    assert!(reminders(&system).is_empty(), "the hours are over");
    let until_nine = TimeDelta::hours(21) - TimeDelta::minutes(20);
    advance(&notifiers, until_nine.to_std().expect("positive"));
    let sent = wait_for_reminders(&system, 1).await;
    assert!(sent[0].1.starts_with("Waiting 20 h: "), "{}", sent[0].1);
}

#[tokio::test]
async fn full_mailbox_ends_the_reminder_without_an_alert() {
    let system = System::start(REMINDING).await;
    let notifiers = [system.start_notifier_with(ROUTES)];
    let lead = buyer();
    submit(&system, &lead).await;
    let full = Fault::Answer("552 5.2.2 mailbox full");
    system.smtp.fail(At::Recipient(SALES), full, Times::Always);
    advance(&notifiers, 15 * MINUTE);
    let recipient = format!("reminder:{SALES}");
    let class = system.wait_for_entry(&lead, &recipient, cancelled).await;
    assert_eq!(class, "mailbox-full");
    system.smtp.heal();
    requests_pass(&system).await;
    assert!(reminders(&system).is_empty());
    wait::until("a sample", async || {
        system.crm_metric("crm_reminders_total") == 1
    })
    .await;
    for gauge in [
        "crm_failed_deliveries",
        "crm_full_mailboxes",
        "crm_pending_leads",
    ] {
        assert_eq!(system.crm_metric(gauge), 0, "{gauge}");
    }
}

#[tokio::test]
async fn zero_minutes_turn_reminders_off_without_a_restart() {
    let system = System::start(REMINDING).await;
    let notifier = system.start_notifier_with(ROUTES);
    submit(&system, &buyer()).await;
    let off = ROUTES.replace("reminder_minutes = 15", "reminder_minutes = 0");
    fs::write(notifier.routes.path(), off).expect("room for a file");
    wait::until("no more requests", async || {
        let requests = system.calls("RequestReminders");
        let leases = system.calls("LeasePending");
        wait::until("more leases", async || {
            system.calls("LeasePending") > leases + 5
        })
        .await;
        system.calls("RequestReminders") == requests
    })
    .await;
    notifier.clock.advance(15 * MINUTE);
    let leases = system.calls("LeasePending");
    wait::until("more leases", async || {
        system.calls("LeasePending") > leases + 5
    })
    .await;
    assert!(reminders(&system).is_empty());
}
