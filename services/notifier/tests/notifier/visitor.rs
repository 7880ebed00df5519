//! The visitor is told too, and never in the way of the sales team.

use std::num::NonZeroU32;

use contracts::{crm::v1::timeline_entry::Event as Happened, leads::v1::LeadSubmitted};
use testkit::{
    smtp::{At, Fault, Times},
    wait,
};
use uuid::Uuid;

use crate::{
    support::{another, full},
    system::{AT_ONCE, BY_QUEUE, FIRST, Manner, SECOND, System},
};

const VISITOR: &str = "chen.wei@example.com";
const WRITTEN_TO: Option<NonZeroU32> = NonZeroU32::new(3);
const BY_QUEUE_TO_VISITORS: Manner = Manner { acknowledgements: WRITTEN_TO, ..BY_QUEUE };
const AT_ONCE_TO_VISITORS: Manner = Manner { acknowledgements: WRITTEN_TO, ..AT_ONCE };

fn numbered(number: u128) -> LeadSubmitted {
    LeadSubmitted { lead_id: Uuid::from_u128(number).to_string(), ..full() }
}

fn declined(event: &Happened) -> Option<String> {
    if let Happened::Declined(declined) = event {
        declined.reason.as_ref().map(|reason| reason.class.clone())
    } else {
        None
    }
}

#[tokio::test]
async fn the_visitor_is_told_after_the_sales_team_and_named_nowhere() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    system.submit(full()).await;
    let lead = system.told(&full(), 3).await;
    let order: Vec<_> = system.smtp.mails().into_iter().flat_map(|mail| mail.to).collect();
    assert_eq!(order, [FIRST, SECOND, VISITOR]);
    let told = lead.notifications.iter().find(|told| told.recipient == "visitor").unwrap();
    assert_eq!(told.server_reply, "250 2.0.0");
    notifier.has_settled("done", 1).await;
    notifier.counted("notifier_acknowledgements_total{result=\"accepted\"}", 1).await;
}

#[tokio::test]
async fn whatever_becomes_of_visitors_the_sales_team_is_told_at_once() {
    for (fault, times) in [
        (Fault::Answer("450 4.2.0 greylisted"), Times::Always),
        (Fault::Answer("550 5.1.1 unknown"), Times::Always),
        (Fault::Answer("421 4.7.0 go away"), Times::Always),
        (Fault::HangUp, Times::Always),
        (Fault::Silence, Times::Always),
    ] {
        let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
        system.smtp.fail(At::Recipient(VISITOR), fault, times);
        // More leads than there are hands.
        for number in 1..=20 {
            system.submit(numbered(number)).await;
        }
        notifier.has_settled("done", 20).await;
        let expected: Vec<_> = [FIRST, SECOND].into_iter().flat_map(|to| vec![to; 20]).collect();
        assert_eq!(system.mailed(), expected);
        assert_eq!((notifier.settled("retry"), notifier.settled("parked")), (0, 0));
        assert_eq!(notifier.metric("notifier_paused"), 0);
        system.smtp.heal();
    }
}

#[tokio::test]
async fn a_visitor_who_is_greylisted_is_told_later() {
    let (system, notifier) = System::start_with_notifier(AT_ONCE_TO_VISITORS).await;
    system.smtp.fail(At::Recipient(VISITOR), Fault::Answer("450 4.2.0 greylisted"), Times::Once);
    system.submit(full()).await;
    system.told(&full(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
    notifier.counted("notifier_acknowledgements_total{result=\"failed\"}", 1).await;
}

#[tokio::test]
async fn an_address_that_is_refused_for_good_is_declined_and_nothing_is_parked() {
    let (system, notifier) = System::start_with_notifier(AT_ONCE_TO_VISITORS).await;
    system.smtp.fail(At::Recipient(VISITOR), Fault::Answer("550 5.1.1 unknown"), Times::Always);
    system.submit(full()).await;
    assert_eq!(system.happened(&full(), "visitor", declined).await, "smtp-rejected");
    system.submit(another()).await;
    system.happened(&another(), "visitor", declined).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
    assert_eq!(notifier.metric("notifier_acknowledgements_total{result=\"refused\"}"), 2);
    assert_eq!(system.vhost.messages("notifier.parked").await.len(), 0);
}

#[tokio::test]
async fn an_address_that_fails_again_and_again_is_declined() {
    let (system, notifier) = System::start_with_notifier(AT_ONCE_TO_VISITORS).await;
    system.smtp.fail(At::Recipient(VISITOR), Fault::Answer("450 4.2.0 greylisted"), Times::Always);
    system.submit(full()).await;
    assert_eq!(system.happened(&full(), "visitor", declined).await, "smtp");
    notifier.counted("notifier_acknowledgements_total{result=\"failed\"}", 4).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(system.vhost.messages("notifier.parked").await.len(), 0);
}

#[tokio::test]
async fn an_address_that_no_mail_can_have_is_declined() {
    let (system, _notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    let lead = LeadSubmitted { email: "a..b@example.com".to_owned(), ..full() };
    system.submit(lead.clone()).await;
    assert_eq!(system.happened(&lead, "visitor", declined).await, "address");
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn while_the_ledger_is_away_visitors_wait_and_nobody_else() {
    let (system, notifier) = System::start_with_notifier(AT_ONCE_TO_VISITORS).await;
    system.crm.cut();
    system.submit(full()).await;
    notifier.has_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    system.crm.restore();
    system.told(&full(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
}

#[tokio::test]
async fn a_visitor_whose_mail_could_not_be_reported_is_not_written_to_again() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    system.submit(another()).await;
    system.told(&another(), 3).await;
    system.smtp.fail(At::Recipient(VISITOR), Fault::Silence, Times::Once);
    system.submit(full()).await;
    system.told(&full(), 2).await;
    // Without one nobody would write to the visitor.
    notifier.counted("notifier_claims_total{answer=\"granted\"}", 6).await;
    notifier.has_settled("done", 2).await;
    system.broker.cut();
    system.crm.cut();
    system.smtp.heal();
    wait::until("the mail to the visitor", async || system.mailed().len() == 6).await;
    system.crm.restore();
    system.told(&full(), 3).await;
    system.broker.restore();
    assert_eq!(system.mailed(), [VISITOR, VISITOR, FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn a_notifier_that_dies_before_the_mail_leaves_the_visitor_to_another() {
    let system = System::start(AT_ONCE_TO_VISITORS).await;
    system.submit(full()).await;
    system.crash_notifier("notifier-acknowledging").await;
    let _notifier = system.start_notifier();
    system.told(&full(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
}

#[tokio::test]
async fn a_notifier_that_stops_finishes_the_mail_to_the_visitor() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    system.smtp.fail(At::Recipient(VISITOR), Fault::Silence, Times::Once);
    system.submit(full()).await;
    notifier.counted("notifier_claims_total{answer=\"granted\"}", 3).await;
    notifier.has_settled("done", 1).await;
    notifier.0.lifecycle.stop();
    system.smtp.heal();
    notifier.0.lifecycle.run(std::time::Duration::from_secs(20)).await.unwrap();
    system.told(&full(), 3).await;
}

#[tokio::test]
async fn an_address_gets_so_many_mails_a_day() {
    let once_a_day = Manner { acknowledgements: NonZeroU32::new(1), ..AT_ONCE };
    let (system, _notifier) = System::start_with_notifier(once_a_day).await;
    system.submit(full()).await;
    system.told(&full(), 3).await;
    system.submit(another()).await;
    assert_eq!(system.happened(&another(), "visitor", declined).await, "limit");
    assert_eq!(system.mailed(), [VISITOR, FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn nobody_is_told_of_a_lead_that_was_erased() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    system.erase(&full()).await;
    system.submit(full()).await;
    notifier.has_settled("done", 1).await;
    notifier.counted("notifier_claims_total{answer=\"erased\"}", 1).await;
    system.submit(another()).await;
    system.told(&another(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
}
