//! The audit: rows that name the person of each call and the leads that the call read or changed.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, DbBackend, prelude::Uuid};
use serde_json::json;

use super::{
    Result, Store, sql,
    transaction::{Purpose, Transaction},
    with_timeout,
};

/// Leads per row. A call about more leads has several rows.
const LEADS_PER_ROW: usize = 500;

/// A call of a person. Its texts must not contain a visitor's data.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The client, or the person who uses the desk.
    pub(crate) author: &'a str,
    pub(crate) action: &'static str,
}

impl Store {
    /// Like [`Self::write`], for the change that a person makes. `work` also returns the changed leads. The change and its
    /// audit rows are one transaction.
    pub(crate) async fn write_audited<T, F: Future<Output = Result<(T, Vec<Uuid>)>>>(
        &self,
        purpose: impl Into<Purpose>,
        call: Call<'_>,
        work: impl Fn(Arc<Transaction>) -> F,
    ) -> Result<T> {
        self.write(purpose, |tx| {
            let change = work(tx.clone());
            async move {
                let (value, leads) = change.await?;
                insert(&tx.db, call, &leads).await?;
                Ok(value)
            }
        })
        .await
    }

    /// Records which leads a person reads. Must succeed before the person receives them.
    pub(crate) async fn audit_read(&self, call: Call<'_>, leads: &[Uuid]) -> Result<()> {
        with_timeout(insert(&self.writer, call, leads)).await
    }
}

/// Inserts the rows of a call. A call without leads has one row.
pub(crate) async fn insert(
    connection: &impl ConnectionTrait,
    call: Call<'_>,
    leads: &[Uuid],
) -> Result<()> {
    let is_postgres = connection.get_database_backend() == DbBackend::Postgres;
    let ids = if is_postgres {
        "CAST($4 AS uuid[])"
    } else {
        "$4"
    };
    let statement =
        format!("INSERT INTO audit (client, action, leads, lead_ids) VALUES ($1, $2, $3, {ids})");
    let mut rows: Vec<&[Uuid]> = leads.chunks(LEADS_PER_ROW).collect();
    if rows.is_empty() {
        rows.push(&[]);
    }
    for row in rows {
        let count = i64::try_from(row.len()).unwrap_or(i64::MAX);
        let ids: Vec<String> = row.iter().map(Uuid::to_string).collect();
        let ids = if is_postgres {
            format!("{{{}}}", ids.join(","))
        } else {
            json!(ids).to_string()
        };
        let values = [
            call.author.into(),
            call.action.into(),
            count.into(),
            ids.into(),
        ];
        connection
            .execute_raw(sql(connection, statement.as_str(), values))
            .await?;
    }
    Ok(())
}
