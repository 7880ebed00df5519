//! Records the outcomes of deliveries.

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1 as crm,
    leads::v1::{DeliveryReport, LeadDelivered},
};
use lead::{Lead, Outcome, Recipient, field::uuid};
use runtime::crash;
use sea_orm::prelude::Uuid;

use super::{
    brochure,
    ledger::{Ledger, ReportPath, Reported},
    parse::{parse_holder, parse_recipient, parse_recipients},
    row::{self, Leases},
};
use crate::{
    db::{Result, Store, transaction::Transaction},
    error::Invalid,
    leads::{
        lock::{Locked, lock_leads},
        record::{Recorded, parse_lead, record, with_keys},
        source::Source,
    },
};

#[derive(Clone)]
pub struct Reports {
    pub lead_id: Uuid,
    pub holder: String,
    pub reports: Vec<Report>,
    /// The lead, stored if missing. Present only in events.
    pub lead: Option<Lead>,
    /// All recipients of the lead. Present only in events.
    pub recipients: Vec<Recipient>,
}

#[derive(Clone)]
pub struct Report {
    pub recipient: Recipient,
    pub outcome: Outcome,
}

impl Reports {
    pub(crate) fn parse(request: crm::ReportDeliveriesRequest) -> Result<Self, Invalid> {
        Ok(Self {
            lead_id: uuid("lead_id", &request.lead_id)?,
            holder: parse_holder(&request.holder)?,
            reports: parse_reports(request.reports)?,
            lead: None,
            recipients: Vec::new(),
        })
    }

    /// Parses the event that notifier publishes while crm-sync is unavailable.
    pub(crate) fn parse_event(event: LeadDelivered, now: DateTime<Utc>) -> Result<Self, Invalid> {
        let lead = parse_lead(event.lead, now)?;
        Ok(Self {
            lead_id: lead.id,
            holder: parse_holder(&event.holder)?,
            reports: parse_reports(event.reports)?,
            lead: Some(lead),
            recipients: parse_recipients(&event.recipients)?,
        })
    }

    async fn apply(&self, tx: &Transaction, locked: &Locked) -> Result<()> {
        let mut ledger = row::load(tx, &[self.lead_id]).await?;
        let is_erased = locked.is_erased(self.lead_id);
        if !is_erased {
            self.add_missing(&mut ledger);
        }
        let path = match self.lead {
            Some(_) => ReportPath::Event,
            None => ReportPath::Call,
        };
        for Report { recipient, outcome } in &self.reports {
            let reported = ledger.report(self.lead_id, recipient, &self.holder, outcome, path);
            if reported == Reported::Recorded
                && *recipient == Recipient::Brochure
                && matches!(outcome, Outcome::Delivered(_))
            {
                brochure::set_flag(tx, &[self.lead_id], true).await?;
            }
        }
        let lead = locked.row(self.lead_id).filter(|_| !is_erased);
        row::save(tx, &ledger, lead, self.end_of_leases()).await
    }

    /// Adds the deliveries that only the notifier has.
    fn add_missing(&self, ledger: &mut Ledger) {
        let delivered = self
            .reports
            .iter()
            .filter(|report| matches!(report.outcome, Outcome::Delivered(_)))
            .map(|report| &report.recipient);
        for recipient in delivered.chain(&self.recipients) {
            ledger.add_pending(self.lead_id, recipient);
        }
    }

    /// A report ends the lease, so other due deliveries of the lead do not wait for its expiry. A notice to a webhook has no
    /// lease.
    fn end_of_leases(&self) -> Leases {
        let is_leased = |report: &Report| report.recipient.notified_webhook().is_none();
        if self.reports.iter().any(is_leased) {
            Leases::End
        } else {
            Leases::Continue
        }
    }
}

fn parse_reports(messages: Vec<DeliveryReport>) -> Result<Vec<Report>, Invalid> {
    let parse = |message: DeliveryReport| {
        let recipient = parse_recipient("reports.recipient", &message.recipient)?;
        let outcome = Outcome::from_report(message)?;
        Ok(Report { recipient, outcome })
    };
    messages.into_iter().map(parse).collect()
}

impl Store {
    /// Records all reports or none; for an erased lead, only reports of erasure notices. Repeated reports count once.
    pub async fn report(&self, reports: &Reports) -> Result<Recorded> {
        self.write("report deliveries", |tx| async move {
            let lead = reports.lead.as_slice();
            let recorded = record(&tx, Source::Broker, &with_keys(lead)).await?;
            let locked = lock_leads(&tx, &[reports.lead_id]).await?;
            reports.apply(&tx, &locked).await?;
            if !lead.is_empty() {
                crash::point("crm-sync-before-commit");
            }
            Ok(recorded)
        })
        .await
    }
}
