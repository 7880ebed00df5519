//! Reports that notifier publishes while the CRM does not answer.

use contracts::{
    crm::v1::{
        Delivery,
        timeline_entry::{Conflicting, Event as Entry},
    },
    leads::v1::{LeadDelivered, LeadSubmitted, delivery_report::Outcome},
};
use crm_sync::{
    db::Store,
    deliveries::{ClaimResult, DeliveryFilter},
    leads::Source,
    people::person::Person,
};
use messaging::{Event, Reason, Verdict};
use testkit::database::Database;

use crate::support::{
    ANNA, BERT, GRANTED, claim_for, claim_of, claim_results, delivered, delivered_report, event_of,
    everything, failed_report, get_lead, handle, lead, leads_beyond_the_contract, lease_for,
    leased, mail_to, message_of, migrated, on_postgres, query_column, report_of, retry_report,
    submission,
};

on_postgres! {
    event_stores_lead_and_outcomes,
    event_ends_only_claims_of_its_holder,
    recipients_added_by_an_event_reopen_the_lead,
    event_with_other_contents_is_a_conflict,
    event_with_another_plan_time_or_home_is_a_conflict,
    event_of_an_erased_lead_is_dropped,
    invalid_event_is_a_dead_letter,
    leads_beyond_the_contract_become_dead_letters,
}

const DONE: [Verdict; 1] = [Verdict::Done];

async fn handle_one(store: &Store, event: LeadDelivered) -> Vec<Verdict> {
    handle(store, vec![Event::LeadDelivered(event)]).await
}

async fn event_stores_lead_and_outcomes(database: Database) {
    let store = migrated(&database).await;
    let event = message_of(1, "one", vec![delivered_report(ANNA)]);
    assert_eq!(handle_one(&store, event).await, DONE);
    let stored = get_lead(&store, 1).await;
    assert!(stored.submission == Some(lead(1)), "the lead is unchanged");
    assert_eq!(
        query_column(database.url(), "SELECT source FROM lead").await,
        ["broker"]
    );
    let delivered_at = lead(1).submitted_at;
    assert_eq!(
        stored.deliveries,
        [Delivery {
            delivered_at,
            ..mail_to(ANNA)
        }]
    );
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [1],
        "Bert was not mailed"
    );
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [ClaimResult::Delivered, GRANTED]
    );
}

async fn event_ends_only_claims_of_its_holder(database: Database) {
    let store = migrated(&database).await;
    for (number, holder) in [(1, "one"), (2, "another")] {
        assert_eq!(
            claim_results(&store, &claim_of(number, holder)).await,
            [GRANTED; 2]
        );
        let event = message_of(
            number,
            "one",
            vec![delivered_report(ANNA), failed_report(BERT)],
        );
        assert_eq!(handle_one(&store, event).await, DONE);
    }
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [ClaimResult::Delivered, ClaimResult::Failed]
    );
    assert_eq!(
        claim_results(&store, &claim_of(2, "two")).await,
        [ClaimResult::Delivered, ClaimResult::Claimed]
    );
    let all = store
        .list_deliveries(&DeliveryFilter::parse(None).unwrap(), true)
        .await
        .unwrap()
        .deliveries;
    assert_eq!((all.len(), all[0].attempts), (1, 1));

    // Without a claim, a notifier may report that a delivery failed permanently.
    assert_eq!(
        handle_one(
            &store,
            message_of(
                3,
                "one",
                vec![failed_report(ANNA), retry_report(BERT, 3600)]
            )
        )
        .await,
        DONE
    );
    assert_eq!(
        claim_results(&store, &claim_of(3, "two")).await,
        [ClaimResult::Failed, ClaimResult::Deferred]
    );
}

async fn recipients_added_by_an_event_reopen_the_lead(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_for(1, &[ANNA], "one")).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    assert!(leased(&store, &lease_for("two")).await.is_empty());
    // A notifier with newer routes emailed Anna again, but not Bert.
    assert_eq!(
        handle_one(&store, message_of(1, "two", vec![delivered_report(ANNA)])).await,
        DONE
    );
    assert_eq!(leased(&store, &lease_for("two")).await, [1]);
}

async fn event_with_other_contents_is_a_conflict(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let mut event = message_of(1, "one", vec![delivered_report(ANNA)]);
    event.lead.as_mut().unwrap().questions = "another question".to_owned();
    for _ in 0..2 {
        assert_eq!(handle_one(&store, event.clone()).await, DONE);
    }
    let stored = get_lead(&store, 1).await;
    assert!(
        stored.submission == Some(lead(1)),
        "the first contents are kept"
    );
    let shown = get_lead(&store, 1).await;
    let conflicts: Vec<_> = shown
        .conflicts
        .iter()
        .map(|it| it.questions.as_str())
        .collect();
    assert_eq!(conflicts, ["another question"]);
    let conflicting = Some(Entry::Conflicting(Conflicting {}));
    assert!(
        shown
            .timeline
            .iter()
            .any(|entry| entry.event == conflicting)
    );
    assert_eq!(stored.deliveries.len(), 1);
}

async fn event_with_another_plan_time_or_home_is_a_conflict(database: Database) {
    let store = migrated(&database).await;
    let event = |change: fn(&mut LeadSubmitted)| {
        let mut event = message_of(1, "one", vec![delivered_report(ANNA)]);
        change(event.lead.as_mut().unwrap());
        event
    };
    for change in [
        (|_| {}) as fn(&mut LeadSubmitted),
        |lead| lead.plan = "B2".to_owned(),
        |lead| lead.visit_times.clear(),
        |lead| lead.visit_times.reverse(),
        |lead| lead.home_preferences.truncate(1),
        |lead| lead.home_preferences.reverse(),
    ] {
        assert_eq!(handle_one(&store, event(change)).await, DONE);
    }
    let stored = get_lead(&store, 1).await;
    assert!(stored.submission == Some(lead(1)));
    let conflicts: Vec<_> = stored
        .conflicts
        .iter()
        .map(|it| {
            let homes = it.home_preferences.len();
            (it.plan.as_str(), it.visit_times.len(), homes)
        })
        .collect();
    assert_eq!(conflicts, [("B2", 2, 3), ("C2N", 0, 3), ("C2N", 2, 1)]);
}

async fn event_of_an_erased_lead_is_dropped(database: Database) {
    let store = migrated(&database).await;
    store.report(&event_of(1, "one", [])).await.unwrap();
    let person = Person::parse(&lead(1).email).unwrap();
    store.erase_people(&[person], &[], "tests").await.unwrap();
    let before = everything(database.url()).await;
    let mut other = message_of(1, "one", vec![delivered_report(ANNA), failed_report(BERT)]);
    assert_eq!(handle_one(&store, other.clone()).await, DONE);
    other.lead.as_mut().unwrap().questions = "another question".to_owned();
    assert_eq!(handle_one(&store, other).await, DONE);
    assert_eq!(everything(database.url()).await, before);
    assert!(
        query_column(database.url(), "SELECT recipient FROM delivery")
            .await
            .is_empty()
    );
}

async fn invalid_event_is_a_dead_letter(database: Database) {
    let store = migrated(&database).await;
    let mut without_lead = message_of(1, "one", vec![delivered_report(ANNA)]);
    without_lead.lead = None;
    let mut nameless = message_of(2, "one", vec![delivered_report(ANNA)]);
    nameless.lead.as_mut().unwrap().name.clear();
    let mut timeless = message_of(3, "one", vec![delivered_report(ANNA)]);
    if let Some(Outcome::Delivered(delivered)) = &mut timeless.reports[0].outcome {
        delivered.delivered_at = None;
    }
    let holderless = message_of(4, "", vec![delivered_report(ANNA)]);
    let events = [without_lead, nameless, timeless, holderless].map(Event::LeadDelivered);
    let verdicts = handle(&store, events.into()).await;
    let invalid = |detail: &str| Verdict::DeadLetter(Reason::new("invalid", detail));
    let expected = [
        "lead is missing",
        "name is empty",
        "reports.delivered_at is missing",
        "holder is empty",
    ];
    assert_eq!(verdicts, expected.map(invalid));
    assert!(
        query_column(database.url(), "SELECT reference FROM lead")
            .await
            .is_empty()
    );
}

async fn leads_beyond_the_contract_become_dead_letters(database: Database) {
    let store = migrated(&database).await;
    let mut events: Vec<_> = leads_beyond_the_contract().map(Event::LeadSubmitted).into();
    events.push(Event::LeadSubmitted(lead(5)));
    for lead in leads_beyond_the_contract() {
        events.push(Event::LeadDelivered(LeadDelivered {
            lead: Some(lead),
            ..message_of(1, "one", vec![])
        }));
    }
    let (expected, verdicts) = (
        "mobile email submitted_at privacy_policy_version",
        handle(&store, events).await,
    );
    let fields: Vec<_> = expected.split(' ').collect();
    for verdicts in [&verdicts[..4], &verdicts[5..]] {
        for (verdict, field) in verdicts.iter().zip(&fields) {
            let is_named =
                matches!(verdict, Verdict::DeadLetter(reason) if reason.detail.contains(field));
            assert!(is_named, "{field}: {verdict:?}");
        }
    }
    assert_eq!(verdicts[4], Verdict::Done);
    assert_eq!(
        query_column(database.url(), "SELECT reference FROM lead").await,
        ["ZG-0000-05"],
        "the others are stored"
    );
}
