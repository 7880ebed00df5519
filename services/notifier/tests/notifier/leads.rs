//! Leads that the queue brings.

use testkit::{
    smtp::{At, Fault, Times},
    wait,
};

use crate::{
    support::{another, full},
    system::{BY_QUEUE, FIRST, SECOND, System},
};
use contracts::leads::v1::LeadSubmitted;

const UNKNOWN: Fault = Fault::Answer("550 5.1.1 <first@zyongrand.example> unknown");
const LATER: Fault = Fault::Answer("450 4.2.1 later");

#[tokio::test]
async fn every_recipient_is_told_and_everybody_knows() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.submit(full()).await;
    let mut known = system.told(&full(), 2).await.notifications;
    known.sort_by(|one, other| one.recipient.cmp(&other.recipient));
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    for (event, mail) in known.iter().zip(system.smtp.mails()) {
        let message = mail_parser::MessageParser::default().parse(&mail.raw).unwrap();
        assert_eq!(mail.to, [event.recipient.as_str()]);
        assert_eq!(event.mail_message_id, format!("<{}>", message.message_id().unwrap()));
        assert_eq!(event.server_reply, format!("250 2.0.0 Ok: queued for {}", event.recipient));
        assert_eq!(event.lead_id, full().lead_id);
        assert_eq!(event.notified_at.unwrap().seconds, testkit::start_of_time().timestamp());
        assert_eq!(message.subject(), Some("Showflat preview · 陈伟 · ZG-7F3K-2Q"));
    }
    notifier.counted("notifier_mails_total{result=\"accepted\"}", 2).await;
    notifier.counted("notifier_claims_total{answer=\"granted\"}", 2).await;
    notifier.counted("notifier_reports_total{road=\"broker\"}", 2).await;
    notifier.has_settled("done", 1).await;
}

#[tokio::test]
async fn a_recipient_that_is_refused_keeps_nobody_else_from_being_told() {
    let (system, _notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Recipient(FIRST), UNKNOWN, Times::Always);
    system.submit(full()).await;
    let parked = system.vhost.wait_for_messages("notifier.parked", 1).await;
    let headers = &parked[0]["properties"]["headers"];
    assert_eq!(headers["x-error-class"], "smtp-rejected");
    assert_eq!(
        headers["x-error-detail"],
        "recipient 1 of 2: the mail server refused it for good: 550 to RCPT"
    );
    assert_eq!(system.told(&full(), 1).await.notifications[0].recipient, SECOND);
    assert_eq!(system.mailed(), [SECOND]);
}

#[tokio::test]
async fn an_event_is_parked_only_when_nobody_is_left_to_be_told() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Recipient(FIRST), UNKNOWN, Times::Always);
    system.smtp.fail(At::Recipient(SECOND), LATER, Times::Once);
    system.submit(full()).await;
    let parked = system.vhost.wait_for_messages("notifier.parked", 1).await;
    assert_eq!(parked[0]["properties"]["headers"]["x-attempt"], 2);
    assert_eq!((notifier.settled("retry"), notifier.settled("parked")), (1, 1));
    assert_eq!(system.mailed(), [SECOND]);
}

#[tokio::test]
async fn who_was_told_is_not_told_again_when_another_is_tried_again() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Recipient(FIRST), LATER, Times::Once);
    system.submit(full()).await;
    system.told(&full(), 2).await;
    assert_eq!(notifier.settled("retry"), 1);
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn a_lead_that_comes_twice_is_mailed_once() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.submit(full()).await;
    system.submit(full()).await;
    system.submit(another()).await;
    system.told(&full(), 2).await;
    system.told(&another(), 2).await;
    notifier.has_settled("done", 3).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn a_lead_whose_mail_is_under_way_when_the_broker_goes_is_mailed_once() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the first mail", async || system.smtp.mails().len() == 1).await;
    system.broker.cut();
    wait::until("no connection to be left", async || system.broker.connections() == 0).await;
    system.broker.restore();
    // The event comes again, and finds its own mail under way.
    wait::until("the event again", async || notifier.settled("defer") > 0).await;
    system.smtp.heal();
    system.told(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.settled("retry"), 0);
}

#[tokio::test]
async fn an_event_that_is_no_lead_is_parked() {
    let (system, _notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.submit(LeadSubmitted { lead_id: "no UUID".to_owned(), ..full() }).await;
    let parked = system.vhost.wait_for_messages("notifier.parked", 1).await;
    let headers = &parked[0]["properties"]["headers"];
    assert_eq!(headers["x-error-class"], "malformed");
    assert_eq!(headers["x-error-detail"], "lead_id is missing or not valid");
    assert_eq!(system.mailed(), [""; 0]);
}
