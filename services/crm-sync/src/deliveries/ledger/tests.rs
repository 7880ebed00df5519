//! Each arrow of the diagram in `ledger.rs`, and each rule besides.

use serde_json::json;

use super::*;

const LEAD: Uuid = Uuid::from_u128(1);
const OTHER_LEAD: Uuid = Uuid::from_u128(2);

const ANNA: &str = "anna@sales.example";
const BERT: &str = "bert@sales.example";

const ONE: ClaimTerms<'_> = ClaimTerms {
    holder: "one",
    lease: Duration::from_secs(60),
};

const TWO: ClaimTerms<'_> = ClaimTerms {
    holder: "two",
    ..ONE
};

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_000_000 + seconds, 0).unwrap()
}

fn to(text: &str) -> Recipient {
    Recipient::from(text)
}

/// A ledger of the next transaction, after this many seconds.
fn next(ledger: &Ledger, seconds: i64) -> Ledger {
    let deliveries = ledger
        .of_lead(LEAD)
        .map(|(recipient, delivery)| ((LEAD, recipient.clone()), delivery.clone()));
    Ledger::new(at(seconds), deliveries)
}

/// A ledger at 0 seconds with one delivery.
fn with(recipient: &str, state: State, attempts: u32) -> Ledger {
    let recipient = to(recipient);
    let delivery = Delivery {
        attempts,
        ..Delivery::new(&recipient, state, at(-100))
    };
    Ledger::new(at(0), [((LEAD, recipient), delivery)])
}

fn empty() -> Ledger {
    Ledger::new(at(0), [])
}

fn why() -> Reason {
    reason("smtp", "451 try later")
}

fn claimed_by(holder: &str, until: i64) -> State {
    State::Claimed {
        holder: holder.to_owned(),
        until: at(until),
    }
}

fn deferred_until(until: i64) -> State {
    State::Deferred {
        until: at(until),
        reason: None,
    }
}

fn delivered() -> State {
    State::Delivered(Receipt::default())
}

fn cancelled_for(class: &str) -> State {
    State::Cancelled(reason(class, ""))
}

fn state_of(ledger: &Ledger, recipient: &str) -> State {
    ledger.find(LEAD, &to(recipient)).unwrap().state.clone()
}

fn attempts_of(ledger: &Ledger, recipient: &str) -> u32 {
    ledger.find(LEAD, &to(recipient)).unwrap().attempts
}

fn claim(ledger: &mut Ledger, recipient: &str, terms: ClaimTerms<'_>) -> ClaimResult {
    ledger.claim(LEAD, &to(recipient), terms, None)
}

fn retry(counts: bool) -> Outcome {
    Outcome::Retry {
        after: Duration::from_secs(5),
        reason: why(),
        counts,
    }
}

/// The names of the events.
fn events(ledger: &Ledger) -> Vec<String> {
    ledger
        .events()
        .iter()
        .map(|it| json!(it.event)["event"].as_str().unwrap().to_owned())
        .collect()
}

fn recipients(ledger: &Ledger) -> Vec<String> {
    ledger.of_lead(LEAD).map(|(it, _)| it.to_string()).collect()
}

#[test]
fn claim_is_granted_or_refused_by_the_state() {
    let granted = |attempt| ClaimResult::Granted { attempt };
    for (state, expected) in [
        (State::Pending, granted(4)),
        (claimed_by("one", 1), granted(3)),
        (claimed_by("one", 0), granted(4)),
        (claimed_by("two", 0), granted(4)),
        (claimed_by("two", 1), ClaimResult::Claimed),
        (deferred_until(0), granted(4)),
        (deferred_until(1), ClaimResult::Deferred),
        (delivered(), ClaimResult::Delivered),
        (State::Failed(why()), ClaimResult::Failed),
        (cancelled_for("smtp"), ClaimResult::Cancelled),
        (cancelled_for(UNROUTED), granted(4)),
    ] {
        let mut ledger = with(ANNA, state.clone(), 3);
        let result = claim(&mut ledger, ANNA, ONE);
        assert_eq!(result, expected, "{state:?}");
        if let ClaimResult::Granted { attempt } = result {
            assert_eq!(state_of(&ledger, ANNA), claimed_by("one", 60));
            assert_eq!(attempts_of(&ledger, ANNA), attempt);
            assert_eq!(ledger.find(LEAD, &to(ANNA)).unwrap().changed_at, at(0));
        } else {
            assert_eq!(state_of(&ledger, ANNA), state);
            assert_eq!(ledger.changed().count(), 0);
        }
        assert!(events(&ledger).is_empty(), "a claim has no event");
    }
}

#[test]
fn delivery_is_due_until_it_ends() {
    for (state, is_due, is_unfinished) in [
        (State::Pending, true, true),
        (claimed_by("one", 0), true, true),
        (claimed_by("one", 1), false, true),
        (deferred_until(0), true, true),
        (deferred_until(1), false, true),
        (delivered(), false, false),
        (State::Failed(why()), false, false),
        (cancelled_for(UNROUTED), false, false),
    ] {
        let delivery = Delivery::new(&to(ANNA), state, at(0));
        assert_eq!(delivery.is_due(at(0)), is_due, "{delivery:?}");
        assert_eq!(delivery.is_unfinished(), is_unfinished, "{delivery:?}");
    }
}

#[test]
fn claim_adds_a_delivery_of_the_routes() {
    let mut ledger = empty();
    assert_eq!(
        claim(&mut ledger, ANNA, ONE),
        ClaimResult::Granted { attempt: 1 }
    );
    assert!(!ledger.find(LEAD, &to(ANNA)).unwrap().is_requested);
}

#[test]
fn obstacle_ends_defers_or_deletes_a_due_delivery() {
    let defer = |scope| Obstacle::Defer {
        until: at(600),
        reason: why(),
        scope,
    };
    let waiting = State::Deferred {
        until: at(600),
        reason: Some(why()),
    };
    for (obstacle, result, state, event) in [
        (
            Obstacle::Cancel(why()),
            ClaimResult::Cancelled,
            Some(State::Cancelled(why())),
            Some("cancelled"),
        ),
        (
            defer(LimitScope::Partial),
            ClaimResult::Deferred,
            Some(waiting.clone()),
            None,
        ),
        (
            defer(LimitScope::AllVisitors),
            ClaimResult::HourlyLimit,
            Some(waiting),
            None,
        ),
        (
            Obstacle::OtherAddress,
            ClaimResult::Cancelled,
            Some(State::Pending),
            None,
        ),
        (
            Obstacle::DeleteRequest(why()),
            ClaimResult::Cancelled,
            None,
            Some("cancelled"),
        ),
    ] {
        let mut ledger = with("brochure", State::Pending, 0);
        let brochure = Recipient::Brochure;
        let claimed = ledger.claim(LEAD, &brochure, ONE, Some(obstacle.clone()));
        assert_eq!(claimed, result, "{obstacle:?}");
        let after = ledger.find(LEAD, &brochure).map(|it| it.state.clone());
        assert_eq!(after, state, "{obstacle:?}");
        assert_eq!(
            events(&ledger),
            Vec::from_iter(event.map(str::to_owned)),
            "{obstacle:?}"
        );
        let saved: Vec<_> = ledger.changed().map(|(_, it)| it.cloned()).collect();
        assert_eq!(saved, [ledger.find(LEAD, &brochure).cloned()]);
    }
}

#[test]
fn obstacle_changes_nothing_that_is_not_due() {
    let mut ledger = with("visitor", delivered(), 1);
    let cancel = Some(Obstacle::Cancel(why()));
    assert_eq!(
        ledger.claim(LEAD, &Recipient::Visitor, ONE, cancel),
        ClaimResult::Delivered
    );
    assert_eq!(state_of(&ledger, "visitor"), delivered());
}

#[test]
fn claim_cancels_only_unclaimed_deliveries_that_left_the_routes() {
    for (recipient, state, is_cancelled) in [
        (BERT, State::Pending, true),
        (BERT, deferred_until(99), true),
        (BERT, claimed_by("two", 0), true),
        (BERT, claimed_by("two", 1), false),
        (BERT, delivered(), false),
        (BERT, State::Failed(why()), false),
        (BERT, cancelled_for("smtp"), false),
        (ANNA, State::Pending, false),
        ("person:Mei#1", deferred_until(99), false),
    ] {
        let mut ledger = with(recipient, state.clone(), 1);
        ledger.cancel_unrouted(LEAD, &[to(ANNA)]);
        let was_cancelled = events(&ledger) == ["cancelled"];
        assert_eq!(was_cancelled, is_cancelled, "{recipient} {state:?}");
        if is_cancelled {
            assert!(
                matches!(state_of(&ledger, BERT), State::Cancelled(it) if it.class == UNROUTED)
            );
        } else {
            assert_eq!(state_of(&ledger, recipient), state);
        }
    }
}

#[test]
fn report_counts_from_holder_or_from_event_without_claim() {
    let receipt = Receipt {
        server_reply: "250 2.0.0".to_owned(),
        ..Receipt::default()
    };
    // Whether a delivered email, a failure by call and a failure by event are recorded.
    for (state, is_delivered, by_call, by_event) in [
        (State::Pending, true, false, true),
        (claimed_by("one", 60), true, true, true),
        (claimed_by("one", -1), true, true, true),
        (claimed_by("two", 60), true, false, false),
        (deferred_until(60), true, false, true),
        (delivered(), false, false, false),
        (State::Failed(why()), true, false, false),
        (cancelled_for("smtp"), true, false, false),
    ] {
        for (outcome, path, is_recorded) in [
            (
                Outcome::Delivered(receipt.clone()),
                ReportPath::Call,
                is_delivered,
            ),
            (
                Outcome::Delivered(receipt.clone()),
                ReportPath::Event,
                is_delivered,
            ),
            (Outcome::Failed(why()), ReportPath::Call, by_call),
            (Outcome::Failed(why()), ReportPath::Event, by_event),
        ] {
            let mut ledger = with(ANNA, state.clone(), 1);
            let reported = ledger.report(LEAD, &to(ANNA), "one", &outcome, path);
            let expected = if is_recorded {
                Reported::Recorded
            } else {
                Reported::Ignored
            };
            assert_eq!(reported, expected, "{state:?} {outcome:?} {path:?}");
            let after = match (&outcome, is_recorded) {
                (_, false) => state.clone(),
                (Outcome::Delivered(receipt), true) => State::Delivered(receipt.clone()),
                (_, true) => State::Failed(why()),
            };
            assert_eq!(state_of(&ledger, ANNA), after);
        }
    }
}

#[test]
fn each_outcome_has_its_state_attempts_and_event() {
    let waiting = State::Deferred {
        until: at(5),
        reason: Some(why()),
    };
    for (outcome, state, attempts, event) in [
        (Outcome::Delivered(Receipt::default()), delivered(), 3, None),
        (retry(true), waiting.clone(), 3, Some("deferred")),
        (retry(false), waiting, 2, None),
        (
            Outcome::Failed(why()),
            State::Failed(why()),
            3,
            Some("failed"),
        ),
        (
            Outcome::Cancelled(why()),
            State::Cancelled(why()),
            3,
            Some("cancelled"),
        ),
    ] {
        let mut ledger = with(ANNA, claimed_by("one", 60), 3);
        ledger.report(LEAD, &to(ANNA), "one", &outcome, ReportPath::Call);
        assert_eq!(state_of(&ledger, ANNA), state, "{outcome:?}");
        assert_eq!(attempts_of(&ledger, ANNA), attempts, "{outcome:?}");
        assert_eq!(
            events(&ledger),
            Vec::from_iter(event.map(str::to_owned)),
            "{outcome:?}"
        );
    }
}

#[test]
fn uncounted_retry_takes_back_only_the_attempt_of_a_claim() {
    for (state, attempts, expected) in [
        (claimed_by("one", 60), 0, 0),
        (State::Pending, 3, 3),
        (deferred_until(9), 3, 3),
    ] {
        let mut ledger = with(ANNA, state.clone(), attempts);
        ledger.report(LEAD, &to(ANNA), "one", &retry(false), ReportPath::Event);
        assert_eq!(attempts_of(&ledger, ANNA), expected, "{state:?}");
    }
}

#[test]
fn report_of_an_unknown_delivery_is_ignored() {
    let mut ledger = empty();
    let outcome = Outcome::Delivered(Receipt::default());
    let reported = ledger.report(LEAD, &to(ANNA), "one", &outcome, ReportPath::Event);
    assert_eq!(reported, Reported::Ignored);
    ledger.add_pending(LEAD, &to(ANNA));
    let reported = ledger.report(LEAD, &to(ANNA), "one", &outcome, ReportPath::Event);
    assert_eq!(reported, Reported::Recorded);
    ledger.add_pending(LEAD, &to(ANNA));
    assert_eq!(
        state_of(&ledger, ANNA),
        delivered(),
        "an existing delivery stays"
    );
}

#[test]
fn operator_retries_or_discards_failed_deliveries() {
    let mut ledger = with(ANNA, State::Failed(why()), 7);
    assert!(ledger.retry_ended(LEAD, &to(ANNA), "ops"));
    let due = State::Deferred {
        until: at(0),
        reason: Some(why()),
    };
    assert_eq!(state_of(&ledger, ANNA), due);
    assert_eq!(attempts_of(&ledger, ANNA), 0);
    assert_eq!(events(&ledger), ["retried"]);

    let mut ledger = with(ANNA, State::Failed(why()), 7);
    assert!(ledger.discard_failed(LEAD, &to(ANNA), "left", "ops"));
    assert_eq!(
        state_of(&ledger, ANNA),
        State::Cancelled(reason("discarded", "left"))
    );
    assert_eq!(events(&ledger), ["discarded"]);

    for state in [
        State::Pending,
        claimed_by("one", 60),
        deferred_until(9),
        delivered(),
        cancelled_for("smtp"),
    ] {
        let mut ledger = with(ANNA, state.clone(), 1);
        assert!(!ledger.retry_ended(LEAD, &to(ANNA), "ops"));
        assert!(!ledger.discard_failed(LEAD, &to(ANNA), "left", "ops"));
        assert_eq!(state_of(&ledger, ANNA), state);
        assert_eq!(ledger.changed().count(), 0);
    }
    assert!(!empty().retry_ended(LEAD, &to(ANNA), "ops"));
    assert!(!empty().discard_failed(LEAD, &to(ANNA), "left", "ops"));
}

#[test]
fn operator_retries_visitor_emails_that_ended_because_of_the_address() {
    for recipient in ["visitor", "brochure"] {
        for (class, is_retried) in [
            ("smtp-rejected", true),
            ("suppressed", true),
            ("mailbox-full", true),
            ("smtp", true),
            ("limit", false),
            ("discarded", false),
        ] {
            let mut ledger = with(recipient, cancelled_for(class), 7);
            let result = ledger.retry_ended(LEAD, &to(recipient), "ops");
            assert_eq!(result, is_retried, "{class}");
            assert_eq!(events(&ledger).len(), usize::from(is_retried), "{class}");
            if is_retried {
                let is_due = matches!(state_of(&ledger, recipient), State::Deferred { until, .. } if until == at(0));
                assert!(is_due, "{class}");
                assert_eq!(attempts_of(&ledger, recipient), 0);
            }
            assert!(!ledger.discard_failed(LEAD, &to(recipient), "gone", "ops"));
        }
    }
}

#[test]
fn lifted_rejection_stays_cancelled_with_another_class() {
    for (state, is_lifted) in [
        (cancelled_for("smtp-rejected"), true),
        (cancelled_for("suppressed"), false),
        (State::Pending, false),
        (delivered(), false),
    ] {
        let mut ledger = with("visitor", state.clone(), 1);
        ledger.lift_rejection(LEAD, &to("visitor"));
        let lifted = state_of(&ledger, "visitor");
        if is_lifted {
            assert!(matches!(lifted, State::Cancelled(reason) if reason.class == "lifted"));
        } else {
            assert_eq!(lifted, state);
        }
    }
}

#[test]
fn rejection_by_the_old_address_does_not_end_a_claimed_email() {
    let mut ledger = with("visitor", claimed_by("one", 60), 4);
    ledger.redirect_visitor(LEAD);
    for outcome in [
        Outcome::Cancelled(reason("smtp-rejected", "")),
        Outcome::Failed(why()),
        retry(true),
    ] {
        let reported = ledger.report(LEAD, &to("visitor"), "one", &outcome, ReportPath::Call);
        assert_eq!(reported, Reported::Ignored, "{outcome:?}");
    }
    assert_eq!(claim(&mut ledger, "visitor", ONE), ClaimResult::Claimed);
    let mut later = next(&ledger, 60);
    let granted = ClaimResult::Granted { attempt: 1 };
    assert_eq!(claim(&mut later, "visitor", TWO), granted);

    // The old address may have accepted it.
    let outcome = Outcome::Delivered(Receipt::default());
    let reported = ledger.report(LEAD, &to("visitor"), "one", &outcome, ReportPath::Call);
    assert_eq!(reported, Reported::Recorded);
}

#[test]
fn requests_within_a_minute_are_one_email() {
    let mut ledger = empty();
    ledger.request_email(LEAD, RequestKind::Login, "Mei");
    assert_eq!(recipients(&ledger), ["login:Mei#1"]);
    assert_eq!(state_of(&ledger, "login:Mei#1"), deferred_until(0));
    assert!(ledger.find(LEAD, &to("login:Mei#1")).unwrap().is_requested);

    let mut soon = next(&ledger, 59);
    soon.request_email(LEAD, RequestKind::Login, "Mei");
    assert_eq!(recipients(&soon), ["login:Mei#1"]);
    soon.request_email(LEAD, RequestKind::Lead, "Mei");
    soon.request_email(LEAD, RequestKind::Login, "Wei");
    assert_eq!(
        recipients(&soon),
        ["person:Mei#1", "login:Mei#1", "login:Wei#1"]
    );

    let mut later = next(&ledger, 60);
    later.request_email(LEAD, RequestKind::Login, "Mei");
    assert_eq!(recipients(&later), ["login:Mei#1", "login:Mei#2"]);
}

#[test]
fn request_after_a_failure_is_a_new_email() {
    for (state, is_repeated) in [
        (State::Pending, true),
        (claimed_by("one", 60), true),
        (deferred_until(9), true),
        (delivered(), true),
        (State::Failed(why()), false),
        (cancelled_for("smtp"), false),
    ] {
        let recipient = to("login:Mei#1");
        let delivery = Delivery::new(&recipient, state.clone(), at(-1));
        let mut ledger = Ledger::new(at(0), [((LEAD, recipient), delivery)]);
        ledger.request_email(LEAD, RequestKind::Login, "Mei");
        assert_eq!(recipients(&ledger).len() == 1, is_repeated, "{state:?}");
    }
}

#[test]
fn sales_is_notified_once_of_each_decision() {
    let mut ledger = empty();
    ledger.notify_sales(LEAD, NoticeKind::Withdrawal, "Mei");
    claim(&mut ledger, "withdrawal:Mei", ONE);
    ledger.notify_sales(LEAD, NoticeKind::Withdrawal, "Mei");
    assert_eq!(state_of(&ledger, "withdrawal:Mei"), claimed_by("one", 60));
    ledger.notify_sales(LEAD, NoticeKind::Erasure, "Mei");
    assert_eq!(recipients(&ledger), ["withdrawal:Mei", "erasure:Mei"]);
}

#[test]
fn lead_has_one_reminder() {
    let recipients_of = |texts: &[&str]| texts.iter().map(|it| to(it)).collect::<Vec<_>>();
    let [both, mei] = [
        &["reminder:anna@sales.example", "reminder:bert@sales.example"][..],
        &["reminder:Mei"],
    ]
    .map(recipients_of);
    let mut ledger = empty();
    assert!(ledger.remind(LEAD, &both));
    assert!(!ledger.remind(LEAD, &both) && !ledger.remind(LEAD, &mei));
    assert_eq!(
        recipients(&ledger),
        ["reminder:anna@sales.example", "reminder:bert@sales.example"]
    );
    assert_eq!(
        state_of(&ledger, "reminder:bert@sales.example"),
        deferred_until(0)
    );
    assert!(events(&ledger).is_empty());
    for (state, has_reminder) in [
        (State::Pending, true),
        (claimed_by("one", 60), true),
        (claimed_by("one", 0), true),
        (deferred_until(9), true),
        (delivered(), true),
        (State::Failed(why()), true),
        (cancelled_for("reminder"), true),
        (cancelled_for(OTHER_OWNER), false),
    ] {
        let mut ledger = with("reminder:Mei", state.clone(), 2);
        assert_eq!(ledger.remind(LEAD, &mei), !has_reminder, "{state:?}");
        let expected = if has_reminder {
            state
        } else {
            deferred_until(0)
        };
        assert_eq!(state_of(&ledger, "reminder:Mei"), expected);
        assert_eq!(attempts_of(&ledger, "reminder:Mei"), 2);
    }
}

#[test]
fn first_email_to_sales_is_the_earliest_delivered_one() {
    let delivered_at = |seconds| {
        State::Delivered(Receipt {
            delivered_at: at(seconds),
            ..Receipt::default()
        })
    };
    let mut ledger = empty();
    for (recipient, state) in [
        ("webhook:crm", delivered_at(1)),
        ("visitor", delivered_at(1)),
        ("person:Mei#1", delivered_at(1)),
        (ANNA, delivered_at(9)),
        (BERT, deferred_until(1)),
    ] {
        let delivery = Delivery::new(&to(recipient), state, at(0));
        ledger.insert(LEAD, &to(recipient), delivery);
    }
    assert_eq!(ledger.find_first_sales_email(LEAD), Some(at(9)));
    let earlier = Delivery::new(&to(BERT), delivered_at(5), at(0));
    ledger.insert(LEAD, &to(BERT), earlier);
    assert_eq!(ledger.find_first_sales_email(LEAD), Some(at(5)));
    assert_eq!(ledger.find_first_sales_email(OTHER_LEAD), None);
}

#[test]
fn corrected_address_gets_what_the_old_address_did_not() {
    for (state, is_redirected) in [
        (State::Pending, false),
        (deferred_until(99), true),
        (delivered(), false),
        (State::Failed(reason("smtp-rejected", "")), true),
        (State::Failed(reason("compose", "")), false),
        (cancelled_for("smtp"), true),
        (cancelled_for("address"), true),
        (cancelled_for("mailbox-full"), true),
        (cancelled_for("suppressed"), true),
        (cancelled_for("limit"), false),
    ] {
        for recipient in ["visitor", "brochure"] {
            let mut ledger = with(recipient, state.clone(), 4);
            ledger.redirect_visitor(LEAD);
            let expected = if is_redirected {
                deferred_until(0)
            } else {
                state.clone()
            };
            assert_eq!(state_of(&ledger, recipient), expected);
            let attempts = if is_redirected { 0 } else { 4 };
            assert_eq!(attempts_of(&ledger, recipient), attempts, "{state:?}");
        }
        let mut ledger = with(ANNA, state.clone(), 4);
        ledger.redirect_visitor(LEAD);
        assert_eq!(state_of(&ledger, ANNA), state);
    }
}

#[test]
fn webhooks_that_may_have_the_lead_are_receivers() {
    for (recipient, state, attempts, is_receiver) in [
        ("webhook:crm", State::Pending, 0, false),
        ("webhook:crm", deferred_until(9), 1, true),
        ("webhook:crm", delivered(), 0, true),
        ("webhook:crm", State::Failed(why()), 0, true),
        (ANNA, delivered(), 1, false),
        ("updated:crm#1", delivered(), 1, false),
    ] {
        let ledger = with(recipient, state, attempts);
        let receivers = ledger.find_receivers(LEAD);
        assert_eq!(receivers == ["crm"], is_receiver, "{recipient}");
    }
}

/// A lead that is erased before the next attempt may have reached the webhook at the attempts before.
#[test]
fn retried_webhook_stays_a_receiver() {
    let mut retried = with("webhook:crm", State::Failed(why()), 7);
    assert!(retried.retry_ended(LEAD, &to("webhook:crm"), "ops"));
    assert_eq!(retried.find_receivers(LEAD), ["crm"]);

    let mut uncounted = with("webhook:crm", claimed_by("one", 60), 1);
    let outcome = Outcome::Retry {
        after: Duration::ZERO,
        reason: why(),
        counts: false,
    };
    uncounted.report(LEAD, &to("webhook:crm"), "one", &outcome, ReportPath::Call);
    assert_eq!(attempts_of(&uncounted, "webhook:crm"), 0);
    assert_eq!(uncounted.find_receivers(LEAD), ["crm"]);

    for mut waiting in [retried, uncounted] {
        waiting.cancel_unrouted(LEAD, &[]);
        assert_eq!(
            state_of(&waiting, "webhook:crm"),
            State::Cancelled(reason(UNROUTED, "recipient no longer in the routes"))
        );
        assert_eq!(waiting.find_receivers(LEAD), ["crm"]);
    }
}

/// Without a CRM, a notifier calls a webhook without a claim, so no attempt counts.
#[test]
fn discarded_webhook_stays_a_receiver() {
    let mut failed = with("webhook:crm", State::Failed(why()), 0);
    assert!(failed.discard_failed(LEAD, &to("webhook:crm"), "why", "ops"));
    assert_eq!(failed.find_receivers(LEAD), ["crm"]);
}

#[test]
fn webhook_without_an_attempt_is_no_receiver_after_it_left_the_routes() {
    let mut waiting = with("webhook:crm", deferred_until(0), 0);
    waiting.cancel_unrouted(LEAD, &[]);
    assert_eq!(attempts_of(&waiting, "webhook:crm"), 0);
    assert!(waiting.find_receivers(LEAD).is_empty());
}

#[test]
fn times_stay_within_four_digit_years() {
    assert_eq!(after(at(0), Duration::from_secs(9)), at(9));
    assert_eq!(before(at(9), Duration::from_secs(9)), at(0));
    for span in [Duration::MAX, Duration::from_secs(1 << 40)] {
        assert_eq!(after(at(0), span).to_rfc3339(), "9999-12-31T23:59:59+00:00");
        assert_eq!(before(at(0), span), DateTime::UNIX_EPOCH);
    }
}

/// The state, with only the class of its reason if it is cancelled.
fn without_detail(state: &State) -> State {
    if let State::Cancelled(reason) = state {
        cancelled_for(&reason.class)
    } else {
        state.clone()
    }
}

#[test]
fn update_notice_joins_a_waiting_one_and_replaces_an_older_one() {
    let waiting = State::Deferred {
        until: at(99),
        reason: Some(why()),
    };
    for (state, expected) in [
        (State::Pending, vec![("updated:crm#3", deferred_until(0))]),
        (waiting.clone(), vec![("updated:crm#3", waiting)]),
        (
            claimed_by("one", 60),
            vec![
                ("updated:crm#3", cancelled_for("superseded")),
                ("updated:crm#4", deferred_until(60)),
            ],
        ),
        (
            State::Failed(why()),
            vec![
                ("updated:crm#3", cancelled_for("superseded")),
                ("updated:crm#4", deferred_until(0)),
            ],
        ),
        (
            delivered(),
            vec![
                ("updated:crm#3", delivered()),
                ("updated:crm#4", deferred_until(0)),
            ],
        ),
        (
            cancelled_for("smtp"),
            vec![
                ("updated:crm#3", cancelled_for("smtp")),
                ("updated:crm#4", deferred_until(0)),
            ],
        ),
    ] {
        let mut ledger = with("updated:crm#3", state, 1);
        ledger.notify_of_update(LEAD, "crm");
        let found: Vec<_> = ledger
            .of_lead(LEAD)
            .map(|(recipient, delivery)| (recipient.to_string(), without_detail(&delivery.state)))
            .collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(recipient, state)| (recipient.to_owned(), state))
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn notices_wait_for_calls_in_flight() {
    for (recipient, state, attempts, due) in [
        ("webhook:crm", claimed_by("one", 60), 1, 60),
        ("webhook:crm", deferred_until(60), 1, 0),
        ("webhook:other", claimed_by("one", 60), 1, 0),
        ("updated:crm#1", claimed_by("one", 60), 1, 60),
        ("updated:crm#1", deferred_until(60), 0, 60),
        ("updated:crm#1", deferred_until(60), 1, 0),
        ("updated:other#1", deferred_until(60), 0, 0),
        ("webhook:crm", State::Pending, 0, 0),
        ("webhook:crm", delivered(), 1, 0),
        ("webhook:crm", State::Failed(why()), 1, 0),
        ("webhook:crm", cancelled_for("smtp"), 1, 0),
    ] {
        let mut ledger = with(recipient, state.clone(), attempts);
        ledger.notify_of_erasure(LEAD, "crm");
        let notice = state_of(&ledger, "erased:crm");
        assert_eq!(notice, deferred_until(due), "{recipient} {state:?}");
    }
}

#[test]
fn webhook_is_notified_of_an_erasure_once() {
    let mut ledger = with("erased:crm", claimed_by("one", 60), 1);
    ledger.notify_of_erasure(LEAD, "crm");
    assert_eq!(state_of(&ledger, "erased:crm"), claimed_by("one", 60));
    assert_eq!(ledger.changed().count(), 0);
}

#[test]
fn notice_is_claimed_once_it_is_due() {
    let notice = to("updated:crm#1");
    let mut ledger = with("updated:crm#1", deferred_until(1), 1);
    assert_eq!(ledger.claim_notice(LEAD, &notice, ONE), None);
    let mut ledger = next(&ledger, 1);
    assert_eq!(ledger.claim_notice(LEAD, &notice, ONE), Some(2));
    assert_eq!(state_of(&ledger, "updated:crm#1"), claimed_by("one", 61));
    assert_eq!(ledger.claim_notice(LEAD, &notice, TWO), None);
    assert_eq!(empty().claim_notice(LEAD, &notice, ONE), None);
}

#[test]
fn lead_is_open_until_nothing_of_it_may_be_sent() {
    for (recipient, state, is_open) in [
        (ANNA, State::Pending, true),
        (ANNA, claimed_by("one", 60), true),
        (ANNA, deferred_until(9), true),
        (ANNA, delivered(), false),
        (ANNA, State::Failed(why()), false),
        (ANNA, cancelled_for("smtp"), false),
        ("visitor", State::Pending, true),
        ("webhook:crm", State::Pending, true),
        ("erased:crm", State::Pending, false),
    ] {
        let ledger = with(recipient, state.clone(), 0);
        assert_eq!(ledger.is_open(LEAD), is_open, "{recipient} {state:?}");
    }
    assert!(empty().is_open(LEAD), "no delivery of the routes yet");
    for (request, is_open) in [
        ("login:Mei#1", true),
        ("withdrawal:Mei", true),
        ("reminder:Mei", true),
        ("brochure", false),
        ("updated:crm#1", false),
    ] {
        let mut ledger = with(ANNA, delivered(), 1);
        let requested = Delivery::due(&to(request), at(0));
        ledger.insert(LEAD, &to(request), requested);
        assert_eq!(ledger.is_open(LEAD), is_open, "{request}");
        let only_requested = with(request, delivered(), 1);
        assert!(only_requested.is_open(LEAD), "{request}");
    }
}

#[test]
fn leads_of_a_transaction_are_separate() {
    let mut ledger = empty();
    claim(&mut ledger, ANNA, ONE);
    ledger.cancel_unrouted(OTHER_LEAD, &[]);
    ledger.redirect_visitor(OTHER_LEAD);
    assert_eq!(state_of(&ledger, ANNA), claimed_by("one", 60));
    assert!(ledger.find(OTHER_LEAD, &to(ANNA)).is_none());
    assert_eq!(ledger.now(), at(0));
}
