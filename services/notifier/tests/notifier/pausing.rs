//! When the mail server as a whole is away, everything waits and nothing is counted; when the process stops, what is
//! under way is finished.

use std::{process::ExitCode, time::Duration};

use testkit::{
    smtp::{At, Fault, Times},
    wait,
};

use crate::{
    support::{another, full},
    system::{AT_ONCE, BY_QUEUE, FIRST, Notifier, SECOND, System},
};

const PAUSED: &str = "notifier_paused";

/// Both leads are told once each, and none was ever tried again or parked.
async fn goes_on(system: &System, notifier: &Notifier) {
    for lead in [full(), another()] {
        system.told(&lead, 2).await;
    }
    notifier.counted(PAUSED, 0).await;
    notifier.has_settled("done", 2).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
    assert_eq!((notifier.settled("retry"), notifier.settled("parked")), (0, 0));
}

#[tokio::test]
async fn a_server_that_refuses_our_login_pauses_the_queue() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Login, Fault::Answer("535 5.7.8 no"), Times::Always);
    system.submit(full()).await;
    system.submit(another()).await;
    notifier.counted(PAUSED, 1).await;
    system.vhost.wait_for_messages("notifier.leads", 2).await;
    system.smtp.heal();
    goes_on(&system, &notifier).await;
}

#[tokio::test]
async fn a_server_that_is_away_pauses_the_queue() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.refuse_connections().await;
    system.submit(full()).await;
    system.submit(another()).await;
    notifier.counted(PAUSED, 1).await;
    system.smtp.accept_connections().await.unwrap();
    goes_on(&system, &notifier).await;
}

#[tokio::test]
async fn a_server_that_refuses_our_sender_pauses_the_queue() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Sender, Fault::Answer("550 5.7.1 not you"), Times::Always);
    system.submit(full()).await;
    system.submit(another()).await;
    notifier.counted(PAUSED, 1).await;
    system.smtp.heal();
    goes_on(&system, &notifier).await;
}

#[tokio::test]
async fn leads_from_the_ledger_pause_with_the_queue() {
    let system = System::start(AT_ONCE).await;
    system.broker.cut();
    let notifier = system.start_notifier();
    system.smtp.refuse_connections().await;
    system.record(full()).await;
    notifier.counted(PAUSED, 1).await;
    system.smtp.accept_connections().await.unwrap();
    notifier.counted(PAUSED, 0).await;
    system.record(another()).await;
    system.told(&another(), 2).await;
    system.told(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn a_process_that_stops_finishes_and_reports_the_mail_under_way() {
    let (system, notifier) = System::start_with_notifier(BY_QUEUE).await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the first mail", async || system.smtp.mails().len() == 1).await;
    notifier.0.lifecycle.stop();
    system.smtp.heal();
    assert_eq!(notifier.0.lifecycle.run(Duration::from_secs(20)).await.unwrap(), ExitCode::SUCCESS);
    system.told(&full(), 2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    assert_eq!(notifier.settled("done"), 1);
}
