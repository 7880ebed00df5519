//! Whether the database can be written to.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DeriveIden, sea_query::Query};

use super::{Store, StoreError, transaction::Work};

/// Enough to need new pages: a database that is full may still have room in those it has.
const FILLER: usize = 64 * 1024;

#[derive(DeriveIden)]
enum Probe {
    Table,
    Filler,
}

impl Store {
    /// Writes, commits and removes something.
    ///
    /// # Errors
    /// [`StoreError`], as a lead would meet it.
    pub async fn probe(&self) -> Result<(), StoreError> {
        self.transact(&Attempt).await
    }
}

struct Attempt;

impl Work for Attempt {
    const NAME: &'static str = "probe";

    type Outcome = ();

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<(), StoreError> {
        let filler = "x".repeat(FILLER);
        let insert = Query::insert()
            .into_table(Probe::Table)
            .columns([Probe::Filler])
            .values_panic([filler.into()])
            .to_owned();
        transaction.execute(&insert).await?;
        transaction.execute(&Query::delete().from_table(Probe::Table).to_owned()).await?;
        Ok(())
    }
}
