//! Grants a task to one process, once, such as the summary of a day.

use std::time::Duration;

use ::lead::field::filled;
use chrono::TimeDelta;
use contracts::crm::v1 as crm;

use crate::{
    db::prelude::*,
    deliveries::delivery::{after, parse_holder, parse_positive_duration},
    error::Invalid,
    search::filter::escaped,
};

const NAME_LENGTH: usize = 200;

/// Tasks that the desk claims: the first use of an email's link, and sessions, which are finished by logging out.
const DESK_TASKS: [&str; 2] = ["desk-link/", "desk-session/"];

/// The length of the longest session.
const LONGEST_DESK_LEASE: Duration = Duration::from_hours(30 * 24);

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

impl TaskClaim {
    pub(crate) fn parse(request: crm::ClaimTaskRequest) -> Result<Self, Invalid> {
        let (name, holder) = parse_name_and_holder(&request.task, &request.holder)?;
        let repeatable_for = request.repeatable_for;
        let repeatable_for = repeatable_for.map(|it| parse_positive_duration("repeatable_for", Some(it)));
        let lease = parse_positive_duration("lease", request.lease)?;
        Ok(Self { name, holder, lease, repeatable_for: repeatable_for.transpose()? })
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
    /// Claims a task; returns `false` when it is done, or claimed by another holder.
    pub async fn claim_task(&self, claim: &TaskClaim) -> Result<bool> {
        self.write("claim task", |tx| async move {
            let now = tx.now().await?;
            let until = after(now, claim.lease);
            let (update, condition, time) = match claim.repeatable_for {
                // `until` stays, as it tells when the task was claimed first.
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

    /// Marks a task as done, if this holder's claim is the latest. A name that ends in `/` stands for all that begin so.
    pub async fn finish_task(&self, name: &str, holder: &str) -> Result<()> {
        self.write("finish task", |tx| async move {
            let (condition, name) = match name.ends_with('/') {
                true => ("name LIKE $3 ESCAPE '\\'", format!("{}%", escaped(name))),
                false => ("name = $3", name.to_owned()),
            };
            let update =
                format!("UPDATE task SET done_at = $1 WHERE holder = $2 AND done_at IS NULL AND {condition}");
            let values = [tx.now().await?.into(), holder.into(), name.into()];
            tx.db.execute_raw(sql(&tx.db, update, values)).await?;
            Ok(())
        })
        .await
    }

    /// Deletes tasks that ended long ago.
    pub async fn delete_old_tasks(&self) -> Result<()> {
        self.write("delete old tasks", |tx| async move {
            let before = tx.now().await? - KEPT;
            tx.db.execute_raw(sql(&tx.db, "DELETE FROM task WHERE until <= $1", [before.into()])).await?;
            Ok(())
        })
        .await
    }
}
