//! Reads pages of leads, newest submission first.

use std::{fmt, str::FromStr};

use contracts::crm::v1 as crm;
use sea_orm::sea_query::ExprTrait;

use super::{
    filter::{Filter, is_kept},
    lookup::Part,
};
use crate::{db::prelude::*, leads::lead};

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
    pub submitted_at: DateTimeUtc,
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
        let submitted_at = DateTimeUtc::from_timestamp_micros(time).ok_or(InvalidCursor)?;
        let id = Uuid::try_parse(id).map_err(|_| InvalidCursor)?;
        let cursor = Self { submitted_at, id };
        // Only one spelling is valid, so clients cannot assemble tokens.
        if cursor.to_string() == text { Ok(cursor) } else { Err(InvalidCursor) }
    }
}

pub struct Page {
    /// Newest submission first.
    pub leads: Vec<crm::Lead>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<Cursor>,
}

impl Store {
    /// A page of leads, newest submission first, after a cursor or from the start.
    pub async fn page(
        &self,
        filter: &Filter,
        after: Option<Cursor>,
        size: PageSize,
        parts: &[Part],
    ) -> Result<Page> {
        // One more lead shows whether there is another page.
        let limit = u64::from(size.get()) + 1;
        let mut rows = with_timeout(select_page(filter, after, limit).all(&self.reader)).await?;
        let has_more = rows.len() as u64 == limit;
        if has_more {
            rows.pop();
        }
        let last = rows.last().filter(|_| has_more);
        let next = last.map(|row| Cursor { submitted_at: row.submitted_at, id: row.id });
        Ok(Page { leads: self.show(rows, parts).await?, next })
    }

    /// Counts the leads that pass a filter.
    pub async fn total(&self, filter: &Filter) -> Result<u64> {
        with_timeout(lead::select_ids().filter(filter.0.clone()).count(&self.reader)).await
    }
}

/// An index has all that a filter looks at: other columns are read only of the leads on the page.
fn select_page(filter: &Filter, after: Option<Cursor>, limit: u64) -> Select<lead::Entity> {
    let places = in_order(lead::select_ids().filter(filter.0.clone()), after).limit(limit).into_query();
    in_order(lead::Entity::find().filter(lead::Column::Id.in_subquery(places)).filter(is_kept()), None)
}

/// Newest submission first, from the start or after a cursor.
fn in_order(select: Select<lead::Entity>, after: Option<Cursor>) -> Select<lead::Entity> {
    let (submitted_at, id) = (lead::Column::SubmittedAt, lead::Column::Id);
    let is_after = after.map(|after| {
        // A single comparison, so that an index can be used.
        let place = Expr::tuple([submitted_at.into_expr(), id.into_expr()]);
        place.lt(Expr::tuple([Expr::val(after.submitted_at), Expr::val(after.id)]))
    });
    let is_after = Condition::all().add_option(is_after);
    select.filter(is_after).order_by_desc(submitted_at).order_by_desc(id)
}

#[cfg(test)]
mod tests {
    use sea_orm::DbBackend;

    use super::*;
    use crate::db::tests::query_plan;

    #[tokio::test]
    async fn page_reads_other_columns_by_id() {
        let after = Cursor { submitted_at: DateTimeUtc::UNIX_EPOCH, id: Uuid::from_u128(1) };
        let search = crm::LeadFilter { search: "tan".to_owned(), ..Default::default() };
        for filter in [crm::LeadFilter::default(), search] {
            let select = select_page(&Filter::parse(filter).unwrap(), Some(after), 51);
            let select = select.build(DbBackend::Sqlite);
            let plan = query_plan(&select.sql, select.values.unwrap().0).await;
            assert!(plan.contains("SEARCH lead USING INDEX sqlite_autoindex_lead_1 (id=?)"), "{plan}");
            assert!(plan.contains("((submitted_at,id)<(?,?))") && !plan.contains("SCAN lead"), "{plan}");
        }
    }

    #[test]
    fn sizes_have_a_default_and_a_limit() {
        let sizes = [0, 1, 50, 500, 501, u32::MAX].map(|asked| PageSize::new(asked).get());
        assert_eq!(sizes, [50, 1, 50, 500, 500, 500]);
    }

    #[test]
    fn a_cursor_survives_being_written_down() {
        for micros in [0, 1, 1_763_654_400_123_456, -1, -62_135_596_800_000_000] {
            let cursor = Cursor {
                submitted_at: DateTimeUtc::from_timestamp_micros(micros).unwrap(),
                id: Uuid::from_u128(0xfeed),
            };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let good = Cursor { submitted_at: DateTimeUtc::UNIX_EPOCH, id: Uuid::from_u128(1) }.to_string();
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
