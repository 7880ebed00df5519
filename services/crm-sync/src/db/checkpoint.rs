//! Truncates SQLite's log: what was erased is overwritten in the file, but stays in the log.

use std::sync::atomic::Ordering;

use sea_orm::{ConnectionTrait, Statement};

use super::{Store, error::StoreError, settings::Kind, within};

impl Store {
    /// Truncates SQLite's log if anything was erased since the last time. `false` when readers prevented it: to be
    /// repeated. PostgreSQL needs nothing.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn checkpoint(&self) -> Result<bool, StoreError> {
        match self.kind {
            Kind::Postgres => return Ok(true),
            Kind::Sqlite if !self.erased.swap(false, Ordering::AcqRel) => return Ok(true),
            Kind::Sqlite => {}
        }
        let emptied = self.empty_log().await;
        if !matches!(emptied, Ok(true)) {
            self.checkpoint_soon();
        }
        emptied
    }

    pub(crate) fn checkpoint_soon(&self) {
        self.erased.store(true, Ordering::Release);
    }

    async fn empty_log(&self) -> Result<bool, StoreError> {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let statement = Statement::from_string(self.writer.get_database_backend(), checkpoint);
        let row = within(self.writer.query_one_raw(statement)).await?;
        // The first column is not 0 when others blocked the checkpoint.
        let in_the_way: Option<i64> = row.map(|row| row.try_get_by_index(0)).transpose()?;
        Ok(in_the_way == Some(0))
    }
}
