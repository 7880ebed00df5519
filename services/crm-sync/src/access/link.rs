//! Magic links that a browser has used. Only the first browser logs in.

use std::time::Duration;

use sea_orm::{ConnectionTrait, prelude::DateTimeUtc};
use uuid::Uuid;

use crate::{
    db::{Result, Store, sql, transaction::Transaction},
    deliveries::ledger::{after, before},
};

/// A browser's use of the link in an email.
#[derive(Clone)]
pub struct LinkUse {
    /// Id of the email.
    pub email: Uuid,
    pub browser: String,
    /// How long the use is stored. Must exceed the link's lifetime.
    pub kept_for: Duration,
    /// How long the same browser may repeat its use.
    pub repeatable_for: Duration,
}

impl Store {
    /// Returns `true` for the first browser that uses a link, also when it repeats the use in time.
    pub async fn use_link(&self, link: &LinkUse) -> Result<bool> {
        self.write("use link", |tx| async move {
            // A repeated use changes nothing: it only counts the row as affected.
            let upsert =
                "INSERT INTO used_link (email, browser, used_at, until) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (email) DO UPDATE SET browser = excluded.browser
                 WHERE used_link.browser = excluded.browser AND used_link.used_at > $5";
            let values = [
                link.email.to_string().into(),
                link.browser.as_str().into(),
                tx.now().await?.into(),
                after(tx.now().await?, link.kept_for).into(),
                before(tx.now().await?, link.repeatable_for).into(),
            ];
            let result = tx.db.execute_raw(sql(&tx.db, upsert, values)).await?;
            Ok(result.rows_affected() > 0)
        })
        .await
    }
}

pub(super) async fn delete_ended(tx: &Transaction, end: DateTimeUtc) -> Result<()> {
    let delete = "DELETE FROM used_link WHERE until <= $1";
    tx.db.execute_raw(sql(&tx.db, delete, [end.into()])).await?;
    Ok(())
}
