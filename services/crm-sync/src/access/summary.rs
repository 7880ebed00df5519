//! Daily summaries. Each is sent once among all replicas of notifier.

use std::time::Duration;

use sea_orm::{ConnectionTrait, prelude::DateTimeUtc};

use crate::{
    db::{Result, Store, sql, transaction::Transaction},
    deliveries::ledger::after,
};

/// A process's claim of a summary.
#[derive(Clone)]
pub struct SummaryClaim {
    /// Name of the summary, e.g. `daily-summary/2026-03-01/1`.
    pub name: String,
    pub holder: String,
    pub lease: Duration,
}

impl Store {
    /// Claims a summary. Returns `false` if it was sent, or another holder has claimed it.
    pub async fn claim_summary(&self, claim: &SummaryClaim) -> Result<bool> {
        self.write("claim summary", |tx| async move {
            let upsert = "INSERT INTO task (name, holder, until) VALUES ($1, $2, $3)
                 ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
                 WHERE task.done_at IS NULL AND (task.holder = excluded.holder OR task.until <= $4)";
            let values = [
                claim.name.as_str().into(),
                claim.holder.as_str().into(),
                after(tx.now().await?, claim.lease).into(),
                tx.now().await?.into(),
            ];
            let result = tx.db.execute_raw(sql(&tx.db, upsert, values)).await?;
            Ok(result.rows_affected() > 0)
        })
        .await
    }

    /// Marks a summary as sent if `holder` made the latest claim.
    pub async fn finish_summary(&self, name: &str, holder: &str) -> Result<()> {
        self.write("finish summary", |tx| async move {
            let update =
                "UPDATE task SET done_at = $1 WHERE name = $2 AND holder = $3 AND done_at IS NULL";
            let values = [tx.now().await?.into(), name.into(), holder.into()];
            tx.db.execute_raw(sql(&tx.db, update, values)).await?;
            Ok(())
        })
        .await
    }
}

pub(super) async fn delete_ended(tx: &Transaction, before: DateTimeUtc) -> Result<()> {
    let delete = "DELETE FROM task WHERE until <= $1";
    tx.db
        .execute_raw(sql(&tx.db, delete, [before.into()]))
        .await?;
    Ok(())
}
