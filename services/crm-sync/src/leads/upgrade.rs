//! Completes rows that the previous version stored, before or during an upgrade.

use std::collections::BTreeMap;

use lead::{EmailKey, Lead};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
    prelude::{Expr, Uuid},
    sea_query::LockType,
};
use tracing::warn;

use super::{conflict, keys::Keys, lock::SUPPRESSION_LOCK};
use crate::{
    db::{Result, Store, transaction::Transaction},
    leads::row,
};

/// Mailboxes, and conflicts, of one transaction.
const BATCH: u64 = 500;

impl Store {
    /// Hashes the mailboxes of leads, and finds the mailboxes of conflicts, that the previous version stored. Returns the
    /// number of completed mailboxes. A link cannot withdraw consent before its lead is complete.
    pub async fn complete_rows(&self) -> Result<u64> {
        let mut completed = 0;
        loop {
            let batch = self.write("complete rows", |tx| async move {
                Ok(hash_mailboxes(&tx).await? + complete_conflicts(&tx).await?)
            });
            match batch.await? {
                0 => return Ok(completed),
                mailboxes => completed += mailboxes,
            }
        }
    }
}

impl Store {
    /// Stores the digits of numbers in digits of another script, by which searches find their leads. The previous version
    /// stored none. Called once for each start, because few leads have no digits, and most of them no number.
    pub async fn fold_digits(&self) -> Result<()> {
        let mut after = Some(Uuid::nil());
        while let Some(lead) = after {
            let folded = self.write("fold digits", |tx| async move {
                fold_digits_after(&tx, lead).await
            });
            after = folded.await?;
        }
        Ok(())
    }
}

async fn hash_mailboxes(tx: &Transaction) -> Result<u64> {
    let mailboxes: Vec<String> = row::Entity::find()
        .select_only()
        .column(row::Column::Mailbox)
        .distinct()
        .filter(row::Column::MailboxHash.eq(""))
        .filter(row::Column::Mailbox.ne(""))
        .limit(BATCH)
        .into_tuple()
        .all(&tx.db)
        .await?;
    if !mailboxes.is_empty() {
        // A withdrawal must not miss a lead that is hashed at the same time.
        tx.advisory_lock(SUPPRESSION_LOCK).await?;
    }
    for mailbox in &mailboxes {
        let hash = tx.suppression.hash_mailbox(&EmailKey::new(mailbox));
        row::Entity::update_many()
            .col_expr(row::Column::MailboxHash, Expr::value(hash))
            .filter(row::Column::Mailbox.eq(mailbox))
            .filter(row::Column::MailboxHash.eq(""))
            .exec(&tx.db)
            .await?;
    }
    Ok(mailboxes.len() as u64)
}

/// Numbers in digits of another script, for which the previous version stored no digits. Returns the last lead that was read,
/// unless there are no more.
async fn fold_digits_after(tx: &Transaction, after: Uuid) -> Result<Option<Uuid>> {
    let rows = row::Entity::find()
        .filter(row::Column::Digits.eq(""))
        .filter(row::Column::Mobile.ne(""))
        .filter(row::Column::ErasedAt.is_null())
        .filter(row::Column::Id.gt(after))
        .order_by_asc(row::Column::Id)
        .lock(LockType::Update)
        .limit(BATCH)
        .all(&tx.db)
        .await?;
    for row in &rows {
        let keys = Keys::from_fields(&row.name, &row.mobile, &row.email);
        if keys.digits.is_empty() {
            continue;
        }
        let earlier = row.earlier.clone().unwrap_or_default();
        // The keys of people stay as they are, because a correction of the lead replaces them.
        let columns = row::ActiveModel {
            searched: Set(keys.searched(&row.reference, &earlier)),
            digits: Set(keys.digits),
            ..Default::default()
        };
        row::update(tx, &[row.id], columns).await?;
    }
    Ok(rows.last().map(|row| row.id))
}

async fn complete_conflicts(tx: &Transaction) -> Result<u64> {
    let rows = conflict::Entity::find()
        .filter(conflict::Column::Mailbox.eq(""))
        .limit(BATCH)
        .all(&tx.db)
        .await?;
    let mut mailboxes = BTreeMap::new();
    for row in rows {
        // One unreadable conflict must not stop crm-sync.
        match serde_json::from_value::<Lead>(row.contents) {
            Ok(lead) => {
                mailboxes.insert(row.number, EmailKey::new(&lead.email).mailbox());
            }
            Err(_) => warn!(lead_id = %row.lead_id, "conflict not completed: unreadable"),
        }
    }
    for (number, mailbox) in &mailboxes {
        let columns = conflict::ActiveModel {
            number: Set(*number),
            mailbox: Set(mailbox.clone()),
            ..Default::default()
        };
        columns.update(&tx.db).await?;
    }
    Ok(mailboxes.len() as u64)
}
