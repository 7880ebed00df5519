//! Who may mail, and who hears of it: claims and reports, with the ledger there and away.

use std::time::Duration;

use contracts::{
    crm::v1::{claim_recipient_response::Answer, timeline_entry::Event as Happened},
    leads::v1::LeadSubmitted,
};
use testkit::{
    smtp::{At, Fault, Times},
    wait,
};
use uuid::Uuid;

use crate::{
    support::{another, full},
    system::{AT_ONCE, BY_QUEUE, FIRST, Notifier, SECOND, System},
};

const LEASED_LEADS: &str = "notifier_leased_leads_total";
const REPORTED_OVER_GRPC: &str = "notifier_reports_total{road=\"grpc\"}";
const REPORTED_NOWHERE: &str = "notifier_reports_total{road=\"none\"}";
const UNCLAIMED: &str = "notifier_unclaimed_mails_total";

fn numbered(number: u128) -> LeadSubmitted {
    LeadSubmitted { lead_id: Uuid::from_u128(number).to_string(), ..full() }
}

fn is_leased(event: &Happened) -> Option<()> {
    matches!(event, Happened::Leased(_)).then_some(())
}

#[tokio::test]
async fn both_roads_and_two_notifiers_together_mail_each_lead_once() {
    let system = System::start(AT_ONCE).await;
    let notifiers = [system.start_notifier(), system.start_notifier()];
    let leads: Vec<_> = (1..=12).map(numbered).collect();
    for lead in &leads {
        system.record(lead.clone()).await;
        system.submit(lead.clone()).await;
    }
    for lead in &leads {
        system.told(lead, 2).await;
    }
    wait::until("every event to be done with", async || {
        notifiers.iter().map(|notifier| notifier.settled("done")).sum::<u64>() == 12
    })
    .await;
    let expected: Vec<_> = [FIRST, SECOND].into_iter().flat_map(|to| vec![to; leads.len()]).collect();
    assert_eq!(system.mailed(), expected);
    assert_eq!(notifiers.iter().map(|notifier| notifier.settled("retry")).sum::<u64>(), 0);
}

#[tokio::test]
async fn of_two_notifiers_with_the_same_lead_one_mails() {
    let system = System::start(BY_QUEUE).await;
    let notifiers = [system.start_notifier(), system.start_notifier()];
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the first mail", async || system.smtp.mails().len() == 1).await;
    for _ in 0..4 {
        system.submit(full()).await;
    }
    wait::until("others to be put off", async || {
        notifiers.iter().all(|notifier| notifier.settled("defer") > 0)
    })
    .await;
    system.smtp.heal();
    wait::until("every event to be done with", async || {
        notifiers.iter().map(|notifier| notifier.settled("done")).sum::<u64>() == 5
    })
    .await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn a_lead_whose_message_was_deleted_is_mailed() {
    let system = System::start(AT_ONCE).await;
    system.submit(full()).await;
    system.vhost.take_messages("notifier.leads", 1).await;
    let notifier = system.start_notifier();
    system.told(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    system.happened(&full(), "", is_leased).await;
    notifier.counted(REPORTED_OVER_GRPC, 2).await;
    notifier.counted(LEASED_LEADS, 1).await;
}

#[tokio::test]
async fn while_the_broker_is_away_leads_are_mailed_once_and_reported() {
    let system = System::start(BY_QUEUE).await;
    system.broker.cut();
    let notifier = system.start_notifier();
    let leads: Vec<_> = (1..=5).map(numbered).collect();
    for lead in &leads {
        system.record(lead.clone()).await;
    }
    for lead in &leads {
        system.told(lead, 2).await;
    }
    assert_eq!(system.mailed().len(), 10);
    notifier.counted(REPORTED_OVER_GRPC, 10).await;
    // Nothing is left for the broker, and nothing is told twice when it is back.
    system.broker.restore();
    system.submit(full()).await;
    system.told(&full(), 2).await;
    assert_eq!(system.mailed().len(), 12);
}

#[tokio::test]
async fn while_the_ledger_is_away_leads_are_mailed_all_the_same_and_once() {
    let (system, notifier) = System::start_with_notifier(AT_ONCE).await;
    system.crm.cut();
    system.submit(full()).await;
    notifier.has_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    notifier.counted(UNCLAIMED, 2).await;
    // The news went by the broker.
    system.told(&full(), 2).await;
    system.crm.restore();
    system.record(another()).await;
    system.told(&another(), 2).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn what_the_broker_does_not_take_is_reported_over_the_second_road() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the first mail", async || system.smtp.mails().len() == 1).await;
    system.broker.cut();
    system.smtp.heal();
    system.told(&full(), 2).await;
    notifier.counted(REPORTED_OVER_GRPC, 2).await;
    system.broker.restore();
    notifier.has_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.metric(REPORTED_NOWHERE), 0);
}

#[tokio::test]
async fn what_the_ledger_does_not_hear_is_reported_by_the_broker() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.record(full()).await;
    wait::until("the first mail", async || system.smtp.mails().len() == 1).await;
    system.crm.cut();
    system.smtp.heal();
    system.told(&full(), 2).await;
    notifier.counted("notifier_reports_total{road=\"broker\"}", 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.metric(REPORTED_NOWHERE), 0);
}

#[tokio::test]
async fn what_could_not_be_reported_is_reported_later_and_not_mailed_again() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the first mail", async || system.smtp.mails().len() == 1).await;
    system.broker.cut();
    system.crm.cut();
    system.smtp.heal();
    wait::until("reports that nobody took", async || notifier.metric(REPORTED_NOWHERE) >= 2).await;
    assert_eq!(system.stored(&full()).await.unwrap().notifications.len(), 0);
    system.crm.restore();
    system.told(&full(), 2).await;
    system.broker.restore();
    notifier.has_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

/// With everything connected and one lead told, so that nobody declares anew what is taken away: crm-sync hears only
/// who was told.
async fn start_and_lose_messages_for_the_crm() -> (System, Notifier) {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.submit(another()).await;
    system.told(&another(), 2).await;
    notifier.has_settled("done", 1).await;
    system.vhost.delete_binding("leads", "crm-sync.leads", "lead.submitted.v1").await;
    (system, notifier)
}

#[tokio::test]
async fn what_was_mailed_without_the_ledger_is_stored_though_its_message_for_the_crm_is_lost() {
    let (system, notifier) = start_and_lose_messages_for_the_crm().await;
    system.crm.cut();
    system.submit(full()).await;
    // The ledger stays away from this notifier for good: the news themselves bring the lead.
    notifier.has_settled("done", 2).await;
    assert!(system.told(&full(), 2).await.submission == Some(full()));
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn what_was_mailed_without_the_ledger_is_stored_though_all_messages_for_the_crm_are_lost() {
    let (system, notifier) = start_and_lose_messages_for_the_crm().await;
    // The news are taken, by a queue that nobody reads.
    system.vhost.bind("leads", "crm-sync.parked", "lead.notified.v1").await;
    system.vhost.delete_binding("leads", "crm-sync.leads", "lead.notified.v1").await;
    system.crm.cut();
    system.submit(full()).await;
    notifier.has_settled("done", 2).await;
    assert!(system.stored(&full()).await.is_none());
    system.crm.restore();
    assert!(system.told(&full(), 2).await.submission == Some(full()));
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn what_else_comes_under_a_key_waits_for_the_ledger() {
    let (system, notifier) = start_and_lose_messages_for_the_crm().await;
    let other = LeadSubmitted { questions: "还有一个问题".to_owned(), ..full() };
    system.crm.cut();
    system.submit(full()).await;
    notifier.has_settled("done", 2).await;
    system.submit(other.clone()).await;
    wait::until("the other to be put off", async || notifier.settled("defer") > 0).await;
    system.crm.restore();
    notifier.has_settled("done", 3).await;
    assert!(system.told(&full(), 2).await.conflicts == [other]);
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn what_else_comes_under_a_key_is_stored_though_its_message_for_the_crm_is_lost() {
    let (system, notifier) = start_and_lose_messages_for_the_crm().await;
    let other = LeadSubmitted { questions: "还有一个问题".to_owned(), ..full() };
    for (lead, settled) in [(full(), 2), (other.clone(), 3)] {
        system.submit(lead).await;
        notifier.has_settled("done", settled).await;
    }
    let stored = system.told(&full(), 2).await;
    assert!(stored.conflicts == [other]);
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn a_recipient_that_another_is_mailing_comes_back_without_an_attempt() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    let held = system.claim(&full(), FIRST, Duration::from_secs(2)).await;
    assert!(matches!(held, Some(Answer::Granted(_))));
    system.submit(full()).await;
    wait::until("the event to be put off", async || notifier.settled("defer") > 0).await;
    assert_eq!(system.mailed(), [SECOND]);
    // The other has died: its claim expires.
    notifier.has_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.settled("retry"), 0);
}

#[tokio::test]
async fn who_was_told_by_another_is_not_mailed() {
    let system = System::start(BY_QUEUE).await;
    let first = system.start_notifier();
    system.submit(full()).await;
    system.told(&full(), 2).await;
    first.has_settled("done", 1).await;
    first.0.lifecycle.stop();
    first.0.lifecycle.run(Duration::from_secs(10)).await.unwrap();
    let second = system.start_notifier();
    system.submit(full()).await;
    second.has_settled("done", 1).await;
    second.counted("notifier_claims_total{answer=\"already_told\"}", 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn a_lead_that_waits_for_another_try_is_not_given_out_meanwhile() {
    let system = System::start(AT_ONCE).await;
    system.broker.cut();
    let notifier = system.start_notifier();
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("450 4.2.1 later"), Times::Once);
    system.record(full()).await;
    let why = system
        .happened(&full(), FIRST, |event| {
            if let Happened::Waiting(waiting) = event { waiting.reason.clone() } else { None }
        })
        .await;
    assert_eq!(
        (why.class.as_str(), why.detail.as_str()),
        ("smtp", "recipient 1 of 2: RCPT: the server answered 450")
    );
    // Another lead comes and goes in the meantime.
    system.record(another()).await;
    system.told(&another(), 2).await;
    assert_eq!(notifier.metric(LEASED_LEADS), 2);
}

#[tokio::test]
async fn a_lead_that_is_refused_is_parked_in_queue_and_ledger() {
    let (system, notifier) = System::start_with_notifier(AT_ONCE).await;
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("550 5.1.1 unknown"), Times::Always);
    system.record(full()).await;
    let parked = system.vhost.wait_for_messages("notifier.parked", 1).await;
    assert_eq!(parked[0]["properties"]["message_id"], full().lead_id);
    assert_eq!(parked[0]["properties"]["type"], "lead.submitted.v1");
    assert_eq!(parked[0]["properties"]["headers"]["x-error-class"], "smtp-rejected");
    let why = system.happened(&full(), FIRST, is_parked).await;
    assert_eq!(why, "smtp-rejected");
    // Parked is the end of it: the next look brings only what is new.
    system.record(another()).await;
    wait::until("the other lead to be parked", async || {
        system.vhost.messages("notifier.parked").await.len() == 2
    })
    .await;
    assert_eq!(notifier.metric(LEASED_LEADS), 2);
    assert_eq!(system.mailed(), [SECOND, SECOND]);
}

fn is_parked(event: &Happened) -> Option<String> {
    if let Happened::Parked(parked) = event {
        parked.reason.as_ref().map(|reason| reason.class.clone())
    } else {
        None
    }
}

#[tokio::test]
async fn a_message_that_is_parked_is_parked_in_the_ledger_too() {
    let (system, _notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("450 4.2.1 later"), Times::Always);
    system.submit(full()).await;
    assert_eq!(system.happened(&full(), FIRST, is_parked).await, "smtp");
    let parked = system.vhost.wait_for_messages("notifier.parked", 1).await;
    assert_eq!(parked[0]["properties"]["headers"]["x-attempt"], 4);
}

#[tokio::test]
async fn nothing_is_parked_in_the_ledger_that_no_queue_holds() {
    let system = System::start(BY_QUEUE).await;
    system.broker.cut();
    let _notifier = system.start_notifier();
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("550 5.1.1 unknown"), Times::Always);
    system.record(full()).await;
    system.happened(&full(), FIRST, |event| matches!(event, Happened::Waiting(_)).then_some(())).await;
    let timeline = system.stored(&full()).await.unwrap().timeline;
    assert!(timeline.iter().filter_map(|entry| entry.event.as_ref()).all(|event| is_parked(event).is_none()));
}
