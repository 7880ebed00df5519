//! Leads that the sales team enters by hand.

use ::lead::ConsentMeans;
use contracts::crm::v1::{self as crm, LeadState, timeline_entry::Event};
use crm_sync::{
    db::Store,
    deliveries::{Claim, ClaimResult},
    leads::{EnteredLead, Recorded, Source},
    statistics::Spans,
};
use testkit::database::Database;

use crate::support::{
    ANNA, GRANTED, VISITOR, claim_for, claim_results, get_lead, lead_from, lease_for, leased,
    migrated, on_postgres, submission,
};

on_postgres! {
    entered_lead_is_contacted_and_owned,
    entered_lead_is_sent_to_webhooks_only,
    requested_confirmation_is_sent_to_the_visitor,
    entered_lead_does_not_count_as_a_quick_contact,
}

async fn store_entered_lead(database: &Database) -> Store {
    let store = migrated(database).await;
    let recorded = store.enter_lead(&entered_by("Mei")).await.unwrap();
    assert_eq!(recorded.created, 1);
    store
}

fn entered_by(person: &str) -> EnteredLead {
    EnteredLead {
        submission: submission(1),
        consent_means: Some(ConsentMeans::SignedForm),
        confirm: false,
        person: person.to_owned(),
    }
}

async fn entered_lead_is_contacted_and_owned(database: Database) {
    let store = store_entered_lead(&database).await;
    let again = store.enter_lead(&entered_by("Daniel")).await.unwrap();
    assert_eq!(
        again,
        Recorded::default(),
        "a repeated call changes nothing"
    );
    let lead = get_lead(&store, 1).await;
    let progress = lead.progress.clone().unwrap();
    assert_eq!(
        (progress.state(), progress.owner.as_str()),
        (LeadState::Contacted, "Mei")
    );
    assert!(progress.contacted_at.is_some());
    let events: Vec<_> = lead
        .timeline
        .iter()
        .filter_map(|entry| entry.event.clone())
        .collect();
    assert!(
        matches!(&events[..], [Event::Recorded(_), Event::Entered(it), Event::Progressed(_)]
            if it.client == "Mei" && it.consent_means() == crm::ConsentMeans::SignedForm)
    );
    store
        .record_leads(
            Source::Broker,
            &[lead_from(2, &submission(1).email, "no number")],
        )
        .await
        .unwrap();
    assert_eq!(
        get_lead(&store, 2).await.contact_id,
        lead.contact_id,
        "both leads belong to one person"
    );
}

async fn entered_lead_is_sent_to_webhooks_only(database: Database) {
    let store = store_entered_lead(&database).await;
    assert_eq!(leased(&store, &lease_for("one")).await, [1]);
    let claim = claim_for(1, &[ANNA, VISITOR, "webhook:crm"], "one");
    let claim = Claim {
        visitor_daily_limit: 9,
        ..claim
    };
    assert_eq!(
        claim_results(&store, &claim).await,
        [ClaimResult::Cancelled, ClaimResult::Cancelled, GRANTED]
    );
}

/// The person who enters the lead decides whether the visitor gets the email with the withdrawal link.
async fn requested_confirmation_is_sent_to_the_visitor(database: Database) {
    let store = migrated(&database).await;
    let entered = EnteredLead {
        confirm: true,
        ..entered_by("Mei")
    };
    for created in [1, 0] {
        assert_eq!(store.enter_lead(&entered).await.unwrap().created, created);
    }
    assert_eq!(leased(&store, &lease_for("one")).await, [1]);
    let claim = Claim {
        visitor_daily_limit: 9,
        ..claim_for(1, &[ANNA, VISITOR], "one")
    };
    assert_eq!(
        claim_results(&store, &claim).await,
        [ClaimResult::Cancelled, GRANTED]
    );
    let again = Claim {
        holder: "two".to_owned(),
        ..claim
    };
    assert_eq!(
        claim_results(&store, &again).await,
        [ClaimResult::Cancelled, ClaimResult::Claimed]
    );
}

async fn entered_lead_does_not_count_as_a_quick_contact(database: Database) {
    let store = store_entered_lead(&database).await;
    let at = submission(1).submitted_at;
    let spans = Spans::new(vec![at], at + chrono::TimeDelta::hours(1)).unwrap();
    let counted = store.count_leads(&spans).await.unwrap();
    assert_eq!(
        (counted.total.unwrap().leads, counted.median_to_contact),
        (1, None)
    );
}
