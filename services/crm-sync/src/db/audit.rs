//! Writes the audit of who read, exported or erased personal data.

use sea_orm::{ConnectionTrait, DeriveIden, sea_query::Query};

use super::{Store, error::StoreError, within};

#[derive(DeriveIden)]
enum Audit {
    Table,
    Client,
    Action,
    Leads,
}

impl Store {
    /// Records that `client` read, exported or erased the personal data of `leads` leads. Neither text may contain a
    /// visitor's data.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn audit(&self, client: &str, action: &str, leads: u64) -> Result<(), StoreError> {
        within(insert(&self.writer, client, action, leads)).await
    }
}

pub(crate) async fn insert(
    connection: &impl ConnectionTrait,
    client: &str,
    action: &str,
    leads: u64,
) -> Result<(), StoreError> {
    let leads = i64::try_from(leads).unwrap_or(i64::MAX);
    let insert = Query::insert()
        .into_table(Audit::Table)
        .columns([Audit::Client, Audit::Action, Audit::Leads])
        .values_panic([client.into(), action.into(), leads.into()])
        .to_owned();
    connection.execute(&insert).await?;
    Ok(())
}
