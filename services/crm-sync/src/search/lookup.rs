//! Reads leads by id and reference.

use std::collections::HashMap;

use ::lead::{Reference, field::timestamp};
use contracts::crm::v1::{
    self as crm,
    timeline_entry::{self as entry, Event},
};
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr};
use uuid::Uuid;

use super::condition::is_kept;
use crate::{
    db::{Store, error::StoreError, with_timeout},
    deliveries::delivery::{self, State},
    leads::{conflict, lead, stored::StoredLead, timeline},
};

impl Store {
    /// A lead or canary by its id, unless it was erased.
    pub async fn lead(&self, id: Uuid) -> Result<Option<StoredLead>, StoreError> {
        let is_there = is_kept().or(lead::is_canary());
        let row = with_timeout(lead::Entity::find_by_id(id).filter(is_there).one(&self.reader)).await?;
        Ok(self.with_deliveries(row.into_iter().collect()).await?.pop())
    }

    /// Leads with their timelines and conflicts.
    pub async fn with_history(&self, leads: Vec<StoredLead>) -> Result<Vec<crm::Lead>, StoreError> {
        let ids: Vec<Uuid> = leads.iter().map(|lead| lead.submission.id).collect();
        let select = timeline::Entity::find()
            .filter(timeline::Column::LeadId.is_in(ids.iter().copied()))
            .order_by_asc(timeline::Column::At)
            .order_by_asc(timeline::Column::Number);
        let mut timelines: HashMap<Uuid, Vec<crm::TimelineEntry>> = HashMap::new();
        for row in with_timeout(select.all(&self.reader)).await? {
            timelines.entry(row.lead_id).or_default().push(row.into());
        }
        let mut conflicts: HashMap<Uuid, Vec<_>> = HashMap::new();
        for row in with_timeout(conflict::of_leads(&self.reader, &ids)).await? {
            conflicts.entry(row.id).or_default().push(row.into_submission()?.into());
        }
        let with_history = |lead: StoredLead| {
            let id = lead.submission.id;
            let timeline = timeline_of(&lead, timelines.remove(&id).unwrap_or_default());
            let conflicts = conflicts.remove(&id).unwrap_or_default();
            crm::Lead { timeline, conflicts, ..lead.into() }
        };
        Ok(leads.into_iter().map(with_history).collect())
    }

    /// The leads of a reference, erased ones excepted; at most `limit`. More than one is a rare coincidence.
    pub async fn leads_called(
        &self,
        reference: &Reference,
        limit: u64,
    ) -> Result<Vec<StoredLead>, StoreError> {
        let select = lead::Entity::find()
            .filter(lead::Column::Reference.eq(reference.as_str()))
            .filter(is_kept())
            .order_by_asc(lead::Column::Id)
            .limit(limit);
        let rows = with_timeout(select.all(&self.reader)).await?;
        self.with_deliveries(rows).await
    }

    pub async fn is_erased(&self, id: Uuid) -> Result<bool, StoreError> {
        self.has_erased(lead::Column::Id.eq(id)).await
    }

    pub async fn is_erased_called(&self, reference: &Reference) -> Result<bool, StoreError> {
        self.has_erased(lead::Column::Reference.eq(reference.as_str())).await
    }

    async fn has_erased(&self, which: Expr) -> Result<bool, StoreError> {
        let select = lead::Entity::find()
            .select_only()
            .column(lead::Column::Id)
            .filter(which)
            .filter(lead::Column::ErasedAt.is_not_null())
            .into_tuple::<Uuid>();
        Ok(with_timeout(select.one(&self.reader)).await?.is_some())
    }

    /// The leads of `ids`, except erased ones, oldest submission first.
    pub async fn leads(&self, ids: Vec<Uuid>) -> Result<Vec<StoredLead>, StoreError> {
        let select = lead::Entity::find()
            .filter(lead::Column::Id.is_in(ids))
            .filter(is_kept())
            .order_by_asc(lead::Column::SubmittedAt)
            .order_by_asc(lead::Column::Id);
        let rows = with_timeout(select.all(&self.reader)).await?;
        self.with_deliveries(rows).await
    }

    pub(crate) async fn with_deliveries(
        &self,
        rows: Vec<lead::Model>,
    ) -> Result<Vec<StoredLead>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let select = delivery::Entity::find()
            .filter(delivery::Column::LeadId.is_in(rows.iter().map(|row| row.id)))
            .filter(delivery::Column::State.eq(State::Delivered))
            .order_by_asc(delivery::Column::DeliveredAt)
            .order_by_asc(delivery::Column::Recipient);
        let mut delivered: HashMap<Uuid, Vec<crm::Delivery>> = HashMap::new();
        for row in with_timeout(select.all(&self.reader)).await? {
            delivered.entry(row.lead_id).or_default().push(row.into_message());
        }
        rows.into_iter()
            .map(|row| {
                let delivered = delivered.remove(&row.id).unwrap_or_default();
                row.into_lead(delivered)
            })
            .collect()
    }
}

/// All events of a lead in their order, `stored` being those of no other table.
fn timeline_of(lead: &StoredLead, stored: Vec<crm::TimelineEntry>) -> Vec<crm::TimelineEntry> {
    let of_lead = |at, event| crm::TimelineEntry {
        at: Some(timestamp(at)),
        recipient: String::new(),
        event: Some(event),
    };
    let source = crm::Source::from(lead.source).into();
    let mut timeline = vec![
        of_lead(lead.submission.submitted_at, Event::Submitted(entry::Submitted {})),
        of_lead(lead.recorded_at, Event::Recorded(entry::Recorded { source })),
    ];
    timeline.extend(stored);
    timeline.extend(lead.deliveries.iter().map(|delivery| crm::TimelineEntry {
        at: delivery.delivered_at,
        recipient: delivery.recipient.clone(),
        event: Some(Event::Delivered(entry::Delivered { server_reply: delivery.server_reply.clone() })),
    }));
    // Stable: entries of the same moment stay in the order above.
    timeline.sort_by_key(|entry| entry.at.map(|at| (at.seconds, at.nanos)));
    timeline
}
