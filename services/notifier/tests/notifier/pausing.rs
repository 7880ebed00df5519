//! While the mail server is unavailable, mailing pauses and no attempt is counted. A stop finishes emails in flight.

use std::{process::ExitCode, time::Duration};

use testkit::{
    smtp::{At, Fault, Times},
    wait,
};

use crate::{
    support::{another, full, numbered},
    system::{BY_LEDGER, BY_QUEUE, FIRST, Notifier, SECOND, Scenario, System},
};

const PAUSED: &str = "notifier_paused";

/// Checks that both leads are emailed once, and no attempt was counted.
async fn assert_emailed_once(system: &System, notifier: &Notifier) {
    for lead in [full(), another()] {
        system.wait_for_deliveries(&lead, 2).await;
    }
    notifier.wait_for_metric(PAUSED, 0).await;
    notifier.wait_until_settled("done", 2).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
    assert_eq!(notifier.settled("dead_letter"), 0);
    assert_eq!(
        notifier.metric("notifier_claims_total{answer=\"failed\"}"),
        0
    );
}

#[tokio::test]
async fn rejected_login_pauses_the_queue() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system
        .smtp
        .fail(At::Login, Fault::Answer("535 5.7.8 no"), Times::Always);
    system.submit(full()).await;
    system.submit(another()).await;
    notifier.wait_for_metric(PAUSED, 1).await;
    system.smtp.heal();
    assert_emailed_once(&system, &notifier).await;
}

#[tokio::test]
async fn unavailable_server_pauses_the_queue() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.refuse_connections().await;
    system.submit(full()).await;
    system.submit(another()).await;
    notifier.wait_for_metric(PAUSED, 1).await;
    system.smtp.accept_connections().await.unwrap();
    assert_emailed_once(&system, &notifier).await;
}

#[tokio::test]
async fn rejected_sender_pauses_the_queue() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(
        At::Sender,
        Fault::Answer("550 5.7.1 not you"),
        Times::Always,
    );
    system.submit(full()).await;
    system.submit(another()).await;
    notifier.wait_for_metric(PAUSED, 1).await;
    system.smtp.heal();
    assert_emailed_once(&system, &notifier).await;
}

#[tokio::test]
async fn quota_and_block_list_fail_no_lead() {
    // Together, because each waits for many attempts.
    tokio::join!(
        refuse_all_emails_for_a_while("550 5.4.5 daily quota exceeded"),
        refuse_all_emails_for_a_while("550 5.7.1 your address is on a block list"),
        refuse_all_emails_for_a_while("550 5.1.8 Access denied, bad outbound sender"),
        refuse_all_emails_for_a_while("550 Connection frequency limited"),
    );
}

async fn refuse_all_emails_for_a_while(reply: &'static str) {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    for recipient in [FIRST, SECOND] {
        system.smtp.fail(
            At::Recipient(recipient),
            Fault::Answer(reply),
            Times::Always,
        );
    }
    system.submit(full()).await;
    system.submit(another()).await;
    // More attempts than `RETRY_DELAYS`.
    wait::until("attempts", async || {
        notifier.metric("notifier_emails_total{result=\"failed\"}") >= 12
    })
    .await;
    system.smtp.heal();
    for lead in [full(), another()] {
        system.wait_for_deliveries(&lead, 2).await;
    }
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
    assert_eq!(
        system.crm_metric("crm_reports_total{outcome=\"failed\",path=\"grpc\"}"),
        0
    );
}

#[tokio::test]
async fn pause_does_not_wait_for_a_lead_that_waits_for_its_retry() {
    let scenario = Scenario {
        retry_delays: "1h",
        ..BY_QUEUE
    };
    let (system, notifier) = System::start_with_notifier(scenario).await;
    system.crm.cut();
    system.smtp.fail(
        At::Recipient(FIRST),
        Fault::Answer("450 4.2.1 later"),
        Times::Always,
    );
    system.submit(full()).await;
    wait::until("the second recipient", async || system.mailed() == [SECOND]).await;
    system.smtp.refuse_connections().await;
    system.submit(another()).await;
    notifier
        .wait_for_metric("messaging_paused{queue=\"notifier.leads\"}", 1)
        .await;
    system.smtp.accept_connections().await.unwrap();
    system.submit(numbered(2)).await;
    wait::until("the emails about the other leads", async || {
        system.mailed() == [SECOND; 3]
    })
    .await;
}

#[tokio::test]
async fn silent_server_after_data_gets_one_email() {
    let system = System::start(BY_LEDGER).await;
    let notifiers = [system.start_notifier(), system.start_notifier()];
    system.smtp.fail(At::Reply, Fault::Silence, Times::Always);
    system.submit(full()).await;
    wait::until("the emails", async || system.smtp.emails().len() == 2).await;
    // Both notifiers receive the same lead repeatedly. The claim lasts as long as the email may take.
    for again in 1..=4 {
        system.submit(full()).await;
        wait::until("the message to be settled", async || {
            notifiers
                .iter()
                .map(|notifier| notifier.settled("done"))
                .sum::<u64>()
                == again
        })
        .await;
    }
    let leases = system.calls("LeasePending");
    wait::until("both to lease due leads", async || {
        system.calls("LeasePending") > leases + 40
    })
    .await;
    system.smtp.heal();
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn leads_of_the_database_pause_while_the_mail_server_is_unavailable() {
    let system = System::start(BY_LEDGER).await;
    system.broker.cut();
    let notifier = system.start_notifier();
    system.smtp.refuse_connections().await;
    system.record(full()).await;
    notifier.wait_for_metric(PAUSED, 1).await;
    system.smtp.accept_connections().await.unwrap();
    notifier.wait_for_metric(PAUSED, 0).await;
    system.record(another()).await;
    system.wait_for_deliveries(&another(), 2).await;
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn stop_finishes_and_reports_the_current_email() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the emails", async || system.smtp.emails().len() == 2).await;
    notifier.context.lifecycle.stop();
    system.smtp.heal();
    assert_eq!(
        notifier
            .context
            .lifecycle
            .run(Duration::from_secs(20))
            .await
            .unwrap(),
        ExitCode::SUCCESS
    );
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.settled("done"), 1);
}
