//! Crashes of a notifier at each step.

use crate::{
    support::full,
    system::{BY_LEDGER, BY_QUEUE, FIRST, SECOND, Scenario, System},
};

/// The recipients of all emails after one notifier crashed at this place and another has continued.
async fn recipients_after_crash(place: &str, scenario: Scenario) -> Vec<String> {
    let system = System::start(scenario).await;
    system.submit(full()).await;
    system.crash_notifier(place).await;
    let notifier = system.start_notifier();
    system.wait_for_deliveries(&full(), 2).await;
    notifier.wait_until_settled("done", 1).await;
    assert_eq!(notifier.settled("dead_letter"), 0);
    let id = |mail: testkit::smtp::Mail| {
        let message = mail_parser::MessageParser::default()
            .parse(&mail.raw)?
            .into_owned();
        message.message_id().map(ToOwned::to_owned)
    };
    let mut ids: Vec<_> = system.smtp.emails().into_iter().filter_map(id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 2, "a repeated email has the same Message-ID");
    system.mailed()
}

#[tokio::test]
async fn crash_before_the_email_sends_nothing() {
    assert_eq!(
        recipients_after_crash("notifier-claimed", BY_QUEUE).await,
        [FIRST, SECOND]
    );
}

#[tokio::test]
async fn crash_before_the_report_repeats_one_lead() {
    assert_eq!(
        recipients_after_crash("notifier-mailed", BY_QUEUE).await,
        [FIRST, FIRST, SECOND, SECOND]
    );
}

#[tokio::test]
async fn crash_after_the_report_repeats_nothing() {
    assert_eq!(
        recipients_after_crash("notifier-reported", BY_QUEUE).await,
        [FIRST, SECOND]
    );
}

#[tokio::test]
async fn crash_with_pending_leads_emails_once() {
    assert_eq!(
        recipients_after_crash("notifier-claimed", BY_LEDGER).await,
        [FIRST, SECOND]
    );
}
