//! Reads pages of leads, newest submission first.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};
use uuid::Uuid;

use super::{
    condition::{is_kept, passes},
    cursor::{Cursor, PageSize},
    filter::Filter,
};
use crate::{
    db::{Store, error::StoreError, within},
    leads::{lead, stored::StoredLead},
};

pub struct Page {
    /// Newest submission first.
    pub leads: Vec<StoredLead>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<Cursor>,
}

/// The order of pages: newest submission first.
const ORDER: [lead::Column; 2] = [lead::Column::SubmittedAt, lead::Column::Id];

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
        let rows = Query::select().columns(ORDER).from(lead::Entity).cond_where(passes(filter)).take();
        let rows = within(self.reader.query_all(&in_order(rows, after, limit))).await?;
        Ok(rows.iter().map(|row| Place::from_query_result(row, "")).collect::<Result<_, _>>()?)
    }
}

/// The first rows of a statement, newest submission first.
pub(crate) fn in_order(mut select: SelectStatement, after: Option<Cursor>, limit: u64) -> SelectStatement {
    if let Some(Cursor { submitted_at, id }) = after {
        // A single comparison, so that an index can be used.
        let place = Expr::tuple(ORDER.map(Expr::col));
        select.and_where(place.lt(Expr::tuple([Expr::val(submitted_at), Expr::val(id)])));
    }
    for column in ORDER {
        select.order_by(column, Order::Desc);
    }
    select.limit(limit).take()
}
