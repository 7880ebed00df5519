//! Requests deliveries that the routes do not name: emails to one person, and notices to the sales team.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use lead::{NoticeKind, Recipient, RequestKind};
use sea_orm::prelude::Uuid;

use super::{
    brochure,
    row::{self, Leases},
};
use crate::{
    db::{Result, Store, audit::Call, transaction::Transaction},
    leads::{lock::lock_leads, row as lead_row},
};

impl Store {
    /// Requests an email to `person` and audits the request under `author`.
    pub(crate) async fn request_email(
        &self,
        lead_id: Uuid,
        kind: RequestKind,
        person: &str,
        author: &str,
    ) -> Result<()> {
        let call = Call {
            author,
            action: "mail",
        };
        self.write_audited("request email", call, |tx| async move {
            let locked = lock_leads(&tx, &[lead_id]).await?;
            email_person(&tx, locked.lead(lead_id)?, kind, person).await?;
            Ok(((), vec![lead_id]))
        })
        .await
    }
}

/// Requests an email to `person`. The transaction must have locked the lead.
pub(crate) async fn email_person(
    tx: &Transaction,
    lead: &lead_row::Model,
    kind: RequestKind,
    person: &str,
) -> Result<()> {
    let mut ledger = row::load(tx, &[lead.id]).await?;
    ledger.request_email(lead.id, kind, person);
    if ledger.changed().next().is_none() {
        return Ok(());
    }
    row::save(tx, &ledger, [lead], Leases::End).await
}

/// Notifies each person who may contact the visitor of these leads: each lead's owner, or without an owner the sales
/// addresses among the lead's recipients. The transaction must have locked the leads.
pub(crate) async fn notify_sales(
    tx: &Transaction,
    leads: &[&lead_row::Model],
    preferred: Uuid,
    kind: NoticeKind,
) -> Result<()> {
    if leads.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = leads.iter().map(|lead| lead.id).collect();
    let mut ledger = row::load(tx, &ids).await?;
    let with_addresses = leads.iter().map(|lead| {
        let addresses = ledger
            .of_lead(lead.id)
            .filter_map(|(recipient, _)| recipient.sales_address())
            .map(str::to_owned);
        (*lead, addresses.collect())
    });
    for (person, lead_id) in choose_people(with_addresses.collect(), preferred) {
        ledger.notify_sales(lead_id, kind, &person);
    }
    row::save(tx, &ledger, leads.iter().copied(), Leases::End).await
}

/// The people who may contact the visitor of these leads, each with one of their leads: `preferred`, or else the newest.
/// The owner of a lead takes the place of its sales addresses.
fn choose_people(
    mut leads: Vec<(&lead_row::Model, Vec<String>)>,
    preferred: Uuid,
) -> BTreeMap<String, Uuid> {
    leads.sort_by_key(|(lead, _)| Reverse((lead.id == preferred, lead.submitted_at, lead.id)));
    let mut chosen = BTreeMap::new();
    for (lead, addresses) in leads {
        let people = if lead.owner.is_empty() {
            addresses
        } else {
            vec![lead.owner.clone()]
        };
        for person in people {
            chosen.entry(person).or_insert(lead.id);
        }
    }
    chosen
}

/// Makes the undelivered emails to the visitor due, for the corrected address of the lead. The transaction must have locked
/// the lead.
pub(crate) async fn redirect_emails(tx: &Transaction, lead: &lead_row::Model) -> Result<()> {
    let mut ledger = row::load(tx, &[lead.id]).await?;
    ledger.redirect_visitor(lead.id);
    // The previous address may have received the brochure, the corrected address has not.
    let has_brochure = ledger.find(lead.id, &Recipient::Brochure).is_some()
        || brochure::has_flag(tx, &lead.email_key, lead.id).await?;
    brochure::set_flag(tx, &[lead.id], has_brochure).await?;
    row::save(tx, &ledger, [lead], Leases::End).await
}

/// Adds notices of an update for the webhooks to which these leads may have been posted. The transaction must have locked
/// the leads.
pub(crate) async fn notify_of_updates(tx: &Transaction, leads: &[Uuid]) -> Result<()> {
    if leads.is_empty() {
        return Ok(());
    }
    let mut ledger = row::load(tx, leads).await?;
    for lead_id in BTreeSet::from_iter(leads) {
        for webhook in ledger.find_receivers(*lead_id) {
            ledger.notify_of_update(*lead_id, &webhook);
        }
    }
    row::save(tx, &ledger, None, Leases::Continue).await
}

/// Adds notices of an erasure for the webhooks to which these leads may have been posted. Must run before the leads'
/// deliveries are deleted.
pub(crate) async fn notify_of_erasures(tx: &Transaction, leads: &[Uuid]) -> Result<()> {
    let mut ledger = row::load(tx, leads).await?;
    for lead_id in BTreeSet::from_iter(leads) {
        for webhook in ledger.find_receivers(*lead_id) {
            ledger.notify_of_erasure(*lead_id, &webhook);
        }
    }
    row::save(tx, &ledger, None, Leases::Continue).await
}
