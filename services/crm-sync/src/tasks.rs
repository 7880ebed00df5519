//! Grants a task to one process, once, such as the morning mail of a day.

use std::time::Duration;

use chrono::TimeDelta;
use contracts::crm::v1::{ClaimTaskRequest, ClaimTaskResponse, FinishTaskRequest, FinishTaskResponse};
use lead::field::filled;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, Set,
    prelude::DateTimeUtc,
    sea_query::{Expr, LikeExpr, OnConflict},
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

pub(crate) async fn claim_task(
    store: &Store,
    caller: &Caller,
    request: ClaimTaskRequest,
) -> Result<ClaimTaskResponse, Status> {
    let claim = claim(request)?;
    if caller.role() == Role::Desk && !(is_of_desk(&claim.name) && claim.lease <= LONGEST_DESK_LEASE) {
        return Err(Status::permission_denied(
            "role desk may only claim tasks of magic links and sessions, for up to 15 days",
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
    if caller.role() == Role::Desk && !is_of_desk(&task) {
        return Err(Status::permission_denied("role desk may only finish tasks of magic links and sessions"));
    }
    store.finish_task(&task, &holder).await?;
    info!(client = %caller, task, holder, "FinishTask");
    Ok(FinishTaskResponse {})
}

const TASK_LENGTH: usize = 200;

/// What the desk claims: the first use of an email's link, and sessions, which are finished by logging out.
const DESK_TASKS: [&str; 2] = ["desk-link/", "desk-session/"];

/// More than a link's life, and less than for ever.
const LONGEST_DESK_LEASE: Duration = Duration::from_hours(15 * 24);

/// After its end, nobody asks for a task again: a summary is of one day, and a link expires before its task.
const KEPT: TimeDelta = TimeDelta::days(30);

fn is_of_desk(task: &str) -> bool {
    DESK_TASKS.iter().any(|prefix| task.starts_with(prefix))
}

fn claim(request: ClaimTaskRequest) -> Result<TaskClaim, Invalid> {
    Ok(TaskClaim {
        name: name(&request.task)?,
        holder: holder(&request.holder)?,
        lease: positive_duration("lease", request.lease)?,
        repeatable_for: request
            .repeatable_for
            .map(|it| positive_duration("repeatable_for", Some(it)))
            .transpose()?,
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

    async fn perform(&self, transaction: &DatabaseTransaction, _: &Store) -> Result<bool, StoreError> {
        let now = now(transaction).await?;
        let row = task::ActiveModel {
            name: Set(self.name.clone()),
            holder: Set(self.holder.clone()),
            until: Set(after(now, self.lease)),
            done_at: Set(None),
        };
        let column = |column| Expr::col((task::Entity, column));
        let is_own = column(task::Column::Holder).eq(self.holder.as_str());
        let (updated, is_free) = match self.repeatable_for {
            // `until` stays, as it tells when the task was claimed first.
            Some(time) => {
                let oldest = after(now, self.lease) - time;
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

    async fn perform(&self, transaction: &DatabaseTransaction, _: &Store) -> Result<(), StoreError> {
        let done_at: Option<DateTimeUtc> = Some(now(transaction).await?);
        let is_named = match self.name.strip_suffix('/') {
            Some(_) => {
                task::Column::Name.like(LikeExpr::new(format!("{}%", escaped(self.name))).escape('\\'))
            }
            None => task::Column::Name.eq(self.name),
        };
        task::Entity::update_many()
            .col_expr(task::Column::DoneAt, Expr::value(done_at))
            .filter(is_named)
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

    async fn perform(&self, transaction: &DatabaseTransaction, _: &Store) -> Result<(), StoreError> {
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
