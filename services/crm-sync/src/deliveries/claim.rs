//! Claims a lead's deliveries for one holder.

use std::{slice, time::Duration};

use ::lead::{EmailKey, FieldError, Lead};

use super::{
    brochure,
    delivery::{
        BROCHURE, Deliveries, State, VISITOR, WEBHOOK, is_address, is_requested, is_visitor,
        parse_holder, parse_positive_duration, parse_recipients,
    },
    visitor, webhook_notice,
};
use crate::{
    db::prelude::*,
    leads::{
        conflict, do_not_contact,
        lock::{lock, lock_stored},
        record::{Recorded, Source, parse_lead, record, with_keys},
        related::{self, Others},
    },
};

/// Reason class of deliveries to recipients that left the routes. A later claim for the recipient reopens the delivery.
const UNROUTED: &str = "routes";

#[derive(Clone)]
pub struct Claim {
    /// Stored by the claim if missing.
    pub submission: Lead,
    pub recipients: Vec<String>,
    pub holder: String,
    /// Lifetime of the claim.
    pub lease: Duration,
    /// Maximum emails to the visitor's mailbox within 24 hours.
    pub visitor_daily_limit: u32,
    /// Maximum emails to all visitors within an hour; 0 means no limit.
    pub visitors_hourly_limit: u32,
}

/// The answer for one recipient. Its snake_case name is a metric label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Answer {
    Granted {
        /// The number of counted attempts for this recipient, including this one.
        attempt: u32,
    },
    Delivered,
    Claimed,
    /// Waits for a later attempt.
    Deferred,
    /// Deferred because the hourly limit of all visitors is reached.
    #[strum(serialize = "hourly_limit")]
    DeferredByAll,
    Failed,
    /// Ended without delivery.
    Cancelled,
    Erased,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// One per recipient, in the claim's order.
    pub answers: Vec<Answer>,
    /// Leads of the same mailbox submitted before this one, oldest first, at most 50. Empty unless a delivery to the
    /// sales team was granted.
    pub earlier: Vec<crm::RelatedLead>,
    /// References of other mailboxes' leads with the same phone number. Empty unless a delivery to the sales team was
    /// granted.
    pub same_number: Vec<String>,
    /// When the visitor of another mailbox with the same phone number withdrew consent. `None` unless a delivery to the
    /// sales team was granted.
    pub number_withdrawn_at: Option<DateTimeUtc>,
    /// The time when the person was marked as not to be contacted. `None` unless a delivery was granted.
    pub do_not_contact_at: Option<DateTimeUtc>,
    /// The mailbox of a corrected address, for links in emails to it. `None` unless a delivery was granted.
    pub mailbox_hash: Option<String>,
    pub recorded: Recorded,
}

impl Claimed {
    pub(crate) fn into_message(self, recipients: Vec<String>) -> crm::ClaimDeliveriesResponse {
        let claims = recipients
            .into_iter()
            .zip(self.answers)
            .map(|(recipient, answer)| {
                let (answer, attempt) = match answer {
                    Answer::Granted { attempt } => (crm::ClaimAnswer::Granted, attempt),
                    Answer::Delivered => (crm::ClaimAnswer::Delivered, 0),
                    Answer::Claimed => (crm::ClaimAnswer::Claimed, 0),
                    Answer::Deferred | Answer::DeferredByAll => (crm::ClaimAnswer::Deferred, 0),
                    Answer::Failed => (crm::ClaimAnswer::Failed, 0),
                    Answer::Cancelled => (crm::ClaimAnswer::Cancelled, 0),
                    Answer::Erased => (crm::ClaimAnswer::Erased, 0),
                };
                crm::DeliveryClaim {
                    recipient,
                    answer: answer.into(),
                    attempt,
                }
            });
        crm::ClaimDeliveriesResponse {
            claims: claims.collect(),
            earlier: self.earlier,
            same_number: self.same_number,
            number_withdrawn_at: self.number_withdrawn_at.map(timestamp),
            do_not_contact_at: self.do_not_contact_at.map(timestamp),
            mailbox_hash: self.mailbox_hash.unwrap_or_default(),
        }
    }
}

impl Store {
    /// Claims deliveries and stores the lead if it is missing.
    pub async fn claim(&self, claim: &Claim) -> Result<Claimed> {
        self.write(
            "claim deliveries",
            |tx| async move { claim.grant(&tx).await },
        )
        .await
    }
}

impl Claim {
    pub(crate) fn parse(
        request: crm::ClaimDeliveriesRequest,
        now: DateTimeUtc,
    ) -> Result<Self, Invalid> {
        let recipients = parse_recipients(&request.recipients)?;
        if recipients.is_empty() {
            return Err(FieldError::Empty("recipients").into());
        }
        let visitor_daily_limit = request.visitor_daily_limit;
        if visitor_daily_limit == 0 && recipients.iter().any(|recipient| is_visitor(recipient)) {
            return Err(Invalid::NoVisitorLimit);
        }
        Ok(Self {
            submission: parse_lead(request.lead, now)?,
            recipients,
            holder: parse_holder(&request.holder)?,
            lease: parse_positive_duration("lease", request.lease)?,
            visitor_daily_limit,
            visitors_hourly_limit: request.visitors_hourly_limit,
        })
    }

    async fn grant(&self, tx: &Transaction) -> Result<Claimed> {
        let lead_id = self.submission.id;
        if self
            .recipients
            .iter()
            .any(|recipient| is_visitor(recipient))
        {
            // Concurrent claims for one mailbox would not count each other's emails.
            tx.advisory_lock(&EmailKey::new(&self.submission.email).mailbox())
                .await?;
        }
        let mut locked = lock_stored(tx, &[lead_id]).await?;
        let recorded = match locked.row(lead_id) {
            // The usual case, because the lead's message normally arrives before the claim.
            Some(row) if row.has_same_form(&self.submission)? => Recorded::default(),
            Some(_) => {
                let conflicts =
                    conflict::insert_new(tx, Source::Claim, &[&self.submission]).await?;
                Recorded {
                    created: 0,
                    conflicts,
                }
            }
            None => {
                let leads = with_keys(slice::from_ref(&self.submission));
                let recorded = record(tx, Source::Claim, &leads).await?;
                locked = lock(tx, &[lead_id]).await?;
                recorded
            }
        };
        if locked.is_erased(lead_id) {
            let answers = vec![Answer::Erased; self.recipients.len()];
            return Ok(Claimed {
                answers,
                recorded,
                ..Claimed::default()
            });
        }
        let stored = locked
            .row(lead_id)
            .ok_or_else(|| StoreError::Failed("recorded lead not found".to_owned()))?;
        let mut deliveries = Deliveries::load(tx, &[lead_id]).await?;
        self.cancel_unnamed(&mut deliveries);
        let (mut answers, mut granted) = (Vec::with_capacity(self.recipients.len()), Vec::new());
        for recipient in &self.recipients {
            let row = deliveries.find(lead_id, recipient).cloned();
            let row =
                row.unwrap_or_else(|| delivery::Model::pending(lead_id, recipient, deliveries.now));
            let answer = self.answer(&mut deliveries, stored, &row).await?;
            if matches!(answer, Answer::Granted { .. }) {
                granted.push(recipient.as_str());
                deliveries.set(row.claimed(&self.holder, self.lease, deliveries.now), None);
            }
            answers.push(answer);
        }
        if !stored.has_current_values(&self.submission) {
            // The holder posts the values of its copy of the lead, which was corrected meanwhile.
            for name in granted.iter().filter_map(|it| it.strip_prefix(WEBHOOK)) {
                webhook_notice::add_update(&mut deliveries, lead_id, name);
            }
        }
        // Ends the lease now: without a granted delivery, the holder sends no report that would end it.
        let waits = |answer: &Answer| matches!(answer, Answer::Deferred | Answer::DeferredByAll);
        deliveries
            .save([stored], granted.is_empty() && answers.iter().any(waits))
            .await?;
        let mut earlier = Vec::new();
        let mut same_number = Vec::new();
        let mut number_withdrawn_at = None;
        let is_for_sales = granted.iter().any(|recipient| !is_visitor(recipient));
        // Canaries have no contact.
        if is_for_sales && stored.contact_id.is_some() {
            earlier = related::find_earlier_of_mailbox(&tx.db, stored).await?;
            let stored = slice::from_ref(stored);
            let withdrawals =
                do_not_contact::find_number_withdrawals(&tx.db, &tx.suppression, stored);
            number_withdrawn_at = withdrawals.await?.into_iter().flatten().next();
            same_number = related::same_number(&tx.db, stored, Others::Mailboxes)
                .await?
                .concat();
        }
        let do_not_contact_at = stored.do_not_contact_at.filter(|_| !granted.is_empty());
        let is_corrected = stored.submitted_mailbox_hash() != stored.mailbox_hash;
        let mailbox_hash =
            Some(stored.mailbox_hash.clone()).filter(|_| is_corrected && !granted.is_empty());
        Ok(Claimed {
            answers,
            earlier,
            same_number,
            number_withdrawn_at,
            do_not_contact_at,
            mailbox_hash,
            recorded,
        })
    }

    /// Cancels unclaimed deliveries to recipients that the claim does not name, because they would keep the lead open
    /// forever. Claims for requested emails cancel nothing.
    fn cancel_unnamed(&self, deliveries: &mut Deliveries<'_>) {
        if self
            .recipients
            .iter()
            .any(|recipient| is_requested(recipient))
        {
            return;
        }
        let is_unnamed =
            |row: &&delivery::Model| !row.requested && !self.recipients.contains(&row.recipient);
        // Includes deferred deliveries that are not due yet.
        let is_unclaimed =
            |row: &&delivery::Model| row.state == State::Deferred || row.is_due(deliveries.now);
        let unnamed: Vec<_> = deliveries
            .rows()
            .filter(is_unnamed)
            .filter(is_unclaimed)
            .cloned()
            .collect();
        for row in unnamed {
            deliveries.cancel(row, UNROUTED, "recipient no longer in the routes");
        }
    }

    async fn answer(
        &self,
        deliveries: &mut Deliveries<'_>,
        lead: &lead::Model,
        row: &delivery::Model,
    ) -> Result<Answer> {
        let waits = row.until.is_some_and(|until| until > deliveries.now);
        match row.state {
            State::Delivered => return Ok(Answer::Delivered),
            State::Failed => return Ok(Answer::Failed),
            State::Cancelled if row.reason_class != UNROUTED => return Ok(Answer::Cancelled),
            State::Claimed if waits && row.holder != self.holder => return Ok(Answer::Claimed),
            State::Deferred if waits => return Ok(Answer::Deferred),
            State::Pending | State::Claimed | State::Deferred | State::Cancelled => {}
        }
        // The sales team already has the lead, and emails the visitor only if the person who entered it requested that.
        let has_delivery = deliveries.find(lead.id, &row.recipient).is_some();
        if lead.source == Source::Desk.into_str()
            && (is_address(&row.recipient) || row.recipient == VISITOR && !has_delivery)
        {
            deliveries.cancel(
                row.clone(),
                "entered",
                "the sales team entered the lead by hand",
            );
            return Ok(Answer::Cancelled);
        }
        if row.recipient == BROCHURE && !brochure::can_still_send(deliveries.tx, lead).await? {
            return Ok(Answer::Cancelled);
        }
        if is_visitor(&row.recipient)
            && let Some(limited) = visitor::apply_limits(deliveries, self, lead, row).await?
        {
            return Ok(limited);
        }
        Ok(Answer::Granted {
            attempt: row.attempts.unsigned_abs().saturating_add(1),
        })
    }
}
