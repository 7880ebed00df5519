//! Reminders of leads that nobody has contacted.

use std::{slice, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use crm_sync::{
    db::Store,
    deliveries::{Claim, ClaimResult, Reminders},
    leads::{Change, Source},
};
use futures_util::future::join_all;
use lead::{Interest, Lead, LeadState, SpamSignal};
use testkit::database::Database;

use crate::support::{
    ANNA, BERT, GRANTED, cancelled, claim_for, claim_results, contacted, deferred, delivered,
    get_lead, lead_from, lease_for, leased, leases_end, migrated, on_both_databases, query_column,
    report_of, submission, time_passes, withdraw,
};

on_both_databases! {
    each_waiting_lead_is_reminded_of_once,
    only_waiting_leads_are_reminded_of,
    owner_takes_the_place_of_the_default_recipients,
    lead_contacted_after_the_request_gets_no_reminder,
    new_owner_gets_the_reminder_that_was_not_sent,
    concurrent_requests_add_one_reminder,
    reminder_counts_neither_as_pending_nor_as_failed,
}

const TO_ANNA: &str = "reminder:anna@sales.example";

/// The time of the emails in [`delivered`], before the leads are submitted.
fn start() -> DateTime<Utc> {
    testkit::start_of_time()
}

/// A request when the leads have waited for minutes.
fn reminders() -> Reminders {
    Reminders {
        submitted_after: start() - TimeDelta::days(1),
        waiting_since: start() + TimeDelta::minutes(1),
        default_recipients: vec![ANNA.to_owned()],
    }
}

/// A buyer's lead with its own mailbox and number.
fn buyer(number: u128) -> Lead {
    let email = format!("v{number}@example.com");
    lead_from(number, &email, &format!("+65 9123 00{number:02}"))
}

/// Stores a lead whose email to Anna was delivered.
async fn store_sent(store: &Store, lead: &Lead) {
    store
        .record_leads(Source::Broker, slice::from_ref(lead))
        .await
        .unwrap();
    let number = lead.id.as_u128();
    let claim = Claim {
        submission: lead.clone(),
        ..claim_for(number, &[ANNA], "one")
    };
    store.claim(&claim).await.unwrap();
    let sent = report_of(number, "one", [delivered(ANNA)]);
    store.report(&sent).await.unwrap();
}

/// A store with lead 1, which waits.
async fn with_waiting_lead(database: &Database) -> Store {
    let store = migrated(database).await;
    store_sent(&store, &buyer(1)).await;
    store
}

async fn request(store: &Store) -> u64 {
    store.request_reminders(&reminders()).await.unwrap()
}

/// Lead, recipient, state and reason class of each reminder.
async fn reminders_of(database: &Database) -> Vec<String> {
    let reminders =
        "SELECT substr(reference, 9) || ' ' || recipient || ' ' || delivery.state || ' ' || reason_class
        FROM delivery JOIN lead ON id = lead_id WHERE recipient LIKE 'reminder:%'
        ORDER BY reference, recipient";
    query_column(database.url(), reminders).await
}

fn change(number: u128) -> Change {
    Change {
        lead_id: submission(number).id,
        author: "tests".to_owned(),
        ..Change::default()
    }
}

async fn assign(store: &Store, number: u128, owner: &str) {
    let assigned = Change {
        owner: Some(owner.to_owned()),
        // Mei assigns the lead to herself, so she gets no other email.
        author: "Mei".to_owned(),
        ..change(number)
    };
    store.update_lead(&assigned).await.unwrap();
}

async fn each_waiting_lead_is_reminded_of_once(database: Database) {
    let store = with_waiting_lead(&database).await;
    assert!(leased(&store, &lease_for("two")).await.is_empty());
    let early = Reminders {
        waiting_since: submission(1).submitted_at - TimeDelta::microseconds(1),
        ..reminders()
    };
    assert_eq!(store.request_reminders(&early).await.unwrap(), 0);
    let late = Reminders {
        submitted_after: submission(1).submitted_at,
        ..reminders()
    };
    assert_eq!(store.request_reminders(&late).await.unwrap(), 0);
    let exact = Reminders {
        submitted_after: submission(1).submitted_at - TimeDelta::microseconds(1),
        waiting_since: submission(1).submitted_at,
        ..reminders()
    };
    assert_eq!(store.request_reminders(&exact).await.unwrap(), 1);
    assert_eq!(leased(&store, &lease_for("two")).await, [1]);
    assert_eq!(claim(&store, TO_ANNA).await, GRANTED);
    assert_eq!(request(&store).await, 0, "claimed");
    let sent = report_of(1, "two", [delivered(TO_ANNA)]);
    store.report(&sent).await.unwrap();
    assert_eq!(request(&store).await, 0, "delivered");
    assign(&store, 1, "Mei").await;
    assert_eq!(request(&store).await, 0, "a lead has one reminder");
    assert_eq!(
        reminders_of(&database).await,
        ["01 reminder:anna@sales.example delivered "]
    );
    leases_end(&database).await;
    assert!(leased(&store, &lease_for("two")).await.is_empty(), "closed");
}

async fn only_waiting_leads_are_reminded_of(database: Database) {
    let store = migrated(&database).await;
    let with_interests = |number, interests: &[Interest]| Lead {
        interests: interests.to_vec(),
        ..buyer(number)
    };
    let with_signal = |number, signal| Lead {
        signals: vec![signal],
        ..buyer(number)
    };
    for lead in [
        with_interests(1, &[Interest::Purchase]),
        with_interests(2, &[Interest::Showflat]),
        with_interests(3, &[Interest::Brochure]),
        with_signal(4, SpamSignal::TooFast),
        with_signal(5, SpamSignal::Canary),
        buyer(6),
        buyer(7),
        buyer(8),
        buyer(9),
        buyer(10),
    ] {
        store_sent(&store, &lead).await;
    }
    store.update_lead(&contacted(6)).await.unwrap();
    let marked = Change {
        do_not_contact: Some(true),
        ..change(7)
    };
    store.update_lead(&marked).await.unwrap();
    withdraw(&store, 8, true).await;
    let planned = Change {
        next_step_at: Some(start() + TimeDelta::days(1)),
        ..change(9)
    };
    store.update_lead(&planned).await.unwrap();
    let invalid = Change {
        state: Some(LeadState::Invalid),
        ..change(10)
    };
    store.update_lead(&invalid).await.unwrap();
    // Sales has not received this lead.
    store
        .record_leads(Source::Broker, &[buyer(11)])
        .await
        .unwrap();
    assert_eq!(request(&store).await, 2);
    assert_eq!(
        reminders_of(&database).await,
        [
            "01 reminder:anna@sales.example deferred ",
            "02 reminder:anna@sales.example deferred "
        ]
    );
}

async fn owner_takes_the_place_of_the_default_recipients(database: Database) {
    let store = with_waiting_lead(&database).await;
    store_sent(&store, &buyer(2)).await;
    assign(&store, 1, "Mei").await;
    let both = Reminders {
        default_recipients: vec![ANNA.to_owned(), BERT.to_owned()],
        ..reminders()
    };
    assert_eq!(store.request_reminders(&both).await.unwrap(), 2);
    assert_eq!(
        reminders_of(&database).await,
        [
            "01 reminder:Mei deferred ",
            "02 reminder:anna@sales.example deferred ",
            "02 reminder:bert@sales.example deferred "
        ]
    );
}

/// The answer to a claim of lead 1 for one reminder.
async fn claim(store: &Store, recipient: &str) -> ClaimResult {
    let claim = Claim {
        submission: buyer(1),
        ..claim_for(1, &[recipient], "two")
    };
    claim_results(store, &claim).await[0]
}

async fn lead_contacted_after_the_request_gets_no_reminder(database: Database) {
    let store = with_waiting_lead(&database).await;
    assert_eq!(request(&store).await, 1);
    store.update_lead(&contacted(1)).await.unwrap();
    assert_eq!(claim(&store, TO_ANNA).await, ClaimResult::Cancelled);
    assert_eq!(
        reminders_of(&database).await,
        ["01 reminder:anna@sales.example cancelled reminder"]
    );
    leases_end(&database).await;
    assert!(leased(&store, &lease_for("two")).await.is_empty(), "closed");
    // Nobody is reminded even if the contact is taken back.
    let back = Change {
        state: Some(LeadState::New),
        ..change(1)
    };
    store.update_lead(&back).await.unwrap();
    assert_eq!(request(&store).await, 0);
}

async fn new_owner_gets_the_reminder_that_was_not_sent(database: Database) {
    let store = with_waiting_lead(&database).await;
    assert_eq!(request(&store).await, 1);
    assign(&store, 1, "Mei").await;
    assert_eq!(request(&store).await, 0, "the first reminder waits");
    assert_eq!(claim(&store, TO_ANNA).await, ClaimResult::Cancelled);
    assert_eq!(request(&store).await, 1);
    assert_eq!(
        reminders_of(&database).await,
        [
            "01 reminder:Mei deferred ",
            "01 reminder:anna@sales.example cancelled other-owner"
        ]
    );
    assign(&store, 1, "").await;
    assert_eq!(claim(&store, "reminder:Mei").await, ClaimResult::Cancelled);
    assert_eq!(request(&store).await, 1, "the address gets it after all");
    assert_eq!(claim(&store, TO_ANNA).await, GRANTED);
}

async fn concurrent_requests_add_one_reminder(database: Database) {
    let store = with_waiting_lead(&database).await;
    for number in 2..=9 {
        store_sent(&store, &buyer(number)).await;
    }
    let requests = (0..6).map(|_| async { request(&store).await });
    let requested: u64 = join_all(requests).await.into_iter().sum();
    // A request skips leads that another request has locked.
    let left = request(&store).await;
    assert_eq!(
        (requested + left, reminders_of(&database).await.len()),
        (9, 9)
    );
}

async fn reminder_counts_neither_as_pending_nor_as_failed(database: Database) {
    let store = with_waiting_lead(&database).await;
    assert_eq!(request(&store).await, 1);
    assert_eq!(store.pending().await.unwrap().leads, 0);
    assert_eq!(claim(&store, TO_ANNA).await, GRANTED);
    let later = report_of(1, "two", [deferred(TO_ANNA, Duration::from_secs(60))]);
    store.report(&later).await.unwrap();
    assert_eq!(store.pending().await.unwrap().leads, 0);
    let unfinished = get_lead(&store, 1).await.unfinished;
    let waiting: Vec<&str> = unfinished.iter().map(|it| it.recipient.as_str()).collect();
    assert_eq!(waiting, [TO_ANNA], "leadctl shows the reminder");
    time_passes(&database).await;
    assert_eq!(
        claim(&store, TO_ANNA).await,
        ClaimResult::Granted { attempt: 2 }
    );
    let ended = report_of(1, "two", [cancelled(TO_ANNA)]);
    store.report(&ended).await.unwrap();
    assert_eq!(store.failed_deliveries().await.unwrap(), 0);
    assert_eq!(request(&store).await, 0);
}
