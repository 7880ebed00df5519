//! Reads pages of leads, newest submission first.

use contracts::crm::v1 as crm;
use sea_orm::sea_query::ExprTrait;

use super::{
    filter::{Filter, is_kept},
    lookup::Part,
};
use crate::db::prelude::*;

/// Leads on a page when the caller gives no size.
const DEFAULT_SIZE: u32 = 50;

const LARGEST_SIZE: u32 = 500;

pub struct Page {
    /// Newest submission first.
    pub leads: Vec<crm::Lead>,
    /// The last lead of the page if more follow. Its row is never deleted, so the next page begins after it, whatever is
    /// recorded or erased in the meantime.
    pub last: Option<Uuid>,
}

impl Store {
    /// A page of leads, newest submission first, from the start or after a lead.
    pub async fn page(
        &self,
        filter: &Filter,
        after: Option<Uuid>,
        size: u32,
        parts: &[Part],
    ) -> Result<Page> {
        // One more lead shows whether there is another page.
        let limit = page_size(size) + 1;
        let mut rows = with_timeout(select_page(filter, after, limit).all(&self.reader)).await?;
        let has_more = rows.len() as u64 == limit;
        if has_more {
            rows.pop();
        }
        let last = rows.last().filter(|_| has_more).map(|row| row.id);
        Ok(Page { leads: self.show(rows, parts).await?, last })
    }

    /// Counts the leads that pass a filter.
    pub async fn total(&self, filter: &Filter) -> Result<u64> {
        with_timeout(lead::select_ids().filter(filter.0.clone()).count(&self.reader)).await
    }
}

/// The requested size, at most 500; 0 means the default.
fn page_size(requested: u32) -> u64 {
    Ord::min(if requested == 0 { DEFAULT_SIZE } else { requested }, LARGEST_SIZE).into()
}

/// An index has all that a filter looks at: other columns are read only of the leads on the page.
fn select_page(filter: &Filter, after: Option<Uuid>, limit: u64) -> Select<lead::Entity> {
    let places = in_order(lead::select_ids().filter(filter.0.clone()), after).limit(limit).into_query();
    in_order(lead::Entity::find().filter(lead::Column::Id.in_subquery(places)).filter(is_kept()), None)
}

/// Newest submission first, from the start or after a lead.
fn in_order(select: Select<lead::Entity>, after: Option<Uuid>) -> Select<lead::Entity> {
    let (submitted_at, id) = (lead::Column::SubmittedAt, lead::Column::Id);
    let is_after = after.map(|after| {
        let time = lead::Entity::find_by_id(after).select_only().column(submitted_at).into_query();
        // A single comparison, so that an index can be used.
        let place = Expr::tuple([submitted_at.into_expr(), id.into_expr()]);
        place.lt(Expr::tuple([Expr::SubQuery(None, Box::new(time.into())), Expr::val(after)]))
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
        let after = Uuid::from_u128(1);
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
    fn page_size_has_default_and_limit() {
        let sizes = [0, 1, 50, 500, 501, u32::MAX].map(page_size);
        assert_eq!(sizes, [50, 1, 50, 500, 500, 500]);
    }
}
