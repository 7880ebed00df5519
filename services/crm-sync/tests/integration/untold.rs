//! How many leads sales has still to be told of, and for how long.

use std::time::Duration;

use crm_sync::{
    domain::{
        ledger::{Claim, Outcome, VISITOR},
        road::Road,
    },
    store::Store,
};
use testkit::{database::Database, wait};

use crate::support::{
    ANNA, BERT, claim_of, execute, migrated, on_both_databases, reason, setback, submission, told_of,
};

on_both_databases! {
    a_lead_is_untold_until_all_of_sales_were_told_or_a_person_has_to_look,
    the_oldest_counts_from_its_commit,
    connections_are_counted,
}

async fn untold(store: &Store) -> u64 {
    store.untold().await.unwrap().leads
}

async fn a_lead_is_untold_until_all_of_sales_were_told_or_a_person_has_to_look(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(untold(&store).await, 0);
    store.record_leads(Road::Broker, &[submission(1), submission(2)]).await.unwrap();
    assert_eq!(untold(&store).await, 2, "nobody asked for them yet");

    let everybody = vec![ANNA.to_owned(), BERT.to_owned(), VISITOR.to_owned()];
    for recipient in [VISITOR, ANNA] {
        let daily_limit = (recipient == VISITOR).then_some(3);
        let claim = Claim { recipients: everybody.clone(), daily_limit, ..claim_of(1, recipient, "one") };
        store.claim(&claim).await.unwrap();
    }
    assert_eq!(untold(&store).await, 2, "being at it is not enough");
    store.record_told(Road::Grpc, &[told_of(1, ANNA)]).await.unwrap();
    assert_eq!(untold(&store).await, 2, "Bert was not told");
    store.record_told(Road::Grpc, &[told_of(1, BERT)]).await.unwrap();
    assert_eq!(untold(&store).await, 1, "the visitor is not sales");

    for recipient in [ANNA, BERT] {
        store.claim(&claim_of(2, recipient, "one")).await.unwrap();
        let parked = Outcome::Parked(reason());
        store.record_setback(&setback(2, recipient, "one", parked)).await.unwrap();
    }
    assert_eq!(untold(&store).await, 0, "a person has to look");
}

async fn the_oldest_counts_from_its_commit(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(store.untold().await.unwrap().oldest, Duration::ZERO);
    store.record_leads(Road::Broker, &[submission(1), submission(2)]).await.unwrap();
    let an_hour_ago = if database.url().starts_with("sqlite") {
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-1 hour'), '.000+', '+')"
    } else {
        "clock_timestamp() - interval '1 hour'"
    };
    let earlier = format!("UPDATE lead SET recorded_at = {an_hour_ago} WHERE reference = 'ZG-0000-01'");
    execute(database.url(), &earlier).await;
    let oldest = store.untold().await.unwrap().oldest.as_secs();
    assert!((3600..3660).contains(&oldest), "{oldest}");
}

async fn connections_are_counted(database: Database) {
    let store = migrated(&database).await;
    store.untold().await.unwrap();
    // A connection is asked once more before it is free again.
    wait::until("a free connection", async || store.connections().idle >= 1).await;
    let connections = store.connections();
    assert!(connections.used + connections.idle <= 5, "{connections:?}");
}
