//! Limits of visitor emails.

use std::time::Duration;

use contracts::{
    crm::v1::{DeliveryFilter, timeline_entry::Event},
    leads::v1::Reason,
};
use crm_sync::{
    db::Store,
    deliveries::{self, Claim, ClaimResult, FailedAction},
    leads::Source,
};
use futures_util::future::join_all;
use lead::{Outcome, SpamSignal};
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    ANNA, BERT, GRANTED, VISITOR, cancelled, claim_for, claim_results, connect, deferred,
    delivered, execute, get_lead, lead_from, lease_for, leased, leases_end, migrated,
    number_of_submission, on_both_databases, on_postgres, on_sqlite, query_column, recipients,
    report_of, time_passes,
};

on_both_databases! {
    concurrent_emails_respect_the_limit,
}

on_sqlite! {
    address_has_a_daily_limit,
}

on_postgres! {
    spellings_of_a_mailbox_share_its_limit,
    all_visitors_share_an_hourly_limit,
    domain_has_a_share_of_the_hourly_limit,
    address_that_rejected_an_email_gets_no_more,
    retry_lifts_the_suppression_of_a_mailbox,
    waiting_for_the_hourly_limit_does_not_grow_the_lease,
    suspected_spam_gets_no_email_near_the_hourly_limit,
    busy_network_waits_near_the_hourly_limit,
    cancelled_stays_cancelled,
    changed_address_gets_no_visitor_email,
    limit_of_zero_cancels,
}

const WEI: &str = "wei@example.com";

fn claim(number: u128, email: &str, limit: u32) -> Claim {
    Claim {
        submission: lead_from(number, email, "no number"),
        visitor_daily_limit: limit,
        ..claim_for(number, &[VISITOR], "one")
    }
}

/// Like [`claim`], with the sales recipients too.
fn claim_with_sales(number: u128, email: &str, limit: u32) -> Claim {
    Claim {
        recipients: recipients([ANNA, BERT, VISITOR]),
        ..claim(number, email, limit)
    }
}

async fn answer(store: &Store, claim: &Claim) -> ClaimResult {
    let answers = claim_results(store, claim).await;
    assert_eq!(answers.len(), 1);
    answers[0]
}

async fn deliver(store: &Store, number: u128) {
    store
        .report(&report_of(number, "one", [delivered(VISITOR)]))
        .await
        .unwrap();
}

async fn address_has_a_daily_limit(database: Database) {
    let store = migrated(&database).await;
    for number in [1, 2] {
        let claimed = store.claim(&claim(number, WEI, 2)).await.unwrap();
        assert_eq!(claimed.results, [GRANTED]);
        assert!(
            claimed.context.earlier.is_empty(),
            "a visitor email lists no earlier leads"
        );
        deliver(&store, number).await;
    }
    assert_eq!(
        answer(&store, &claim(3, "WEI@example.com", 2)).await,
        ClaimResult::Cancelled
    );
    assert_eq!(
        answer(&store, &claim(4, "mei@example.com", 2)).await,
        GRANTED,
        "another address"
    );
    assert_eq!(
        answer(&store, &claim(1, WEI, 2)).await,
        ClaimResult::Delivered
    );
    let a_day_ago = if database.url().starts_with("sqlite") {
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-24 hours'), '.000+', '+')"
    } else {
        "clock_timestamp() - interval '24 hours'"
    };
    execute(
        database.url(),
        &format!("UPDATE delivery SET changed_at = {a_day_ago}"),
    )
    .await;
    assert_eq!(
        answer(&store, &claim(5, WEI, 2)).await,
        GRANTED,
        "a day later"
    );
}

async fn spellings_of_a_mailbox_share_its_limit(database: Database) {
    let store = migrated(&database).await;
    for (number, email) in [(1, "wei+1@example.com"), (2, "wei+2@example.com")] {
        assert_eq!(answer(&store, &claim(number, email, 2)).await, GRANTED);
        deliver(&store, number).await;
    }
    for (number, email) in [
        (3, "wei+3@example.com"),
        (4, WEI),
        (5, "WEI+home+x@example.com"),
    ] {
        assert_eq!(
            answer(&store, &claim(number, email, 2)).await,
            ClaimResult::Cancelled,
            "{email}"
        );
    }
    for (number, email) in [(11, "wei.tan@gmail.com"), (12, "w.eitan@googlemail.com")] {
        assert_eq!(answer(&store, &claim(number, email, 2)).await, GRANTED);
        deliver(&store, number).await;
    }
    assert_eq!(
        answer(&store, &claim(13, "weitan@gmail.com", 2)).await,
        ClaimResult::Cancelled
    );
    for (number, email) in [
        (6, "wei+1@example.org"),
        (7, "weiming@example.com"),
        (8, "we@example.com"),
    ] {
        assert_eq!(
            answer(&store, &claim(number, email, 2)).await,
            GRANTED,
            "{email}"
        );
    }
}

fn claim_with_hourly_limit(number: u128, hourly: u32) -> Claim {
    Claim {
        visitors_hourly_limit: hourly,
        ..claim(number, &format!("p{number}@gmail.com"), 3)
    }
}

async fn all_visitors_share_an_hourly_limit(database: Database) {
    let store = migrated(&database).await;
    for number in 1..=3 {
        assert_eq!(
            answer(&store, &claim_with_hourly_limit(number, 3)).await,
            GRANTED
        );
    }
    deliver(&store, 1).await;
    let sales = Claim {
        visitors_hourly_limit: 3,
        ..claim_with_sales(4, "p4@gmail.com", 3)
    };
    assert_eq!(
        claim_results(&store, &sales).await,
        [GRANTED, GRANTED, ClaimResult::HourlyLimit],
        "sales emails are not limited"
    );
    let unfinished = get_lead(&store, 4).await.unfinished;
    let waiting = unfinished
        .iter()
        .find(|it| it.recipient == VISITOR)
        .unwrap();
    let reason = waiting.reason.as_ref().unwrap();
    assert_eq!(reason.detail, "hourly email limit of all visitors reached");
    let seconds = |time: Option<prost_types::Timestamp>| time.unwrap().seconds;
    assert!(seconds(waiting.until) > seconds(waiting.since));
    let again = answer(&store, &claim_with_hourly_limit(2, 3)).await;
    assert_eq!(again, GRANTED, "the lead's own email does not count");
    time_passes(&database).await;
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(4, 0)).await,
        GRANTED,
        "no limit"
    );
    an_hour_passes(&database).await;
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(5, 3)).await,
        GRANTED,
        "an hour later"
    );
}

async fn an_hour_passes(database: &Database) {
    let earlier = if database.url().starts_with("sqlite") {
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-1 hours'), '.000+', '+')"
    } else {
        "clock_timestamp() - interval '1 hour'"
    };
    execute(
        database.url(),
        &format!("UPDATE delivery SET changed_at = {earlier}"),
    )
    .await;
}

async fn domain_has_a_share_of_the_hourly_limit(database: Database) {
    let store = migrated(&database).await;
    let of = |number, domain: &str| Claim {
        visitors_hourly_limit: 30,
        ..claim(number, &format!("p{number}@{domain}"), 3)
    };
    for (number, domain) in [(1, "s1.catch_all.example"), (2, "s2.catch_all.example")] {
        assert_eq!(answer(&store, &of(number, domain)).await, GRANTED);
        deliver(&store, number).await;
    }
    let domains = [
        (3, "catch_all.example"),
        (10, "a.b.catch_all.example"),
        (11, "s1.catch_all.example"),
    ];
    for (number, domain) in domains {
        assert_eq!(
            answer(&store, &of(number, domain)).await,
            ClaimResult::Deferred,
            "{domain}"
        );
    }
    assert_eq!(
        answer(&store, &of(4, "catchxall.example")).await,
        GRANTED,
        "another domain"
    );
    for number in 5..10 {
        assert_eq!(
            answer(&store, &of(number, "gmail.com")).await,
            GRANTED,
            "a large provider"
        );
    }
}

async fn address_that_rejected_an_email_gets_no_more(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(answer(&store, &claim(1, WEI, 9)).await, GRANTED);
    let class = "smtp-rejected".to_owned();
    let reason = Reason {
        class,
        detail: "mail server rejected the email: 550".to_owned(),
    };
    let rejected = (VISITOR, Outcome::Cancelled(reason));
    store
        .report(&report_of(1, "one", [rejected]))
        .await
        .unwrap();
    assert_eq!(
        claim_results(&store, &claim_with_sales(2, WEI, 9)).await,
        [GRANTED, GRANTED, ClaimResult::Cancelled]
    );
    assert_eq!(
        answer(&store, &claim(3, "mei@example.com", 9)).await,
        GRANTED,
        "another address"
    );
}

/// Class of the reason of the latest cancelled email to a lead's visitor.
async fn cancelled_class(store: &Store, number: u128) -> String {
    let timeline = get_lead(store, number).await.timeline;
    let to_visitor = timeline
        .into_iter()
        .rev()
        .filter(|it| it.recipient == VISITOR);
    let mut cancelled = to_visitor.filter_map(|it| {
        let Some(Event::Cancelled(cancelled)) = it.event else {
            return None;
        };
        cancelled.reason
    });
    cancelled.next().unwrap().class
}

async fn retry_lifts_the_suppression_of_a_mailbox(database: Database) {
    let store = migrated(&database).await;
    let rejected = || {
        let reason = Reason {
            class: "smtp-rejected".to_owned(),
            detail: "RCPT: server replied 550 5.1.1: address does not exist".to_owned(),
        };
        (VISITOR, Outcome::Cancelled(reason))
    };
    let retry = async |number: u128, recipient: &str| {
        let filter = DeliveryFilter {
            lead_id: Uuid::from_u128(number).to_string(),
            recipient: recipient.to_owned(),
            since: None,
        };
        let filter = deliveries::DeliveryFilter::parse(Some(filter)).unwrap();
        let retried = store.resolve_failed(&filter, &FailedAction::Retry, "leadctl");
        retried.await.unwrap()
    };
    // Two notifiers sent at the same time.
    for number in [1, 2] {
        assert_eq!(answer(&store, &claim(number, WEI, 9)).await, GRANTED);
    }
    for number in [1, 2] {
        store
            .report(&report_of(number, "one", [rejected()]))
            .await
            .unwrap();
    }
    assert_eq!(
        answer(&store, &claim(3, WEI, 9)).await,
        ClaimResult::Cancelled
    );
    assert_eq!(cancelled_class(&store, 3).await, "suppressed");
    assert_eq!(retry(3, "").await, 0, "only the visitor by name");
    assert_eq!(retry(3, VISITOR).await, 1);
    assert_eq!(answer(&store, &claim(3, WEI, 9)).await, GRANTED);
    assert_eq!(answer(&store, &claim(4, WEI, 9)).await, GRANTED);
    for number in [1, 2] {
        assert_eq!(
            answer(&store, &claim(number, WEI, 9)).await,
            ClaimResult::Cancelled,
            "stays ended"
        );
    }
    // The address still does not exist.
    store
        .report(&report_of(3, "one", [rejected()]))
        .await
        .unwrap();
    assert_eq!(
        answer(&store, &claim(5, WEI, 9)).await,
        ClaimResult::Cancelled
    );
    assert_eq!(retry(3, VISITOR).await, 1, "by the rejected email itself");
    assert_eq!(answer(&store, &claim(6, WEI, 9)).await, GRANTED);
}

async fn waiting_for_the_hourly_limit_does_not_grow_the_lease(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(1, 1)).await,
        GRANTED
    );
    deliver(&store, 1).await;
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(2, 1)).await,
        ClaimResult::HourlyLimit
    );
    for _ in 0..3 {
        time_passes(&database).await;
        assert_eq!(leased(&store, &lease_for("one")).await, [2]);
        assert_eq!(
            answer(&store, &claim_with_hourly_limit(2, 1)).await,
            ClaimResult::HourlyLimit
        );
        let leases = "SELECT 'leased' FROM lead WHERE leases > 0 OR leased_until IS NOT NULL";
        assert_eq!(query_column(database.url(), leases).await, [""; 0]);
    }
}

async fn suspected_spam_gets_no_email_near_the_hourly_limit(database: Database) {
    let store = migrated(&database).await;
    let quick = |number| {
        let mut claim = claim_with_hourly_limit(number, 4);
        claim.submission.signals = vec![SpamSignal::TooFast];
        claim
    };
    assert_eq!(answer(&store, &quick(1)).await, GRANTED);
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(2, 4)).await,
        GRANTED
    );
    assert_eq!(answer(&store, &quick(3)).await, ClaimResult::Cancelled);
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(4, 4)).await,
        GRANTED
    );
}

async fn busy_network_waits_near_the_hourly_limit(database: Database) {
    let store = migrated(&database).await;
    let of_busy_network = |number| {
        let mut claim = claim_with_hourly_limit(number, 4);
        claim.submission.visit.as_mut().unwrap().is_network_busy = true;
        claim
    };
    assert_eq!(answer(&store, &of_busy_network(1)).await, GRANTED);
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(2, 4)).await,
        GRANTED
    );
    assert_eq!(
        answer(&store, &of_busy_network(3)).await,
        ClaimResult::Deferred
    );
    assert_eq!(
        answer(&store, &claim_with_hourly_limit(4, 4)).await,
        GRANTED,
        "another network"
    );

    time_passes(&database).await;
    let leased = store.lease(&lease_for("one")).await.unwrap();
    let mut leased = leased.leads.into_iter().filter_map(|it| it.lead);
    let leased = leased.find(|lead| number_of_submission(lead) == 3).unwrap();
    let again = Claim {
        submission: leased.try_into().unwrap(),
        ..claim_with_hourly_limit(3, 4)
    };
    assert_eq!(
        answer(&store, &again).await,
        ClaimResult::Deferred,
        "the mark is stored"
    );
    time_passes(&database).await;
    an_hour_passes(&database).await;
    assert_eq!(
        answer(&store, &again).await,
        ClaimResult::Granted { attempt: 1 },
        "an hour later"
    );
}

async fn concurrent_emails_respect_the_limit(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    for round in 0..5u128 {
        let email = format!("p{round}@example.com");
        let answers = join_all((1..=6).map(|lead| {
            let store = if lead % 2 == 0 {
                one.clone()
            } else {
                two.clone()
            };
            let claim = claim(round * 10 + lead, &email, 2);
            async move { (claim.submission.id.as_u128(), answer(&store, &claim).await) }
        }))
        .await;
        let granted: Vec<u128> = answers
            .iter()
            .filter(|(_, answer)| *answer == GRANTED)
            .map(|(number, _)| *number)
            .collect();
        assert_eq!(granted.len(), 2, "{answers:?}");
        let waiting = answers
            .iter()
            .filter(|(_, answer)| *answer == ClaimResult::Deferred)
            .count();
        assert_eq!(waiting, 4, "{answers:?}");

        // One email was accepted and one was not, so one more is allowed after the others have waited.
        deliver(&one, granted[0]).await;
        one.report(&report_of(
            granted[1],
            "one",
            [deferred(VISITOR, Duration::from_secs(60))],
        ))
        .await
        .unwrap();
        time_passes(&database).await;
        let mut rest = answers
            .iter()
            .map(|(number, _)| *number)
            .filter(|number| !granted.contains(number));
        let next = rest.next().unwrap();
        assert_eq!(answer(&two, &claim(next, &email, 2)).await, GRANTED);
        deliver(&two, next).await;
        assert_eq!(
            answer(&two, &claim(rest.next().unwrap(), &email, 2)).await,
            ClaimResult::Cancelled
        );
    }
}

async fn cancelled_stays_cancelled(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(
        claim_results(&store, &claim_with_sales(1, WEI, 1)).await,
        [GRANTED; 3]
    );
    deliver(&store, 1).await;
    let granted = claim_results(&store, &claim_with_sales(2, WEI, 1)).await;
    assert_eq!(granted, [GRANTED, GRANTED, ClaimResult::Cancelled]);
    assert_eq!(
        claim_results(&store, &claim_with_sales(2, WEI, 9)).await[2],
        ClaimResult::Cancelled,
        "cancelled permanently"
    );
    time_passes(&database).await;
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [1, 2],
        "sales emails are still due"
    );
    store
        .report(&report_of(2, "one", [delivered(ANNA), delivered(BERT)]))
        .await
        .unwrap();
    leases_end(&database).await;
    assert_eq!(leased(&store, &lease_for("two")).await, [1]);

    // notifier reports that the server rejected the address permanently.
    let mei = claim(3, "mei@example.com", 1);
    assert_eq!(answer(&store, &mei).await, GRANTED);
    store
        .report(&report_of(3, "two", [cancelled(VISITOR)]))
        .await
        .unwrap();
    let by_another = Claim {
        holder: "two".to_owned(),
        ..mei.clone()
    };
    assert_eq!(
        answer(&store, &by_another).await,
        ClaimResult::Claimed,
        "another holder has the claim"
    );
    store
        .report(&report_of(3, "one", [cancelled(VISITOR)]))
        .await
        .unwrap();
    assert_eq!(answer(&store, &mei).await, ClaimResult::Cancelled);
    for (number, class) in [(2, "limit"), (3, "smtp")] {
        let timeline = get_lead(&store, number).await.timeline;
        let reasons: Vec<_> = timeline
            .iter()
            .filter(|entry| entry.recipient == VISITOR)
            .filter_map(|entry| {
                let Some(Event::Cancelled(cancelled)) = &entry.event else {
                    return None;
                };
                Some(cancelled.reason.as_ref()?.class.as_str())
            })
            .collect();
        assert_eq!(reasons, [class], "recorded once");
    }
}

async fn changed_address_gets_no_visitor_email(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[lead_from(1, WEI, "no number")])
        .await
        .unwrap();
    assert_eq!(
        answer(&store, &claim(1, "victim@example.com", 5)).await,
        ClaimResult::Cancelled
    );
    assert_eq!(
        answer(&store, &claim(1, WEI, 5)).await,
        GRANTED,
        "the original address still gets the email"
    );
}

async fn limit_of_zero_cancels(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(
        answer(&store, &claim(1, WEI, 0)).await,
        ClaimResult::Cancelled
    );
}
