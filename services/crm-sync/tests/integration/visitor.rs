//! The visitor's acknowledgement: one more recipient, with a limit for each address.

use std::time::Duration;

use crm_sync::{
    domain::{
        ledger::{Answer, Claim, Outcome, VISITOR},
        road::Road,
        timeline::Event,
    },
    store::Store,
};
use futures_util::future::join_all;
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    ANNA, BERT, claim_of, execute, from, lease_for, migrated, numbers, on_both_databases, reason, setback,
    settings, told_of,
};

on_both_databases! {
    an_address_has_so_many_mails_a_day,
    mails_of_the_same_moment_do_not_both_pass,
    what_was_declined_is_settled_for_good,
    a_copy_with_another_address_is_not_the_visitors,
    a_limit_of_none_declines,
}

const WEI: &str = "wei@example.com";

fn claim(number: u128, email: &str, limit: u32) -> Claim {
    Claim {
        submission: from(number, email, "no number"),
        recipients: vec![ANNA.to_owned(), BERT.to_owned(), VISITOR.to_owned()],
        daily_limit: Some(limit),
        ..claim_of(number, VISITOR, "one")
    }
}

async fn answer(store: &Store, claim: &Claim) -> Answer {
    store.claim(claim).await.unwrap().answer
}

async fn tell(store: &Store, number: u128) {
    store.record_told(Road::Grpc, &[told_of(number, VISITOR)]).await.unwrap();
}

const GRANTED: Answer = Answer::Granted { attempt: 1 };

async fn an_address_has_so_many_mails_a_day(database: Database) {
    let store = migrated(&database).await;
    for number in [1, 2] {
        let claimed = store.claim(&claim(number, WEI, 2)).await.unwrap();
        assert_eq!(claimed.answer, GRANTED);
        assert!(claimed.earlier.is_empty(), "a visitor is not told what else they sent");
        tell(&store, number).await;
    }
    assert_eq!(answer(&store, &claim(3, "WEI@example.com", 2)).await, Answer::Declined);
    assert_eq!(answer(&store, &claim(4, "mei@example.com", 2)).await, GRANTED, "another address");
    assert_eq!(answer(&store, &claim(1, WEI, 2)).await, Answer::AlreadyTold);
    let a_day_ago = if database.url().starts_with("sqlite") {
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-24 hours'), '.000+', '+')"
    } else {
        "clock_timestamp() - interval '24 hours'"
    };
    execute(database.url(), &format!("UPDATE notification SET recorded_at = {a_day_ago}")).await;
    assert_eq!(answer(&store, &claim(5, WEI, 2)).await, GRANTED, "a day later");
}

async fn mails_of_the_same_moment_do_not_both_pass(database: Database) {
    let (one, two) = (migrated(&database).await, Store::open(&settings(database.url())).await.unwrap());
    for round in 0..5u128 {
        let email = format!("p{round}@example.com");
        let answers = join_all((1..=6).map(|lead| {
            let store = if lead % 2 == 0 { one.clone() } else { two.clone() };
            let claim = claim(round * 10 + lead, &email, 2);
            async move { (claim.submission.id.as_u128(), answer(&store, &claim).await) }
        }))
        .await;
        let granted: Vec<u128> =
            answers.iter().filter(|(_, answer)| *answer == GRANTED).map(|(number, _)| *number).collect();
        assert_eq!(granted.len(), 2, "{answers:?}");
        let wait = Duration::from_secs(60);
        let is_held = |answer: &Answer| matches!(answer, Answer::Held { remaining } if *remaining <= wait);
        assert_eq!(answers.iter().filter(|(_, answer)| is_held(answer)).count(), 4, "{answers:?}");

        // One mail was taken, the other was not: one place is left.
        tell(&one, granted[0]).await;
        let waiting = Outcome::Waiting { at_least: Duration::from_secs(60), reason: reason() };
        assert!(one.record_setback(&setback(granted[1], VISITOR, "one", waiting)).await.unwrap());
        let mut rest = answers.iter().map(|(number, _)| *number).filter(|number| !granted.contains(number));
        let next = rest.next().unwrap();
        assert_eq!(answer(&two, &claim(next, &email, 2)).await, GRANTED);
        tell(&two, next).await;
        assert_eq!(answer(&two, &claim(rest.next().unwrap(), &email, 2)).await, Answer::Declined);
    }
}

async fn what_was_declined_is_settled_for_good(database: Database) {
    let store = migrated(&database).await;
    store.claim(&claim(1, WEI, 1)).await.unwrap();
    tell(&store, 1).await;
    assert_eq!(answer(&store, &claim(2, WEI, 1)).await, Answer::Declined);
    assert_eq!(answer(&store, &claim(2, WEI, 9)).await, Answer::Declined, "for good");
    assert_eq!(numbers(&store.lease(&lease_for("two")).await.unwrap()), [1, 2], "sales are still to be told");
    store.record_told(Road::Grpc, &[told_of(2, ANNA), told_of(2, BERT)]).await.unwrap();
    execute(database.url(), "UPDATE lead SET leased_until = NULL").await;
    assert_eq!(numbers(&store.lease(&lease_for("two")).await.unwrap()), [1]);

    // Reported by the notifier, when the address was refused for good.
    assert_eq!(answer(&store, &claim(3, "mei@example.com", 1)).await, GRANTED);
    let declined = Outcome::Declined(reason());
    assert!(!store.record_setback(&setback(3, VISITOR, "two", declined.clone())).await.unwrap(), "another's");
    assert!(store.record_setback(&setback(3, VISITOR, "one", declined)).await.unwrap());
    assert_eq!(answer(&store, &claim(3, "mei@example.com", 1)).await, Answer::Declined);
    for (number, class) in [(2, "limit"), (3, "smtp")] {
        let lead = store.lead(Uuid::from_u128(number)).await.unwrap().unwrap();
        let timeline = store.history(&lead).await.unwrap().timeline;
        let reasons: Vec<_> = timeline
            .iter()
            .filter(|entry| entry.recipient == VISITOR)
            .filter_map(|entry| {
                let Event::Declined(reason) = &entry.event else { return None };
                Some(reason.class.as_str())
            })
            .collect();
        assert_eq!(reasons, [class], "once");
    }
}

async fn a_copy_with_another_address_is_not_the_visitors(database: Database) {
    let store = migrated(&database).await;
    store.record_leads(Road::Broker, &[from(1, WEI, "no number")]).await.unwrap();
    assert_eq!(answer(&store, &claim(1, "victim@example.com", 5)).await, Answer::Declined);
    assert_eq!(answer(&store, &claim(1, WEI, 5)).await, GRANTED, "whose the lead is, is still told");
}

async fn a_limit_of_none_declines(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(answer(&store, &claim(1, WEI, 0)).await, Answer::Declined);
}
