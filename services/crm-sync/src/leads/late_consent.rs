//! Records that a visitor agreed to calls or messages after they had sent the form, on the page after it or by the link in an
//! email.

use contracts::{crm::v1 as crm, leads::v1::LeadConsented};
use lead::{
    Channel, FieldError, NoticeKind,
    field::{optional_text, required_time, uuid},
};
use sea_orm::{
    Set,
    prelude::{DateTimeUtc, Uuid},
};
use serde_json::json;

use super::{do_not_contact, lock::lock_leads, record::CLOCK_SKEW};
use crate::{
    db::{
        Result, Store,
        error::StoreError,
        suppression_key::HASH_LENGTH,
        transaction::{Purpose, Transaction},
    },
    deliveries::request,
    error::Invalid,
    leads::{
        row,
        timeline::{self, Event, entry},
    },
};

const WORDING_LENGTH: usize = 255;
const VERSION_LENGTH: usize = 20;

/// A visitor's consent to more channels.
pub(crate) struct LateConsent {
    pub(crate) lead_id: Uuid,
    channels: Vec<Channel>,
    privacy_policy_version: String,
    /// The words that the visitor agreed to.
    wording: String,
    /// The mailbox that received the link. `None`: the mailbox of the submitted address.
    mailbox_hash: Option<String>,
}

impl LateConsent {
    pub(crate) fn parse(message: Option<LeadConsented>, now: DateTimeUtc) -> Result<Self, Invalid> {
        let message = message.ok_or(FieldError::Missing("consent"))?;
        let consented_at = required_time("consented_at", message.consented_at)?;
        if consented_at > now + CLOCK_SKEW {
            return Err(FieldError::InFuture("consented_at").into());
        }
        let version = &message.privacy_policy_version;
        Ok(Self {
            lead_id: uuid("lead_id", &message.lead_id)?,
            channels: Channel::known_from_contract(&message.channels),
            privacy_policy_version: optional_text(
                "privacy_policy_version",
                version,
                VERSION_LENGTH,
            )?,
            wording: optional_text("wording", &message.wording, WORDING_LENGTH)?,
            mailbox_hash: Some(optional_text(
                "mailbox_hash",
                &message.mailbox_hash,
                HASH_LENGTH,
            )?)
            .filter(|hash| !hash.is_empty()),
        })
    }

    /// Changes nothing if the visitor may not be contacted, or if the link went to another mailbox than the lead's.
    async fn apply(&self, tx: &Transaction) -> Result<()> {
        let locked = lock_leads(tx, &[self.lead_id]).await?;
        let lead = locked
            .row(self.lead_id)
            .ok_or(StoreError::NoSuchLead(self.lead_id))?;
        if !self.counts_for(lead) || do_not_contact::has_withdrawn(tx, &lead.mailbox_hash).await? {
            return Ok(());
        }
        let before = row::channels(&lead.channels);
        let is_agreed =
            |channel: &Channel| before.contains(channel) || self.channels.contains(channel);
        let after: Vec<Channel> = Channel::ALL.iter().copied().filter(is_agreed).collect();
        if after == before {
            return Ok(());
        }
        let ids = [self.lead_id];
        let columns = row::ActiveModel {
            channels: Set(json!(after).to_string()),
            contact_changed_at: Set(Some(tx.time_after_locks().await?)),
            ..Default::default()
        };
        row::update(tx, &ids, columns).await?;
        let consented = Event::Consented(entry::Consented {
            channels: self
                .channels
                .iter()
                .map(|it| Channel::number(*it))
                .collect(),
            privacy_policy_version: self.privacy_policy_version.clone(),
            wording: self.wording.clone(),
        });
        timeline::add(tx, &ids, &consented).await?;
        request::notify_of_updates(tx, &ids).await?;
        request::notify_sales(tx, &[lead], self.lead_id, NoticeKind::Consent).await
    }

    /// Also false for canaries.
    fn counts_for(&self, lead: &row::Model) -> bool {
        let mailbox_hash = self.mailbox_hash.as_deref();
        lead.erased_at.is_none()
            && lead.erasure_requested_at.is_none()
            && lead.do_not_contact_at.is_none()
            && mailbox_hash.unwrap_or(lead.submitted_mailbox_hash()) == lead.mailbox_hash
    }
}

/// The consents of a lead's visitor after the form, oldest first.
pub(crate) async fn find_by_lead(tx: &Transaction, lead: Uuid) -> Result<Vec<crm::LaterConsent>> {
    let entries = timeline::find_by_leads(&tx.db, &[lead]).await?;
    let consents = entries.into_iter().filter_map(|(_, entry)| {
        let Some(Event::Consented(consented)) = entry.event else {
            return None;
        };
        Some(crm::LaterConsent {
            channels: consented.channels,
            recorded_at: entry.at,
        })
    });
    Ok(consents.collect())
}

impl Store {
    /// Adds the channels to the lead, notifies its webhooks and the people who may contact the visitor. Idempotent.
    pub(crate) async fn record_consent(&self, consent: &LateConsent) -> Result<()> {
        let purpose = Purpose::of_person("record consent");
        self.write(purpose, |tx| async move { consent.apply(&tx).await })
            .await
    }
}
