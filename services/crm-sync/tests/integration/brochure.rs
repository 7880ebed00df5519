//! Sending the brochure to visitors who requested it.

use std::time::Duration;

use contracts::{
    crm::v1::{SendBrochureRequest, SendBrochureResponse},
    leads::v1::{Interest, LeadSubmitted, SpamSignal},
};
use crm_sync::{
    db::Store,
    deliveries::{Claim, ClaimResult, Lease},
    leads::{Change, Source},
};
use lead::{LeadState, field::timestamp};
use testkit::database::Database;
use tonic::Code;

use crate::support::{
    ANNA, BROCHURE, Client, GRANTED, VISITOR, claim_for, claim_results, contacted, deferred,
    delivered, execute, failed, lead, lease_for, leased, leases_end, migrated,
    number_of_submission, on_both_databases, on_postgres, query_column, report_of, serve,
    submission, time_passes,
};

on_both_databases! {
    requests_one_brochure_per_address,
}

on_postgres! {
    brochure_is_claimed_alone_and_counted_by_outcome,
    confirmation_with_link_makes_the_brochure_delivered,
    cancels_brochure_of_invalid_or_do_not_contact_lead,
    brochures_do_not_delay_other_leases,
    brochures_count_towards_visitor_limits,
}

/// A lead with this email address, and a unique name and phone number.
fn visitor_lead(number: u128, email: &str) -> LeadSubmitted {
    let mobile = format!("+65 8{number:03} 0000");
    LeadSubmitted {
        email: email.to_owned(),
        name: format!("V{number}"),
        mobile,
        ..lead(number)
    }
}

/// Starts the service with these leads. Returns its store and a client.
async fn start_with_leads(
    database: &Database,
    leads: impl IntoIterator<Item = LeadSubmitted>,
) -> (Store, Client) {
    let store = migrated(database).await;
    for lead in leads {
        store
            .record_leads(Source::Grpc, &[lead.try_into().unwrap()])
            .await
            .unwrap();
    }
    (store, serve(database).await)
}

fn visitor_leads(numbers: std::ops::RangeInclusive<u128>) -> impl Iterator<Item = LeadSubmitted> {
    numbers.map(|number| visitor_lead(number, &format!("v{number}@gmail.com")))
}

async fn send(client: &mut Client, limit: u32) -> SendBrochureResponse {
    let request = SendBrochureRequest {
        interest: Interest::Brochure.into(),
        limit,
        ..SendBrochureRequest::default()
    };
    client
        .deliveries
        .send_brochure(request)
        .await
        .unwrap()
        .into_inner()
}

/// Sends up to `limit` brochures. Returns the numbers of requested and remaining ones.
async fn request_brochures(client: &mut Client, limit: u32) -> (u64, u64) {
    let SendBrochureResponse {
        requested, left, ..
    } = send(client, limit).await;
    (requested, left)
}

async fn set_do_not_contact(store: &Store, number: u128, do_not_contact: bool) {
    let change = Change {
        do_not_contact: Some(do_not_contact),
        state: None,
        ..contacted(number)
    };
    store.update_lead(&change).await.unwrap();
}

async fn requests_one_brochure_per_address(database: Database) {
    let others = LeadSubmitted {
        interests: vec![Interest::Purchase.into()],
        ..visitor_lead(6, "f@gmail.com")
    };
    let without_consent = LeadSubmitted {
        privacy_policy_version: String::new(),
        ..visitor_lead(8, "h@gmail.com")
    };
    let automatic = LeadSubmitted {
        signals: vec![SpamSignal::Links.into()],
        ..visitor_lead(9, "i@gmail.com")
    };
    let leads = [
        visitor_lead(1, "a@gmail.com"),
        visitor_lead(2, "A@gmail.com"),
        visitor_lead(3, "c@gmail.com"),
        visitor_lead(4, "d@gmail.com"),
        visitor_lead(5, "e@gmail.com"),
        others,
        visitor_lead(7, "g@gmail.com"),
        without_consent,
        automatic,
    ];
    let (store, mut client) = start_with_leads(&database, leads).await;
    set_do_not_contact(&store, 4, true).await;
    store
        .update_lead(&Change {
            state: Some(LeadState::Invalid),
            ..contacted(5)
        })
        .await
        .unwrap();

    let nothing = SendBrochureResponse {
        asked: 7,
        do_not_contact: 1,
        left: 3,
        ..Default::default()
    };
    assert_eq!(send(&mut client, 0).await, nothing);
    assert!(
        query_column(database.url(), "SELECT recipient FROM delivery")
            .await
            .is_empty(),
        "limit 0 only counts"
    );
    assert_eq!(request_brochures(&mut client, 1).await, (1, 1));
    assert_eq!(
        send(&mut client, 0).await,
        SendBrochureResponse {
            waiting: 1,
            left: 2,
            ..nothing
        }
    );
    assert_eq!(request_brochures(&mut client, 500).await, (2, 0));
    assert_eq!(request_brochures(&mut client, 500).await, (0, 0));
    let all = SendBrochureResponse {
        waiting: 3,
        left: 0,
        ..nothing
    };
    assert_eq!(send(&mut client, 0).await, all);
    let audited = query_column(
        database.url(),
        "SELECT action || ' ' || leads FROM audit WHERE action <> 'change' ORDER BY number",
    )
    .await;
    let sent = [
        "send-brochure 1",
        "count 0",
        "send-brochure 2",
        "send-brochure 0",
    ];
    assert_eq!(audited, [&["count 0"], &sent[..], &["count 0"]].concat());
    // Of two leads with one address, the newer one gets the brochure, because retention erases it later.
    let query = "SELECT reference FROM lead JOIN delivery ON lead_id = id ORDER BY reference";
    assert_eq!(
        query_column(database.url(), query).await,
        ["ZG-0000-02", "ZG-0000-03", "ZG-0000-07"]
    );

    // A newer lead with the same address does not get the brochure again.
    store
        .record_leads(
            Source::Grpc,
            &[visitor_lead(10, "c@gmail.com").try_into().unwrap()],
        )
        .await
        .unwrap();
    assert_eq!(request_brochures(&mut client, 500).await, (0, 0));
    let late = SendBrochureRequest {
        interest: Interest::Brochure.into(),
        submitted_from: Some(timestamp(submission(10).submitted_at)),
        limit: 0,
    };
    let counted = client
        .deliveries
        .send_brochure(late)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        counted,
        SendBrochureResponse {
            asked: 1,
            waiting: 1,
            ..Default::default()
        }
    );
    for interest in [Interest::Unspecified, Interest::Showflat] {
        let request = SendBrochureRequest {
            interest: interest.into(),
            ..late
        };
        assert_eq!(
            client
                .deliveries
                .send_brochure(request)
                .await
                .unwrap_err()
                .code(),
            Code::InvalidArgument
        );
    }
}

/// A claim of a lead from [`visitor_lead`].
fn claim_of_visitor(number: u128, recipient: &str) -> Claim {
    let submission = visitor_lead(number, &format!("v{number}@gmail.com"))
        .try_into()
        .unwrap();
    Claim {
        submission,
        visitor_daily_limit: 2,
        visitors_hourly_limit: 6,
        ..claim_for(number, &[recipient], "one")
    }
}

/// Leases the leads with due brochures.
async fn lease_brochures(store: &Store, lease: &Lease) -> Vec<u128> {
    let leased = store.lease(lease).await.unwrap();
    let brochures = leased.leads.iter().filter(|it| it.recipients == [BROCHURE]);
    brochures
        .map(|it| number_of_submission(it.lead.as_ref().unwrap()))
        .collect()
}

async fn brochure_is_claimed_alone_and_counted_by_outcome(database: Database) {
    let (store, mut client) = start_with_leads(&database, visitor_leads(1..=2)).await;
    assert_eq!(request_brochures(&mut client, 500).await, (2, 0));
    let young = Lease {
        pending_for: Duration::from_secs(3600),
        ..lease_for("one")
    };
    execute(database.url(), "UPDATE lead SET source = 'broker'").await;
    assert_eq!(
        lease_brochures(
            &store,
            &Lease {
                brochures: false,
                ..young.clone()
            }
        )
        .await,
        [0; 0]
    );
    assert_eq!(lease_brochures(&store, &young).await, [1, 2]);
    assert_eq!(lease_brochures(&store, &young).await, [0; 0], "leased");
    for number in [1, 2] {
        assert_eq!(
            claim_results(&store, &claim_of_visitor(number, BROCHURE)).await,
            [GRANTED]
        );
    }
    assert_eq!(
        store.pending().await.unwrap().leads,
        2,
        "no email to sales was claimed yet"
    );
    store
        .report(&report_of(1, "one", [delivered(BROCHURE)]))
        .await
        .unwrap();
    store
        .report(&report_of(2, "one", [failed(BROCHURE)]))
        .await
        .unwrap();
    let counted = SendBrochureResponse {
        asked: 2,
        delivered: 1,
        failed: 1,
        ..Default::default()
    };
    assert_eq!(send(&mut client, 0).await, counted);
    let events = "SELECT details ->> 'event' FROM timeline WHERE details ->> 'event' <> 'failed'";
    assert!(
        query_column(database.url(), events).await.is_empty(),
        "the timeline has no lease of a brochure"
    );
}

async fn confirmation_with_link_makes_the_brochure_delivered(database: Database) {
    let leads = [
        visitor_lead(1, "v1@gmail.com"),
        visitor_lead(2, "v2@gmail.com"),
        visitor_lead(3, "v1@gmail.com"),
    ];
    let (store, mut client) = start_with_leads(&database, leads).await;
    assert_eq!(
        claim_results(&store, &claim_of_visitor(2, VISITOR)).await,
        [GRANTED]
    );
    store
        .report(&report_of(
            2,
            "one",
            [delivered(VISITOR), delivered(BROCHURE)],
        ))
        .await
        .unwrap();
    assert_eq!(request_brochures(&mut client, 500).await, (1, 0));
    // Another lead with the address gets its confirmation in the meantime.
    assert_eq!(
        claim_results(&store, &claim_of_visitor(1, VISITOR)).await,
        [GRANTED]
    );
    store
        .report(&report_of(
            1,
            "one",
            [delivered(VISITOR), delivered(BROCHURE)],
        ))
        .await
        .unwrap();
    let third = Claim {
        submission: visitor_lead(3, "v1@gmail.com").try_into().unwrap(),
        ..claim_of_visitor(3, BROCHURE)
    };
    assert_eq!(
        claim_results(&store, &third).await,
        [ClaimResult::Cancelled]
    );
    let counted = SendBrochureResponse {
        asked: 2,
        delivered: 2,
        ..Default::default()
    };
    assert_eq!(send(&mut client, 0).await, counted);
    // The confirmation with the link counts as one of two emails within a day.
    let next = visitor_lead(4, "v2@gmail.com").try_into().unwrap();
    let next = Claim {
        submission: next,
        ..claim_of_visitor(4, VISITOR)
    };
    assert_eq!(claim_results(&store, &next).await, [GRANTED]);
}

async fn cancels_brochure_of_invalid_or_do_not_contact_lead(database: Database) {
    let (store, mut client) = start_with_leads(&database, visitor_leads(1..=2)).await;
    assert_eq!(request_brochures(&mut client, 500).await, (2, 0));
    set_do_not_contact(&store, 1, true).await;
    store
        .update_lead(&Change {
            state: Some(LeadState::Invalid),
            ..contacted(2)
        })
        .await
        .unwrap();
    for number in [1, 2] {
        assert_eq!(
            claim_results(&store, &claim_of_visitor(number, BROCHURE)).await,
            [ClaimResult::Cancelled]
        );
    }
    let counted = SendBrochureResponse {
        asked: 2,
        do_not_contact: 1,
        ..Default::default()
    };
    assert_eq!(send(&mut client, 0).await, counted);
    // Once the reason no longer applies, the brochure can be requested again.
    set_do_not_contact(&store, 1, false).await;
    assert_eq!(request_brochures(&mut client, 500).await, (1, 0));
    assert_eq!(
        claim_results(&store, &claim_of_visitor(1, BROCHURE)).await,
        [GRANTED]
    );
    let cancelled = query_column(
        database.url(),
        "SELECT recipient FROM timeline WHERE details ->> 'event' = 'cancelled'",
    )
    .await;
    assert_eq!(cancelled, [BROCHURE; 2]);
}

async fn brochures_do_not_delay_other_leases(database: Database) {
    let (store, mut client) = start_with_leads(&database, visitor_leads(1..=20)).await;
    for number in 1..=20 {
        claim_results(&store, &claim_for(number, &[ANNA], "one")).await;
        store
            .report(&report_of(number, "one", [delivered(ANNA)]))
            .await
            .unwrap();
    }
    assert_eq!(request_brochures(&mut client, 500).await, (20, 0));
    assert!(
        query_column(database.url(), "SELECT reference FROM lead WHERE open")
            .await
            .is_empty()
    );
    // A newer lead whose emails to sales are not claimed yet.
    store
        .record_leads(Source::Grpc, &[submission(21)])
        .await
        .unwrap();
    let lease = Lease {
        limit: 16,
        ..lease_for("one")
    };
    assert_eq!(leased(&store, &lease).await, [21, 1, 2]);
    assert!(
        lease_brochures(
            &store,
            &Lease {
                limit: 0,
                ..lease.clone()
            }
        )
        .await
        .is_empty()
    );

    // A waiting brochure does not delay erasure.
    assert_eq!(
        claim_results(&store, &claim_of_visitor(1, BROCHURE)).await,
        [GRANTED]
    );
    let later = [deferred(BROCHURE, Duration::from_secs(3600))];
    store.report(&report_of(1, "one", later)).await.unwrap();
    leases_end(&database).await;
    assert_eq!(lease_brochures(&store, &lease).await, [2, 3]);
    execute(
        database.url(),
        "UPDATE lead SET submitted_at = '2020-01-01T00:00:00+00:00' WHERE reference = 'ZG-0000-01'",
    )
    .await;
    assert_eq!(
        store
            .erase_older_than(chrono::TimeDelta::days(365))
            .await
            .unwrap(),
        1
    );
}

async fn brochures_count_towards_visitor_limits(database: Database) {
    let (store, mut client) = start_with_leads(&database, visitor_leads(1..=9)).await;
    assert_eq!(request_brochures(&mut client, 500).await, (9, 0));
    // Brochures may use half of the hourly limit of six.
    for number in 1..=3 {
        assert_eq!(
            claim_results(&store, &claim_of_visitor(number, BROCHURE)).await,
            [GRANTED]
        );
        store
            .report(&report_of(number, "one", [delivered(BROCHURE)]))
            .await
            .unwrap();
    }
    assert_eq!(
        claim_results(&store, &claim_of_visitor(4, BROCHURE)).await,
        [ClaimResult::Deferred]
    );
    for number in 5..=7 {
        assert_eq!(
            claim_results(&store, &claim_of_visitor(number, VISITOR)).await,
            [GRANTED],
            "the other half"
        );
    }
    assert_eq!(
        claim_results(&store, &claim_of_visitor(8, VISITOR)).await,
        [ClaimResult::HourlyLimit]
    );

    // A mailbox may get two emails a day, and the brochure of lead 1 was the first.
    let unlimited = |number, email: &str, recipient| {
        let submission = visitor_lead(number, email).try_into().unwrap();
        Claim {
            submission,
            visitors_hourly_limit: 0,
            ..claim_of_visitor(number, recipient)
        }
    };
    assert_eq!(
        claim_results(&store, &unlimited(20, "v1+tag@gmail.com", VISITOR)).await,
        [GRANTED]
    );
    assert_eq!(
        claim_results(&store, &unlimited(1, "v1@gmail.com", VISITOR)).await,
        [ClaimResult::Deferred],
        "another email is in flight"
    );
    store
        .report(&report_of(20, "one", [delivered(VISITOR)]))
        .await
        .unwrap();
    time_passes(&database).await;
    assert_eq!(
        claim_results(&store, &unlimited(1, "v1@gmail.com", VISITOR)).await,
        [ClaimResult::Cancelled]
    );
    let tagged = visitor_lead(21, "v1+2@gmail.com").try_into().unwrap();
    store.record_leads(Source::Grpc, &[tagged]).await.unwrap();
    assert_eq!(request_brochures(&mut client, 500).await, (2, 0));
    let waits = unlimited(21, "v1+2@gmail.com", BROCHURE);
    assert_eq!(
        claim_results(&store, &waits).await,
        [ClaimResult::Deferred],
        "a requested brochure waits"
    );
}
