//! Drives random sequences of transitions, each in its own transaction, against the rules of ARCHITECTURE.md.

use proptest::{collection::vec, prelude::*, sample::select};

use super::*;

const LEAD: Uuid = Uuid::from_u128(1);

const HOLDERS: [&str; 2] = ["one", "two"];

const RECIPIENTS: [&str; 7] = [
    "anna@sales.example",
    "visitor",
    "brochure",
    "webhook:crm",
    "updated:crm#1",
    "login:Mei#1",
    "reminder:Mei",
];

/// One call, after a wait of some seconds.
#[derive(Clone, Debug)]
struct Step {
    wait: i64,
    call: Call,
}

#[derive(Clone, Debug)]
enum Call {
    Claim {
        recipient: Recipient,
        holder: &'static str,
        obstacle: Option<Obstacle>,
    },
    ClaimNotice {
        recipient: Recipient,
        holder: &'static str,
    },
    Report {
        recipient: Recipient,
        holder: &'static str,
        outcome: Outcome,
        path: ReportPath,
    },
    CancelUnrouted(Vec<Recipient>),
    Retry(Recipient),
    Discard(Recipient),
    Request(RequestKind),
    NotifySales(NoticeKind),
    Remind,
    NotifyOfUpdate,
    Redirect,
}

const LEASE: Duration = Duration::from_secs(60);

fn any_recipient() -> impl Strategy<Value = Recipient> {
    select(&RECIPIENTS[..]).prop_map(Recipient::from)
}

fn any_holder() -> impl Strategy<Value = &'static str> {
    select(&HOLDERS[..])
}

fn any_reason() -> impl Strategy<Value = Reason> {
    select(
        &[
            "smtp",
            "smtp-rejected",
            "suppressed",
            "routes",
            "limit",
            OTHER_OWNER,
        ][..],
    )
    .prop_map(|class| reason(class, ""))
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        2 => Just(Outcome::Delivered(Receipt::default())),
        3 => (0..200u64, any::<bool>(), any_reason()).prop_map(|(seconds, counts, reason)| {
            let after = Duration::from_secs(seconds);
            Outcome::Retry { after, reason, counts }
        }),
        2 => any_reason().prop_map(Outcome::Failed),
        1 => any_reason().prop_map(Outcome::Cancelled),
    ]
}

fn any_obstacle() -> impl Strategy<Value = Option<Obstacle>> {
    let defer = |(minutes, reason)| Obstacle::Defer {
        until: start() + TimeDelta::minutes(minutes),
        reason,
        scope: LimitScope::Partial,
    };
    prop_oneof![
        6 => Just(None),
        1 => any_reason().prop_map(|reason| Some(Obstacle::Cancel(reason))),
        1 => (0..30i64, any_reason()).prop_map(move |it| Some(defer(it))),
        1 => Just(Some(Obstacle::OtherAddress)),
        1 => any_reason().prop_map(|reason| Some(Obstacle::DeleteRequest(reason))),
    ]
}

fn any_call() -> impl Strategy<Value = Call> {
    let path = select(&[ReportPath::Call, ReportPath::Event][..]);
    prop_oneof![
        6 => (any_recipient(), any_holder(), any_obstacle()).prop_map(
            |(recipient, holder, obstacle)| Call::Claim { recipient, holder, obstacle }
        ),
        1 => (any_recipient(), any_holder())
            .prop_map(|(recipient, holder)| Call::ClaimNotice { recipient, holder }),
        6 => (any_recipient(), any_holder(), any_outcome(), path).prop_map(
            |(recipient, holder, outcome, path)| Call::Report { recipient, holder, outcome, path }
        ),
        1 => vec(any_recipient(), 0..3).prop_map(Call::CancelUnrouted),
        1 => any_recipient().prop_map(Call::Retry),
        1 => any_recipient().prop_map(Call::Discard),
        1 => select(&[RequestKind::Login, RequestKind::Lead][..]).prop_map(Call::Request),
        1 => select(&[NoticeKind::Withdrawal, NoticeKind::Erasure, NoticeKind::Consent][..]).prop_map(Call::NotifySales),
        1 => Just(Call::Remind),
        1 => Just(Call::NotifyOfUpdate),
        1 => Just(Call::Redirect),
    ]
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..90i64, any_call()).prop_map(|(wait, call)| Step { wait, call });
    vec(step, 1..40)
}

fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_000_000, 0).unwrap()
}

/// The ledger before and after one call, with the result of a claim.
struct Transition<'a> {
    before: &'a Ledger,
    after: &'a Ledger,
    call: &'a Call,
    granted: bool,
}

fn apply(ledger: &mut Ledger, call: &Call) -> bool {
    match call {
        Call::Claim {
            recipient,
            holder,
            obstacle,
        } => {
            let terms = ClaimTerms {
                holder,
                lease: LEASE,
            };
            let result = ledger.claim(LEAD, recipient, terms, obstacle.clone());
            return matches!(result, ClaimResult::Granted { .. });
        }
        Call::ClaimNotice { recipient, holder } => {
            let terms = ClaimTerms {
                holder,
                lease: LEASE,
            };
            return ledger.claim_notice(LEAD, recipient, terms).is_some();
        }
        Call::Report {
            recipient,
            holder,
            outcome,
            path,
        } => {
            ledger.report(LEAD, recipient, holder, outcome, *path);
        }
        Call::CancelUnrouted(routed) => ledger.cancel_unrouted(LEAD, routed),
        Call::Retry(recipient) => {
            ledger.retry_ended(LEAD, recipient, "ops");
        }
        Call::Discard(recipient) => {
            ledger.discard_failed(LEAD, recipient, "left", "ops");
        }
        Call::Request(kind) => ledger.request_email(LEAD, *kind, "Mei"),
        Call::NotifySales(kind) => ledger.notify_sales(LEAD, *kind, "Mei"),
        Call::Remind => {
            ledger.remind(LEAD, &["reminder:Mei".into(), "reminder:Wei".into()]);
        }
        Call::NotifyOfUpdate => ledger.notify_of_update(LEAD, "crm"),
        Call::Redirect => ledger.redirect_visitor(LEAD),
    }
    false
}

/// Whether the delivery is a webhook's that may have received the lead.
fn is_received(recipient: &Recipient, delivery: &Delivery) -> bool {
    recipient.webhook().is_some() && delivery.may_have_arrived()
}

/// Holder and end of the claim.
fn find_claim(delivery: &Delivery) -> Option<(&str, DateTime<Utc>)> {
    if let State::Claimed { holder, until } = &delivery.state {
        Some((holder, *until))
    } else {
        None
    }
}

impl Transition<'_> {
    /// The holder of a claim; empty for other calls.
    fn holder(&self) -> &str {
        if let Call::Claim { holder, .. } | Call::ClaimNotice { holder, .. } = self.call {
            holder
        } else {
            ""
        }
    }

    fn check(&self) -> Result<(), TestCaseError> {
        for (recipient, after) in self.after.of_lead(LEAD) {
            self.check_delivery(recipient, self.before.find(LEAD, recipient), after)?;
        }
        self.check_saved()?;
        self.check_open()
    }

    fn check_delivery(
        &self,
        recipient: &Recipient,
        before: Option<&Delivery>,
        after: &Delivery,
    ) -> Result<(), TestCaseError> {
        let now = self.after.now;
        let Some(before) = before else {
            prop_assert!(after.is_unfinished() || self.events_of(recipient) == 1);
            return Ok(());
        };
        if matches!(before.state, State::Delivered(_)) {
            prop_assert_eq!(before, after, "a delivered email changed");
        }
        if let State::Claimed { holder, until } = &before.state
            && *until > now
            && let State::Claimed { holder: next, .. } = &after.state
        {
            let is_released = matches!(self.call, Call::Redirect) && next.is_empty();
            prop_assert!(holder == next || is_released, "two holders at a time");
        }
        let expected = match (&self.call, self.granted) {
            (Call::Claim { recipient: it, .. } | Call::ClaimNotice { recipient: it, .. }, true)
                if it == recipient =>
            {
                let is_same_claim = |(holder, until)| holder == self.holder() && until > now;
                before.attempts + u32::from(!find_claim(before).is_some_and(is_same_claim))
            }
            (
                Call::Report {
                    outcome: Outcome::Retry { counts: false, .. },
                    ..
                },
                _,
            ) if before != after && matches!(before.state, State::Claimed { .. }) => {
                before.attempts.saturating_sub(1)
            }
            (Call::Retry(_) | Call::Redirect, _) if before != after => 0,
            // The reason of the wait told of an attempt that was taken back.
            _ if matches!(after.state, State::Cancelled(_)) && is_received(recipient, before) => {
                before.attempts.max(1)
            }
            _ => before.attempts,
        };
        prop_assert_eq!(after.attempts, expected, "attempts of {}", recipient);
        prop_assert!(
            !is_received(recipient, before) || is_received(recipient, after),
            "{} may have the lead, and gets no notice any more",
            recipient
        );
        if let Call::Report {
            holder,
            path: ReportPath::Call,
            outcome,
            ..
        } = self.call
            && before != after
            && !matches!(outcome, Outcome::Delivered(_))
        {
            let is_holder =
                matches!(&before.state, State::Claimed { holder: it, .. } if it == holder);
            prop_assert!(is_holder, "a former holder changed the delivery");
        }
        let has_ended = matches!(after.state, State::Failed(_) | State::Cancelled(_));
        if has_ended && before.state != after.state {
            prop_assert_eq!(self.events_of(recipient), 1, "an end without its event");
        }
        Ok(())
    }

    fn events_of(&self, recipient: &Recipient) -> usize {
        let events = self.after.events().iter();
        events.filter(|it| it.recipient == *recipient).count()
    }

    /// Every difference is saved, and nothing changes without the time of the change.
    fn check_saved(&self) -> Result<(), TestCaseError> {
        let before = self.before.of_lead(LEAD);
        let recipients: BTreeSet<&Recipient> = before
            .chain(self.after.of_lead(LEAD))
            .map(|(recipient, _)| recipient)
            .collect();
        for recipient in recipients {
            let before = self.before.find(LEAD, recipient);
            let after = self.after.find(LEAD, recipient);
            if before != after {
                let key = (LEAD, recipient.clone());
                prop_assert!(
                    self.after.changed.contains(&key),
                    "{} is not saved",
                    recipient
                );
            }
            if let Some(after) = after
                && before.is_some_and(|before| before.state != after.state)
            {
                prop_assert_eq!(after.changed_at, self.after.now);
            }
        }
        Ok(())
    }

    fn check_open(&self) -> Result<(), TestCaseError> {
        let has_routes = RECIPIENTS
            .map(Recipient::from)
            .iter()
            .any(|it| !it.is_requested() && self.after.find(LEAD, it).is_some());
        let waits = |(recipient, delivery): (&Recipient, &Delivery)| {
            let has_own_index = *recipient == Recipient::Brochure
                || matches!(recipient, Recipient::UpdateNotice { .. });
            !has_own_index
                && matches!(
                    delivery.state,
                    State::Pending | State::Claimed { .. } | State::Deferred { .. }
                )
        };
        let is_open = !has_routes || self.after.of_lead(LEAD).any(waits);
        prop_assert_eq!(self.after.is_open(LEAD), is_open);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn every_sequence_follows_the_rules(steps in any_steps()) {
        let mut now = start();
        let mut deliveries = Vec::new();
        for step in &steps {
            now += TimeDelta::seconds(step.wait);
            let before = Ledger::new(now, deliveries.clone());
            let mut after = Ledger::new(now, deliveries);
            let granted = apply(&mut after, &step.call);
            let transition = Transition { before: &before, after: &after, call: &step.call, granted };
            transition.check()?;
            let owned = |(recipient, delivery): (&Recipient, &Delivery)| {
                ((LEAD, recipient.clone()), delivery.clone())
            };
            deliveries = after.of_lead(LEAD).map(owned).collect();
        }
    }
}
