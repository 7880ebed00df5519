//! Claims and reports, with the CRM available and unavailable.

use std::{process::ExitCode, time::Duration};

use chrono::Utc;
use contracts::{
    crm::v1::{ClaimAnswer, timeline_entry::Event as TimelineEvent},
    leads::v1::LeadSubmitted,
};
use testkit::{
    smtp::{At, Fault, Times},
    wait,
};

use crate::{
    support::{another, full, numbered},
    system::{
        BY_LEDGER, BY_QUEUE, FIRST, Notifier, SECOND, Scenario, System, cancelled, deferred, failed,
    },
};

const LEASED_LEADS: &str = "notifier_leased_leads_total";
const REPORTED_OVER_GRPC: &str = "notifier_reports_total{path=\"grpc\"}";
const REPORTED_NOWHERE: &str = "notifier_reports_total{path=\"none\"}";
const UNCLAIMED: &str = "notifier_unclaimed_emails_total";

fn is_leased(event: &TimelineEvent) -> Option<()> {
    matches!(event, TimelineEvent::Leased(_)).then_some(())
}

#[tokio::test]
async fn two_notifiers_and_sources_email_each_lead_once() {
    let system = System::start(BY_LEDGER).await;
    let notifiers = [system.start_notifier(), system.start_notifier()];
    let leads: Vec<_> = (1..=12).map(numbered).collect();
    for lead in &leads {
        system.record(lead.clone()).await;
        system.submit(lead.clone()).await;
    }
    for lead in &leads {
        system.wait_for_deliveries(lead, 2).await;
    }
    wait::until("every event to be settled", async || {
        notifiers
            .iter()
            .map(|notifier| notifier.settled("done"))
            .sum::<u64>()
            == 12
    })
    .await;
    let expected: Vec<_> = [FIRST, SECOND]
        .into_iter()
        .flat_map(|to| vec![to; leads.len()])
        .collect();
    assert_eq!(system.mailed(), expected);
}

#[tokio::test]
async fn one_of_two_notifiers_emails_a_lead() {
    let system = System::start(BY_QUEUE).await;
    let notifiers = [system.start_notifier(), system.start_notifier()];
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the emails", async || system.smtp.emails().len() == 2).await;
    for _ in 0..4 {
        system.submit(full()).await;
    }
    wait::until("every other message to be settled", async || {
        notifiers
            .iter()
            .map(|notifier| notifier.settled("done"))
            .sum::<u64>()
            == 4
    })
    .await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    system.smtp.heal();
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn lead_with_a_deleted_message_is_emailed() {
    let system = System::start(BY_LEDGER).await;
    system.submit(full()).await;
    system.vhost.take_messages("notifier.leads", 1).await;
    let notifier = system.start_notifier();
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    system.wait_for_entry(&full(), "", is_leased).await;
    notifier.wait_for_metric(REPORTED_OVER_GRPC, 1).await;
    notifier.wait_for_metric(LEASED_LEADS, 1).await;
}

#[tokio::test]
async fn broker_outage_emails_once_and_reports() {
    let system = System::start(BY_QUEUE).await;
    system.broker.cut();
    let notifier = system.start_notifier();
    let leads: Vec<_> = (1..=5).map(numbered).collect();
    for lead in &leads {
        system.record(lead.clone()).await;
    }
    for lead in &leads {
        system.wait_for_deliveries(lead, 2).await;
    }
    assert_eq!(system.mailed().len(), 10);
    notifier.wait_for_metric(REPORTED_OVER_GRPC, 5).await;
    // The reports did not use the broker, and its recovery causes no second email.
    system.broker.restore();
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed().len(), 12);
}

#[tokio::test]
async fn claim_waits_for_a_crm_that_restarts() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.crm.cut();
    system.submit(full()).await;
    wait::until("a repeated claim", async || {
        notifier.metric("notifier_claims_total{answer=\"repeated\"}") >= 1
    })
    .await;
    system.crm.restore();
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.metric(UNCLAIMED), 0);
}

#[tokio::test]
async fn stop_ends_the_wait_for_a_claim() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.crm.cut();
    system.submit(full()).await;
    wait::until("a repeated claim", async || {
        notifier.metric("notifier_claims_total{answer=\"repeated\"}") >= 1
    })
    .await;
    notifier.context.lifecycle.stop();
    let status = notifier
        .context
        .lifecycle
        .run(Duration::from_secs(20))
        .await;
    assert_eq!(status.unwrap(), ExitCode::SUCCESS);
    assert!(system.mailed().is_empty());
    system.vhost.take_messages("notifier.leads", 1).await;
}

#[tokio::test]
async fn crm_outage_emails_once() {
    let (system, notifier) = System::start_with_notifier(BY_LEDGER).await;
    system.crm.cut();
    system.submit(full()).await;
    notifier.wait_until_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    notifier.wait_for_metric(UNCLAIMED, 2).await;
    // The broker carried the report.
    system.wait_for_deliveries(&full(), 2).await;
    system.crm.restore();
    system.record(another()).await;
    system.wait_for_deliveries(&another(), 2).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn crm_outage_reports_through_the_broker() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.record(full()).await;
    wait::until("the emails", async || system.smtp.emails().len() == 2).await;
    system.crm.cut();
    system.smtp.heal();
    system.wait_for_deliveries(&full(), 2).await;
    notifier
        .wait_for_metric("notifier_reports_total{path=\"broker\"}", 1)
        .await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.metric(REPORTED_NOWHERE), 0);
}

#[tokio::test]
async fn unreported_email_is_reported_later_and_not_sent_again() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the emails", async || system.smtp.emails().len() == 2).await;
    system.broker.cut();
    system.crm.cut();
    system.smtp.heal();
    wait::until("a report that fails", async || {
        notifier.metric(REPORTED_NOWHERE) >= 1
    })
    .await;
    assert_eq!(system.find_lead(&full()).await.unwrap().deliveries.len(), 0);
    system.crm.restore();
    system.wait_for_deliveries(&full(), 2).await;
    system.broker.restore();
    notifier.wait_until_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn unroutable_report_does_not_block_others() {
    let (system, notifier) = start_connected().await;
    system.crm.cut();
    system
        .vhost
        .delete_binding("leads", "crm-sync.leads", "lead.delivered.v1")
        .await;
    system.submit(full()).await;
    wait::until("a report that fails", async || {
        notifier.metric(REPORTED_NOWHERE) >= 1
    })
    .await;
    system.submit(numbered(3)).await;
    wait::until("the emails about both leads", async || {
        system.mailed().len() == 6
    })
    .await;
    system.crm.restore();
    system.wait_for_deliveries(&full(), 2).await;
    system.wait_for_deliveries(&numbered(3), 2).await;
    notifier.wait_until_settled("done", 3).await;
    assert_eq!(
        system.mailed(),
        [FIRST, FIRST, FIRST, SECOND, SECOND, SECOND]
    );
}

#[tokio::test]
async fn retry_during_crm_outage_keeps_the_message() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.crm.cut();
    system.smtp.fail(
        At::Recipient(FIRST),
        Fault::Answer("450 4.2.1 later"),
        Times::Once,
    );
    system.submit(full()).await;
    // Meanwhile another lead is delivered, and the first message stays unacknowledged.
    system.submit(another()).await;
    notifier.wait_until_settled("done", 2).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
    system.wait_for_deliveries(&full(), 2).await;
    system.wait_for_deliveries(&another(), 2).await;
}

#[tokio::test]
async fn message_with_a_long_wait_is_not_returned() {
    let scenario = Scenario {
        retry_delays: "1h",
        ..BY_QUEUE
    };
    let (system, notifier) = System::start_with_notifier(scenario).await;
    system.crm.cut();
    system.smtp.fail(
        At::Recipient(FIRST),
        Fault::Answer("450 4.2.1 later"),
        Times::Once,
    );
    system.submit(full()).await;
    wait::until("the second recipient", async || system.mailed() == [SECOND]).await;
    system.submit(another()).await;
    notifier.wait_until_settled("done", 1).await;
    assert_eq!(system.mailed(), [FIRST, SECOND, SECOND]);
    assert_eq!(notifier.settled("returned"), 0);
}

/// Starts everything and delivers one lead. All services are then connected, so none restores a deleted binding
/// immediately.
async fn start_connected() -> (System, Notifier) {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.submit(another()).await;
    system.wait_for_deliveries(&another(), 2).await;
    notifier.wait_until_settled("done", 1).await;
    (system, notifier)
}

/// Deletes crm-sync's binding for leads, so that it receives only reports.
async fn start_and_lose_messages_for_the_crm() -> (System, Notifier) {
    let (system, notifier) = start_connected().await;
    system
        .vhost
        .delete_binding("leads", "crm-sync.leads", "lead.submitted.v1")
        .await;
    (system, notifier)
}

#[tokio::test]
async fn lead_emailed_without_the_crm_is_stored_from_the_report() {
    let (system, notifier) = start_and_lose_messages_for_the_crm().await;
    system.crm.cut();
    system.submit(full()).await;
    // The CRM stays unavailable to this notifier, so only the report contains the lead.
    notifier.wait_until_settled("done", 2).await;
    assert!(system.wait_for_deliveries(&full(), 2).await.submission == Some(full()));
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn conflict_is_reported_during_crm_outage() {
    let (system, notifier) = start_and_lose_messages_for_the_crm().await;
    let other = LeadSubmitted {
        questions: "还有一个问题".to_owned(),
        ..full()
    };
    system.crm.cut();
    system.submit(full()).await;
    notifier.wait_until_settled("done", 2).await;
    system.submit(other.clone()).await;
    notifier.wait_until_settled("done", 3).await;
    wait::until("the conflict", async || {
        system
            .find_lead(&full())
            .await
            .is_some_and(|lead| lead.conflicts == [other.clone()])
    })
    .await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn conflict_is_stored_if_the_crm_message_is_lost() {
    let (system, notifier) = start_and_lose_messages_for_the_crm().await;
    let other = LeadSubmitted {
        questions: "还有一个问题".to_owned(),
        ..full()
    };
    for (lead, settled) in [(full(), 2), (other.clone(), 3)] {
        system.submit(lead).await;
        notifier.wait_until_settled("done", settled).await;
    }
    let stored = system.wait_for_deliveries(&full(), 2).await;
    assert!(stored.conflicts == [other]);
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn conflict_is_stored_while_the_lead_is_in_flight() {
    for crm_answers in [true, false] {
        let (system, _notifier) = start_and_lose_messages_for_the_crm().await;
        let other = LeadSubmitted {
            questions: "还有一个问题".to_owned(),
            ..full()
        };
        system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
        system.submit(full()).await;
        wait::until("the emails", async || system.smtp.emails().len() == 4).await;
        if !crm_answers {
            system.crm.cut();
        }
        system.submit(other.clone()).await;
        // A later lead is delivered, so the queue is processed up to there.
        system.submit(numbered(3)).await;
        system.wait_for_deliveries(&numbered(3), 2).await;
        system.smtp.heal();
        wait::until("the conflict", async || {
            system
                .find_lead(&full())
                .await
                .is_some_and(|lead| lead.conflicts == [other.clone()])
        })
        .await;
        assert_eq!(system.mailed(), [[FIRST; 3], [SECOND; 3]].concat());
    }
}

#[tokio::test]
async fn emails_once_anothers_claim_expires() {
    let system = System::start(BY_LEDGER).await;
    let held = system
        .claim(&full(), &[FIRST], Duration::from_secs(2))
        .await;
    assert_eq!(held, [ClaimAnswer::Granted]);
    let notifier = system.start_notifier();
    system.submit(full()).await;
    notifier.wait_until_settled("done", 1).await;
    // The other notifier has died, so its claim expires.
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert!(notifier.metric("notifier_claims_total{answer=\"claimed\"}") >= 1);
}

#[tokio::test]
async fn address_removed_from_routes_is_cancelled() {
    let system = System::start(BY_LEDGER).await;
    system
        .claim(
            &full(),
            &[FIRST, SECOND, "gone@zyongrand.example"],
            Duration::from_millis(1),
        )
        .await;
    let _notifier = system.start_notifier();
    assert_eq!(
        system
            .wait_for_entry(&full(), "gone@zyongrand.example", cancelled)
            .await,
        "routes"
    );
    system.wait_for_deliveries(&full(), 2).await;
    wait::until("no pending lead", async || {
        system.crm_metric("crm_pending_leads") == 0
    })
    .await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn recipient_emailed_by_another_is_skipped() {
    let system = System::start(BY_QUEUE).await;
    let first = system.start_notifier();
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 2).await;
    first.wait_until_settled("done", 1).await;
    first.context.lifecycle.stop();
    first
        .context
        .lifecycle
        .run(Duration::from_secs(10))
        .await
        .unwrap();
    let second = system.start_notifier();
    system.submit(full()).await;
    second.wait_until_settled("done", 1).await;
    second
        .wait_for_metric("notifier_claims_total{answer=\"delivered\"}", 2)
        .await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn lead_waiting_for_a_retry_is_not_leased() {
    let system = System::start(BY_LEDGER).await;
    system.broker.cut();
    let notifier = system.start_notifier();
    system.smtp.fail(
        At::Recipient(FIRST),
        Fault::Answer("450 4.2.1 later"),
        Times::Once,
    );
    system.record(full()).await;
    let why = system.wait_for_entry(&full(), FIRST, deferred).await;
    assert_eq!(
        (why.class.as_str(), why.detail.as_str()),
        ("smtp", "RCPT: server replied 450 4.2.1")
    );
    // Meanwhile another lead is delivered.
    system.record(another()).await;
    system.wait_for_deliveries(&another(), 2).await;
    assert_eq!(notifier.metric(LEASED_LEADS), 2);
}

#[tokio::test]
async fn full_mailbox_keeps_its_code_and_waits_an_hour() {
    let system = System::start(BY_LEDGER).await;
    let _notifier = system.start_notifier();
    for recipient in [FIRST, SECOND] {
        system.smtp.fail(
            At::Recipient(recipient),
            Fault::Answer("452 4.2.2 The email account that you tried to reach is over quota."),
            Times::Always,
        );
    }
    system.record(full()).await;
    for recipient in [FIRST, SECOND] {
        let why = system.wait_for_entry(&full(), recipient, deferred).await;
        assert_eq!(
            (why.class.as_str(), why.detail.as_str()),
            (
                "mailbox-full",
                "RCPT: server replied 452 4.2.2: mailbox full"
            )
        );
        let until = system
            .wait_for_entry(&full(), recipient, |event| {
                if let TimelineEvent::Deferred(deferred) = event {
                    deferred.until
                } else {
                    None
                }
            })
            .await;
        let wait = until.seconds - Utc::now().timestamp();
        assert!((3500..=4500).contains(&wait), "{wait}");
    }
    // One full mailbox does not page anyone.
    wait::until("no pending lead", async || {
        system.crm_metric("crm_pending_leads") == 0 && system.crm_metric("crm_full_mailboxes") == 2
    })
    .await;
}

#[tokio::test]
async fn failed_delivery_waits_for_a_retry() {
    let (system, notifier) = System::start_with_notifier(BY_LEDGER).await;
    system.smtp.fail(
        At::Recipient(FIRST),
        Fault::Answer("550 5.1.1 unknown"),
        Times::Always,
    );
    system.record(full()).await;
    system.wait_for_entry(&full(), FIRST, failed).await;
    // The next lease returns only new leads.
    system.record(another()).await;
    system.wait_for_entry(&another(), FIRST, failed).await;
    assert_eq!(notifier.metric(LEASED_LEADS), 2);
    assert_eq!(system.mailed(), [SECOND, SECOND]);
    system.smtp.heal();
    assert_eq!(system.retry_deliveries().await, 2);
    for lead in [full(), another()] {
        system.wait_for_deliveries(&lead, 2).await;
    }
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}
