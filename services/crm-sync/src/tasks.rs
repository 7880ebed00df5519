//! Grants a task to one process, once, such as the morning mail of a day.

use std::time::Duration;

use chrono::TimeDelta;
use sea_orm::{
    ColumnTrait, EntityTrait, ExprTrait, QueryFilter, Set,
    prelude::DateTimeUtc,
    sea_query::{Expr, LikeExpr, OnConflict},
};

use self::row as task;
use crate::{
    db::{Store, error::StoreError, transaction::now},
    deliveries::delivery::after,
    search::condition::escaped,
};

#[derive(Clone)]
pub struct TaskClaim {
    pub name: String,
    pub holder: String,
    pub lease: Duration,
    /// How long the holder may repeat the claim; then nobody is granted the task again.
    pub repeatable_for: Option<Duration>,
}

/// After its end, nobody asks for a task again: a summary is of one day, and a link expires before its task.
const KEPT: TimeDelta = TimeDelta::days(30);

impl Store {
    /// Claims a task; returns `false` when it is done, or claimed by another holder.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was granted, or it is unknown whether it was. The holder may repeat the claim.
    pub async fn claim_task(&self, claim: &TaskClaim) -> Result<bool, StoreError> {
        self.write("claim task", |transaction| async move {
            let now = now(&transaction).await?;
            let row = task::ActiveModel {
                name: Set(claim.name.clone()),
                holder: Set(claim.holder.clone()),
                until: Set(after(now, claim.lease)),
                done_at: Set(None),
            };
            let column = |column| Expr::col((task::Entity, column));
            let is_own = column(task::Column::Holder).eq(claim.holder.as_str());
            let (updated, is_free) = match claim.repeatable_for {
                // `until` stays, as it tells when the task was claimed first.
                Some(time) => {
                    let oldest = after(now, claim.lease) - time;
                    (vec![task::Column::Holder], is_own.and(column(task::Column::Until).gt(oldest)))
                }
                None => {
                    let is_over = column(task::Column::Until).lte(now);
                    (vec![task::Column::Holder, task::Column::Until], is_over.or(is_own))
                }
            };
            let unless_taken = OnConflict::column(task::Column::Name)
                .update_columns(updated)
                .action_and_where(column(task::Column::DoneAt).is_null().and(is_free))
                .to_owned();
            let insert = task::Entity::insert(row).on_conflict(unless_taken);
            Ok(insert.exec_without_returning(&*transaction).await? > 0)
        })
        .await
    }

    /// Marks a task as done, if this holder's claim is the latest. A name that ends in `/` stands for all that begin so.
    pub async fn finish_task(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        self.write("finish task", |transaction| async move {
            let done_at: Option<DateTimeUtc> = Some(now(&transaction).await?);
            let is_named = if name.ends_with('/') {
                task::Column::Name.like(LikeExpr::new(format!("{}%", escaped(name))).escape('\\'))
            } else {
                task::Column::Name.eq(name)
            };
            task::Entity::update_many()
                .col_expr(task::Column::DoneAt, Expr::value(done_at))
                .filter(is_named)
                .filter(task::Column::Holder.eq(holder))
                .filter(task::Column::DoneAt.is_null())
                .exec(&*transaction)
                .await?;
            Ok(())
        })
        .await
    }

    /// Deletes tasks that ended long ago.
    pub async fn delete_old_tasks(&self) -> Result<(), StoreError> {
        self.write("delete old tasks", |transaction| async move {
            let before = now(&transaction).await? - KEPT;
            task::Entity::delete_many().filter(task::Column::Until.lte(before)).exec(&*transaction).await?;
            Ok(())
        })
        .await
    }
}

mod row {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "task")]
    pub(crate) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub name: String,
        pub holder: String,
        /// The end of the claim.
        pub until: DateTimeUtc,
        /// A task that is done is not granted again.
        pub done_at: Option<DateTimeUtc>,
    }

    #[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
    pub(crate) enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
