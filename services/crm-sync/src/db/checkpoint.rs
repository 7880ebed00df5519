//! SQLite's files: what was erased from the database is overwritten in it, and stands in its log until that is emptied.

use std::sync::atomic::Ordering;

use sea_orm::{ConnectionTrait, Statement};

use super::{Store, error::StoreError, settings::Kind, within};

impl Store {
    /// Empties SQLite's log, if anything was erased since it was last empty. Says whether nothing is left to do: somebody
    /// who reads may be in the way. PostgreSQL removes what was erased by itself.
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
        // The first column says whether others were in the way.
        let in_the_way: Option<i64> = row.map(|row| row.try_get_by_index(0)).transpose()?;
        Ok(in_the_way == Some(0))
    }
}
