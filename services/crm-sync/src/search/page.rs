//! Reads pages of leads, newest submission first.

use std::{collections::HashMap, fmt, str::FromStr};

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};
use uuid::Uuid;

use super::{
    condition::{is_kept, passes},
    filter::Filter,
};
use crate::{
    db::{Store, error::StoreError, with_timeout},
    leads::{lead, stored::StoredLead},
};

/// Leads on a page when the caller gives no size.
const DEFAULT_SIZE: u32 = 50;

const LARGEST_SIZE: u32 = 500;

/// Hexadecimal digits of a time in microseconds in a cursor.
const TIME_DIGITS: usize = 16;

/// Leads per page: 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(u32);

impl PageSize {
    /// The requested size, at most 500; 0 means the default.
    #[must_use]
    pub fn new(size: u32) -> Self {
        Self(if size == 0 { DEFAULT_SIZE } else { Ord::min(size, LARGEST_SIZE) })
    }

    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

/// The last lead of a page. The next page begins after it, whatever is recorded in the meantime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub submitted_at: DateTime<Utc>,
    pub id: Uuid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid page token: use next_page_token of the previous page")]
pub struct InvalidCursor;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.submitted_at.timestamp_micros();
        write!(f, "{time:0TIME_DIGITS$x}{}", self.id.simple())
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (time, id) = text.split_at_checked(TIME_DIGITS).ok_or(InvalidCursor)?;
        let time = u64::from_str_radix(time, 16).map_err(|_| InvalidCursor)?.cast_signed();
        let submitted_at = DateTime::from_timestamp_micros(time).ok_or(InvalidCursor)?;
        let id = Uuid::try_parse(id).map_err(|_| InvalidCursor)?;
        let cursor = Self { submitted_at, id };
        // Only one spelling is valid, so clients cannot assemble tokens.
        if cursor.to_string() == text { Ok(cursor) } else { Err(InvalidCursor) }
    }
}

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
        let rows = with_timeout(select.all(&self.reader)).await?;
        let mut rows: HashMap<Uuid, lead::Model> = rows.into_iter().map(|row| (row.id, row)).collect();
        let rows = ids.iter().filter_map(|id| rows.remove(id)).collect();
        Ok(Page { leads: self.with_deliveries(rows).await?, next })
    }

    /// Counts the leads that pass a filter.
    pub async fn total(&self, filter: &Filter) -> Result<u64, StoreError> {
        with_timeout(
            lead::Entity::find()
                .select_only()
                .column(lead::Column::Id)
                .filter(passes(filter))
                .count(&self.reader),
        )
        .await
    }

    async fn places(
        &self,
        filter: &Filter,
        after: Option<Cursor>,
        limit: u64,
    ) -> Result<Vec<Place>, StoreError> {
        let rows = Query::select().columns(ORDER).from(lead::Entity).cond_where(passes(filter)).take();
        let rows = with_timeout(self.reader.query_all(&in_order(rows, after, limit))).await?;
        Ok(rows.iter().map(|row| Place::from_query_result(row, "")).collect::<Result<_, _>>()?)
    }
}

/// The first rows of a statement, newest submission first.
fn in_order(mut select: SelectStatement, after: Option<Cursor>, limit: u64) -> SelectStatement {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_default_and_a_limit() {
        let sizes = [0, 1, 50, 500, 501, u32::MAX].map(|asked| PageSize::new(asked).get());
        assert_eq!(sizes, [50, 1, 50, 500, 500, 500]);
    }

    #[test]
    fn a_cursor_survives_being_written_down() {
        for micros in [0, 1, 1_763_654_400_123_456, -1, -62_135_596_800_000_000] {
            let cursor = Cursor {
                submitted_at: DateTime::from_timestamp_micros(micros).unwrap(),
                id: Uuid::from_u128(0xfeed),
            };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let good = Cursor { submitted_at: DateTime::UNIX_EPOCH, id: Uuid::from_u128(1) }.to_string();
        let bad = [
            String::new(),
            "2".to_owned(),
            good[1..].to_owned(),
            format!("{good}0"),
            good.replace('1', "g"),
            good.replace('1', "é"),
            format!("+{}", &good[1..]),
            format!("7fffffffffffffff{}", &good[16..]),
            "界".repeat(16),
        ];
        for text in bad {
            assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
        }
    }
}
