//! Stores a lead that a salesperson enters by hand.

use std::slice;

use contracts::crm::v1::timeline_entry as entry;
use lead::{ConsentMeans, Lead, LeadState, Recipient};

use super::{
    progress::Change,
    record::{Recorded, record, with_keys},
    source::Source,
    timeline::{self, Event},
};
use crate::{
    db::{Result, Store, audit::Call, transaction::Transaction},
    deliveries::{ledger::Delivery, row as delivery_row},
};

/// A lead that a person of the sales team entered by hand.
#[derive(Clone)]
pub struct EnteredLead {
    pub submission: Lead,
    /// How the visitor gave consent. `None`: not recorded.
    pub consent_means: Option<ConsentMeans>,
    /// Whether to email the visitor the confirmation.
    pub confirm: bool,
    /// The name of the person.
    pub person: String,
}

impl Store {
    /// Stores a lead that a person entered by hand. Sets the person as owner and the state to contacted.
    pub async fn enter_lead(&self, entered: &EnteredLead) -> Result<Recorded> {
        let submission = &entered.submission;
        let leads = &with_keys(slice::from_ref(submission));
        let call = Call {
            author: &entered.person,
            action: "enter",
        };
        self.write_audited("enter lead", call, |tx| async move {
            let recorded = record(&tx, Source::Desk, leads).await?;
            if recorded.created > 0 {
                entered.add_details(&tx).await?;
            }
            Ok((recorded, vec![submission.id]))
        })
        .await
    }
}

impl EnteredLead {
    /// Adds the timeline's event, the requested confirmation and the first contact.
    async fn add_details(&self, tx: &Transaction) -> Result<()> {
        let id = self.submission.id;
        let event = Event::Entered(entry::Entered {
            client: self.person.clone(),
            consent_means: ConsentMeans::number(self.consent_means),
        });
        timeline::add(tx, &[id], &event).await?;
        if self.confirm {
            let confirmation = Delivery::pending(&Recipient::Visitor, tx.now().await?);
            let key = (id, Recipient::Visitor);
            delivery_row::insert_missing(tx, [(key, confirmation)]).await?;
        }
        let contacted = Change {
            lead_id: id,
            state: Some(LeadState::Contacted),
            owner: Some(self.person.clone()),
            author: self.person.clone(),
            ..Change::default()
        };
        contacted.apply(tx).await?;
        Ok(())
    }
}
