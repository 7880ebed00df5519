//! The schedule of the daily summary.

use std::time::Duration;

use chrono::NaiveTime;
use contracts::{
    crm::v1::{RecordLeadRequest, UpdateLeadRequest},
    leads::v1::LeadSubmitted,
};
use lead::field::timestamp;
use testkit::wait;
use uuid::Uuid;

use crate::{
    support::{another, full},
    system::{BY_QUEUE, FIRST, SECOND, Scenario, System},
};

/// The test clock starts at 12:05:06 in the sales team's time zone, six seconds after the test lead.
fn at(time: &str) -> Scenario {
    let at = NaiveTime::parse_from_str(time, "%H:%M").expect("a time");
    Scenario {
        daily_summary_at: Some(at),
        ..BY_QUEUE
    }
}

#[tokio::test]
async fn one_notifier_sends_the_daily_summary() {
    let system = System::start(at("12:30")).await;
    let notifiers = [system.start_notifier(), system.start_notifier()];
    for lead in [full(), another()] {
        system.submit(lead.clone()).await;
        system.wait_for_deliveries(&lead, 2).await;
    }
    // At half past twelve on the same day, no lead is old enough.
    for notifier in &notifiers {
        notifier.clock.advance(Duration::from_secs(25 * 60));
    }
    let nothing = "notifier_daily_summaries_total{result=\"none\"}";
    wait::until("both recipients to be claimed", async || {
        notifiers
            .iter()
            .map(|notifier| notifier.metric(nothing))
            .sum::<u64>()
            == 2
    })
    .await;
    assert_eq!(system.mailed().len(), 4);
    for _ in 0..2 {
        let (before, claims) = (system.mailed().len(), system.calls("ClaimTask"));
        for notifier in &notifiers {
            notifier.clock.advance(Duration::from_secs(24 * 60 * 60));
        }
        // The sender claims once for each recipient; the other notifier claims repeatedly.
        wait::until("both notifiers to claim", async || {
            system.calls("ClaimTask") > claims + 4
        })
        .await;
        wait::until("the daily summaries", async || {
            system.mailed().len() == before + 2
        })
        .await;
    }
    assert_eq!(system.mailed(), [[FIRST; 4], [SECOND; 4]].concat());
}

#[tokio::test]
async fn summary_counts_all_due_and_skips_do_not_contact() {
    let system = System::start(at("12:30")).await;
    let mut client = system.client.clone();
    // One more than a page of the CRM's list.
    for number in 1..=502 {
        let lead_id = Uuid::from_u128(number).to_string();
        let lead = LeadSubmitted {
            lead_id: lead_id.clone(),
            email: format!("v{number}@example.com"),
            name: format!("V{number}"),
            ..full()
        };
        client
            .leads
            .record_lead(RecordLeadRequest {
                lead: Some(lead),
                ..RecordLeadRequest::default()
            })
            .await
            .expect("stored");
        let request = UpdateLeadRequest {
            lead_id,
            next_step_at: Some(timestamp(testkit::start_of_time())),
            do_not_contact: Some(number == 502),
            ..UpdateLeadRequest::default()
        };
        client.leads.update_lead(request).await.expect("updated");
    }
    let notifier = system.start_notifier_with(&format!("default = [\"{FIRST}\"]"));
    notifier.clock.advance(Duration::from_secs(25 * 60));
    notifier
        .wait_for_metric("notifier_daily_summaries_total{result=\"sent\"}", 1)
        .await;
    let subject = "Subject: 501 due today";
    let is_it = |raw: &[u8]| {
        raw.windows(subject.len())
            .any(|part| part == subject.as_bytes())
    };
    assert_eq!(
        system
            .smtp
            .emails()
            .iter()
            .filter(|mail| is_it(&mail.raw))
            .count(),
        1
    );
}
