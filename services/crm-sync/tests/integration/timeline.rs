//! The timeline of a lead, and conflicts under its key.

use contracts::{
    crm::v1::{
        ClaimAnswer, ClaimDeliveriesRequest, DeliveryFilter, DiscardDeliveriesRequest,
        GetLeadRequest, LeasePendingRequest, RecordLeadRequest, ReportDeliveriesRequest,
        RetryDeliveriesRequest, get_lead_request::Key, timeline_entry::Event,
    },
    leads::v1::{DeliveryReport, LeadSubmitted, Reason, delivery_report::Outcome},
};
use crm_sync::leads::Source;
use futures_util::future::join_all;
use prost_types::Duration;
use testkit::database::Database;

use crate::support::{
    ANNA, BERT, Client, cancelled_report, connect, delivered_report, execute, failed_report,
    get_lead, lead, migrated, on_both_databases, on_postgres, retry_report, serve, submission,
};

on_both_databases! {
    concurrent_conflicts_are_stored_once,
}

on_postgres! {
    timeline_has_every_event,
    other_contents_with_the_same_key_are_a_conflict,
    same_person_may_submit_another_lead,
    event_of_a_newer_version_leaves_the_lead_readable,
}

struct Crm(Client);

impl Crm {
    async fn start(database: &Database) -> Self {
        drop(migrated(database).await);
        Self(serve(database).await)
    }

    async fn record(&mut self, lead: LeadSubmitted) -> bool {
        let request = RecordLeadRequest {
            lead: Some(lead),
            ..RecordLeadRequest::default()
        };
        self.0
            .leads
            .record_lead(request)
            .await
            .unwrap()
            .into_inner()
            .created
    }

    /// Claims for Anna, Bert and Carl. Returns the answers with the attempt numbers.
    async fn claim(&mut self) -> Vec<(ClaimAnswer, u32)> {
        let request = ClaimDeliveriesRequest {
            lead: Some(lead(1)),
            recipients: [ANNA, BERT, CARL].map(str::to_owned).into(),
            holder: "notifier-1".to_owned(),
            lease: Some(seconds(60)),
            visitor_daily_limit: 0,
            visitors_hourly_limit: 0,
        };
        let claims = self
            .0
            .deliveries
            .claim_deliveries(request)
            .await
            .unwrap()
            .into_inner()
            .claims;
        claims
            .iter()
            .map(|claim| (claim.answer(), claim.attempt))
            .collect()
    }

    async fn report(&mut self, reports: Vec<DeliveryReport>) {
        let holder = "notifier-1".to_owned();
        let request = ReportDeliveriesRequest {
            lead_id: lead(1).lead_id,
            holder,
            reports,
        };
        self.0.deliveries.report_deliveries(request).await.unwrap();
    }

    async fn get(&mut self, number: u128) -> contracts::crm::v1::Lead {
        let key = Some(Key::LeadId(lead(number).lead_id));
        self.0
            .leads
            .get_lead(GetLeadRequest { key })
            .await
            .unwrap()
            .into_inner()
            .lead
            .unwrap()
    }
}

fn seconds(seconds: i64) -> Duration {
    Duration { seconds, nanos: 0 }
}

const CARL: &str = "carl@sales.example";

/// The timeline as texts without times.
fn describe_timeline(lead: &contracts::crm::v1::Lead) -> Vec<String> {
    let class = |reason: &Option<Reason>| reason.as_ref().unwrap().class.clone();
    let word = |event: &Event| match event {
        Event::Submitted(_) => "submitted".to_owned(),
        Event::Recorded(recorded) => format!("recorded by {:?}", recorded.source()),
        Event::Conflicting(_) => "conflicting".to_owned(),
        Event::Delivered(delivered) => format!("delivered: {}", delivered.server_reply),
        Event::Deferred(deferred) => format!("deferred: {}", class(&deferred.reason)),
        Event::Failed(failed) => format!("failed: {}", class(&failed.reason)),
        Event::Cancelled(cancelled) => format!("cancelled: {}", class(&cancelled.reason)),
        Event::Leased(leased) => format!("leased to {}", leased.holder),
        Event::Retried(retried) => format!("retried by {}", retried.client),
        Event::Discarded(discarded) => {
            format!("discarded by {}: {}", discarded.client, discarded.reason)
        }
        Event::PersonChanged(assigned) => {
            format!("assigned to {} by {}", assigned.reference, assigned.client)
        }
        Event::Noted(noted) => format!("{} noted {}", noted.client, noted.text),
        Event::ContactChanged(changed) => {
            format!("contact {} by {}", changed.allowed, changed.client)
        }
        Event::ErasureRequested(_) => "erasure requested".to_owned(),
        Event::NumberCorrected(it) => format!("{} to {} by {}", it.from, it.to, it.client),
        Event::NameCorrected(it) => format!("{} to {} by {}", it.from, it.to, it.client),
        Event::EmailCorrected(it) => format!("{} to {} by {}", it.from, it.to, it.client),
        Event::Entered(entered) => format!("entered by {}", entered.client),
        Event::DncChecked(checked) => format!("registry checked by {}", checked.client),
        Event::Consented(consented) => format!("agreed: {}", consented.wording),
        Event::Progressed(progressed) => {
            format!("{:?} by {}", progressed.state(), progressed.client)
        }
    };
    let line = |entry: &contracts::crm::v1::TimelineEntry| {
        let name = entry.recipient.split('@').next().unwrap_or_default();
        format!("{name} {}", word(entry.event.as_ref().unwrap()))
            .trim()
            .to_owned()
    };
    lead.timeline.iter().map(line).collect()
}

async fn timeline_has_every_event(database: Database) {
    use ClaimAnswer::{Cancelled, Delivered, Failed, Granted};

    let mut crm = Crm::start(&database).await;
    assert!(crm.record(lead(1)).await);
    let lease = LeasePendingRequest {
        holder: "notifier-1".to_owned(),
        pending_for: Some(seconds(30)),
        lease: Some(seconds(60)),
        limit: 10,
        brochures: false,
        updates: false,
    };
    let leads = crm
        .0
        .deliveries
        .lease_pending(lease)
        .await
        .unwrap()
        .into_inner()
        .leads;
    assert!(leads[0].lead == Some(lead(1)), "the stored lead differs");
    assert_eq!(crm.claim().await, [(Granted, 1); 3]);
    crm.report(vec![
        retry_report(ANNA, 0),
        failed_report(BERT),
        cancelled_report(CARL),
    ])
    .await;
    assert_eq!(
        crm.claim().await,
        [(Granted, 2), (Failed, 0), (Cancelled, 0)]
    );
    crm.report(vec![failed_report(ANNA)]).await;
    let filter = |recipient: &str| {
        Some(DeliveryFilter {
            recipient: recipient.to_owned(),
            lead_id: lead(1).lead_id,
            since: None,
        })
    };
    crm.0
        .deliveries
        .retry_deliveries(RetryDeliveriesRequest {
            filter: filter(ANNA),
        })
        .await
        .unwrap();
    let why = "moved away".to_owned();
    crm.0
        .deliveries
        .discard_deliveries(DiscardDeliveriesRequest {
            filter: filter(BERT),
            reason: why,
        })
        .await
        .unwrap();
    assert_eq!(
        crm.claim().await,
        [(Granted, 1), (Cancelled, 0), (Cancelled, 0)]
    );
    let mut delivered = delivered_report(ANNA);
    if let Some(Outcome::Delivered(last)) = &mut delivered.outcome {
        last.delivered_at.as_mut().unwrap().seconds += 10_000_000_000;
    }
    crm.report(vec![delivered]).await;
    assert_eq!(
        crm.claim().await,
        [(Delivered, 0), (Cancelled, 0), (Cancelled, 0)]
    );

    let shown = crm.get(1).await;
    assert_eq!(
        describe_timeline(&shown),
        [
            "submitted",
            "recorded by Grpc",
            "leased to notifier-1",
            "anna deferred: smtp",
            "bert failed: smtp",
            "carl cancelled: smtp",
            "anna failed: smtp",
            "anna retried by operator",
            "bert discarded by operator: moved away",
            "anna delivered: 250 2.0.0 OK",
        ]
    );
    assert!(
        shown
            .timeline
            .is_sorted_by_key(|entry| entry.at.map(|at| (at.seconds, at.nanos)))
    );
    assert!(shown.conflicts.is_empty());
}

async fn other_contents_with_the_same_key_are_a_conflict(database: Database) {
    let mut crm = Crm::start(&database).await;
    let mut other = lead(1);
    other.questions = "another question".to_owned();
    let mut hours_later = other.clone();
    hours_later.submitted_at.as_mut().unwrap().seconds += 23 * 60 * 60;
    let mut only_later = lead(1);
    only_later.submitted_at = hours_later.submitted_at;
    only_later.session = None;
    assert!(crm.record(lead(1)).await);
    for again in [&only_later, &other, &hours_later, &lead(1)] {
        assert!(
            !crm.record(again.clone()).await,
            "the first contents are kept"
        );
    }
    let shown = crm.get(1).await;
    assert!(
        shown.submission == Some(lead(1)),
        "the first contents are kept"
    );
    assert!(shown.conflicts == [other], "each form is stored once");
    assert_eq!(
        describe_timeline(&shown),
        ["submitted", "recorded by Grpc", "conflicting"]
    );
}

async fn concurrent_conflicts_are_stored_once(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    let forms = ["first", "second", "third"];
    for number in 1..=5 {
        let recorded = join_all((0..12).map(|turn| {
            let store = if turn % 2 == 0 {
                one.clone()
            } else {
                two.clone()
            };
            let mut lead = submission(number);
            lead.name = forms[turn / 4].into();
            async move { store.record_leads(Source::Broker, &[lead]).await.unwrap() }
        }))
        .await;
        assert_eq!(recorded.iter().map(|it| it.created).sum::<u64>(), 1);
        assert_eq!(recorded.iter().map(|it| it.conflicts).sum::<u64>(), 2);
        let lead = get_lead(&one, number).await;
        let mut names: Vec<_> = lead.conflicts.iter().map(|it| it.name.as_str()).collect();
        names.push(&lead.submission.as_ref().unwrap().name);
        names.sort_unstable();
        assert_eq!(names, forms);
    }
}

/// After a rollback, the database has events that only the newer version defines.
async fn event_of_a_newer_version_leaves_the_lead_readable(database: Database) {
    let mut crm = Crm::start(&database).await;
    assert!(crm.record(lead(1)).await);
    execute(
        database.url(),
        r#"INSERT INTO timeline (lead_id, recipient, details)
           SELECT id, '', '{"event": "from_the_future", "colour": 1}' FROM lead"#,
    )
    .await;
    let entries = crm.get(1).await.timeline;
    let events: Vec<_> = entries.iter().map(|entry| entry.event.is_some()).collect();
    assert_eq!(events, [true, true, false]);
}

async fn same_person_may_submit_another_lead(database: Database) {
    let mut crm = Crm::start(&database).await;
    assert!(crm.record(lead(1)).await);
    assert!(
        crm.record(lead(2)).await,
        "the same contents with another key are another lead"
    );
    assert!(crm.get(1).await.conflicts.is_empty() && crm.get(2).await.conflicts.is_empty());
}
