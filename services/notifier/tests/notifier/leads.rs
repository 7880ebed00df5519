//! Leads from the queue.

use contracts::leads::v1::LeadSubmitted;
use testkit::{
    smtp::{At, Fault, Times},
    wait,
};

use crate::{
    support::full,
    system::{BY_QUEUE, FIRST, SECOND, System, failed},
};

const UNKNOWN: Fault = Fault::Answer("550 5.1.1 <first@zyongrand.example> unknown");
const LATER: Fault = Fault::Answer("450 4.2.1 later");

#[tokio::test]
async fn emails_and_reports_every_recipient() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.submit(full()).await;
    let mut known = system.wait_for_deliveries(&full(), 2).await.deliveries;
    known.sort_by(|one, other| one.recipient.cmp(&other.recipient));
    let mut emails = system.smtp.emails();
    emails.sort_by(|one, other| one.to.cmp(&other.to));
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    for (delivery, mail) in known.iter().zip(emails) {
        let message = mail_parser::MessageParser::default()
            .parse(&mail.raw)
            .unwrap();
        assert_eq!(mail.to, [delivery.recipient.as_str()]);
        assert_eq!(
            delivery.mail_message_id,
            format!("<{}>", message.message_id().unwrap())
        );
        assert_eq!(
            delivery.server_reply,
            format!("250 2.0.0 Ok: queued for {}", delivery.recipient)
        );
        assert_eq!(
            delivery.delivered_at.unwrap().seconds,
            testkit::start_of_time().timestamp()
        );
        assert_eq!(
            message.subject(),
            Some("Show flat preview · 陈伟 · ZG-7F3K-2Q")
        );
    }
    notifier.wait_until_settled("done", 1).await;
}

#[tokio::test]
async fn lead_needs_one_publish_claim_and_report() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 2).await;
    notifier.wait_until_settled("done", 1).await;
    wait::until("crm-sync to consume its message", async || {
        system.crm_metric("messaging_consumed_total{queue=\"crm-sync.leads\",verdict=\"done\"}")
            == 1
    })
    .await;
    assert_eq!(
        (
            system.calls("ClaimDeliveries"),
            system.calls("ReportDeliveries")
        ),
        (1, 1)
    );
    assert_eq!(
        notifier.metric("notifier_emails_total{result=\"accepted\"}"),
        2
    );
    assert_eq!(
        notifier.metric("notifier_claims_total{answer=\"granted\"}"),
        2
    );
    assert_eq!(notifier.metric("notifier_reports_total{path=\"grpc\"}"), 1);
    assert_eq!(system.published(), 1);
    assert_eq!(notifier.published(), 0);
}

#[tokio::test]
async fn rejected_recipient_does_not_stop_the_others() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system
        .smtp
        .fail(At::Recipient(FIRST), UNKNOWN, Times::Always);
    system.submit(full()).await;
    let why = system.wait_for_entry(&full(), FIRST, failed).await;
    assert_eq!(
        why,
        "RCPT: server replied 550 5.1.1: address does not exist"
    );
    assert_eq!(
        system.wait_for_deliveries(&full(), 1).await.deliveries[0].recipient,
        SECOND
    );
    assert_eq!(system.mailed(), [SECOND]);
    notifier.wait_until_settled("done", 1).await;
    // A failed delivery is final: the message is settled, and no lead is leased.
    assert_eq!(notifier.settled("dead_letter"), 0);
}

#[tokio::test]
async fn delivery_fails_after_the_last_attempt() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Recipient(FIRST), LATER, Times::Always);
    system.submit(full()).await;
    assert_eq!(
        system.wait_for_entry(&full(), FIRST, failed).await,
        "RCPT: server replied 450 4.2.1"
    );
    assert_eq!(
        notifier.metric("notifier_emails_total{result=\"failed\"}"),
        4
    );
    assert_eq!(system.mailed(), [SECOND]);
    assert_eq!(notifier.settled("done"), 1);
}

#[tokio::test]
async fn retry_for_one_recipient_emails_no_other() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Recipient(FIRST), LATER, Times::Once);
    system.submit(full()).await;
    // The message is settled while the email waits in the database.
    notifier.wait_until_settled("done", 1).await;
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    notifier
        .wait_for_metric("notifier_leased_leads_total", 1)
        .await;
}

#[tokio::test]
async fn broker_outage_during_an_email_sends_it_once() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the emails", async || system.smtp.emails().len() == 2).await;
    system.broker.cut();
    wait::until("the broker's connections to close", async || {
        system.broker.connections() == 0
    })
    .await;
    system.broker.restore();
    // The message is redelivered while its email is in flight.
    notifier.wait_until_settled("done", 1).await;
    assert_eq!(system.mailed().len(), 2);
    system.smtp.heal();
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn other_event_is_a_dead_letter() {
    let (system, _notifier) = System::start_with_notifier(BY_QUEUE).await;
    system
        .submit(LeadSubmitted {
            lead_id: "no UUID".to_owned(),
            ..full()
        })
        .await;
    let dead_letters = system
        .vhost
        .wait_for_messages("notifier.dead-letters", 1)
        .await;
    let headers = &dead_letters[0]["properties"]["headers"];
    assert_eq!(headers["x-error-class"], "malformed");
    assert_eq!(headers["x-error-detail"], "lead_id is not a UUID");
    assert_eq!(system.mailed(), [""; 0]);
}
