//! Looking leads up.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};
use uuid::Uuid;

use super::{
    Store, StoreError,
    entity::{conflict, lead, notification, timeline},
    within,
};
use crate::domain::{
    filter::Filter,
    lead::Lead,
    notification::Notification,
    page::{Cursor, Page, PageSize},
    reference::Reference,
    timeline::History,
};

/// A place in the order of recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// When a lead was recorded.
    pub recorded_at: DateTime<Utc>,
    /// That lead.
    pub id: Uuid,
}

impl Store {
    /// The lead of this id.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn lead(&self, id: Uuid) -> Result<Option<Lead>, StoreError> {
        let row = within(lead::Entity::find_by_id(id).one(&self.reader)).await?;
        Ok(self.with_notifications(row.into_iter().collect()).await?.pop())
    }

    /// What happened to a lead.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn history(&self, lead: &Lead) -> Result<History, StoreError> {
        let id = lead.submission.id;
        let select = timeline::Entity::find()
            .filter(timeline::Column::LeadId.eq(id))
            .order_by_asc(timeline::Column::At)
            .order_by_asc(timeline::Column::Number);
        let entries = within(select.all(&self.reader)).await?.into_iter().map(timeline::Model::into_entry);
        let conflicts = within(conflict::of_leads(&self.reader, &[id])).await?;
        let conflicts = conflicts.into_iter().map(lead::Model::into_submission);
        Ok(History::of(lead, entries.collect::<Result<_, _>>()?, conflicts.collect::<Result<_, _>>()?))
    }

    /// The leads of this reference: one, but for chance; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn leads_called(&self, reference: &Reference, limit: u64) -> Result<Vec<Lead>, StoreError> {
        let select = lead::Entity::find()
            .filter(lead::Column::Reference.eq(reference.as_str()))
            .order_by_asc(lead::Column::Id)
            .limit(limit);
        let rows = within(select.all(&self.reader)).await?;
        self.with_notifications(rows).await
    }

    /// Leads, newest submission first, after a cursor or from the start.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn page(
        &self,
        filter: &Filter,
        after: Option<Cursor>,
        size: PageSize,
    ) -> Result<Page, StoreError> {
        let size = u64::from(size.get());
        let select = lead::Entity::find()
            .filter(condition(filter))
            .apply_if(after, |select, after| select.filter(is_after(after)))
            .order_by_desc(lead::Column::SubmittedAt)
            .order_by_desc(lead::Column::Id)
            // One more tells whether there is another page.
            .limit(size + 1);
        let mut rows = within(select.all(&self.reader)).await?;
        let has_more = rows.len() as u64 > size;
        if has_more {
            rows.pop();
        }
        let last = rows.last().filter(|_| has_more);
        let next = last.map(|row| Cursor { submitted_at: row.submitted_at, id: row.id });
        Ok(Page { leads: self.with_notifications(rows).await?, next })
    }

    /// When the latest lead was recorded; none when there is no lead.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn latest_recorded_at(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let select = lead::Entity::find()
            .select_only()
            .column(lead::Column::RecordedAt)
            .order_by_desc(lead::Column::RecordedAt)
            .limit(1)
            .into_tuple();
        within(select.one(&self.reader)).await
    }

    /// Places of leads recorded after a place, in the order of recording; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn recorded_after(&self, place: Position, limit: u64) -> Result<Vec<Position>, StoreError> {
        let Position { recorded_at, id } = place;
        let later = Condition::any()
            .add(lead::Column::RecordedAt.gt(recorded_at))
            .add(Condition::all().add(lead::Column::RecordedAt.eq(recorded_at)).add(lead::Column::Id.gt(id)));
        let select = lead::Entity::find()
            .select_only()
            .columns([lead::Column::RecordedAt, lead::Column::Id])
            .filter(later)
            .order_by_asc(lead::Column::RecordedAt)
            .order_by_asc(lead::Column::Id)
            .limit(limit)
            .into_tuple::<(DateTime<Utc>, Uuid)>();
        let rows = within(select.all(&self.reader)).await?;
        Ok(rows.into_iter().map(|(recorded_at, id)| Position { recorded_at, id }).collect())
    }

    /// Those of these leads that pass a filter, in the order of recording.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn leads(&self, ids: Vec<Uuid>, filter: &Filter) -> Result<Vec<Lead>, StoreError> {
        let select = lead::Entity::find()
            .filter(lead::Column::Id.is_in(ids))
            .filter(condition(filter))
            .order_by_asc(lead::Column::RecordedAt)
            .order_by_asc(lead::Column::Id);
        let rows = within(select.all(&self.reader)).await?;
        self.with_notifications(rows).await
    }

    async fn with_notifications(&self, rows: Vec<lead::Model>) -> Result<Vec<Lead>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let select = notification::Entity::find()
            .filter(notification::Column::LeadId.is_in(rows.iter().map(|row| row.id)))
            .order_by_asc(notification::Column::NotifiedAt)
            .order_by_asc(notification::Column::Recipient);
        let mut told: HashMap<Uuid, Vec<Notification>> = HashMap::new();
        for row in within(select.all(&self.reader)).await? {
            told.entry(row.lead_id).or_default().push(row.into_notification()?);
        }
        rows.into_iter()
            .map(|row| {
                let told = told.remove(&row.id).unwrap_or_default();
                row.into_lead(told)
            })
            .collect()
    }
}

fn is_after(cursor: Cursor) -> Condition {
    let Cursor { submitted_at, id } = cursor;
    Condition::any()
        .add(lead::Column::SubmittedAt.lt(submitted_at))
        .add(Condition::all().add(lead::Column::SubmittedAt.eq(submitted_at)).add(lead::Column::Id.lt(id)))
}

fn condition(filter: &Filter) -> Condition {
    let Filter { interest, language, submitted_from, submitted_before, notified } = filter;
    Condition::all()
        .add_option(interest.map(|it| lead::Column::Interests.contains(lead::interest_in_json(it))))
        .add_option(language.map(|it| lead::Column::Language.eq(it.tag())))
        .add_option(submitted_from.map(|it| lead::Column::SubmittedAt.gte(it)))
        .add_option(submitted_before.map(|it| lead::Column::SubmittedAt.lt(it)))
        .add_option(notified.map(|it| if it { Expr::exists(told()) } else { Expr::exists(told()).not() }))
}

/// The notifications of the lead of the outer statement.
fn told() -> SelectStatement {
    let id = (lead::Entity, lead::Column::Id);
    Query::select()
        .expr(Expr::val(1))
        .from(notification::Entity)
        .and_where(Expr::col((notification::Entity, notification::Column::LeadId)).equals(id))
        .take()
}
