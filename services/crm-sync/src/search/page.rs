//! Reads pages of leads, newest submission first.
//!
//! A search has two ways: what many leads have is soon found among the newest, what few have in an index of letters. The
//! database cannot choose: it knows neither how many leads have a text, nor that all of those are old.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, sea_query::SelectStatement,
};
use uuid::Uuid;

use super::{
    condition::{is_indexed, is_kept, passes},
    cursor::{Cursor, PageSize},
    filter::Filter,
    page_query::{first, first_of_found, first_of_newest},
};
use crate::{
    db::{Store, error::StoreError, settings::Kind, within},
    leads::{lead, stored::StoredLead},
};

pub struct Page {
    /// Newest submission first.
    pub leads: Vec<StoredLead>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<Cursor>,
}

/// A search first reads this many of the newest leads, or [`NEWEST_PAGES`] times the page if that is more. A text
/// that does not fill the page there is that of at most one in sixty leads.
const NEWEST: u64 = 10_000;
const NEWEST_PAGES: u64 = 64;

/// Few leads look automatic, and SQLite has few leads: all are read, from an index that has the searched text.
const ALL: u64 = i64::MAX.cast_unsigned();

/// The position of a lead in the order of pages.
#[derive(FromQueryResult)]
struct Place {
    submitted_at: DateTime<Utc>,
    id: Uuid,
}

impl Store {
    /// A page of leads, newest submission first, after a cursor or from the start.
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
        // One more lead shows whether there is another page.
        let mut places = self.places(filter, after, size + 1).await?;
        let has_more = places.len() as u64 > size;
        if has_more {
            places.pop();
        }
        let last = places.last().filter(|_| has_more);
        let next = last.map(|place| Cursor { submitted_at: place.submitted_at, id: place.id });
        let ids: Vec<Uuid> = places.into_iter().map(|place| place.id).collect();
        let select =
            lead::Entity::find().filter(is_kept()).filter(lead::Column::Id.is_in(ids.iter().copied()));
        let rows = within(select.all(&self.reader)).await?;
        let mut rows: HashMap<Uuid, lead::Model> = rows.into_iter().map(|row| (row.id, row)).collect();
        let rows = ids.iter().filter_map(|id| rows.remove(id)).collect();
        Ok(Page { leads: self.with_deliveries(rows).await?, next })
    }

    async fn places(
        &self,
        filter: &Filter,
        after: Option<Cursor>,
        limit: u64,
    ) -> Result<Vec<Place>, StoreError> {
        let Some(search) = &filter.search else {
            return self.select(first(passes(filter), after, limit)).await;
        };
        let reads_all = filter.spam == Some(true) || self.kind == Kind::Sqlite;
        let newest = if reads_all { ALL } else { NEWEST.max(NEWEST_PAGES * limit) };
        let found = self.select(first_of_newest(filter, search, after, newest, limit)).await?;
        if reads_all || found.len() as u64 == limit || !search.is_indexed() {
            return Ok(found);
        }
        let older = first(is_indexed(filter).add(is_kept()), after, 1).offset(newest).take();
        if self.select(older).await?.is_empty() {
            return Ok(found);
        }
        self.select(first_of_found(filter, search, after, limit)).await
    }

    async fn select(&self, select: SelectStatement) -> Result<Vec<Place>, StoreError> {
        let rows = within(self.reader.query_all(&select)).await?;
        Ok(rows.iter().map(|row| Place::from_query_result(row, "")).collect::<Result<_, _>>()?)
    }
}
