//! Many leads at once: no mailbox is buried, and no lead is left out.

use std::{collections::BTreeMap, time::Duration};

use contracts::leads::v1::LeadSubmitted;
use notifier::config::Digests;
use testkit::{
    smtp::{At, Fault, Mail, Times},
    wait,
};
use uuid::Uuid;

use crate::system::{BY_QUEUE, FIRST, Manner, Notifier, System};

const LEADS: usize = 300;
const ABOVE: u32 = 10;

/// The clock of tests stands still: what is deferred waits for `WAIT`, and no new interval begins.
const WAIT: Duration = Duration::from_secs(4);
const GATHERING: Manner = Manner {
    digests: Digests { above: ABOVE, interval: WAIT },
    pending_grace: Duration::from_secs(1),
    look: Duration::from_secs(1),
    ..BY_QUEUE
};
const ONE_AT_ONCE: Manner = Manner { digests: Digests { above: 1, interval: WAIT }, ..GATHERING };
const ROUTES: &str = r#"default = ["first@zyongrand.example"]"#;

fn numbered(number: usize) -> LeadSubmitted {
    let number = u128::try_from(number).expect("a small number");
    // As references are written; a zero is no letter of theirs.
    let letters = format!("{number:06}").replace('0', "X");
    let (first, last) = letters.split_at(4);
    let reference = format!("ZG-{first}-{last}");
    LeadSubmitted { lead_id: Uuid::from_u128(number).to_string(), reference, ..crate::support::full() }
}

/// In how many mails to this recipient each lead is named, and how many mails there are.
fn named(mails: &[Mail], recipient: &str, leads: &[LeadSubmitted]) -> (BTreeMap<String, usize>, usize) {
    let texts: Vec<_> = mails
        .iter()
        .filter(|mail| mail.to == [recipient])
        .map(|mail| {
            let message =
                mail_parser::MessageParser::default().parse(&mail.raw).expect("a message").into_owned();
            message.body_text(0).expect("text").into_owned()
        })
        .collect();
    let count = |lead: &LeadSubmitted| texts.iter().filter(|text| text.contains(&lead.reference)).count();
    (leads.iter().map(|lead| (lead.reference.clone(), count(lead))).collect(), texts.len())
}

async fn all_are_delivered(system: &System, notifier: &Notifier, leads: &[LeadSubmitted]) {
    wait::until("every lead to be claimed", async || {
        notifier.metric("notifier_claims_total{answer=\"granted\"}") >= leads.len() as u64
    })
    .await;
    for lead in leads {
        system.delivered(lead, 1).await;
    }
    let (named, mails) = named(&system.smtp.mails(), FIRST, leads);
    let wrong: Vec<_> = named.iter().filter(|(_, times)| **times != 1).take(5).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    // Singly at first; then a mail for all that is fetched at once, as it becomes due: more on a slow machine.
    assert!(mails <= LEADS / 3, "{mails} mails");
}

#[tokio::test]
async fn of_a_flood_from_the_queue_each_lead_is_in_exactly_one_mail() {
    let system = System::start(GATHERING).await;
    let notifier = system.start_notifier_with(ROUTES);
    let leads: Vec<_> = (1..=LEADS).map(numbered).collect();
    for lead in &leads {
        system.submit(lead.clone()).await;
    }
    all_are_delivered(&system, &notifier, &leads).await;
    assert_eq!(notifier.settled("dead_letter"), 0);
}

#[tokio::test]
async fn of_a_flood_over_the_fallback_path_each_lead_is_in_exactly_one_mail() {
    let system = System::start(GATHERING).await;
    let leads: Vec<_> = (1..=LEADS).map(numbered).collect();
    for lead in &leads {
        system.record(lead.clone()).await;
    }
    let notifier = system.start_notifier_with(ROUTES);
    all_are_delivered(&system, &notifier, &leads).await;
}

#[tokio::test]
async fn all_leads_of_a_digest_have_its_message_id() {
    let system = System::start(ONE_AT_ONCE).await;
    let _notifier = system.start_notifier_with(ROUTES);
    let leads: Vec<_> = (1..=5).map(numbered).collect();
    for lead in &leads {
        system.submit(lead.clone()).await;
    }
    let mut by_mail: BTreeMap<String, usize> = BTreeMap::new();
    for lead in &leads {
        for delivery in system.delivered(lead, 1).await.deliveries {
            *by_mail.entry(delivery.mail_message_id).or_default() += 1;
        }
    }
    assert_eq!(by_mail.values().sum::<usize>(), leads.len());
    assert_eq!(by_mail.len(), system.mailed().len());
    assert!(by_mail.len() < leads.len(), "{by_mail:?}");
}

#[tokio::test]
async fn a_digest_that_is_not_taken_leaves_its_leads_to_be_tried_again() {
    let system = System::start(ONE_AT_ONCE).await;
    let notifier = system.start_notifier_with(ROUTES);
    let leads: Vec<_> = (1..=5).map(numbered).collect();
    for lead in &leads {
        system.submit(lead.clone()).await;
    }
    notifier.has_settled("done", 5).await;
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("450 4.2.0 greylisted"), Times::Once);
    for lead in &leads {
        system.delivered(lead, 1).await;
    }
    let (named, mails) = named(&system.smtp.mails(), FIRST, &leads);
    assert!(named.values().all(|times| *times == 1), "{named:?}");
    assert!(mails < leads.len(), "{mails} mails");
}

#[tokio::test]
async fn a_digest_that_is_refused_leaves_its_deliveries_dead() {
    let system = System::start(ONE_AT_ONCE).await;
    let notifier = system.start_notifier_with(ROUTES);
    let leads: Vec<_> = (1..=4).map(numbered).collect();
    for lead in &leads {
        system.submit(lead.clone()).await;
    }
    notifier.has_settled("done", 4).await;
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("550 5.1.1 unknown"), Times::Always);
    wait::until("three to be failed", async || {
        system.crm_metric("crm_reports_total{outcome=\"failed\",path=\"grpc\"}") == 3
    })
    .await;
}

#[tokio::test]
async fn without_the_crm_leads_are_mailed_singly_however_many() {
    let system = System::start(ONE_AT_ONCE).await;
    let notifier = system.start_notifier_with(ROUTES);
    system.crm.cut();
    for number in 1..=5 {
        system.submit(numbered(number)).await;
    }
    notifier.has_settled("done", 5).await;
    wait::until("all mails", async || system.mailed().len() == 5).await;
}
