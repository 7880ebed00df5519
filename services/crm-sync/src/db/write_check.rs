//! The write check: whether the database can be written to.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DeriveIden, sea_query::Query};

use super::{Store, error::StoreError, transaction::UnitOfWork};

/// Enough to need new pages: a database that is full may still have room in those it has.
const FILLER: usize = 64 * 1024;

#[derive(DeriveIden)]
enum WriteCheck {
    Table,
    Filler,
}

impl Store {
    /// Writes, commits and removes something.
    ///
    /// # Errors
    /// [`StoreError`], as a lead would meet it.
    pub async fn check_write(&self) -> Result<(), StoreError> {
        self.transact(&Attempt).await
    }
}

struct Attempt;

impl UnitOfWork for Attempt {
    const NAME: &'static str = "check write";

    type Outcome = ();

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<(), StoreError> {
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
