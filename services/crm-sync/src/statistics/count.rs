//! Reads and counts leads.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, FromQueryResult,
    sea_query::{Expr, Query},
};
use uuid::Uuid;

use super::{Countable, Spans, Statistics, Tally};
use crate::{
    db::{Store, error::StoreError, within},
    leads::lead,
    search::{
        condition::{is_kept, passes},
        cursor::Cursor,
        filter::Filter,
        page::in_order,
    },
};

/// Leads per statement, so that no statement takes long.
const CHUNK: u64 = 10_000;

/// The counted columns of a lead, without the visitor's data.
#[derive(FromQueryResult)]
struct Row {
    id: Uuid,
    submitted_at: DateTime<Utc>,
    interests: String,
    language: String,
    state: String,
    signals: String,
    contacted_at: Option<DateTime<Utc>>,
    owner: String,
}

const COLUMNS: [lead::Column; 8] = [
    lead::Column::Id,
    lead::Column::SubmittedAt,
    lead::Column::Interests,
    lead::Column::Language,
    lead::Column::State,
    lead::Column::Signals,
    lead::Column::ContactedAt,
    lead::Column::Owner,
];

impl Store {
    /// Counts the leads that pass a filter.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn total(&self, filter: &Filter) -> Result<u64, StoreError> {
        let select = Query::select()
            .expr_as(Expr::cust("COUNT(*)"), "total")
            .from(lead::Entity)
            .cond_where(passes(filter))
            .take();
        let row = within(self.reader.query_one(&select)).await?;
        let none = || DbErr::RecordNotFound("a count".to_owned());
        let total: i64 = row.ok_or_else(none)?.try_get("", "total")?;
        Ok(total.unsigned_abs())
    }

    /// Counts the leads submitted within the spans. Leads stored meanwhile may or may not count.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn statistics(&self, spans: Spans) -> Result<Statistics, StoreError> {
        let within_spans = Condition::all()
            .add(is_kept())
            .add(lead::Column::SubmittedAt.gte(spans.from()))
            .add(lead::Column::SubmittedAt.lt(spans.before()));
        let select = Query::select().columns(COLUMNS).from(lead::Entity).cond_where(within_spans).take();
        let mut tally = Tally::new(spans);
        let mut after = None;
        loop {
            let rows = within(self.reader.query_all(&in_order(select.clone(), after, CHUNK))).await?;
            for row in &rows {
                let row = Row::from_query_result(row, "")?;
                after = Some(Cursor { submitted_at: row.submitted_at, id: row.id });
                tally.add(&row.into_countable()?);
            }
            if (rows.len() as u64) < CHUNK {
                return Ok(tally.finish());
            }
        }
    }
}

impl Row {
    fn into_countable(self) -> Result<Countable, StoreError> {
        Ok(Countable {
            submitted_at: self.submitted_at,
            interests: lead::interests(&self.interests).collect(),
            language: lead::language(&self.language)?,
            state: lead::state(&self.state)?,
            is_spam: lead::signals(&self.signals).next().is_some(),
            contacted_at: self.contacted_at,
            owner: self.owner,
        })
    }
}
