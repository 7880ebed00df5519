//! The states of a delivery and every transition between them, without I/O: `row.rs` loads and saves the deliveries.
//!
//! ```text
//!                                          ┌─ delivered ─▶ delivered
//!  pending ─ claim ─▶ claimed ─── report ──┼─ retry ─────▶ deferred ─── claim, once it is due ───▶ claimed
//!                     ▲     │              │                  ▲
//!                     └─────┘              │                  └───── retry ────┐
//!  claim, once the last one has expired    ├─ failed ────▶ failed ─────────────┤
//!                                          └─ cancelled ─▶ cancelled ◀ discard ┘
//! ```
//!
//! All transitions, and whether the lead's timeline gets an event. *Due* is pending, deferred until now or before, or claimed
//! by a claim that is over. A delivery is *of the routes* unless somebody requested it or a change caused it
//! ([`Recipient::is_requested`]): the emails to sales addresses, the webhooks, and the visitor's confirmation.
//!
//! | from | trigger | to | event |
//! |---|---|---|---|
//! | due | claim | claimed, with one more attempt | no |
//! | claimed | claim of the same holder | claimed for longer | no |
//! | due | claim with an [`Obstacle`] | cancelled, deferred, deleted or unchanged | if cancelled or deleted |
//! | due or deferred, of the routes | claim that does not name the recipient | cancelled with the class `routes` | yes |
//! | cancelled with the class `routes` | claim that names the recipient again | as if due | as if due |
//! | all but delivered | report *delivered*, of any holder | delivered | no |
//! | claimed | another report, of the holder | deferred, failed or cancelled | unless a retry does not count, and takes its attempt back |
//! | pending, deferred | another report, of a notifier without a claim | deferred, failed or cancelled | unless a retry does not count |
//! | failed | retry or discard of an operator | deferred until now, from the first attempt; cancelled | yes |
//! | visitor's email, ended because of the address | retry of an operator | deferred until now, from the first attempt | yes |
//! | visitor's email, cancelled as `smtp-rejected` | retry of another email to the mailbox | cancelled as `lifted`: suppresses nothing | no |
//! | visitor's email, deferred or ended because of the address | correction of the address | deferred until now, from the first attempt | no |
//! | visitor's email, claimed | correction of the address | claimed by nobody until the claim is over, from the first attempt | no |
//! | pending or deferred update notice | newer update | the same, with the newest state | no |
//! | claimed or failed update notice | newer update, unless another notice waits | cancelled; a new notice is due when the claim is over | yes |
//! | reminder cancelled as `other-owner`, like all of the lead | request of reminders that names it | deferred until now | no |

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use contracts::crm::v1::timeline_entry::{self as entry, Event};
use lead::{
    NoticeKind, Outcome, REQUEST_INTERVAL, Reason, Receipt, Recipient, RequestKind,
    field::timestamp,
};
use uuid::Uuid;

/// Reason class of deliveries to recipients that left the routes. A later claim for the recipient reopens the delivery.
const UNROUTED: &str = "routes";

/// Reason class of reminders to a person who does not own the lead any more. The owner may then get one.
pub(super) const OTHER_OWNER: &str = "other-owner";

/// Reason class of the email that the mail server rejected because its address does not exist. It suppresses later emails to
/// the mailbox.
pub(super) const REJECTED: &str = "smtp-rejected";

/// Reason class of notifier for a full mailbox.
pub(super) const MAILBOX_FULL: &str = "mailbox-full";

/// Reason class of emails that were not sent because an earlier one to the mailbox was rejected.
pub(super) const SUPPRESSED: &str = "suppressed";

/// Reason classes that are about the visitor's address.
pub(super) const ABOUT_ADDRESS: [&str; 5] = [REJECTED, MAILBOX_FULL, SUPPRESSED, "smtp", "address"];

/// The holder of a claim whose reports no longer count. No notifier has this name.
const NOBODY: &str = "";

/// The state of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    /// One notifier may send until `until`. Afterwards another may claim the delivery.
    Claimed {
        holder: String,
        until: DateTime<Utc>,
    },
    /// Due at `until`.
    Deferred {
        until: DateTime<Utc>,
        /// Why the delivery waits. `None` if it waits for its first attempt.
        reason: Option<Reason>,
    },
    Delivered(Receipt),
    /// Not delivered. An operator must retry or discard the delivery, unless a correction or a newer update follows.
    Failed(Reason),
    /// Not delivered. Requires no action by an operator.
    Cancelled(Reason),
}

/// The delivery of one lead to one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub(crate) state: State,
    /// Claims that count, since the delivery was added, retried by an operator or redirected.
    pub(crate) attempts: u32,
    /// The time of the last change, by the database's clock.
    pub(crate) changed_at: DateTime<Utc>,
    /// See [`Recipient::is_requested`]. Stored, so the answer of a newer version remains for a recipient that only that
    /// version defines.
    pub(crate) is_requested: bool,
}

/// Who claims, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct ClaimTerms<'a> {
    /// The notifier, unique among processes.
    pub(crate) holder: &'a str,
    /// Lifetime of the claim.
    pub(crate) lease: Duration,
}

/// Why a delivery that is due must not be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The delivery ends.
    Cancel(Reason),
    /// A claim checks again at `until`.
    Defer {
        until: DateTime<Utc>,
        reason: Reason,
        scope: LimitScope,
    },
    /// The claim names another address than the stored lead. A claim with the stored address may send.
    OtherAddress,
    /// The request is deleted, so the brochure can be requested again once the reason no longer applies.
    DeleteRequest(Reason),
}

/// Whose limit defers an email.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitScope {
    /// One mailbox, one domain, one network, or the brochures.
    Partial,
    AllVisitors,
}

/// The result of a claim for one recipient. Its snake_case name is a metric label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ClaimResult {
    Granted {
        /// The number of counted attempts for this recipient, including this one.
        attempt: u32,
    },
    Delivered,
    /// Another holder may be sending.
    Claimed,
    /// Waits for a later attempt.
    Deferred,
    /// Deferred because the hourly limit of all visitors is reached.
    HourlyLimit,
    Failed,
    /// Ended without delivery, or the claim has another address than the lead.
    Cancelled,
    /// The lead is erased.
    Erased,
}

/// The path of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportPath {
    /// A call of the notifier that claimed the delivery.
    Call,
    /// An event of a notifier that emailed without a claim, because crm-sync was unavailable.
    Event,
}

/// Whether a report changed the delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reported {
    Recorded,
    /// A newer state, or another holder's claim, excludes the outcome.
    Ignored,
}

/// An event for the timeline of a lead.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeliveryEvent {
    pub(crate) lead_id: Uuid,
    pub(crate) recipient: Recipient,
    pub(crate) event: Event,
}

pub(crate) type Key = (Uuid, Recipient);

/// The deliveries of the leads that one transaction has locked. Transitions change them in memory.
pub(crate) struct Ledger {
    now: DateTime<Utc>,
    deliveries: BTreeMap<Uuid, BTreeMap<Recipient, Delivery>>,
    changed: BTreeSet<Key>,
    events: Vec<DeliveryEvent>,
}

impl Delivery {
    /// A delivery that nobody has claimed yet.
    fn new(recipient: &Recipient, state: State, now: DateTime<Utc>) -> Self {
        Self {
            state,
            attempts: 0,
            changed_at: now,
            is_requested: recipient.is_requested(),
        }
    }

    /// A delivery of the routes, which the message of its lead announces.
    pub(crate) fn pending(recipient: &Recipient, now: DateTime<Utc>) -> Self {
        Self::new(recipient, State::Pending, now)
    }

    /// A delivery that no message announces. It is due immediately, regardless of the lead's age.
    pub(crate) fn due(recipient: &Recipient, now: DateTime<Utc>) -> Self {
        Self::due_at(now, recipient, now)
    }

    fn due_at(until: DateTime<Utc>, recipient: &Recipient, now: DateTime<Utc>) -> Self {
        let state = State::Deferred {
            until,
            reason: None,
        };
        Self::new(recipient, state, now)
    }

    /// Whether the delivery waits for a claim now.
    pub(crate) fn is_due(&self, now: DateTime<Utc>) -> bool {
        match &self.state {
            State::Pending => true,
            State::Claimed { until, .. } | State::Deferred { until, .. } => *until <= now,
            State::Delivered(_) | State::Failed(_) | State::Cancelled(_) => false,
        }
    }

    /// Whether the delivery may still be sent without an operator.
    pub(crate) fn is_unfinished(&self) -> bool {
        match &self.state {
            State::Pending | State::Claimed { .. } | State::Deferred { .. } => true,
            State::Delivered(_) | State::Failed(_) | State::Cancelled(_) => false,
        }
    }

    /// Whether the recipient may have received the lead. A deferred delivery with a reason had an attempt, even if that
    /// attempt does not count.
    fn may_have_arrived(&self) -> bool {
        let had_attempt = match &self.state {
            State::Delivered(_) | State::Failed(_) => true,
            State::Deferred { reason, .. } => reason.is_some(),
            State::Pending | State::Claimed { .. } | State::Cancelled(_) => false,
        };
        had_attempt || self.attempts > 0
    }
}

impl Ledger {
    pub(crate) fn new(
        now: DateTime<Utc>,
        deliveries: impl IntoIterator<Item = (Key, Delivery)>,
    ) -> Self {
        let mut by_lead: BTreeMap<Uuid, BTreeMap<Recipient, Delivery>> = BTreeMap::new();
        for ((lead_id, recipient), delivery) in deliveries {
            by_lead
                .entry(lead_id)
                .or_default()
                .insert(recipient, delivery);
        }
        Self {
            now,
            deliveries: by_lead,
            changed: BTreeSet::new(),
            events: Vec::new(),
        }
    }

    /// The time of the transaction.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.now
    }

    pub(crate) fn find(&self, lead_id: Uuid, recipient: &Recipient) -> Option<&Delivery> {
        self.deliveries.get(&lead_id)?.get(recipient)
    }

    pub(crate) fn of_lead(&self, lead_id: Uuid) -> impl Iterator<Item = (&Recipient, &Delivery)> {
        self.deliveries.get(&lead_id).into_iter().flatten()
    }

    /// The changed deliveries, sorted by lead and recipient. `None` is a deleted one.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (&Key, Option<&Delivery>)> {
        self.changed
            .iter()
            .map(|key| (key, self.find(key.0, &key.1)))
    }

    /// The events of the changes, in their order.
    pub(crate) fn events(&self) -> &[DeliveryEvent] {
        &self.events
    }

    /// Whether the lead has no delivery of the routes yet, or has an unfinished one. Waiting brochures do not count: there
    /// may be many, and a dedicated index finds them. Nor do notices to webhooks, which have an index too and which an
    /// erasure replaces.
    pub(crate) fn is_open(&self, lead_id: Uuid) -> bool {
        let has_no_routes = self.of_lead(lead_id).all(|(_, it)| it.is_requested);
        has_no_routes
            || self.of_lead(lead_id).any(|(recipient, delivery)| {
                delivery.is_unfinished()
                    && *recipient != Recipient::Brochure
                    && recipient.notified_webhook().is_none()
            })
    }

    // Claims

    /// The result of a claim that the state refuses. `None` if the delivery is due, does not exist yet, is claimed by the same
    /// holder, or was cancelled because the recipient had left the routes.
    pub(crate) fn find_refusal(
        &self,
        lead_id: Uuid,
        recipient: &Recipient,
        holder: &str,
    ) -> Option<ClaimResult> {
        match &self.find(lead_id, recipient)?.state {
            State::Pending => None,
            State::Claimed {
                holder: current,
                until,
            } => (*until > self.now && current != holder).then_some(ClaimResult::Claimed),
            State::Deferred { until, .. } => (*until > self.now).then_some(ClaimResult::Deferred),
            State::Delivered(_) => Some(ClaimResult::Delivered),
            State::Failed(_) => Some(ClaimResult::Failed),
            State::Cancelled(reason) => {
                (reason.class != UNROUTED).then_some(ClaimResult::Cancelled)
            }
        }
    }

    /// Claims a delivery that the state does not refuse and that has no obstacle, and counts an attempt. Adds a delivery that
    /// does not exist.
    pub(crate) fn claim(
        &mut self,
        lead_id: Uuid,
        recipient: &Recipient,
        terms: ClaimTerms<'_>,
        obstacle: Option<Obstacle>,
    ) -> ClaimResult {
        if let Some(refusal) = self.find_refusal(lead_id, recipient, terms.holder) {
            return refusal;
        }
        let delivery = self
            .find(lead_id, recipient)
            .cloned()
            .unwrap_or_else(|| Delivery::pending(recipient, self.now));
        match obstacle {
            None => {
                let attempt = self.grant(lead_id, recipient, delivery, terms);
                ClaimResult::Granted { attempt }
            }
            Some(Obstacle::Cancel(reason)) => {
                self.cancel(lead_id, recipient, delivery, reason);
                ClaimResult::Cancelled
            }
            Some(Obstacle::Defer {
                until,
                reason,
                scope,
            }) => {
                let reason = Some(reason);
                self.set(
                    lead_id,
                    recipient,
                    delivery,
                    State::Deferred { until, reason },
                );
                match scope {
                    LimitScope::Partial => ClaimResult::Deferred,
                    LimitScope::AllVisitors => ClaimResult::HourlyLimit,
                }
            }
            Some(Obstacle::OtherAddress) => {
                self.insert(lead_id, recipient, delivery);
                ClaimResult::Cancelled
            }
            Some(Obstacle::DeleteRequest(reason)) => {
                self.remove(lead_id, recipient);
                self.add_event(lead_id, recipient, cancelled(reason));
                ClaimResult::Cancelled
            }
        }
    }

    /// Cancels the lead's due or deferred deliveries of the routes to recipients that `routed` does not name, because they
    /// would keep the lead open forever. An unexpired claim stays, because its email may be in flight.
    pub(crate) fn cancel_unrouted(&mut self, lead_id: Uuid, routed: &[Recipient]) {
        let is_unclaimed = |delivery: &Delivery| match &delivery.state {
            State::Pending | State::Deferred { .. } => true,
            State::Claimed { until, .. } => *until <= self.now,
            State::Delivered(_) | State::Failed(_) | State::Cancelled(_) => false,
        };
        let unrouted = self.select(lead_id, |recipient, delivery| {
            !delivery.is_requested && is_unclaimed(delivery) && !routed.contains(recipient)
        });
        for (recipient, delivery) in unrouted {
            let reason = reason(UNROUTED, "recipient no longer in the routes");
            self.cancel(lead_id, &recipient, delivery, reason);
        }
    }

    /// Claims a notice to a webhook that is due. Returns the number of the attempt, or `None` if the notice is not due.
    pub(crate) fn claim_notice(
        &mut self,
        lead_id: Uuid,
        recipient: &Recipient,
        terms: ClaimTerms<'_>,
    ) -> Option<u32> {
        let delivery = self.find(lead_id, recipient)?;
        let due = delivery.is_due(self.now).then(|| delivery.clone())?;
        Some(self.grant(lead_id, recipient, due, terms))
    }

    // Reports

    /// Records the outcome of an attempt for an existing delivery. A delivered email always counts, once. Other outcomes count
    /// from the holder of the claim, even if it is over, or from an event for a delivery that waits, so a late report cannot
    /// undo a newer state. The timeline gets no event of a delivered email, which the delivery itself records, and none of an
    /// attempt that does not count.
    pub(crate) fn report(
        &mut self,
        lead_id: Uuid,
        recipient: &Recipient,
        holder: &str,
        outcome: &Outcome,
        path: ReportPath,
    ) -> Reported {
        let Some(delivery) = self.find(lead_id, recipient).cloned() else {
            return Reported::Ignored;
        };
        if !can_record(&delivery.state, holder, outcome, path) {
            return Reported::Ignored;
        }
        match outcome {
            Outcome::Delivered(receipt) => {
                let state = State::Delivered(receipt.clone());
                self.set(lead_id, recipient, delivery, state);
            }
            Outcome::Retry {
                after: wait,
                reason,
                counts,
            } => {
                let until = after(self.now, *wait);
                if *counts {
                    let event = Event::Deferred(entry::Deferred {
                        until: Some(timestamp(until)),
                        reason: Some(reason.clone()),
                    });
                    self.add_event(lead_id, recipient, event);
                }
                let was_claimed = matches!(delivery.state, State::Claimed { .. });
                let uncounted = u32::from(!counts && was_claimed);
                let delivery = Delivery {
                    attempts: delivery.attempts.saturating_sub(uncounted),
                    ..delivery
                };
                let reason = Some(reason.clone());
                self.set(
                    lead_id,
                    recipient,
                    delivery,
                    State::Deferred { until, reason },
                );
            }
            Outcome::Failed(reason) => {
                let event = Event::Failed(entry::Failed {
                    reason: Some(reason.clone()),
                });
                self.add_event(lead_id, recipient, event);
                self.set(lead_id, recipient, delivery, State::Failed(reason.clone()));
            }
            Outcome::Cancelled(reason) => {
                self.cancel(lead_id, recipient, delivery, reason.clone());
            }
        }
        Reported::Recorded
    }

    /// Adds a delivery, unless it exists.
    pub(crate) fn add_pending(&mut self, lead_id: Uuid, recipient: &Recipient) {
        let delivery = Delivery::pending(recipient, self.now);
        self.insert_missing(lead_id, recipient, delivery);
    }

    // Decisions of operators

    /// Makes a failed delivery due, or an email to the visitor that ended because of the address, from its first attempt. Keeps
    /// the reason, because the recipient may have received the lead. Returns `false` for another delivery.
    pub(crate) fn retry_ended(
        &mut self,
        lead_id: Uuid,
        recipient: &Recipient,
        client: &str,
    ) -> bool {
        let Some(delivery) = self.find(lead_id, recipient).cloned() else {
            return false;
        };
        let Some(reason) = retriable_reason(recipient, &delivery.state).cloned() else {
            return false;
        };
        let event = Event::Retried(entry::Retried {
            client: client.to_owned(),
        });
        self.add_event(lead_id, recipient, event);
        let delivery = Delivery {
            attempts: 0,
            ..delivery
        };
        let state = State::Deferred {
            until: self.now,
            reason: Some(reason),
        };
        self.set(lead_id, recipient, delivery, state);
        true
    }

    /// Stops a rejected email to the visitor from suppressing later emails to its mailbox.
    pub(crate) fn lift_rejection(&mut self, lead_id: Uuid, recipient: &Recipient) {
        let rejected = self
            .find(lead_id, recipient)
            .cloned()
            .filter(|it| matches!(&it.state, State::Cancelled(reason) if reason.class == REJECTED));
        if let Some(delivery) = rejected {
            let state = State::Cancelled(reason("lifted", "an operator lifted the suppression"));
            self.set(lead_id, recipient, delivery, state);
        }
    }

    /// Ends a failed delivery for the reason of an operator. Returns `false` for a delivery that has not failed.
    pub(crate) fn discard_failed(
        &mut self,
        lead_id: Uuid,
        recipient: &Recipient,
        why: &str,
        client: &str,
    ) -> bool {
        let Some((delivery, _)) = self.find_failed(lead_id, recipient) else {
            return false;
        };
        let event = Event::Discarded(entry::Discarded {
            reason: why.to_owned(),
            client: client.to_owned(),
        });
        self.add_event(lead_id, recipient, event);
        self.set_cancelled(lead_id, recipient, delivery, reason("discarded", why));
        true
    }

    // Requests and changes

    /// Requests an email to a person in the routes, unless the same email has changed within the last minute and has not ended
    /// without delivery: a second click sends no second email.
    pub(crate) fn request_email(&mut self, lead_id: Uuid, kind: RequestKind, person: &str) {
        let mut last_number = 0;
        let mut is_repeated = false;
        for (recipient, delivery) in self.of_lead(lead_id) {
            let Recipient::Requested {
                kind: other_kind,
                person: other_person,
                number,
            } = recipient
            else {
                continue;
            };
            if *other_kind == kind && other_person == person {
                last_number = last_number.max(*number);
                let may_arrive =
                    delivery.is_unfinished() || matches!(delivery.state, State::Delivered(_));
                is_repeated |= may_arrive && delivery.changed_at > self.now - REQUEST_INTERVAL;
            }
        }
        if is_repeated {
            return;
        }
        let recipient = Recipient::Requested {
            kind,
            person: person.to_owned(),
            number: last_number + 1,
        };
        let delivery = Delivery::due(&recipient, self.now);
        self.insert(lead_id, &recipient, delivery);
    }

    /// Notifies a person or an address of the sales team once of a visitor's decision.
    pub(crate) fn notify_sales(&mut self, lead_id: Uuid, kind: NoticeKind, to: &str) {
        let recipient = Recipient::SalesNotice {
            kind,
            to: to.to_owned(),
        };
        let delivery = Delivery::due(&recipient, self.now);
        self.insert_missing(lead_id, &recipient, delivery);
    }

    /// Adds reminders, unless the lead has had one: a lead has one reminder, sent to all these recipients. A reminder that
    /// was cancelled because the lead has another owner does not count. Returns whether anything changed.
    pub(crate) fn remind(&mut self, lead_id: Uuid, recipients: &[Recipient]) -> bool {
        let has_reminder = self.of_lead(lead_id).any(|(recipient, delivery)| {
            matches!(recipient, Recipient::Reminder(_)) && !is_for_other_owner(delivery)
        });
        if has_reminder {
            return false;
        }
        for recipient in recipients {
            let due = Delivery::due(recipient, self.now);
            let delivery = match self.find(lead_id, recipient) {
                Some(cancelled) => Delivery {
                    attempts: cancelled.attempts,
                    ..due
                },
                None => due,
            };
            self.insert(lead_id, recipient, delivery);
        }
        !recipients.is_empty()
    }

    /// Makes the undelivered emails to the visitor due, from the first attempt, because the lead's address was corrected.
    /// Emails that ended for another reason than the address stay ended.
    pub(crate) fn redirect_visitor(&mut self, lead_id: Uuid) {
        for (recipient, delivery) in self.select(lead_id, |it, _| it.is_visitor()) {
            let due = State::Deferred {
                until: self.now,
                reason: None,
            };
            let state = match &delivery.state {
                State::Deferred { .. } => due,
                State::Failed(reason) | State::Cancelled(reason) if is_about_address(reason) => due,
                // The email to the old address may be in flight. Its failure is no evidence about the corrected address, so
                // only its delivery counts. If it is not delivered, the email is due once the claim has expired.
                State::Claimed { until, .. } => State::Claimed {
                    holder: NOBODY.to_owned(),
                    until: *until,
                },
                // A pending email goes to the current address.
                State::Pending | State::Delivered(_) | State::Failed(_) | State::Cancelled(_) => {
                    continue;
                }
            };
            let redirected = Delivery {
                attempts: 0,
                ..delivery
            };
            self.set(lead_id, &recipient, redirected, state);
        }
    }

    /// When the mail server first accepted an email about the lead to an address of the sales team.
    pub(crate) fn find_first_sales_email(&self, lead_id: Uuid) -> Option<DateTime<Utc>> {
        self.of_lead(lead_id)
            .filter(|(recipient, _)| recipient.sales_address().is_some())
            .filter_map(|(_, delivery)| match &delivery.state {
                State::Delivered(receipt) => Some(receipt.delivered_at),
                State::Pending
                | State::Claimed { .. }
                | State::Deferred { .. }
                | State::Failed(_)
                | State::Cancelled(_) => None,
            })
            .min()
    }

    /// The names of the webhooks that may have received the lead.
    pub(crate) fn find_receivers(&self, lead_id: Uuid) -> Vec<String> {
        self.of_lead(lead_id)
            .filter(|(_, delivery)| delivery.may_have_arrived())
            .filter_map(|(recipient, _)| recipient.webhook())
            .map(str::to_owned)
            .collect()
    }

    /// Adds a notice of an update for a webhook, unless an unclaimed one waits, which will have the newest state too. A
    /// notice that is claimed or has failed has an older state, so the new notice replaces it.
    pub(crate) fn notify_of_update(&mut self, lead_id: Uuid, webhook: &str) {
        let due = self.end_of_calls(lead_id, webhook);
        let mut last_number = 0;
        let mut waiting = None;
        let mut outdated = Vec::new();
        for (recipient, delivery) in self.of_lead(lead_id) {
            let Some(number) = update_number(recipient, webhook) else {
                continue;
            };
            last_number = last_number.max(number);
            match &delivery.state {
                State::Pending => {
                    let state = State::Deferred {
                        until: due,
                        reason: None,
                    };
                    waiting = Some((recipient.clone(), delivery.clone(), state));
                }
                State::Deferred { until, reason } => {
                    let state = State::Deferred {
                        until: due.max(*until),
                        reason: reason.clone(),
                    };
                    waiting = Some((recipient.clone(), delivery.clone(), state));
                }
                State::Claimed { .. } | State::Failed(_) => {
                    outdated.push((recipient.clone(), delivery.clone()));
                }
                State::Delivered(_) | State::Cancelled(_) => {}
            }
        }
        if let Some((recipient, delivery, state)) = waiting {
            self.set(lead_id, &recipient, delivery, state);
            return;
        }
        for (recipient, delivery) in outdated {
            let reason = reason("superseded", "a newer update follows");
            self.cancel(lead_id, &recipient, delivery, reason);
        }
        let notice = Recipient::UpdateNotice {
            webhook: webhook.to_owned(),
            number: last_number + 1,
        };
        let delivery = Delivery::due_at(due, &notice, self.now);
        self.insert(lead_id, &notice, delivery);
    }

    /// Adds a notice of the lead's erasure for a webhook, unless it exists.
    pub(crate) fn notify_of_erasure(&mut self, lead_id: Uuid, webhook: &str) {
        let notice = Recipient::ErasureNotice(webhook.to_owned());
        let due = self.end_of_calls(lead_id, webhook);
        let delivery = Delivery::due_at(due, &notice, self.now);
        self.insert_missing(lead_id, &notice, delivery);
    }

    /// When no call of the webhook about the lead is in flight any more. A claimed delivery may be in flight until its claim
    /// expires. An update that nobody has claimed yet waits for the claim of the notice that it replaced, so its time counts
    /// too.
    fn end_of_calls(&self, lead_id: Uuid, webhook: &str) -> DateTime<Utc> {
        let end_of_call = |(recipient, delivery): (&Recipient, &Delivery)| {
            let is_update = update_number(recipient, webhook).is_some();
            let is_lead = recipient.webhook() == Some(webhook);
            match &delivery.state {
                State::Claimed { until, .. } => (is_update || is_lead).then_some(*until),
                State::Deferred { until, .. } => {
                    (is_update && delivery.attempts == 0).then_some(*until)
                }
                State::Pending | State::Delivered(_) | State::Failed(_) | State::Cancelled(_) => {
                    None
                }
            }
        };
        self.of_lead(lead_id)
            .filter_map(end_of_call)
            .fold(self.now, Ord::max)
    }

    // Parts of transitions

    /// A failed delivery and why it failed.
    fn find_failed(&self, lead_id: Uuid, recipient: &Recipient) -> Option<(Delivery, Reason)> {
        let delivery = self.find(lead_id, recipient)?;
        let State::Failed(reason) = &delivery.state else {
            return None;
        };
        Some((delivery.clone(), reason.clone()))
    }

    fn select(
        &self,
        lead_id: Uuid,
        is_selected: impl Fn(&Recipient, &Delivery) -> bool,
    ) -> Vec<(Recipient, Delivery)> {
        self.of_lead(lead_id)
            .filter(|(recipient, delivery)| is_selected(recipient, delivery))
            .map(|(recipient, delivery)| (recipient.clone(), delivery.clone()))
            .collect()
    }

    /// Returns the number of the attempt. A holder that repeats its claim, because it got no answer, makes one attempt.
    fn grant(
        &mut self,
        lead_id: Uuid,
        recipient: &Recipient,
        delivery: Delivery,
        terms: ClaimTerms<'_>,
    ) -> u32 {
        // Until the claim is over, only its holder gets here.
        let is_repeated =
            matches!(delivery.state, State::Claimed { until, .. } if until > self.now);
        let attempt = delivery.attempts.saturating_add(u32::from(!is_repeated));
        let state = State::Claimed {
            holder: terms.holder.to_owned(),
            until: after(self.now, terms.lease),
        };
        let delivery = Delivery {
            attempts: attempt,
            ..delivery
        };
        self.set(lead_id, recipient, delivery, state);
        attempt
    }

    fn cancel(&mut self, lead_id: Uuid, recipient: &Recipient, delivery: Delivery, why: Reason) {
        self.add_event(lead_id, recipient, cancelled(why.clone()));
        self.set_cancelled(lead_id, recipient, delivery, why);
    }

    /// Adds no event. A webhook that may have the lead remains a receiver of notices.
    fn set_cancelled(
        &mut self,
        lead_id: Uuid,
        recipient: &Recipient,
        delivery: Delivery,
        why: Reason,
    ) {
        // Replaces the reason of the wait, which describes an attempt that no longer counts.
        let is_webhook = recipient.webhook().is_some();
        let had_attempt = u32::from(is_webhook && delivery.may_have_arrived());
        let delivery = Delivery {
            attempts: delivery.attempts.max(had_attempt),
            ..delivery
        };
        self.set(lead_id, recipient, delivery, State::Cancelled(why));
    }

    fn set(&mut self, lead_id: Uuid, recipient: &Recipient, delivery: Delivery, state: State) {
        let delivery = Delivery {
            state,
            changed_at: self.now,
            ..delivery
        };
        self.insert(lead_id, recipient, delivery);
    }

    fn insert(&mut self, lead_id: Uuid, recipient: &Recipient, delivery: Delivery) {
        self.changed.insert((lead_id, recipient.clone()));
        let of_lead = self.deliveries.entry(lead_id).or_default();
        of_lead.insert(recipient.clone(), delivery);
    }

    fn insert_missing(&mut self, lead_id: Uuid, recipient: &Recipient, delivery: Delivery) {
        if self.find(lead_id, recipient).is_none() {
            self.insert(lead_id, recipient, delivery);
        }
    }

    fn remove(&mut self, lead_id: Uuid, recipient: &Recipient) {
        self.changed.insert((lead_id, recipient.clone()));
        if let Some(of_lead) = self.deliveries.get_mut(&lead_id) {
            of_lead.remove(recipient);
        }
    }

    fn add_event(&mut self, lead_id: Uuid, recipient: &Recipient, event: Event) {
        self.events.push(DeliveryEvent {
            lead_id,
            recipient: recipient.clone(),
            event,
        });
    }
}

/// Whether the state allows a report to change the delivery. See [`Ledger::report`].
fn can_record(state: &State, holder: &str, outcome: &Outcome, path: ReportPath) -> bool {
    let is_delivered = matches!(outcome, Outcome::Delivered(_));
    match state {
        State::Delivered(_) => false,
        State::Claimed {
            holder: current, ..
        } => is_delivered || current == holder,
        State::Pending | State::Deferred { .. } => is_delivered || path == ReportPath::Event,
        State::Failed(_) | State::Cancelled(_) => is_delivered,
    }
}

/// The number of an update notice for this webhook. `None` for other recipients.
fn update_number(recipient: &Recipient, name: &str) -> Option<u32> {
    let Recipient::UpdateNotice { webhook, number } = recipient else {
        return None;
    };
    (webhook == name).then_some(*number)
}

/// The last second of the year 9999. SQLite compares times as texts, which needs years of four digits.
const LATEST: DateTime<Utc> =
    DateTime::from_timestamp(253_402_300_799, 0).expect("the compiler evaluates this");

/// `now` plus `wait`, at most [`LATEST`].
pub(crate) fn after(now: DateTime<Utc>, wait: Duration) -> DateTime<Utc> {
    let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
    now.checked_add_signed(wait)
        .map_or(LATEST, |time| time.min(LATEST))
}

/// `time` minus `span`, at least the Unix epoch, before which nothing was stored.
pub(crate) fn before(time: DateTime<Utc>, span: Duration) -> DateTime<Utc> {
    let span = TimeDelta::from_std(span).unwrap_or(TimeDelta::MAX);
    time.checked_sub_signed(span)
        .map_or(DateTime::UNIX_EPOCH, |time| time.max(DateTime::UNIX_EPOCH))
}

/// Why a delivery ended that an operator may retry.
fn retriable_reason<'r>(recipient: &Recipient, state: &'r State) -> Option<&'r Reason> {
    match state {
        State::Failed(reason) => Some(reason),
        State::Cancelled(reason) => {
            (recipient.is_visitor() && is_about_address(reason)).then_some(reason)
        }
        State::Pending | State::Claimed { .. } | State::Deferred { .. } | State::Delivered(_) => {
            None
        }
    }
}

/// A reason that crm-sync itself gives.
pub(crate) fn reason(class: &str, detail: &str) -> Reason {
    Reason {
        class: class.to_owned(),
        detail: detail.to_owned(),
    }
}

fn is_for_other_owner(delivery: &Delivery) -> bool {
    matches!(&delivery.state, State::Cancelled(reason) if reason.class == OTHER_OWNER)
}

fn is_about_address(reason: &Reason) -> bool {
    ABOUT_ADDRESS.contains(&reason.class.as_str())
}

fn cancelled(reason: Reason) -> Event {
    Event::Cancelled(entry::Cancelled {
        reason: Some(reason),
    })
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
