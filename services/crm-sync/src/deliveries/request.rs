//! Requests emails outside the routes: about a lead to one person, and about a withdrawal to the sales team.

use super::delivery::{Deliveries, is_address};
use crate::{db::prelude::*, leads::lock::lock};

/// Repeated requests within this time send one email.
const ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

impl Store {
    /// Requests an email to `person` and audits the request under `author`. `kind` is the prefix of the recipient.
    pub(crate) async fn request_email(
        &self,
        lead_id: Uuid,
        kind: &str,
        person: &str,
        author: &str,
    ) -> Result<()> {
        self.write("request email", |tx| async move {
            let locked = lock(&tx, &[lead_id]).await?;
            email_person(&tx, locked.lead(lead_id)?, kind, person).await?;
            audit(&tx.db, author, "mail", 1, Some(lead_id)).await
        })
        .await
    }
}

/// Adds a delivery to `person`. `kind` is the prefix of the recipient. The transaction must have locked the lead.
pub(crate) async fn email_person(
    tx: &Transaction,
    lead: &lead::Model,
    kind: &str,
    person: &str,
) -> Result<()> {
    let mut deliveries = Deliveries::load(tx, [lead.id]).await?;
    let prefix = format!("{kind}{person}#");
    let before: Vec<_> = deliveries.rows().filter(|row| row.recipient.starts_with(&prefix)).collect();
    if before.iter().any(|row| row.changed_at > deliveries.now - ONCE_WITHIN) {
        return Ok(());
    }
    let recipient = format!("{prefix}{}", before.len() + 1);
    deliveries.set(delivery::Model::due(lead.id, &recipient, deliveries.now), None);
    deliveries.save([lead], true).await
}

/// Adds emails to the lead's owner. Without an owner, adds emails to the sales addresses among the lead's recipients.
pub(crate) async fn email_sales(tx: &Transaction, lead: &lead::Model, subject: &str) -> Result<()> {
    let mut deliveries = Deliveries::load(tx, [lead.id]).await?;
    let mut recipients = vec![lead.owner.clone()];
    if lead.owner.is_empty() {
        let addresses = deliveries.rows().map(|row| row.recipient.clone());
        recipients = addresses.filter(|recipient| is_address(recipient)).collect();
    }
    for recipient in recipients.iter().map(|recipient| format!("{subject}{recipient}")) {
        if deliveries.find(lead.id, &recipient).is_none() {
            deliveries.set(delivery::Model::due(lead.id, &recipient, deliveries.now), None);
        }
    }
    deliveries.save([lead], true).await
}
