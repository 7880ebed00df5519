//! Grants a task to one process, once, such as the morning mail of a day.

use std::time::Duration;

use chrono::TimeDelta;
use contracts::crm::v1::{ClaimTaskRequest, ClaimTaskResponse, FinishTaskRequest, FinishTaskResponse};
use lead::field::filled;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, Set,
    prelude::DateTimeUtc,
    sea_query::{Expr, OnConflict},
};
use tonic::Status;
use tracing::info;

use self::row as task;
use crate::{
    auth::{Caller, Role},
    db::{
        Store,
        error::StoreError,
        transaction::{UnitOfWork, now},
    },
    deliveries::{
        contract::{holder, positive_duration},
        delivery::after,
    },
    error::Invalid,
};

#[derive(Clone)]
pub struct TaskClaim {
    pub name: String,
    pub holder: String,
    pub lease: Duration,
}

pub(crate) async fn claim_task(
    store: &Store,
    caller: &Caller,
    request: ClaimTaskRequest,
) -> Result<ClaimTaskResponse, Status> {
    let claim = claim(request)?;
    if caller.role() == Role::Desk && !claim.is_of_a_link() {
        return Err(Status::permission_denied(
            "role desk may only claim tasks of magic links, for up to 15 days",
        ));
    }
    let granted = store.claim_task(&claim).await?;
    info!(client = %caller, task = claim.name, holder = claim.holder, granted, "ClaimTask");
    Ok(ClaimTaskResponse { granted })
}

pub(crate) async fn finish_task(
    store: &Store,
    caller: &Caller,
    request: FinishTaskRequest,
) -> Result<FinishTaskResponse, Status> {
    let (task, holder) = finish(request)?;
    store.finish_task(&task, &holder).await?;
    info!(client = %caller, task, holder, "FinishTask");
    Ok(FinishTaskResponse {})
}

const TASK_LENGTH: usize = 200;

/// What the desk claims: the first use of a mail's link.
const DESK_TASKS: &str = "desk-link/";

/// More than a link's life, and less than for ever.
const LONGEST_DESK_LEASE: Duration = Duration::from_hours(15 * 24);

/// After its end, nobody asks for a task again: a summary is of one day, and a link expires before its task.
const KEPT: TimeDelta = TimeDelta::days(30);

impl TaskClaim {
    fn is_of_a_link(&self) -> bool {
        self.name.starts_with(DESK_TASKS) && self.lease <= LONGEST_DESK_LEASE
    }
}

fn claim(request: ClaimTaskRequest) -> Result<TaskClaim, Invalid> {
    Ok(TaskClaim {
        name: name(&request.task)?,
        holder: holder(&request.holder)?,
        lease: positive_duration("lease", request.lease)?,
    })
}

fn finish(request: FinishTaskRequest) -> Result<(String, String), Invalid> {
    Ok((name(&request.task)?, holder(&request.holder)?))
}

fn name(text: &str) -> Result<String, Invalid> {
    Ok(filled("task", text, TASK_LENGTH)?)
}

impl Store {
    /// Claims a task; returns `false` when it is done, or claimed by another holder.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was granted, or it is unknown whether it was. The holder may repeat the claim.
    pub async fn claim_task(&self, claim: &TaskClaim) -> Result<bool, StoreError> {
        self.transact(claim).await
    }

    /// Marks a task as done, if this holder's claim is the latest.
    ///
    /// # Errors
    /// [`StoreError`]; may be repeated.
    pub async fn finish_task(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        self.transact(&Finish { name, holder }).await
    }

    /// Deletes tasks that ended long ago.
    ///
    /// # Errors
    /// [`StoreError`]; may be repeated.
    pub async fn delete_old_tasks(&self) -> Result<(), StoreError> {
        self.transact(&DeleteOld).await
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

struct DeleteOld;

impl UnitOfWork for DeleteOld {
    const NAME: &'static str = "delete old tasks";

    type Outcome = ();

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<(), StoreError> {
        let before = now(transaction).await? - KEPT;
        task::Entity::delete_many().filter(task::Column::Until.lte(before)).exec(transaction).await?;
        Ok(())
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
