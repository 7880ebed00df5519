//! Checks whether the database accepts writes.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DeriveIden, sea_query::Query};

use super::{Store, error::StoreError, transaction::UnitOfWork};

/// Large enough to need new pages: a full database may have room in existing ones.
const FILLER: usize = 64 * 1024;

#[derive(DeriveIden)]
enum WriteCheck {
    Table,
    Filler,
}

impl Store {
    /// Inserts and deletes a large row.
    ///
    /// # Errors
    /// [`StoreError`], as storing a lead would return it.
    pub async fn check_write(&self) -> Result<(), StoreError> {
        self.transact(&Attempt).await
    }
}

struct Attempt;

impl UnitOfWork for Attempt {
    const NAME: &'static str = "check write";

    type Outcome = ();

    async fn perform(&self, transaction: &DatabaseTransaction, _: &Store) -> Result<(), StoreError> {
        let filler = "x".repeat(FILLER);
        let insert = Query::insert()
            .into_table(WriteCheck::Table)
            .columns([WriteCheck::Filler])
            .values_panic([filler.into()])
            .to_owned();
        transaction.execute(&insert).await?;
        transaction.execute(&Query::delete().from_table(WriteCheck::Table).to_owned()).await?;
        Ok(())
    }
}
