//! The brochure, which an operator has mailed to those who asked for it.

use contracts::{
    crm::v1::{SendBrochureRequest, SendBrochureResponse},
    leads::v1::{Interest, LeadSubmitted},
};
use crm_sync::{
    db::Store,
    deliveries::claim::{Answer, Claim},
    leads::{progress::Change, source::Source},
};
use lead::field::timestamp;
use testkit::database::Database;
use tonic::Code;

use crate::support::{
    Client, GRANTED, NO_BROKER, answers, client, contacted, dead, delivered, lead, lease_for, migrated,
    on_both_databases, report_of, start, submission, texts,
};

on_both_databases! {
    the_brochure_is_asked_for_once_for_each_address,
    a_brochure_is_claimed_by_itself_and_not_for_whom_nobody_is_to_write_to,
}

const BROCHURE: &str = "brochure";

/// A lead of a visitor of its own.
fn of_address(number: u128, email: &str) -> LeadSubmitted {
    let mobile = format!("+65 8{number:03} 0000");
    LeadSubmitted { email: email.to_owned(), name: format!("V{number}"), mobile, ..lead(number) }
}

async fn send(client: &mut Client, limit: u32) -> SendBrochureResponse {
    let request =
        SendBrochureRequest { interest: Interest::Brochure.into(), limit, ..SendBrochureRequest::default() };
    client.send_brochure(request).await.unwrap().into_inner()
}

async fn the_brochure_is_asked_for_once_for_each_address(database: Database) {
    let store = migrated(&database).await;
    let others = LeadSubmitted { interests: vec![Interest::Purchase.into()], ..of_address(6, "f@x.co") };
    let without_consent = LeadSubmitted { privacy_policy_version: String::new(), ..of_address(8, "h@x.co") };
    let leads = [
        of_address(1, "a@x.co"),
        of_address(2, "A@x.co"),
        of_address(3, "c@x.co"),
        of_address(4, "d@x.co"),
        of_address(5, "e@x.co"),
        others,
        of_address(7, "g@x.co"),
        without_consent,
    ];
    for lead in leads {
        store.record_leads(Source::Grpc, &[lead.try_into().unwrap()]).await.unwrap();
    }
    store.progress(&Change { do_not_contact: Some(true), state: None, ..contacted(4) }).await.unwrap();
    let not_a_lead = crm_sync::leads::progress::LeadState::NotALead;
    store.progress(&Change { state: Some(not_a_lead), ..contacted(5) }).await.unwrap();
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let mut client = client(app.grpc_addr).await;

    let nothing = SendBrochureResponse { asked: 6, do_not_contact: 1, left: 3, ..Default::default() };
    assert_eq!(send(&mut client, 0).await, nothing);
    assert!(texts(database.url(), "SELECT recipient FROM delivery").await.is_empty(), "only counted");
    let one = SendBrochureResponse { requested: 1, waiting: 1, left: 2, ..nothing };
    assert_eq!(send(&mut client, 1).await, one);
    let all = SendBrochureResponse { requested: 2, waiting: 3, left: 0, ..nothing };
    assert_eq!(send(&mut client, 500).await, all);
    assert_eq!(send(&mut client, 500).await, SendBrochureResponse { requested: 0, ..all });
    let audited = texts(database.url(), "SELECT action || ' ' || leads FROM audit ORDER BY number").await;
    assert_eq!(audited, ["send-brochure 1", "send-brochure 2"]);

    let late = SendBrochureRequest {
        interest: Interest::Brochure.into(),
        submitted_from: Some(timestamp(submission(7).submitted_at)),
        limit: 0,
    };
    assert_eq!(client.send_brochure(late).await.unwrap().into_inner().asked, 2);
    let nothing_asked_for = client.send_brochure(SendBrochureRequest::default()).await;
    assert_eq!(nothing_asked_for.unwrap_err().code(), Code::InvalidArgument);
}

/// A claim of the brochure of a visitor's lead.
fn brochure_of(number: u128) -> Claim {
    let submission = of_address(number, &format!("v{number}@x.co")).try_into().unwrap();
    Claim { submission, ..crate::support::claim_for(number, &[BROCHURE], "one") }
}

async fn due(store: &Store) -> usize {
    let leased = store.lease(&lease_for("one")).await.unwrap();
    leased.iter().filter(|leased| leased.requested == [BROCHURE]).count()
}

async fn a_brochure_is_claimed_by_itself_and_not_for_whom_nobody_is_to_write_to(database: Database) {
    let store = migrated(&database).await;
    let leads = [1, 2, 3].map(|number| brochure_of(number).submission);
    store.record_leads(Source::Grpc, &leads).await.unwrap();
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let mut client = client(app.grpc_addr).await;
    assert_eq!(send(&mut client, 500).await.waiting, 3);
    assert_eq!(due(&store).await, 3);
    store.progress(&Change { do_not_contact: Some(true), state: None, ..contacted(2) }).await.unwrap();
    assert_eq!(answers(&store, &brochure_of(1)).await, [GRANTED]);
    assert_eq!(answers(&store, &brochure_of(2)).await, [Answer::Settled]);
    assert_eq!(answers(&store, &brochure_of(3)).await, [GRANTED]);
    store.report(&report_of(1, "one", [delivered(BROCHURE)])).await.unwrap();
    store.report(&report_of(3, "one", [dead(BROCHURE)])).await.unwrap();
    let counted = send(&mut client, 500).await;
    assert_eq!((counted.waiting, counted.delivered, counted.dead, counted.left), (0, 1, 1, 0));
    assert_eq!(store.pending().await.unwrap().leads, 3, "the routes had no part in them yet");
}
