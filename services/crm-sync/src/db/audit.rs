//! Writes the audit of who read, exported or erased personal data.

use chrono::TimeDelta;

use super::{prelude::*, transaction::database_time};

/// How long a row is kept.
const KEPT: TimeDelta = TimeDelta::days(3 * 365);

impl Store {
    /// Records that `client` read, changed or exported the personal data of `leads` leads, or of the one with the id. Neither
    /// text may contain a visitor's data.
    pub(crate) async fn audit(
        &self,
        client: &str,
        action: &str,
        leads: u64,
        lead_id: Option<Uuid>,
    ) -> Result<()> {
        with_timeout(insert(&self.writer, client, action, leads, lead_id)).await
    }
}

/// Deletes rows older than three years.
pub(super) async fn delete_old(connection: &DatabaseConnection) -> Result<()> {
    let before = database_time(connection).await? - KEPT;
    let delete = sql(connection, "DELETE FROM audit WHERE at < $1", [before.into()]);
    connection.execute_raw(delete).await?;
    Ok(())
}

/// Inserts a row; `lead_id` is set for a call about one lead.
pub(crate) async fn insert(
    connection: &impl ConnectionTrait,
    client: &str,
    action: &str,
    leads: u64,
    lead_id: Option<Uuid>,
) -> Result<()> {
    let leads = i64::try_from(leads).unwrap_or(i64::MAX);
    let insert = "INSERT INTO audit (client, action, leads, lead_id) VALUES ($1, $2, $3, $4)";
    let values = [client.into(), action.into(), leads.into(), lead_id.into()];
    connection.execute_raw(sql(connection, insert, values)).await?;
    Ok(())
}
