//! Reads leads by id, by reference and in pages, as messages for clients.

use std::{collections::HashMap, fmt, str::FromStr};

use contracts::crm::v1 as crm;
use lead::{FieldError, Reference, field::timestamp};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
    prelude::{DateTimeUtc, Expr, Uuid},
    sea_query::ExprTrait,
};

use super::filter::{Filter, is_not_erased};
use crate::{
    db::{Result, Store, error::StoreError, with_timeout},
    deliveries::{DeliveryFilter, row as delivery_row},
    error::Invalid,
    leads::{
        Source, conflict, do_not_contact,
        related::{self, Others},
        row as lead_row,
        timeline::{self, Event, entry},
    },
};

/// Optional parts of a lead, besides its columns and delivered emails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Timeline and conflicts.
    History,
    /// References of other people's leads with the same number, and when one of their visitors withdrew consent.
    SameNumber,
}

const DEFAULT_SIZE: u32 = 50;
const LARGEST_SIZE: u32 = 500;

/// A page of leads, and its last lead as [`Uuid`] or [`NextStepPlace`].
pub struct Page<Place = Uuid> {
    pub leads: Vec<crm::Lead>,
    /// The ids of `leads`.
    pub ids: Vec<Uuid>,
    /// The last lead of the page if more follow. Its row is never deleted, so the next page starts after it even if
    /// leads are recorded or erased in the meantime.
    pub last: Option<Place>,
}

/// The place of a lead in a list in the order of next steps. Contains the time, because the next step of the lead may change
/// before the next page is read. Its text is a page token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextStepPlace {
    next_step_at: DateTimeUtc,
    lead: Uuid,
}

impl fmt::Display for NextStepPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let microseconds = self.next_step_at.timestamp_micros();
        write!(f, "{microseconds}_{}", self.lead)
    }
}

impl FromStr for NextStepPlace {
    type Err = Invalid;

    fn from_str(text: &str) -> std::result::Result<Self, Invalid> {
        let parse = || {
            let (microseconds, lead) = text.split_once('_')?;
            Some(Self {
                next_step_at: DateTimeUtc::from_timestamp_micros(microseconds.parse().ok()?)?,
                lead: lead.parse().ok()?,
            })
        };
        parse().ok_or_else(|| FieldError::UnknownValue("page_token").into())
    }
}

impl Store {
    /// Returns a lead or canary with all parts. An erased lead is [`StoreError::Erased`].
    pub async fn lead(&self, id: Uuid) -> Result<crm::Lead> {
        let stored = lead_row::Entity::find_by_id(id).one(&self.reader);
        let row = with_timeout(stored)
            .await?
            .ok_or(StoreError::NoSuchLead(id))?;
        if row.is_erased() {
            return Err(StoreError::Erased(id));
        }
        let related = with_timeout(related::find_others_of_person(&self.reader, &row)).await?;
        let withdrawn = do_not_contact::find_withdrawal(&self.reader, &self.suppression, &row);
        let withdrawn_at = with_timeout(withdrawn).await?.map(timestamp);
        let of_lead = DeliveryFilter::of_lead(id);
        let unfinished = self.list_deliveries(&of_lead, false).await?.deliveries;
        let lead = self
            .load_messages(vec![row], &[Part::History, Part::SameNumber])
            .await?
            .remove(0);
        Ok(crm::Lead {
            related,
            withdrawn_at,
            unfinished,
            ..lead
        })
    }

    /// Returns at most `limit` leads with this reference and the times of their erasure. References are rarely ambiguous.
    pub async fn find_by_reference(
        &self,
        reference: &Reference,
        limit: u64,
    ) -> Result<Vec<(Uuid, Option<DateTimeUtc>)>> {
        let select = lead_row::select_ids()
            .column(lead_row::Column::ErasedAt)
            .filter(lead_row::Column::Reference.eq(reference.as_str()))
            .order_by_asc(lead_row::Column::Id)
            .limit(limit);
        with_timeout(select.into_tuple().all(&self.reader)).await
    }

    /// The leads of `ids` with their history, except erased ones, oldest submission first.
    pub async fn leads(&self, ids: &[Uuid]) -> Result<Vec<crm::Lead>> {
        let select = lead_row::find(ids)
            .filter(is_not_erased())
            .order_by_asc(lead_row::Column::SubmittedAt)
            .order_by_asc(lead_row::Column::Id);
        let rows = with_timeout(select.all(&self.reader)).await?;
        self.load_messages(rows, &[Part::History]).await
    }

    /// A page of leads, newest submission first, from the start or after a lead.
    pub async fn page(
        &self,
        filter: &Filter,
        after: Option<Uuid>,
        size: u32,
        parts: &[Part],
    ) -> Result<Page> {
        let place_of = |row: &lead_row::Model| Some(row.id);
        self.read_page(
            |limit| select_page(filter, after, limit),
            size,
            place_of,
            parts,
        )
        .await
    }

    /// A page of the leads with a next step, earliest next step first, from the start or after a lead.
    pub async fn page_by_next_step(
        &self,
        filter: &Filter,
        after: Option<NextStepPlace>,
        size: u32,
    ) -> Result<Page<NextStepPlace>> {
        let place_of = |row: &lead_row::Model| {
            row.next_step_at.map(|next_step_at| NextStepPlace {
                next_step_at,
                lead: row.id,
            })
        };
        let select = |limit| select_page_by_next_step(filter, after, limit);
        self.read_page(select, size, place_of, &[]).await
    }

    async fn read_page<Place>(
        &self,
        select: impl FnOnce(u64) -> Select<lead_row::Entity>,
        size: u32,
        place_of: impl FnOnce(&lead_row::Model) -> Option<Place>,
        parts: &[Part],
    ) -> Result<Page<Place>> {
        // One more lead shows whether there is another page.
        let limit = page_size(size) + 1;
        let mut rows = with_timeout(select(limit).all(&self.reader)).await?;
        let has_more = rows.len() as u64 == limit;
        if has_more {
            rows.pop();
        }
        let last = rows.last().filter(|_| has_more).and_then(place_of);
        Ok(Page {
            ids: rows.iter().map(|row| row.id).collect(),
            leads: self.load_messages(rows, parts).await?,
            last,
        })
    }

    pub async fn total(&self, filter: &Filter) -> Result<u64> {
        with_timeout(
            lead_row::select_ids()
                .filter(filter.0.clone())
                .count(&self.reader),
        )
        .await
    }

    /// Converts rows to messages with the data of other tables.
    pub(crate) async fn load_messages(
        &self,
        rows: Vec<lead_row::Model>,
        parts: &[Part],
    ) -> Result<Vec<crm::Lead>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        with_timeout(async {
            let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
            let delivered = delivery_row::find_by_leads(&ids)
                .filter(delivery_row::Column::State.eq(delivery_row::StateName::Delivered))
                .order_by_asc(delivery_row::Column::DeliveredAt)
                .order_by_asc(delivery_row::Column::Recipient)
                .all(&self.reader);
            let delivered = delivered.await?.into_iter();
            let mut delivered =
                group_by_lead(delivered.map(|row| (row.lead_id, row.into_message())));
            let (mut timelines, mut conflicts) = (HashMap::new(), HashMap::new());
            if parts.contains(&Part::History) {
                timelines = group_by_lead(
                    timeline::find_by_leads(&self.reader, &ids)
                        .await?
                        .into_iter(),
                );
                let others = conflict::find_by_leads(&self.reader, &ids)
                    .await?
                    .into_iter();
                conflicts = group_by_lead(others.map(|lead| (lead.id, lead.into())));
            }
            let mut same_number = vec![Vec::new(); rows.len()];
            let mut number_withdrawn_at = vec![None; rows.len()];
            if parts.contains(&Part::SameNumber) {
                number_withdrawn_at =
                    do_not_contact::find_number_withdrawals(&self.reader, &self.suppression, &rows)
                        .await?;
                same_number = related::same_number(&self.reader, &rows, Others::People).await?;
            }
            let of_numbers = same_number.into_iter().zip(number_withdrawn_at);
            let show = |(row, of_number): (lead_row::Model, (Vec<String>, Option<DateTimeUtc>))| {
                let (same_number, number_withdrawn_at) = of_number;
                let deliveries = delivered.remove(&row.id).unwrap_or_default();
                let conflicts = conflicts.remove(&row.id).unwrap_or_default();
                let timeline = if parts.contains(&Part::History) {
                    let stored = timelines.remove(&row.id).unwrap_or_default();
                    timeline_of(&row, stored, &deliveries)
                } else {
                    Vec::new()
                };
                Ok(crm::Lead {
                    deliveries,
                    timeline,
                    conflicts,
                    same_number,
                    number_withdrawn_at: number_withdrawn_at.map(timestamp),
                    ..row.into_message()?
                })
            };
            rows.into_iter()
                .zip(of_numbers)
                .map(show)
                .collect::<Result<_>>()
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

/// Returns all events of a lead in order. `stored` contains the events of the table `timeline`.
fn timeline_of(
    lead: &lead_row::Model,
    stored: Vec<crm::TimelineEntry>,
    deliveries: &[crm::Delivery],
) -> Vec<crm::TimelineEntry> {
    let of_lead = |at, event| crm::TimelineEntry {
        at: Some(timestamp(at)),
        recipient: String::new(),
        event: Some(event),
    };
    let source = lead_row::number_of(&lead.source, |source: Source| source as i32);
    let mut timeline = vec![of_lead(
        lead.recorded_at,
        Event::Recorded(entry::Recorded { source }),
    )];
    if source != Source::Desk as i32 {
        timeline.insert(
            0,
            of_lead(lead.submitted_at, Event::Submitted(entry::Submitted {})),
        );
    }
    timeline.extend(stored);
    timeline.extend(deliveries.iter().map(|delivery| crm::TimelineEntry {
        at: delivery.delivered_at,
        recipient: delivery.recipient.clone(),
        event: Some(Event::Delivered(entry::Delivered {
            server_reply: delivery.server_reply.clone(),
        })),
    }));
    // The sort is stable, so entries with equal times keep the order above.
    timeline.sort_by_key(|entry| entry.at.map(|at| (at.seconds, at.nanos)));
    timeline
}

/// The requested size, at most 500; 0 means the default.
fn page_size(requested: u32) -> u64 {
    Ord::min(
        if requested == 0 {
            DEFAULT_SIZE
        } else {
            requested
        },
        LARGEST_SIZE,
    )
    .into()
}

/// Filters in a subquery that an index can answer. Reads other columns only for the leads on the page.
fn select_page(filter: &Filter, after: Option<Uuid>, limit: u64) -> Select<lead_row::Entity> {
    let places = in_order(lead_row::select_ids().filter(filter.0.clone()), after)
        .limit(limit)
        .into_query();
    in_order(
        lead_row::Entity::find()
            .filter(lead_row::Column::Id.in_subquery(places))
            .filter(is_not_erased()),
        None,
    )
}

/// Newest submission first, from the start or after a lead.
fn in_order(select: Select<lead_row::Entity>, after: Option<Uuid>) -> Select<lead_row::Entity> {
    let submitted_at = lead_row::Column::SubmittedAt;
    let id = lead_row::Column::Id;
    let is_after = after.map(|after| {
        let time = lead_row::Entity::find_by_id(after)
            .select_only()
            .column(submitted_at)
            .into_query();
        // A single row comparison can use an index.
        let place = Expr::tuple([submitted_at.into_expr(), id.into_expr()]);
        place.lt(Expr::tuple([
            Expr::SubQuery(None, Box::new(time.into())),
            Expr::val(after),
        ]))
    });
    let is_after = Condition::all().add_option(is_after);
    select
        .filter(is_after)
        .order_by_desc(submitted_at)
        .order_by_desc(id)
}

/// Like [`select_page`], in the order of next steps.
fn select_page_by_next_step(
    filter: &Filter,
    after: Option<NextStepPlace>,
    limit: u64,
) -> Select<lead_row::Entity> {
    let candidates = lead_row::select_ids().filter(filter.0.clone());
    let places = in_order_of_next_step(candidates, after)
        .limit(limit)
        .into_query();
    in_order_of_next_step(
        lead_row::Entity::find()
            .filter(lead_row::Column::Id.in_subquery(places))
            .filter(is_not_erased()),
        None,
    )
}

/// Earliest next step first, and the older submission first among equal ones.
fn in_order_of_next_step(
    select: Select<lead_row::Entity>,
    after: Option<NextStepPlace>,
) -> Select<lead_row::Entity> {
    let next_step_at = lead_row::Column::NextStepAt;
    let submitted_at = lead_row::Column::SubmittedAt;
    let id = lead_row::Column::Id;
    let is_after = after.map(|after| {
        let submitted = lead_row::Entity::find_by_id(after.lead)
            .select_only()
            .column(submitted_at)
            .into_query();
        let place = [
            next_step_at.into_expr(),
            submitted_at.into_expr(),
            id.into_expr(),
        ];
        Expr::tuple(place).gt(Expr::tuple([
            Expr::val(after.next_step_at),
            Expr::SubQuery(None, Box::new(submitted.into())),
            Expr::val(after.lead),
        ]))
    });
    select
        .filter(next_step_at.is_not_null())
        .filter(Condition::all().add_option(is_after))
        .order_by_asc(next_step_at)
        .order_by_asc(submitted_at)
        .order_by_asc(id)
}

#[cfg(test)]
mod tests {
    use sea_orm::DbBackend;

    use super::*;
    use crate::db::tests::query_plan;

    #[tokio::test]
    async fn page_of_leads_reads_the_remaining_columns_by_id() {
        let after = Uuid::from_u128(1);
        let search = crm::LeadFilter {
            search: "tan".to_owned(),
            ..Default::default()
        };
        for filter in [crm::LeadFilter::default(), search] {
            let select = select_page(&Filter::parse(filter).unwrap(), Some(after), 51);
            let select = select.build(DbBackend::Sqlite);
            let plan = query_plan(&select.sql, select.values.unwrap().0).await;
            assert!(
                plan.contains("SEARCH lead USING INDEX sqlite_autoindex_lead_1 (id=?)"),
                "{plan}"
            );
            assert!(
                plan.contains("((submitted_at,id)<(?,?))") && !plan.contains("SCAN lead"),
                "{plan}"
            );
        }
    }

    #[tokio::test]
    async fn page_by_next_step_reads_an_index_in_order() {
        let after = NextStepPlace {
            next_step_at: DateTimeUtc::UNIX_EPOCH,
            lead: Uuid::from_u128(1),
        };
        let filter = Filter::parse(crm::LeadFilter {
            next_step_before: Some(timestamp(DateTimeUtc::UNIX_EPOCH)),
            ..Default::default()
        });
        let select = select_page_by_next_step(&filter.unwrap(), Some(after), 51);
        let select = select.build(DbBackend::Sqlite);
        let plan = query_plan(&select.sql, select.values.unwrap().0).await;
        assert!(
            plan.contains("INDEX lead_next_step") && !plan.contains("SCAN lead"),
            "{plan}"
        );
    }

    #[test]
    fn place_of_a_next_step_is_a_page_token() {
        let place = NextStepPlace {
            next_step_at: "2026-03-01T04:05:06.000007Z".parse().unwrap(),
            lead: Uuid::from_u128(7),
        };
        assert_eq!(place.to_string().parse::<NextStepPlace>().unwrap(), place);
        let lead = place.lead;
        for text in [
            "",
            "7",
            &lead.to_string(),
            "x_7",
            &format!("9{}_{lead}", i64::MAX),
        ] {
            assert!(text.parse::<NextStepPlace>().is_err(), "{text}");
        }
    }

    #[test]
    fn page_size_has_default_and_limit() {
        let sizes = [0, 1, 50, 500, 501, u32::MAX].map(page_size);
        assert_eq!(sizes, [50, 1, 50, 500, 500, 500]);
    }
}
