//! Visitor confirmations never delay sales emails.

use std::num::NonZeroU32;

use contracts::leads::v1::LeadSubmitted;
use testkit::{
    smtp::{At, Fault, Times},
    wait,
};

use crate::{
    support::{another, full, numbered},
    system::{BY_LEDGER, BY_QUEUE, FIRST, SECOND, Scenario, System, cancelled},
};

const VISITOR: &str = "chen.wei@example.com";
const WRITTEN_TO: Option<NonZeroU32> = NonZeroU32::new(3);
const BY_QUEUE_TO_VISITORS: Scenario = Scenario {
    confirmations: WRITTEN_TO,
    ..BY_QUEUE
};
const BY_LEDGER_TO_VISITORS: Scenario = Scenario {
    confirmations: WRITTEN_TO,
    ..BY_LEDGER
};

#[tokio::test]
async fn visitor_is_emailed_and_never_logged() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    system.submit(full()).await;
    let lead = system.wait_for_deliveries(&full(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
    let delivery = lead
        .deliveries
        .iter()
        .find(|delivery| delivery.recipient == "visitor")
        .unwrap();
    assert_eq!(delivery.server_reply, "250 2.0.0");
    notifier.wait_until_settled("done", 1).await;
    notifier
        .wait_for_metric(
            "notifier_visitor_confirmations_total{result=\"accepted\"}",
            1,
        )
        .await;
}

#[tokio::test]
async fn visitor_failures_never_delay_sales_emails() {
    for (fault, times) in [
        (Fault::Answer("450 4.2.0 greylisted"), Times::Always),
        (Fault::Answer("550 5.1.1 unknown"), Times::Always),
        (Fault::Answer("421 4.7.0 go away"), Times::Always),
        (Fault::HangUp, Times::Always),
        (Fault::Silence, Times::Always),
    ] {
        let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
        // More leads than connections, each with a visitor email.
        for number in 1..=20 {
            let address: &'static str = format!("visitor-{number}@example.com").leak();
            system.smtp.fail(At::Recipient(address), fault, times);
            system
                .submit(LeadSubmitted {
                    email: address.to_owned(),
                    ..numbered(number)
                })
                .await;
        }
        let expected: Vec<_> = [FIRST, SECOND]
            .into_iter()
            .flat_map(|to| vec![to; 20])
            .collect();
        wait::until("the sales team's emails", async || {
            system.mailed().len() == expected.len()
        })
        .await;
        assert_eq!(system.mailed(), expected);
        if matches!(fault, Fault::Silence) {
            let given_up =
                notifier.metric("notifier_visitor_confirmations_total{result=\"failed\"}");
            assert_eq!(
                given_up, 0,
                "sales emails did not wait for a visitor email to fail"
            );
        }
        assert_eq!(notifier.settled("dead_letter"), 0);
        assert_eq!(notifier.metric("notifier_paused"), 0);
        system.smtp.heal();
    }
}

#[tokio::test]
async fn greylisted_visitor_is_emailed_later() {
    let (system, notifier) = System::start_with_notifier(BY_LEDGER_TO_VISITORS).await;
    system.smtp.fail(
        At::Recipient(VISITOR),
        Fault::Answer("450 4.2.0 greylisted"),
        Times::Once,
    );
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
    notifier
        .wait_for_metric("notifier_visitor_confirmations_total{result=\"failed\"}", 1)
        .await;
}

#[tokio::test]
async fn refused_email_does_not_count_against_the_address() {
    for reply in [
        "554 DT:SPM 163 smtp10,please see http://mail.163.com/help/help_spam_16.htm",
        "550 5.2.1 The email account that you tried to reach is disabled.",
    ] {
        let (system, _notifier) = System::start_with_notifier(BY_LEDGER_TO_VISITORS).await;
        system
            .smtp
            .fail(At::Recipient(VISITOR), Fault::Answer(reply), Times::Always);
        system.submit(full()).await;
        let class = system.wait_for_entry(&full(), "visitor", cancelled).await;
        assert_eq!(class, "smtp", "after the last attempt");
        system.smtp.heal();
        system.submit(another()).await;
        system.wait_for_deliveries(&another(), 3).await;
    }
}

#[tokio::test]
async fn rejected_address_gets_no_second_email_and_nothing_fails() {
    let (system, notifier) = System::start_with_notifier(BY_LEDGER_TO_VISITORS).await;
    system.smtp.fail(
        At::Recipient(VISITOR),
        Fault::Answer("550 5.1.1 unknown"),
        Times::Always,
    );
    system.submit(full()).await;
    assert_eq!(
        system.wait_for_entry(&full(), "visitor", cancelled).await,
        "smtp-rejected"
    );
    system.submit(another()).await;
    assert_eq!(
        system
            .wait_for_entry(&another(), "visitor", cancelled)
            .await,
        "suppressed"
    );
    wait::until("the sales team's emails", async || {
        system.mailed().len() == 4
    })
    .await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
    assert_eq!(
        notifier.metric("notifier_visitor_confirmations_total{result=\"refused\"}"),
        1
    );
    assert_eq!(
        system.crm_metric("crm_reports_total{outcome=\"failed\",path=\"grpc\"}"),
        0
    );
}

#[tokio::test]
async fn address_with_repeated_failures_is_cancelled() {
    let (system, notifier) = System::start_with_notifier(BY_LEDGER_TO_VISITORS).await;
    system.smtp.fail(
        At::Recipient(VISITOR),
        Fault::Answer("450 4.2.0 greylisted"),
        Times::Always,
    );
    system.submit(full()).await;
    assert_eq!(
        system.wait_for_entry(&full(), "visitor", cancelled).await,
        "smtp"
    );
    notifier
        .wait_for_metric("notifier_visitor_confirmations_total{result=\"failed\"}", 4)
        .await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(
        system.crm_metric("crm_reports_total{outcome=\"failed\",path=\"grpc\"}"),
        0
    );
}

#[tokio::test]
async fn invalid_address_is_cancelled() {
    let (system, _notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    let lead = LeadSubmitted {
        email: "a..b@example.com".to_owned(),
        ..full()
    };
    system.submit(lead.clone()).await;
    assert_eq!(
        system.wait_for_entry(&lead, "visitor", cancelled).await,
        "address"
    );
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn crm_outage_delays_only_visitor_emails() {
    let (system, notifier) = System::start_with_notifier(BY_LEDGER_TO_VISITORS).await;
    system.crm.cut();
    system.submit(full()).await;
    notifier.wait_until_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    system.crm.restore();
    system.wait_for_deliveries(&full(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
}

#[tokio::test]
async fn crash_before_the_visitor_email_leaves_it_to_another_notifier() {
    let system = System::start(BY_LEDGER_TO_VISITORS).await;
    system.submit(full()).await;
    system.crash_notifier("notifier-claimed").await;
    let _notifier = system.start_notifier();
    system.wait_for_deliveries(&full(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
}

#[tokio::test]
async fn stop_finishes_the_visitor_email() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    system
        .smtp
        .fail(At::Recipient(VISITOR), Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the sales team's emails", async || {
        system.mailed().len() == 2
    })
    .await;
    notifier.context.lifecycle.stop();
    system.smtp.heal();
    notifier
        .context
        .lifecycle
        .run(std::time::Duration::from_secs(20))
        .await
        .unwrap();
    system.wait_for_deliveries(&full(), 3).await;
}

#[tokio::test]
async fn address_gets_limited_emails_a_day() {
    let once_a_day = Scenario {
        confirmations: NonZeroU32::new(1),
        ..BY_LEDGER
    };
    let (system, _notifier) = System::start_with_notifier(once_a_day).await;
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 3).await;
    system.submit(another()).await;
    assert_eq!(
        system
            .wait_for_entry(&another(), "visitor", cancelled)
            .await,
        "limit"
    );
    system.wait_for_deliveries(&another(), 2).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn erased_lead_is_not_emailed() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE_TO_VISITORS).await;
    system.erase(&full()).await;
    system.submit(full()).await;
    notifier.wait_until_settled("done", 1).await;
    notifier
        .wait_for_metric("notifier_claims_total{answer=\"erased\"}", 3)
        .await;
    system.submit(another()).await;
    system.wait_for_deliveries(&another(), 3).await;
    assert_eq!(system.mailed(), [VISITOR, FIRST, SECOND]);
}
