//! The brochure, which an operator has emailed to those who asked for it.

use std::time::Duration;

use contracts::{
    crm::v1::{SendBrochureRequest, SendBrochureResponse},
    leads::v1::{Interest, LeadSubmitted, SpamSignal},
};
use crm_sync::{
    db::Store,
    deliveries::{
        claim::{Answer, Claim},
        delivery::{BROCHURE, VISITOR},
        lease::Lease,
    },
    leads::{progress::Change, record::Source},
};
use lead::{LeadState, field::timestamp};
use testkit::database::Database;
use tonic::Code;

use crate::support::{
    ANNA, Client, GRANTED, NO_BROKER, again, answers, claim_for, client, contacted, delivered, execute,
    failed, lead, lease_for, leased, leases_end, migrated, number_of_submission, on_both_databases,
    report_of, start, submission, texts, time_passes,
};

on_both_databases! {
    requests_one_brochure_per_address,
    brochure_is_claimed_alone_and_counted_by_outcome,
    confirmation_with_link_makes_the_brochure_delivered,
    cancels_brochure_of_invalid_or_do_not_contact_lead,
    brochures_do_not_delay_other_leases,
    brochures_count_towards_visitor_limits,
}

/// A lead of a visitor of its own.
fn of_address(number: u128, email: &str) -> LeadSubmitted {
    let mobile = format!("+65 8{number:03} 0000");
    LeadSubmitted { email: email.to_owned(), name: format!("V{number}"), mobile, ..lead(number) }
}

/// A store with these leads, and a client of the service.
async fn with_leads(database: &Database, leads: impl IntoIterator<Item = LeadSubmitted>) -> (Store, Client) {
    let store = migrated(database).await;
    for lead in leads {
        store.record_leads(Source::Grpc, &[lead.try_into().unwrap()]).await.unwrap();
    }
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let client = client(app.grpc_addr).await;
    (store, client)
}

fn own_leads(numbers: std::ops::RangeInclusive<u128>) -> impl Iterator<Item = LeadSubmitted> {
    numbers.map(|number| of_address(number, &format!("v{number}@gmail.com")))
}

async fn send(client: &mut Client, limit: u32) -> SendBrochureResponse {
    let request =
        SendBrochureRequest { interest: Interest::Brochure.into(), limit, ..SendBrochureRequest::default() };
    client.send_brochure(request).await.unwrap().into_inner()
}

/// How many emails were asked for, and whether some are left.
async fn requested(client: &mut Client, limit: u32) -> (u64, u64) {
    let SendBrochureResponse { requested, left, .. } = send(client, limit).await;
    (requested, left)
}

async fn set_do_not_contact(store: &Store, number: u128, do_not_contact: bool) {
    let change = Change { do_not_contact: Some(do_not_contact), state: None, ..contacted(number) };
    store.update_lead(&change).await.unwrap();
}

async fn requests_one_brochure_per_address(database: Database) {
    let others = LeadSubmitted { interests: vec![Interest::Purchase.into()], ..of_address(6, "f@gmail.com") };
    let without_consent =
        LeadSubmitted { privacy_policy_version: String::new(), ..of_address(8, "h@gmail.com") };
    let automatic = LeadSubmitted { signals: vec![SpamSignal::Links.into()], ..of_address(9, "i@gmail.com") };
    let leads = [
        of_address(1, "a@gmail.com"),
        of_address(2, "A@gmail.com"),
        of_address(3, "c@gmail.com"),
        of_address(4, "d@gmail.com"),
        of_address(5, "e@gmail.com"),
        others,
        of_address(7, "g@gmail.com"),
        without_consent,
        automatic,
    ];
    let (store, mut client) = with_leads(&database, leads).await;
    set_do_not_contact(&store, 4, true).await;
    store.update_lead(&Change { state: Some(LeadState::Invalid), ..contacted(5) }).await.unwrap();

    let nothing = SendBrochureResponse { asked: 7, do_not_contact: 1, left: 3, ..Default::default() };
    assert_eq!(send(&mut client, 0).await, nothing);
    assert!(texts(database.url(), "SELECT recipient FROM delivery").await.is_empty(), "only counted");
    assert_eq!(requested(&mut client, 1).await, (1, 1));
    assert_eq!(send(&mut client, 0).await, SendBrochureResponse { waiting: 1, left: 2, ..nothing });
    assert_eq!(requested(&mut client, 500).await, (2, 0));
    assert_eq!(requested(&mut client, 500).await, (0, 0));
    let all = SendBrochureResponse { waiting: 3, left: 0, ..nothing };
    assert_eq!(send(&mut client, 0).await, all);
    let audited = texts(database.url(), "SELECT action || ' ' || leads FROM audit ORDER BY number").await;
    assert_eq!(audited, ["send-brochure 1", "send-brochure 2"]);
    // Of two leads with one address the newer has it, which is erased later.
    let of = "SELECT reference FROM lead JOIN delivery ON lead_id = id ORDER BY reference";
    assert_eq!(texts(database.url(), of).await, ["ZG-0000-02", "ZG-0000-03", "ZG-0000-07"]);

    // An address that has one is not asked again because a lead of it is newer.
    store.record_leads(Source::Grpc, &[of_address(10, "c@gmail.com").try_into().unwrap()]).await.unwrap();
    assert_eq!(requested(&mut client, 500).await, (0, 0));
    let late = SendBrochureRequest {
        interest: Interest::Brochure.into(),
        submitted_from: Some(timestamp(submission(10).submitted_at)),
        limit: 0,
    };
    let counted = client.send_brochure(late).await.unwrap().into_inner();
    assert_eq!(counted, SendBrochureResponse { asked: 1, waiting: 1, ..Default::default() });
    for interest in [Interest::Unspecified, Interest::Showflat] {
        let request = SendBrochureRequest { interest: interest.into(), ..late };
        assert_eq!(client.send_brochure(request).await.unwrap_err().code(), Code::InvalidArgument);
    }
}

/// A claim of a lead of a visitor of its own.
fn claim_of_visitor(number: u128, recipient: &str) -> Claim {
    let submission = of_address(number, &format!("v{number}@gmail.com")).try_into().unwrap();
    Claim {
        submission,
        visitor_daily_limit: 2,
        visitors_hourly_limit: 6,
        ..claim_for(number, &[recipient], "one")
    }
}

/// The leads whose brochure is due.
async fn due(store: &Store, lease: &Lease) -> Vec<u128> {
    let leased = store.lease(lease).await.unwrap();
    let brochures = leased.requested.iter().filter(|it| it.recipients == [BROCHURE]);
    brochures.map(|it| number_of_submission(it.lead.as_ref().unwrap())).collect()
}

async fn brochure_is_claimed_alone_and_counted_by_outcome(database: Database) {
    let (store, mut client) = with_leads(&database, own_leads(1..=2)).await;
    assert_eq!(requested(&mut client, 500).await, (2, 0));
    let young = Lease { pending_for: Duration::from_secs(3600), ..lease_for("one") };
    execute(database.url(), "UPDATE lead SET source = 'broker'").await;
    assert_eq!(due(&store, &Lease { brochures: false, ..young.clone() }).await, [0; 0]);
    assert_eq!(due(&store, &young).await, [1, 2]);
    assert_eq!(due(&store, &young).await, [0; 0], "leased");
    for number in [1, 2] {
        assert_eq!(answers(&store, &claim_of_visitor(number, BROCHURE)).await, [GRANTED]);
    }
    assert_eq!(store.pending().await.unwrap().leads, 2, "the routes had no part in them yet");
    store.report(&report_of(1, "one", [delivered(BROCHURE)])).await.unwrap();
    store.report(&report_of(2, "one", [failed(BROCHURE)])).await.unwrap();
    let counted = SendBrochureResponse { asked: 2, delivered: 1, failed: 1, ..Default::default() };
    assert_eq!(send(&mut client, 0).await, counted);
    let said = "SELECT details ->> 'event' FROM timeline WHERE details ->> 'event' <> 'failed'";
    assert!(texts(database.url(), said).await.is_empty(), "no lease of a brochure is told of");
}

async fn confirmation_with_link_makes_the_brochure_delivered(database: Database) {
    let leads = [of_address(1, "v1@gmail.com"), of_address(2, "v2@gmail.com"), of_address(3, "v1@gmail.com")];
    let (store, mut client) = with_leads(&database, leads).await;
    assert_eq!(answers(&store, &claim_of_visitor(2, VISITOR)).await, [GRANTED]);
    store.report(&report_of(2, "one", [delivered(VISITOR), delivered(BROCHURE)])).await.unwrap();
    assert_eq!(requested(&mut client, 500).await, (1, 0));
    // Meanwhile another lead of the address is acknowledged.
    assert_eq!(answers(&store, &claim_of_visitor(1, VISITOR)).await, [GRANTED]);
    store.report(&report_of(1, "one", [delivered(VISITOR), delivered(BROCHURE)])).await.unwrap();
    let third = Claim {
        submission: of_address(3, "v1@gmail.com").try_into().unwrap(),
        ..claim_of_visitor(3, BROCHURE)
    };
    assert_eq!(answers(&store, &third).await, [Answer::Cancelled]);
    let counted = SendBrochureResponse { asked: 2, delivered: 2, ..Default::default() };
    assert_eq!(send(&mut client, 0).await, counted);
    // That was one email, of two within a day.
    let next = of_address(4, "v2@gmail.com").try_into().unwrap();
    let next = Claim { submission: next, ..claim_of_visitor(4, VISITOR) };
    assert_eq!(answers(&store, &next).await, [GRANTED]);
}

async fn cancels_brochure_of_invalid_or_do_not_contact_lead(database: Database) {
    let (store, mut client) = with_leads(&database, own_leads(1..=2)).await;
    assert_eq!(requested(&mut client, 500).await, (2, 0));
    set_do_not_contact(&store, 1, true).await;
    store.update_lead(&Change { state: Some(LeadState::Invalid), ..contacted(2) }).await.unwrap();
    for number in [1, 2] {
        assert_eq!(answers(&store, &claim_of_visitor(number, BROCHURE)).await, [Answer::Cancelled]);
    }
    let counted = SendBrochureResponse { asked: 2, do_not_contact: 1, ..Default::default() };
    assert_eq!(send(&mut client, 0).await, counted);
    // Once the reason is gone, it may be asked for again.
    set_do_not_contact(&store, 1, false).await;
    assert_eq!(requested(&mut client, 500).await, (1, 0));
    assert_eq!(answers(&store, &claim_of_visitor(1, BROCHURE)).await, [GRANTED]);
    let cancelled =
        texts(database.url(), "SELECT recipient FROM timeline WHERE details ->> 'event' = 'cancelled'").await;
    assert_eq!(cancelled, [BROCHURE; 2]);
}

async fn brochures_do_not_delay_other_leases(database: Database) {
    let (store, mut client) = with_leads(&database, own_leads(1..=20)).await;
    for number in 1..=20 {
        answers(&store, &claim_for(number, &[ANNA], "one")).await;
        store.report(&report_of(number, "one", [delivered(ANNA)])).await.unwrap();
    }
    assert_eq!(requested(&mut client, 500).await, (20, 0));
    assert!(texts(database.url(), "SELECT reference FROM lead WHERE open").await.is_empty());
    // A newer lead that the routes have had no part in yet.
    store.record_leads(Source::Grpc, &[submission(21)]).await.unwrap();
    let lease = Lease { limit: 16, ..lease_for("one") };
    assert_eq!(leased(&store, &lease).await, [21, 1, 2]);
    assert!(due(&store, &Lease { limit: 0, ..lease.clone() }).await.is_empty());

    // Whose brochure waits is not kept for it.
    assert_eq!(answers(&store, &claim_of_visitor(1, BROCHURE)).await, [GRANTED]);
    let later = [again(BROCHURE, Duration::from_secs(3600))];
    store.report(&report_of(1, "one", later)).await.unwrap();
    leases_end(&database).await;
    assert_eq!(due(&store, &lease).await, [2, 3]);
    execute(
        database.url(),
        "UPDATE lead SET submitted_at = '2020-01-01T00:00:00+00:00' WHERE reference = 'ZG-0000-01'",
    )
    .await;
    assert_eq!(store.erase_older_than(chrono::TimeDelta::days(365)).await.unwrap(), 1);
}

async fn brochures_count_towards_visitor_limits(database: Database) {
    let (store, mut client) = with_leads(&database, own_leads(1..=9)).await;
    assert_eq!(requested(&mut client, 500).await, (9, 0));
    // Half of six an hour.
    for number in 1..=3 {
        assert_eq!(answers(&store, &claim_of_visitor(number, BROCHURE)).await, [GRANTED]);
        store.report(&report_of(number, "one", [delivered(BROCHURE)])).await.unwrap();
    }
    assert_eq!(answers(&store, &claim_of_visitor(4, BROCHURE)).await, [Answer::Deferred]);
    for number in 5..=7 {
        assert_eq!(answers(&store, &claim_of_visitor(number, VISITOR)).await, [GRANTED], "the other half");
    }
    assert_eq!(answers(&store, &claim_of_visitor(8, VISITOR)).await, [Answer::DeferredByAll]);

    // Two a day for a mailbox, of which the brochure of lead 1 was one.
    let unlimited = |number, email: &str, recipient| {
        let submission = of_address(number, email).try_into().unwrap();
        Claim { submission, visitors_hourly_limit: 0, ..claim_of_visitor(number, recipient) }
    };
    assert_eq!(answers(&store, &unlimited(20, "v1+tag@gmail.com", VISITOR)).await, [GRANTED]);
    assert_eq!(
        answers(&store, &unlimited(1, "v1@gmail.com", VISITOR)).await,
        [Answer::Deferred],
        "one is under way"
    );
    store.report(&report_of(20, "one", [delivered(VISITOR)])).await.unwrap();
    time_passes(&database).await;
    assert_eq!(answers(&store, &unlimited(1, "v1@gmail.com", VISITOR)).await, [Answer::Cancelled]);
    let tagged = of_address(21, "v1+2@gmail.com").try_into().unwrap();
    store.record_leads(Source::Grpc, &[tagged]).await.unwrap();
    assert_eq!(requested(&mut client, 500).await, (2, 0));
    let waits = unlimited(21, "v1+2@gmail.com", BROCHURE);
    assert_eq!(answers(&store, &waits).await, [Answer::Deferred], "it was asked for: it waits");
}
