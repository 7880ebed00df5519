//! Reads leads by id and reference, as clients get them.

use std::collections::HashMap;

use ::lead::{Reference, field::timestamp};
use contracts::crm::v1 as crm;

use super::filter::is_kept;
use crate::{
    db::prelude::*,
    deliveries::delivery::State,
    leads::{conflict, record::Source, related},
};

/// What a client gets of leads besides their own columns and delivered emails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Timeline and conflicts.
    History,
    /// References of other people's leads with the same number.
    SameNumber,
}

impl Store {
    /// A lead or canary by its id with everything about it.
    ///
    /// # Errors
    /// [`StoreError::NoSuchLead`], [`StoreError::Erased`]; others when the database fails.
    pub async fn lead(&self, id: Uuid) -> Result<crm::Lead> {
        let row = with_timeout(lead::Entity::find_by_id(id).one(&self.reader)).await?;
        let row = row.ok_or(StoreError::NoSuchLead(id))?;
        if row.is_erased() {
            return Err(StoreError::Erased(id));
        }
        let mut related = Vec::new();
        if let Some(contact) = row.contact_id {
            let others = lead::Column::Id.ne(id);
            let newest = related::find_by_contact(&self.reader, contact, others, Order::Desc);
            related = with_timeout(newest).await?;
        }
        let lead = self.show(vec![row], &[Part::History, Part::SameNumber]).await?.remove(0);
        Ok(crm::Lead { related, ..lead })
    }

    /// The leads of a reference, at most `limit`, and when they were erased. More than one is a rare coincidence.
    pub async fn find_by_reference(
        &self,
        reference: &Reference,
        limit: u64,
    ) -> Result<Vec<(Uuid, Option<DateTimeUtc>)>> {
        let select = lead::select_ids()
            .column(lead::Column::ErasedAt)
            .filter(lead::Column::Reference.eq(reference.as_str()))
            .order_by_asc(lead::Column::Id)
            .limit(limit);
        with_timeout(select.into_tuple().all(&self.reader)).await
    }

    /// The leads of `ids` with their history, except erased ones, oldest submission first.
    pub async fn leads(&self, ids: Vec<Uuid>) -> Result<Vec<crm::Lead>> {
        let select = lead::Entity::find()
            .filter(lead::Column::Id.is_in(ids))
            .filter(is_kept())
            .order_by_asc(lead::Column::SubmittedAt)
            .order_by_asc(lead::Column::Id);
        let rows = with_timeout(select.all(&self.reader)).await?;
        self.show(rows, &[Part::History]).await
    }

    /// Adds to rows what other tables have of their leads.
    pub(crate) async fn show(&self, rows: Vec<lead::Model>, parts: &[Part]) -> Result<Vec<crm::Lead>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        with_timeout(async {
            let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
            let delivered = delivery::find_by_leads(ids.iter().copied())
                .filter(delivery::Column::State.eq(State::Delivered))
                .order_by_asc(delivery::Column::DeliveredAt)
                .order_by_asc(delivery::Column::Recipient)
                .all(&self.reader);
            let delivered = delivered.await?.into_iter();
            let mut delivered = group_by_lead(delivered.map(|row| (row.lead_id, row.into_message())));
            let (mut timelines, mut conflicts) = (HashMap::new(), HashMap::new());
            if parts.contains(&Part::History) {
                timelines = group_by_lead(timeline::find_by_leads(&self.reader, &ids).await?.into_iter());
                let others = conflict::find_by_leads(&self.reader, &ids).await?.into_iter();
                conflicts = group_by_lead(others.map(|lead| (lead.id, lead.into())));
            }
            let mut same_number = vec![Vec::new(); rows.len()];
            if parts.contains(&Part::SameNumber) {
                same_number = related::same_number(&self.reader, &rows).await?;
            }
            let show = |(row, same_number): (lead::Model, Vec<String>)| {
                let deliveries = delivered.remove(&row.id).unwrap_or_default();
                let conflicts = conflicts.remove(&row.id).unwrap_or_default();
                let timeline = if parts.contains(&Part::History) {
                    let stored = timelines.remove(&row.id).unwrap_or_default();
                    timeline_of(&row, stored, &deliveries)?
                } else {
                    Vec::new()
                };
                Ok(crm::Lead { deliveries, timeline, conflicts, same_number, ..row.into_message()? })
            };
            rows.into_iter().zip(same_number).map(show).collect::<Result<_>>()
        })
        .await
    }
}

fn group_by_lead<T>(items: impl Iterator<Item = (Uuid, T)>) -> HashMap<Uuid, Vec<T>> {
    let mut groups: HashMap<Uuid, Vec<T>> = HashMap::new();
    for (lead, item) in items {
        groups.entry(lead).or_default().push(item);
    }
    groups
}

/// All events of a lead in their order, `stored` being those of no other table.
fn timeline_of(
    lead: &lead::Model,
    stored: Vec<crm::TimelineEntry>,
    deliveries: &[crm::Delivery],
) -> Result<Vec<crm::TimelineEntry>> {
    let of_lead = |at, event| crm::TimelineEntry {
        at: Some(timestamp(at)),
        recipient: String::new(),
        event: Some(event),
    };
    let source = lead::parse::<Source>("lead.source", &lead.source)?;
    let mut timeline =
        vec![of_lead(lead.recorded_at, Event::Recorded(entry::Recorded { source: source as i32 }))];
    if source != Source::Desk {
        timeline.insert(0, of_lead(lead.submitted_at, Event::Submitted(entry::Submitted {})));
    }
    timeline.extend(stored);
    timeline.extend(deliveries.iter().map(|delivery| crm::TimelineEntry {
        at: delivery.delivered_at,
        recipient: delivery.recipient.clone(),
        event: Some(Event::Delivered(entry::Delivered { server_reply: delivery.server_reply.clone() })),
    }));
    // Stable: entries of the same moment stay in the order above.
    timeline.sort_by_key(|entry| entry.at.map(|at| (at.seconds, at.nanos)));
    Ok(timeline)
}
