//! Claims of deliveries: one holder at a time, each delivery once.

use std::time::Duration;

use crm_sync::deliveries::{Claim, ClaimResult};
use futures_util::future::join_all;
use testkit::{database::Database, wait};

use crate::support::{
    ANNA, BERT, GRANTED, cancelled, claim_for, claim_of, claim_results, connect, deferred,
    delivered, event_of, failed, get_lead, lead, lease_for, leased, migrated, on_both_databases,
    on_postgres, query_column, report_of,
};

on_both_databases! {
    one_of_many_concurrent_claims_is_granted,
}

on_postgres! {
    claim_stores_lead_and_recipients,
    claim_results_recipients_in_order,
    claim_belongs_to_its_holder_until_it_expires,
}

async fn claim_stores_lead_and_recipients(database: Database) {
    let store = migrated(&database).await;
    let claim = claim_of(1, "one");
    let claimed = store.claim(&claim).await.unwrap();
    assert_eq!(claimed.results, [GRANTED, GRANTED]);
    assert_eq!(claimed.recorded.created, 1);
    assert!(get_lead(&store, 1).await.submission == Some(lead(1)));
    assert_eq!(
        query_column(database.url(), "SELECT source FROM lead").await,
        ["claim"]
    );

    store
        .report(&report_of(1, "one", [deferred(BERT, Duration::ZERO)]))
        .await
        .unwrap();
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [1],
        "Bert is due although Anna is claimed"
    );
    store
        .report(&report_of(1, "one", [delivered(ANNA), delivered(BERT)]))
        .await
        .unwrap();
    assert!(leased(&store, &lease_for("two")).await.is_empty());
}

async fn claim_results_recipients_in_order(database: Database) {
    let store = migrated(&database).await;
    let everybody = [
        "claimed",
        "new",
        "cancelled",
        "failed",
        "deferred",
        "delivered",
    ];
    assert_eq!(
        claim_results(&store, &claim_for(1, &everybody[..1], "two")).await,
        [GRANTED]
    );
    assert_eq!(
        claim_results(&store, &claim_for(1, &everybody[2..], "one")).await,
        [GRANTED; 4]
    );
    let hour = Duration::from_secs(3600);
    let reports = [
        delivered("delivered"),
        deferred("deferred", hour),
        failed("failed"),
        cancelled("cancelled"),
    ];
    store.report(&report_of(1, "one", reports)).await.unwrap();
    let (held, cancelled, failed) = (
        ClaimResult::Claimed,
        ClaimResult::Cancelled,
        ClaimResult::Failed,
    );
    assert_eq!(
        claim_results(&store, &claim_for(1, &everybody, "one")).await,
        [
            held,
            GRANTED,
            cancelled,
            failed,
            ClaimResult::Deferred,
            ClaimResult::Delivered
        ]
    );
}

async fn one_of_many_concurrent_claims_is_granted(database: Database) {
    // Simulates two processes.
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    for number in 1..=10 {
        if number > 5 {
            // The lead is stored, with both deliveries pending.
            one.report(&event_of(number, "another", [])).await.unwrap();
        }
        let all =
            join_all((0..16).map(|holder| {
                let store = if holder % 2 == 0 {
                    one.clone()
                } else {
                    two.clone()
                };
                async move {
                    claim_results(&store, &claim_of(number, &format!("holder-{holder}"))).await
                }
            }))
            .await;
        let granted = all
            .iter()
            .filter(|answers| **answers == [GRANTED, GRANTED])
            .count();
        let held = all
            .iter()
            .filter(|answers| **answers == [ClaimResult::Claimed, ClaimResult::Claimed])
            .count();
        assert_eq!((granted, held), (1, 15), "{all:?}");
    }
}

async fn claim_belongs_to_its_holder_until_it_expires(database: Database) {
    let store = migrated(&database).await;
    let anna_alone = claim_for(1, &[ANNA], "one");
    assert_eq!(claim_results(&store, &anna_alone).await, [GRANTED]);
    let both = claim_of(1, "two");
    assert_eq!(
        claim_results(&store, &both).await,
        [ClaimResult::Claimed, GRANTED],
        "Bert is not claimed yet"
    );

    let short = Claim {
        lease: Duration::from_millis(1),
        ..anna_alone
    };
    assert_eq!(
        claim_results(&store, &short).await,
        [GRANTED],
        "the holder may repeat the claim, which is one attempt"
    );
    wait::until("the claim's end", async || {
        claim_results(&store, &both).await[0] == ClaimResult::Granted { attempt: 2 }
    })
    .await;
    assert_eq!(
        claim_results(&store, &short).await,
        [ClaimResult::Claimed],
        "another holder has the claim"
    );
}
