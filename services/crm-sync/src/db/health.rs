//! Checks the database, counts its connections, and truncates SQLite's log.

use std::collections::BTreeSet;

use crm_sync_migration::{Migrator, MigratorTrait, applied};

use sea_orm::DbBackend;

use super::prelude::*;

/// Large enough to need new pages: a full database may have room in existing ones.
const FILLER: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    pub used: u64,
    pub idle: u64,
}

impl Store {
    /// Migrates SQLite; only checks PostgreSQL, which a running service may not be allowed to change. A newer schema is
    /// accepted: it belongs to a version that is replacing this one, and contains all that this one needs.
    pub(crate) async fn check_schema(&self) -> Result<()> {
        if is_up_to_date(&self.reader).await? {
            return Ok(());
        }
        if self.backend != DbBackend::Sqlite {
            return Err(StoreError::SchemaOutdated);
        }
        Ok(Migrator::up(&self.writer, None).await?)
    }

    /// Inserts and deletes a large row.
    ///
    /// # Errors
    /// [`StoreError`], as storing a lead would return it.
    pub async fn check_write(&self) -> Result<()> {
        self.write("check write", |tx| async move {
            let filler = "x".repeat(FILLER);
            let insert = sql(&tx.db, "INSERT INTO write_check (filler) VALUES ($1)", [filler.into()]);
            tx.db.execute_raw(insert).await?;
            tx.db.execute_unprepared("DELETE FROM write_check").await?;
            Ok(())
        })
        .await
    }

    pub fn connections(&self) -> Connections {
        let (size, idle) = if self.backend == DbBackend::Sqlite {
            let pools = [&self.reader, &self.writer].map(|it| it.get_sqlite_connection_pool());
            (pools.map(|it| it.size()).iter().sum(), pools.map(|it| it.num_idle()).iter().sum())
        } else {
            // Readers use the writer's pool.
            let pool = self.writer.get_postgres_connection_pool();
            (pool.size(), pool.num_idle())
        };
        Connections { used: u64::from(size).saturating_sub(idle as u64), idle: idle as u64 }
    }

    /// Truncates SQLite's log: what was erased is overwritten in the file, but stays in the log. `false` when readers
    /// prevented that: to be repeated. PostgreSQL needs nothing.
    pub async fn checkpoint(&self) -> Result<bool> {
        if self.backend != DbBackend::Sqlite {
            return Ok(true);
        }
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let row = with_timeout(self.writer.query_one_raw(sql(&self.writer, checkpoint, []))).await?;
        // The first column is not 0 when others blocked the checkpoint.
        let in_the_way: Option<i64> = row.map(|row| row.try_get_by_index(0)).transpose()?;
        Ok(in_the_way == Some(0))
    }
}

async fn is_up_to_date(connection: &DatabaseConnection) -> Result<bool> {
    let applied: BTreeSet<String> = with_timeout(applied(connection)).await?.into_iter().collect();
    Ok(Migrator::migrations().iter().all(|step| applied.contains(step.name())))
}
