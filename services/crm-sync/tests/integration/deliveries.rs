//! The gRPC calls for deliveries.

use contracts::{
    crm::v1::{
        ClaimAnswer, ClaimDeliveriesRequest, ClaimDeliveriesResponse, DeliveryFilter,
        DiscardDeliveriesRequest, LeasePendingRequest, ListDeliveriesRequest, PendingLead,
        ReportDeliveriesRequest, RetryDeliveriesRequest,
    },
    leads::v1::{DeliveryReport, delivery_report::Outcome},
};
use prost_types::{Duration, Timestamp};
use runtime::service::Context;
use testkit::database::{Database, sqlite};
use tonic::{Code, Status};

use crate::support::{
    ANNA, BERT, Client, NO_BROKER, cancelled_report, client, delivered_report, failed_report, lead,
    on_postgres, retry_report, start,
};

on_postgres! {
    one_claim_and_one_report_serve_all_recipients,
}

const HOLDER: &str = "notifier-1";

struct Crm {
    client: Client,
    context: Context,
}

impl Crm {
    async fn start(database: &Database) -> Self {
        if database.url().starts_with("postgres") {
            drop(crate::support::migrated(database).await);
        }
        let (context, _) = testkit::context("crm-sync");
        let app = start(NO_BROKER, database.url(), &context).await.unwrap();
        Self {
            client: client(app.grpc_addr).await,
            context,
        }
    }

    async fn claim(&mut self, request: ClaimDeliveriesRequest) -> ClaimDeliveriesResponse {
        self.client
            .deliveries
            .claim_deliveries(request)
            .await
            .unwrap()
            .into_inner()
    }

    /// The answers to a claim, with the attempt numbers.
    async fn answers(&mut self, request: ClaimDeliveriesRequest) -> Vec<(ClaimAnswer, u32)> {
        let claims = self.claim(request).await.claims;
        claims
            .iter()
            .map(|claim| (claim.answer(), claim.attempt))
            .collect()
    }

    async fn report(&mut self, reports: ReportDeliveriesRequest) {
        self.client
            .deliveries
            .report_deliveries(reports)
            .await
            .unwrap();
    }

    fn has_metric(&self, line: &str) -> bool {
        let metrics = String::from_utf8(self.context.metrics.encode().unwrap()).unwrap();
        metrics.lines().any(|it| it == line)
    }
}

fn seconds(seconds: i64) -> Duration {
    Duration { seconds, nanos: 0 }
}

fn claim(number: u128, recipients: &[&str]) -> ClaimDeliveriesRequest {
    ClaimDeliveriesRequest {
        lead: Some(lead(number)),
        recipients: recipients.iter().map(ToString::to_string).collect(),
        holder: HOLDER.to_owned(),
        lease: Some(seconds(60)),
        visitor_daily_limit: 1,
        visitors_hourly_limit: 0,
    }
}

fn report(number: u128, reports: Vec<DeliveryReport>) -> ReportDeliveriesRequest {
    ReportDeliveriesRequest {
        lead_id: lead(number).lead_id,
        holder: HOLDER.to_owned(),
        reports,
    }
}

fn lease() -> LeasePendingRequest {
    LeasePendingRequest {
        holder: HOLDER.to_owned(),
        pending_for: Some(seconds(0)),
        lease: Some(seconds(60)),
        limit: 10,
        brochures: true,
        updates: true,
    }
}

async fn one_claim_and_one_report_serve_all_recipients(database: Database) {
    use ClaimAnswer::{Cancelled, Claimed, Deferred, Delivered, Failed, Granted};

    let mut crm = Crm::start(&database).await;
    let everybody = [
        ANNA,
        BERT,
        "carl@sales.example",
        "visitor",
        "dora@sales.example",
    ];
    assert_eq!(crm.answers(claim(1, &everybody)).await, [(Granted, 1); 5]);
    let cancelled = cancelled_report("visitor");
    let reports = vec![
        delivered_report(ANNA),
        retry_report(BERT, 3600),
        failed_report(everybody[2]),
        cancelled,
    ];
    crm.report(report(1, reports)).await;
    let another = ClaimDeliveriesRequest {
        holder: "notifier-2".to_owned(),
        ..claim(1, &everybody)
    };
    let claimed = crm.claim(another).await;
    let recipients: Vec<_> = claimed
        .claims
        .iter()
        .map(|claim| claim.recipient.as_str())
        .collect();
    assert_eq!(recipients, everybody, "in the order of the request");
    let answers: Vec<_> = claimed
        .claims
        .iter()
        .map(|claim| (claim.answer(), claim.attempt))
        .collect();
    assert_eq!(
        answers,
        [
            (Delivered, 0),
            (Deferred, 0),
            (Failed, 0),
            (Cancelled, 0),
            (Claimed, 0)
        ]
    );
    assert!(claimed.earlier.is_empty(), "earlier leads need a grant");

    let claimed = crm.claim(claim(2, &[ANNA])).await;
    let earlier: Vec<_> = claimed
        .earlier
        .iter()
        .map(|it| it.lead_id.clone())
        .collect();
    assert_eq!(
        earlier,
        [lead(1).lead_id],
        "an earlier lead of the same person"
    );
    let leased = crm
        .client
        .deliveries
        .lease_pending(lease())
        .await
        .unwrap()
        .into_inner()
        .leads;
    assert!(
        leased.is_empty(),
        "every delivery is claimed, finished or deferred"
    );
    crm.report(report(2, vec![retry_report(ANNA, 0)])).await;
    let leased = crm
        .client
        .deliveries
        .lease_pending(lease())
        .await
        .unwrap()
        .into_inner()
        .leads;
    let unchanged = PendingLead {
        lead: Some(lead(2)),
        recipients: Vec::new(),
    };
    assert!(leased == [unchanged]);

    for (answer, count) in [
        ("granted", 6),
        ("delivered", 1),
        ("deferred", 1),
        ("failed", 1),
        ("cancelled", 1),
        ("claimed", 1),
    ] {
        assert!(
            crm.has_metric(&format!(r#"crm_claims_total{{answer="{answer}"}} {count}"#)),
            "{answer}"
        );
    }
    for (outcome, count) in [
        ("delivered", 1),
        ("retry", 2),
        ("failed", 1),
        ("cancelled", 1),
    ] {
        let line = format!(r#"crm_reports_total{{outcome="{outcome}",path="grpc"}} {count}"#);
        assert!(crm.has_metric(&line), "{line}");
    }
    assert!(crm.has_metric("crm_leases_total 1"));
}

fn assert_invalid_argument<T>(called: Result<T, Status>, what: &str) {
    let refused = called.err().map(|status| status.code());
    assert_eq!(refused, Some(Code::InvalidArgument), "{what}");
}

#[tokio::test]
async fn rejects_invalid_claims() {
    let database = sqlite();
    let mut crm = Crm::start(&database).await;
    let good = || claim(1, &[ANNA]);
    let mut nameless = lead(1);
    nameless.name.clear();
    let long = "x".repeat(321);
    let wrong = [
        (
            "no lead",
            ClaimDeliveriesRequest {
                lead: None,
                ..good()
            },
        ),
        (
            "no name",
            ClaimDeliveriesRequest {
                lead: Some(nameless),
                ..good()
            },
        ),
        ("nobody", claim(1, &[])),
        ("no address", claim(1, &[ANNA, ""])),
        ("a long address", claim(1, &[&long])),
        (
            "no holder",
            ClaimDeliveriesRequest {
                holder: String::new(),
                ..good()
            },
        ),
        (
            "a long holder",
            ClaimDeliveriesRequest {
                holder: "x".repeat(201),
                ..good()
            },
        ),
        (
            "no lease",
            ClaimDeliveriesRequest {
                lease: None,
                ..good()
            },
        ),
        (
            "an empty lease",
            ClaimDeliveriesRequest {
                lease: Some(seconds(0)),
                ..good()
            },
        ),
        (
            "no limit",
            ClaimDeliveriesRequest {
                visitor_daily_limit: 0,
                ..claim(1, &[ANNA, "visitor"])
            },
        ),
    ];
    for (what, request) in wrong {
        assert_invalid_argument(crm.client.deliveries.claim_deliveries(request).await, what);
    }
    assert!(
        crate::support::all(&mut crm.client).await.is_empty(),
        "nothing was stored"
    );
    let no_visitor = ClaimDeliveriesRequest {
        visitor_daily_limit: 0,
        ..good()
    };
    assert_eq!(crm.answers(no_visitor).await, [(ClaimAnswer::Granted, 1)]);
}

#[tokio::test]
async fn rejects_invalid_reports_as_a_whole() {
    let database = sqlite();
    let mut crm = Crm::start(&database).await;
    crm.answers(claim(1, &[ANNA, BERT])).await;
    let without = |mut report: DeliveryReport, change: fn(&mut Outcome)| {
        change(report.outcome.as_mut().unwrap());
        report
    };
    let timeless = without(delivered_report(BERT), |outcome| {
        let Outcome::Delivered(it) = outcome else {
            return;
        };
        it.delivered_at = None;
    });
    let without_wait = without(retry_report(BERT, 1), |outcome| {
        let Outcome::Retry(it) = outcome else { return };
        it.after = None;
    });
    let without_reason = without(failed_report(BERT), |outcome| {
        let Outcome::Failed(it) = outcome else { return };
        it.reason = None;
    });
    let settled_without_reason = without(cancelled_report(BERT), |outcome| {
        let Outcome::Cancelled(it) = outcome else {
            return;
        };
        it.reason = None;
    });
    let wrong = [
        ("no address", delivered_report("")),
        (
            "no outcome",
            DeliveryReport {
                recipient: BERT.to_owned(),
                outcome: None,
            },
        ),
        ("no time", timeless),
        ("no wait", without_wait),
        ("a wait into the past", retry_report(BERT, -1)),
        ("no reason", without_reason),
        ("no reason to settle", settled_without_reason),
    ];
    for (what, wrong) in wrong {
        let request = report(1, vec![delivered_report(ANNA), wrong]);
        assert_invalid_argument(crm.client.deliveries.report_deliveries(request).await, what);
    }
    let no_lead = ReportDeliveriesRequest {
        lead_id: "nonsense".to_owned(),
        ..report(1, vec![])
    };
    assert_invalid_argument(
        crm.client.deliveries.report_deliveries(no_lead).await,
        "no lead",
    );
    let no_holder = ReportDeliveriesRequest {
        holder: String::new(),
        ..report(1, vec![])
    };
    assert_invalid_argument(
        crm.client.deliveries.report_deliveries(no_holder).await,
        "no holder",
    );
    let answers = crm.answers(claim(1, &[ANNA])).await;
    assert_eq!(
        answers,
        [(ClaimAnswer::Granted, 1)],
        "the report had no effect"
    );
}

#[tokio::test]
async fn rejects_invalid_leases() {
    let database = sqlite();
    let mut crm = Crm::start(&database).await;
    let wrong = [
        (
            "no holder",
            LeasePendingRequest {
                holder: String::new(),
                ..lease()
            },
        ),
        (
            "no age",
            LeasePendingRequest {
                pending_for: None,
                ..lease()
            },
        ),
        (
            "a negative age",
            LeasePendingRequest {
                pending_for: Some(seconds(-1)),
                ..lease()
            },
        ),
        (
            "no lease",
            LeasePendingRequest {
                lease: None,
                ..lease()
            },
        ),
        (
            "an empty lease",
            LeasePendingRequest {
                lease: Some(seconds(0)),
                ..lease()
            },
        ),
    ];
    for (what, request) in wrong {
        assert_invalid_argument(crm.client.deliveries.lease_pending(request).await, what);
    }
}

#[tokio::test]
async fn rejects_invalid_decisions() {
    let database = sqlite();
    let mut crm = Crm::start(&database).await;
    crm.answers(claim(1, &[ANNA])).await;
    crm.report(report(1, vec![failed_report(ANNA)])).await;
    let no_time = Some(Timestamp {
        seconds: i64::MAX,
        nanos: 0,
    });
    let wrong = [
        (
            "no lead",
            DeliveryFilter {
                lead_id: "nonsense".to_owned(),
                ..DeliveryFilter::default()
            },
        ),
        (
            "a long address",
            DeliveryFilter {
                recipient: "x".repeat(321),
                ..DeliveryFilter::default()
            },
        ),
        (
            "no time",
            DeliveryFilter {
                since: no_time,
                ..DeliveryFilter::default()
            },
        ),
    ];
    for (what, filter) in wrong {
        let filter = Some(filter);
        assert_invalid_argument(
            crm.client
                .deliveries
                .list_deliveries(ListDeliveriesRequest {
                    filter: filter.clone(),
                    failed: true,
                })
                .await,
            what,
        );
        assert_invalid_argument(
            crm.client
                .deliveries
                .retry_deliveries(RetryDeliveriesRequest {
                    filter: filter.clone(),
                })
                .await,
            what,
        );
        let discard = DiscardDeliveriesRequest {
            filter,
            reason: "spam".to_owned(),
        };
        assert_invalid_argument(
            crm.client.deliveries.discard_deliveries(discard).await,
            what,
        );
    }
    for why in [String::new(), "x".repeat(501)] {
        let discard = DiscardDeliveriesRequest {
            filter: None,
            reason: why,
        };
        assert_invalid_argument(
            crm.client.deliveries.discard_deliveries(discard).await,
            "no reason, or too long a one",
        );
    }
    let failed = ListDeliveriesRequest {
        filter: Some(DeliveryFilter::default()),
        failed: true,
    };
    let listed = crm.client.deliveries.list_deliveries(failed).await.unwrap();
    assert_eq!(listed.into_inner().total, 1, "no decision was applied");
}
