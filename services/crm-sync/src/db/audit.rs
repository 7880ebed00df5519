//! Writes the audit of who read, exported or erased personal data.

use chrono::TimeDelta;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DeriveIden, TransactionTrait,
    sea_query::{Expr, ExprTrait, Query},
};
use uuid::Uuid;

use super::{Store, error::StoreError, transaction::now, with_timeout};

/// How long a row is kept.
const KEPT: TimeDelta = TimeDelta::days(3 * 365);

#[derive(DeriveIden)]
enum Audit {
    Table,
    At,
    Client,
    Action,
    Leads,
    /// The lead of a call about one; null otherwise.
    LeadId,
}

impl Store {
    /// Records that `client` read, exported or erased the personal data of `leads` leads. Neither text may contain a
    /// visitor's data.
    pub async fn audit(&self, client: &str, action: &str, leads: u64) -> Result<(), StoreError> {
        with_timeout(insert(&self.writer, client, action, leads, None)).await
    }

    /// Records what `client` did with one lead.
    pub(crate) async fn audit_lead(
        &self,
        client: &str,
        action: &str,
        lead_id: Uuid,
    ) -> Result<(), StoreError> {
        with_timeout(insert(&self.writer, client, action, 1, Some(lead_id))).await
    }
}

/// Deletes rows older than three years.
pub(super) async fn delete_old(connection: &DatabaseConnection) -> Result<(), StoreError> {
    let transaction = connection.begin().await?;
    let is_old = Expr::col(Audit::At).lt(now(&transaction).await? - KEPT);
    let delete = Query::delete().from_table(Audit::Table).and_where(is_old).to_owned();
    transaction.execute(&delete).await?;
    Ok(transaction.commit().await?)
}

/// Inserts a row; `lead_id` is set for a call about one lead.
pub(crate) async fn insert(
    connection: &impl ConnectionTrait,
    client: &str,
    action: &str,
    leads: u64,
    lead_id: Option<Uuid>,
) -> Result<(), StoreError> {
    let leads = i64::try_from(leads).unwrap_or(i64::MAX);
    let insert = Query::insert()
        .into_table(Audit::Table)
        .columns([Audit::Client, Audit::Action, Audit::Leads, Audit::LeadId])
        .values_panic([client.into(), action.into(), leads.into(), lead_id.into()])
        .to_owned();
    connection.execute(&insert).await?;
    Ok(())
}
