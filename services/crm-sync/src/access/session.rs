//! Sessions of the desk, until they end. Only the CRM stores which sessions a person has ended.

use std::time::Duration;

use chrono::TimeDelta;
use crm_sync_migration::database_clock;
use sea_orm::{ConnectionTrait, prelude::DateTimeUtc};
use uuid::Uuid;

use crate::{
    db::{Result, Store, sql, transaction::Transaction, with_timeout},
    deliveries::ledger::after,
};

/// A stored session is extended when its lease is shorter than requested by this much. Most requests only read.
const EXTENDED_AFTER: TimeDelta = TimeDelta::hours(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionId {
    /// Id of the person.
    pub person: Uuid,
    pub id: Uuid,
}

impl Store {
    /// Starts or extends a session. Returns `false` if the session has ended.
    pub async fn claim_session(&self, session: SessionId, lease: Duration) -> Result<bool> {
        if let Some(is_open) = self.find_session(session, lease).await? {
            return Ok(is_open);
        }
        self.write("start session", |tx| async move {
            let upsert = "INSERT INTO desk_session (person, id, until) VALUES ($1, $2, $3)
                 ON CONFLICT (person, id) DO UPDATE SET until = excluded.until WHERE desk_session.ended_at IS NULL";
            let until = after(tx.now().await?, lease);
            let values = [
                session.person.to_string().into(),
                session.id.to_string().into(),
                until.into(),
            ];
            let result = tx.db.execute_raw(sql(&tx.db, upsert, values)).await?;
            Ok(result.rows_affected() > 0)
        })
        .await
    }

    /// Returns whether a stored session is open, or `None` if it is missing or should be extended.
    async fn find_session(&self, session: SessionId, lease: Duration) -> Result<Option<bool>> {
        let select = format!(
            "SELECT until, ended_at, {} AS now FROM desk_session WHERE person = $1 AND id = $2",
            database_clock(self.backend)
        );
        let values = [
            session.person.to_string().into(),
            session.id.to_string().into(),
        ];
        let statement = sql(&self.reader, select, values);
        let Some(row) = with_timeout(self.reader.query_one_raw(statement)).await? else {
            return Ok(None);
        };
        let ended_at: Option<DateTimeUtc> = row.try_get("", "ended_at")?;
        if ended_at.is_some() {
            return Ok(Some(false));
        }
        let until: DateTimeUtc = row.try_get("", "until")?;
        let now: DateTimeUtc = row.try_get("", "now")?;
        Ok((until + EXTENDED_AFTER > after(now, lease)).then_some(true))
    }

    /// Ends a session. Later claims are denied.
    pub async fn end_session(&self, session: SessionId) -> Result<()> {
        self.write("end session", |tx| async move {
            let update = "UPDATE desk_session SET ended_at = $1
                 WHERE person = $2 AND id = $3 AND ended_at IS NULL";
            let values = [
                tx.now().await?.into(),
                session.person.to_string().into(),
                session.id.to_string().into(),
            ];
            tx.db.execute_raw(sql(&tx.db, update, values)).await?;
            Ok(())
        })
        .await
    }

    /// Ends all sessions of a person.
    pub async fn end_all_sessions(&self, person: Uuid) -> Result<()> {
        self.write("end all sessions", |tx| async move {
            let update =
                "UPDATE desk_session SET ended_at = $1 WHERE person = $2 AND ended_at IS NULL";
            let values = [tx.now().await?.into(), person.to_string().into()];
            tx.db.execute_raw(sql(&tx.db, update, values)).await?;
            Ok(())
        })
        .await
    }
}

pub(super) async fn delete_ended(tx: &Transaction, before: DateTimeUtc) -> Result<()> {
    let delete = "DELETE FROM desk_session WHERE until <= $1";
    tx.db
        .execute_raw(sql(&tx.db, delete, [before.into()]))
        .await?;
    Ok(())
}
