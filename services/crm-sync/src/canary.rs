//! Measures canaries, which are test leads. Their rows are stored with `erased_at` set, so searches skip them.

use std::{collections::BTreeMap, time::Duration};

use chrono::TimeDelta;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    prelude::{DateTimeUtc, Uuid},
};

use crate::{
    db::{Result, Store, database_time, sql, with_timeout},
    leads::row as lead_row,
    leads::row::is_canary,
    people::erase::delete_history,
};

const AGE: TimeDelta = TimeDelta::days(1);

/// Canaries per transaction.
const BATCH: u64 = 500;

const LATEST_STORED: &str = r#"
    SELECT submitted_at, recorded_at AS reached_at FROM lead
    WHERE signals <> '[]' AND signals = '["canary"]'
    ORDER BY submitted_at DESC LIMIT 1"#;

const LATEST_MAILED: &str = r#"
    SELECT submitted_at, delivery.changed_at AS reached_at
    FROM lead JOIN delivery ON lead_id = id AND delivery.state = 'delivered'
    WHERE signals <> '[]' AND signals = '["canary"]'
    ORDER BY submitted_at DESC LIMIT 1"#;

/// The latest canary to reach a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canary {
    /// Time since its submission, by the database's clock.
    pub age: Duration,
    pub took: Duration,
}

impl Store {
    /// Returns the latest canary at each stage, `stored` and `mailed`. Stages without a canary are absent.
    pub async fn canaries(&self) -> Result<BTreeMap<&'static str, Canary>> {
        let now = with_timeout(database_time(&self.reader)).await?;
        let mut latest = BTreeMap::new();
        for (stage, select) in [("stored", LATEST_STORED), ("mailed", LATEST_MAILED)] {
            if let Some(row) =
                with_timeout(self.reader.query_one_raw(sql(&self.reader, select, []))).await?
            {
                let submitted_at: DateTimeUtc = row.try_get("", "submitted_at")?;
                let since =
                    |later: DateTimeUtc| (later - submitted_at).to_std().unwrap_or_default();
                latest.insert(
                    stage,
                    Canary {
                        age: since(now),
                        took: since(row.try_get("", "reached_at")?),
                    },
                );
            }
        }
        Ok(latest)
    }

    /// Deletes up to 500 canaries older than a day. Returns the number deleted; 0 means that none are left.
    pub async fn delete_old_canaries(&self) -> Result<u64> {
        self.write("delete canaries", |tx| async move {
            let old: Vec<Uuid> = lead_row::select_ids()
                .filter(is_canary())
                .filter(lead_row::Column::SubmittedAt.lt(tx.now().await? - AGE))
                .limit(BATCH)
                .into_tuple()
                .all(&tx.db)
                .await?;
            if old.is_empty() {
                return Ok(0);
            }
            delete_history(&tx, &old).await?;
            let deleted = lead_row::Entity::delete_many()
                .filter(lead_row::Column::Id.is_in(old))
                .exec(&tx.db)
                .await?;
            Ok(deleted.rows_affected)
        })
        .await
    }
}
