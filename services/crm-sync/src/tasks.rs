//! Grants each task, such as a daily summary, to one process, once.

use std::time::Duration;

use chrono::TimeDelta;
use contracts::crm::v1 as crm;
use lead::field::{filled, positive_duration};
use sea_orm::ConnectionTrait;

use crate::{
    db::{Result, Store, sql},
    deliveries::{ledger::after, parse_holder},
    error::Invalid,
    search::filter::escaped,
};

const NAME_LENGTH: usize = 200;

/// Tasks that the desk may claim: the first use of a magic link, and sessions. Logging out finishes a session's task.
const DESK_TASKS: [&str; 2] = ["desk-link/", "desk-session/"];

/// Maximum lifetime of a session.
const LONGEST_DESK_LEASE: Duration = Duration::from_hours(30 * 24);

#[derive(Clone)]
pub struct TaskClaim {
    pub name: String,
    pub holder: String,
    pub lease: Duration,
    /// Period after the first claim in which the holder may repeat the claim. Later claims are denied.
    pub repeatable_for: Option<Duration>,
}

/// Retention after the end of a lease. Later claims do not occur: summaries cover one day, and magic links expire earlier.
const KEPT: TimeDelta = TimeDelta::days(30);

impl TaskClaim {
    pub(crate) fn parse(request: crm::ClaimTaskRequest) -> Result<Self, Invalid> {
        let (name, holder) = parse_name_and_holder(&request.task, &request.holder)?;
        let repeatable_for = request.repeatable_for;
        let repeatable_for = repeatable_for.map(|it| positive_duration("repeatable_for", Some(it)));
        let lease = positive_duration("lease", request.lease)?;
        Ok(Self {
            name,
            holder,
            lease,
            repeatable_for: repeatable_for.transpose()?,
        })
    }

    pub(crate) fn is_for_desk(&self) -> bool {
        is_for_desk(&self.name) && self.lease <= LONGEST_DESK_LEASE
    }
}

pub(crate) fn parse_name_and_holder(name: &str, holder: &str) -> Result<(String, String), Invalid> {
    Ok((filled("task", name, NAME_LENGTH)?, parse_holder(holder)?))
}

pub(crate) fn is_for_desk(name: &str) -> bool {
    DESK_TASKS.iter().any(|prefix| name.starts_with(prefix))
}

impl Store {
    /// Claims a task. Returns `false` if the task is finished, claimed by another holder, or no longer repeatable.
    pub async fn claim_task(&self, claim: &TaskClaim) -> Result<bool> {
        self.write("claim task", |tx| async move {
            let now = tx.now;
            let until = after(now, claim.lease);
            let (update, condition, time) = match claim.repeatable_for {
                // `until` keeps its value because it marks the time of the first claim.
                Some(repeatable_for) => (
                    "holder = excluded.holder",
                    "task.holder = excluded.holder AND task.until > $4",
                    until - repeatable_for,
                ),
                None => (
                    "holder = excluded.holder, until = excluded.until",
                    "(task.holder = excluded.holder OR task.until <= $4)",
                    now,
                ),
            };
            let upsert = format!(
                "INSERT INTO task (name, holder, until) VALUES ($1, $2, $3)
                 ON CONFLICT (name) DO UPDATE SET {update} WHERE task.done_at IS NULL AND {condition}"
            );
            let values =
                [claim.name.as_str().into(), claim.holder.as_str().into(), until.into(), time.into()];
            Ok(tx.db.execute_raw(sql(&tx.db, upsert, values)).await?.rows_affected() > 0)
        })
        .await
    }

    /// Finishes a task if `holder` made the latest claim. A name that ends in `/` finishes all tasks with that prefix.
    pub async fn finish_task(&self, name: &str, holder: &str) -> Result<()> {
        self.write("finish task", |tx| async move {
            let (condition, name) = match name.ends_with('/') {
                true => ("name LIKE $3 ESCAPE '\\'", format!("{}%", escaped(name))),
                false => ("name = $3", name.to_owned()),
            };
            let update = format!(
                "UPDATE task SET done_at = $1 WHERE holder = $2 AND done_at IS NULL AND {condition}"
            );
            let values = [tx.now.into(), holder.into(), name.into()];
            tx.db.execute_raw(sql(&tx.db, update, values)).await?;
            Ok(())
        })
        .await
    }

    /// Deletes tasks whose lease ended more than 30 days ago.
    pub async fn delete_old_tasks(&self) -> Result<()> {
        self.write("delete old tasks", |tx| async move {
            let before = tx.now - KEPT;
            tx.db
                .execute_raw(sql(
                    &tx.db,
                    "DELETE FROM task WHERE until <= $1",
                    [before.into()],
                ))
                .await?;
            Ok(())
        })
        .await
    }
}
