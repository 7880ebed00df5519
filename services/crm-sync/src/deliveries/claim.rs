//! Claims a lead's deliveries for one holder.

use std::{slice, time::Duration};

use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;
use lead::{
    EmailKey, FieldError, Lead, NoticeKind, Recipient,
    field::{positive_duration, timestamp},
};

use super::{
    brochure,
    ledger::{ClaimResult, ClaimTerms, Ledger, Obstacle, reason},
    limits::{self, VisitorLimits},
    parse::{parse_holder, parse_recipients},
    reminder,
    row::{self, Leases},
};
use crate::{
    db::{Result, Store, error::StoreError, transaction::Transaction},
    error::Invalid,
    leads::{
        conflict, do_not_contact, late_consent,
        lock::{Locked, lock_leads, lock_stored_leads},
        record::{Recorded, parse_lead, record, with_keys},
        related::{self, Others},
        row as lead_row,
        source::Source,
    },
};

#[derive(Clone)]
pub struct Claim {
    /// Stored by the claim if missing.
    pub submission: Lead,
    pub recipients: Vec<Recipient>,
    pub holder: String,
    /// Lifetime of the claim.
    pub lease: Duration,
    /// Maximum emails to the visitor's mailbox within 24 hours.
    pub visitor_daily_limit: u32,
    /// Maximum emails to all visitors within an hour; 0 means no limit.
    pub visitors_hourly_limit: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// One per recipient, in the claim's order.
    pub results: Vec<ClaimResult>,
    pub recorded: Recorded,
    pub context: EmailContext,
}

/// What the emails of granted deliveries say about the lead and its visitor. Empty unless a delivery was granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmailContext {
    /// Leads of the same mailbox submitted before this one, oldest first, at most 50. Only for the sales team.
    pub earlier: Vec<crm::RelatedLead>,
    /// References of other mailboxes' leads with the same phone number. Only for the sales team.
    pub same_number: Vec<String>,
    /// When the visitor of another mailbox with the same phone number withdrew consent. Only for the sales team.
    pub number_withdrawn_at: Option<DateTime<Utc>>,
    /// The time when the person was marked as not to be contacted.
    pub do_not_contact_at: Option<DateTime<Utc>>,
    /// The mailbox of a corrected address, for links in emails to it.
    pub mailbox_hash: Option<String>,
    /// Consents after the form, oldest first. Only for the emails about them.
    pub later_consents: Vec<crm::LaterConsent>,
}

impl Claimed {
    pub(crate) fn into_message(self, recipients: Vec<Recipient>) -> crm::ClaimDeliveriesResponse {
        let claims = recipients
            .into_iter()
            .zip(self.results)
            .map(|(recipient, result)| to_message(&recipient, result))
            .collect();
        let context = self.context;
        crm::ClaimDeliveriesResponse {
            claims,
            earlier: context.earlier,
            same_number: context.same_number,
            number_withdrawn_at: context.number_withdrawn_at.map(timestamp),
            do_not_contact_at: context.do_not_contact_at.map(timestamp),
            mailbox_hash: context.mailbox_hash.unwrap_or_default(),
            later_consents: context.later_consents,
        }
    }
}

fn to_message(recipient: &Recipient, result: ClaimResult) -> crm::DeliveryClaim {
    let mut attempt = 0;
    let answer = match result {
        ClaimResult::Granted { attempt: granted } => {
            attempt = granted;
            crm::ClaimAnswer::Granted
        }
        ClaimResult::Delivered => crm::ClaimAnswer::Delivered,
        ClaimResult::Claimed => crm::ClaimAnswer::Claimed,
        ClaimResult::Deferred | ClaimResult::HourlyLimit => crm::ClaimAnswer::Deferred,
        ClaimResult::Failed => crm::ClaimAnswer::Failed,
        ClaimResult::Cancelled => crm::ClaimAnswer::Cancelled,
        ClaimResult::Erased => crm::ClaimAnswer::Erased,
    };
    crm::DeliveryClaim {
        recipient: recipient.to_string(),
        answer: answer.into(),
        attempt,
    }
}

impl Store {
    /// Claims deliveries and stores the lead if it is missing.
    pub async fn claim(&self, claim: &Claim) -> Result<Claimed> {
        self.write(
            "claim deliveries",
            |tx| async move { claim.apply(&tx).await },
        )
        .await
    }
}

impl Claim {
    pub(crate) fn parse(
        request: crm::ClaimDeliveriesRequest,
        now: DateTime<Utc>,
    ) -> Result<Self, Invalid> {
        let recipients = parse_recipients(&request.recipients)?;
        if recipients.is_empty() {
            return Err(FieldError::Empty("recipients").into());
        }
        let visitor_daily_limit = request.visitor_daily_limit;
        if visitor_daily_limit == 0 && recipients.iter().any(Recipient::is_visitor) {
            return Err(Invalid::NoVisitorLimit);
        }
        Ok(Self {
            submission: parse_lead(request.lead, now)?,
            recipients,
            holder: parse_holder(&request.holder)?,
            lease: positive_duration("lease", request.lease)?,
            visitor_daily_limit,
            visitors_hourly_limit: request.visitors_hourly_limit,
        })
    }

    async fn apply(&self, tx: &Transaction) -> Result<Claimed> {
        if self.recipients.iter().any(Recipient::is_visitor) {
            // Concurrent claims for one mailbox would not count each other's emails.
            let mailbox = EmailKey::new(&self.submission.email).mailbox();
            tx.advisory_lock(&mailbox).await?;
        }
        let (locked, recorded) = self.lock_lead(tx).await?;
        if locked.is_erased(self.submission.id) {
            return Ok(Claimed {
                results: vec![ClaimResult::Erased; self.recipients.len()],
                recorded,
                context: EmailContext::default(),
            });
        }
        let stored = locked
            .row(self.submission.id)
            .ok_or_else(|| StoreError::Failed("recorded lead not found".to_owned()))?;
        let mut ledger = row::load(tx, &[stored.id]).await?;
        let results = self.claim_deliveries(tx, stored, &mut ledger).await?;
        row::save(tx, &ledger, [stored], end_of_leases(&results)).await?;
        let context = self.find_context(tx, stored, &results).await?;
        Ok(Claimed {
            results,
            recorded,
            context,
        })
    }

    /// Locks the lead. Records it if it is missing, and a conflict if it is stored with other values.
    async fn lock_lead(&self, tx: &Transaction) -> Result<(Locked, Recorded)> {
        let lead_id = self.submission.id;
        let locked = lock_stored_leads(tx, &[lead_id]).await?;
        match locked.row(lead_id) {
            // The usual case, because the lead's message normally arrives before the claim.
            Some(row) if row.has_same_form(&self.submission)? => Ok((locked, Recorded::default())),
            Some(_) => {
                let conflicts =
                    conflict::insert_new(tx, Source::Claim, &[&self.submission]).await?;
                let recorded = Recorded {
                    created: 0,
                    conflicts,
                };
                Ok((locked, recorded))
            }
            None => {
                let leads = with_keys(slice::from_ref(&self.submission));
                let recorded = record(tx, Source::Claim, &leads).await?;
                Ok((lock_leads(tx, &[lead_id]).await?, recorded))
            }
        }
    }

    /// Claims each delivery, and cancels those to recipients that the claim does not name. Claims for requested emails
    /// cancel nothing.
    async fn claim_deliveries(
        &self,
        tx: &Transaction,
        stored: &lead_row::Model,
        ledger: &mut Ledger,
    ) -> Result<Vec<ClaimResult>> {
        if self.recipients.iter().all(is_of_routes) {
            ledger.cancel_unrouted(stored.id, &self.recipients);
        }
        let terms = ClaimTerms {
            holder: &self.holder,
            lease: self.lease,
        };
        let mut results = Vec::with_capacity(self.recipients.len());
        for recipient in &self.recipients {
            let obstacle = match ledger.find_refusal(stored.id, recipient, &self.holder) {
                Some(_) => None,
                None => self.find_obstacle(tx, stored, ledger, recipient).await?,
            };
            if matches!(obstacle, Some(Obstacle::DeleteRequest(_))) {
                brochure::update_flag(tx, stored).await?;
            }
            let result = ledger.claim(stored.id, recipient, terms, obstacle);
            results.push(result);
        }
        if !stored.has_current_values(&self.submission) {
            // The holder posts the values of its copy of the lead, which was corrected meanwhile.
            for (recipient, result) in self.recipients.iter().zip(&results) {
                if let Recipient::Webhook(name) = recipient
                    && is_granted(result)
                {
                    ledger.notify_of_update(stored.id, name);
                }
            }
        }
        Ok(results)
    }

    /// Why a due delivery must not be sent now.
    async fn find_obstacle(
        &self,
        tx: &Transaction,
        stored: &lead_row::Model,
        ledger: &Ledger,
        recipient: &Recipient,
    ) -> Result<Option<Obstacle>> {
        // The sales team already has a lead that it entered, and emails the visitor only if the person who entered the lead
        // requested that.
        let is_entered = stored.source == Source::Desk.into_str();
        let is_unrequested =
            *recipient == Recipient::Visitor && ledger.find(stored.id, recipient).is_none();
        if is_entered && (matches!(recipient, Recipient::Sales(_)) || is_unrequested) {
            let reason = reason("entered", "the sales team entered the lead by hand");
            return Ok(Some(Obstacle::Cancel(reason)));
        }
        if *recipient == Recipient::Brochure && !brochure::is_allowed(tx, stored).await? {
            let reason = reason(limits::CLASS, "the visitor may not be sent the brochure");
            return Ok(Some(Obstacle::DeleteRequest(reason)));
        }
        if let Recipient::Reminder(to) = recipient {
            return Ok(reminder::find_obstacle(stored, to));
        }
        if recipient.is_visitor() {
            let limits = VisitorLimits {
                daily: self.visitor_daily_limit,
                hourly: self.visitors_hourly_limit,
            };
            return limits::find_obstacle(tx, &self.submission, stored, recipient, limits).await;
        }
        Ok(None)
    }

    /// Loads what the emails of the granted deliveries say.
    async fn find_context(
        &self,
        tx: &Transaction,
        stored: &lead_row::Model,
        results: &[ClaimResult],
    ) -> Result<EmailContext> {
        if !results.iter().any(is_granted) {
            return Ok(EmailContext::default());
        }
        let is_corrected = stored.submitted_mailbox_hash() != stored.mailbox_hash;
        let mut context = EmailContext {
            do_not_contact_at: stored.do_not_contact_at,
            mailbox_hash: is_corrected.then(|| stored.mailbox_hash.clone()),
            ..EmailContext::default()
        };
        let has_granted = |is_meant: fn(&Recipient) -> bool| {
            let mut claims = self.recipients.iter().zip(results);
            claims.any(|(recipient, result)| is_granted(result) && is_meant(recipient))
        };
        if has_granted(is_about_consent) {
            context.later_consents = late_consent::find_by_lead(tx, stored.id).await?;
        }
        let is_for_sales = has_granted(|recipient| !recipient.is_visitor());
        // Canaries have no contact.
        if is_for_sales && stored.contact_id.is_some() {
            let stored_slice = slice::from_ref(stored);
            context.earlier = related::find_earlier_of_mailbox(&tx.db, stored).await?;
            context.number_withdrawn_at =
                do_not_contact::find_number_withdrawals(&tx.db, &tx.suppression, stored_slice)
                    .await?
                    .into_iter()
                    .flatten()
                    .next();
            context.same_number = related::same_number(&tx.db, stored_slice, Others::Mailboxes)
                .await?
                .concat();
        }
        Ok(context)
    }
}

/// Whether the routes name the recipient, as far as this version knows.
fn is_of_routes(recipient: &Recipient) -> bool {
    !recipient.is_requested() && !matches!(recipient, Recipient::Unknown(_))
}

fn is_about_consent(recipient: &Recipient) -> bool {
    matches!(
        recipient,
        Recipient::SalesNotice {
            kind: NoticeKind::Consent,
            ..
        }
    )
}

fn is_granted(result: &ClaimResult) -> bool {
    matches!(result, ClaimResult::Granted { .. })
}

/// A claim ends the lease if it defers a delivery and grants none: the holder then sends no report that would end the lease.
fn end_of_leases(results: &[ClaimResult]) -> Leases {
    let is_deferred =
        |result: &ClaimResult| matches!(result, ClaimResult::Deferred | ClaimResult::HourlyLimit);
    if results.iter().any(is_deferred) && !results.iter().any(is_granted) {
        Leases::End
    } else {
        Leases::Continue
    }
}
