//! What one process is to do, once.

use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, Set,
    prelude::DateTimeUtc,
    sea_query::{Expr, OnConflict},
};

use super::{
    Store, StoreError,
    entity::task,
    transaction::{UnitOfWork, now},
};
use crate::{deliveries::after, domain::task::TaskClaim};

impl Store {
    /// Claims a task, and says whether it was granted: unless it is done, or another is at it.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was granted, or it is not known whether it was: the holder may ask again.
    pub async fn claim_task(&self, claim: &TaskClaim) -> Result<bool, StoreError> {
        self.transact(claim).await
    }

    /// Says that a task is done, if this holder is still at it.
    ///
    /// # Errors
    /// [`StoreError`]; said twice it counts once.
    pub async fn finish_task(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        self.transact(&Finish { name, holder }).await
    }
}

impl UnitOfWork for TaskClaim {
    const NAME: &'static str = "claim task";

    type Outcome = bool;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<bool, StoreError> {
        let now = now(transaction).await?;
        let row = task::ActiveModel {
            name: Set(self.name.clone()),
            holder: Set(self.holder.clone()),
            until: Set(after(now, self.lease)),
            done_at: Set(None),
        };
        let column = |column| Expr::col((task::Entity, column));
        let is_free =
            column(task::Column::Until).lte(now).or(column(task::Column::Holder).eq(self.holder.as_str()));
        let unless_taken = OnConflict::column(task::Column::Name)
            .update_columns([task::Column::Holder, task::Column::Until])
            .action_and_where(column(task::Column::DoneAt).is_null().and(is_free))
            .to_owned();
        let insert = task::Entity::insert(row).on_conflict(unless_taken);
        Ok(insert.exec_without_returning(transaction).await? > 0)
    }
}

struct Finish<'a> {
    name: &'a str,
    holder: &'a str,
}

impl UnitOfWork for Finish<'_> {
    const NAME: &'static str = "finish task";

    type Outcome = ();

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<(), StoreError> {
        let done_at: Option<DateTimeUtc> = Some(now(transaction).await?);
        task::Entity::update_many()
            .col_expr(task::Column::DoneAt, Expr::value(done_at))
            .filter(task::Column::Name.eq(self.name))
            .filter(task::Column::Holder.eq(self.holder))
            .filter(task::Column::DoneAt.is_null())
            .exec(transaction)
            .await?;
        Ok(())
    }
}
