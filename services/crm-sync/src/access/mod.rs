//! Grants what only one process or one browser may have: the task of a daily summary, a magic link, a session.

mod link;
mod session;
mod summary;

use std::time::Duration;

use chrono::TimeDelta;
use contracts::crm::v1 as crm;
use lead::{
    FieldError,
    field::{positive_duration, required_text, uuid},
};
use uuid::Uuid;

pub use self::{link::LinkUse, session::SessionId, summary::SummaryClaim};
use crate::{
    db::{Result, Store},
    deliveries::parse_holder,
    error::Invalid,
};

/// Maximum length of a task's name.
const NAME_LENGTH: usize = 200;

/// Maximum lifetime of a session, and maximum retention of a used link.
const LONGEST_LEASE: Duration = Duration::from_hours(30 * 24);

/// Retention after the end of a lease. Later claims do not occur: summaries cover one day, and magic links expire earlier.
const KEPT: TimeDelta = TimeDelta::days(30);

/// What a request claims or finishes, parsed from the task's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// `desk-link/EMAIL`: the first use of the magic link in an email, by the email's id.
    Link(Uuid),
    /// `desk-session/PERSON/ID`: a session.
    Session(SessionId),
    /// `desk-session/PERSON/`: all sessions of a person.
    AllSessions(Uuid),
    /// `daily-summary/DATE/RECIPIENT`: a daily summary for one recipient.
    Summary(String),
}

impl Task {
    pub(crate) fn parse(name: &str) -> Result<Self, FieldError> {
        let name = required_text("task", name, NAME_LENGTH)?;
        if let Some(mail) = name.strip_prefix("desk-link/") {
            return Ok(Self::Link(uuid("task", mail)?));
        }
        let Some(session) = name.strip_prefix("desk-session/") else {
            return Ok(Self::Summary(name));
        };
        let (person, id) = session.split_once('/').unwrap_or((session, ""));
        let person = uuid("task", person)?;
        if id.is_empty() {
            return Ok(Self::AllSessions(person));
        }
        let id = uuid("task", id)?;
        Ok(Self::Session(SessionId { person, id }))
    }

    /// Whether the task belongs to the desk rather than to notifier.
    pub(crate) fn is_for_desk(&self) -> bool {
        !matches!(self, Self::Summary(_))
    }
}

/// A request to claim a task.
pub(crate) enum Claim {
    Link(LinkUse),
    Session { id: SessionId, lease: Duration },
    Summary(SummaryClaim),
}

impl Claim {
    pub(crate) fn parse(request: crm::ClaimTaskRequest) -> Result<Self, Invalid> {
        let holder = parse_holder(&request.holder)?;
        let lease = positive_duration("lease", request.lease)?;
        Ok(match Task::parse(&request.task)? {
            Task::Link(email) => Self::Link(LinkUse {
                email,
                browser: holder,
                kept_for: lease,
                repeatable_for: positive_duration("repeatable_for", request.repeatable_for)?,
            }),
            Task::Session(id) => Self::Session { id, lease },
            Task::AllSessions(_) => return Err(FieldError::NotUuid("task").into()),
            Task::Summary(name) => Self::Summary(SummaryClaim {
                name,
                holder,
                lease,
            }),
        })
    }

    /// Whether the claim belongs to the desk and ends within its limit.
    pub(crate) fn is_for_desk(&self) -> bool {
        match self {
            Self::Link(link) => link.kept_for <= LONGEST_LEASE,
            Self::Session { lease, .. } => *lease <= LONGEST_LEASE,
            Self::Summary(_) => false,
        }
    }
}

impl Store {
    /// Deletes tasks, used links and sessions whose lease ended more than 30 days ago.
    pub async fn delete_old_tasks(&self) -> Result<()> {
        self.write("delete old tasks", |tx| async move {
            let before = tx.now().await? - KEPT;
            summary::delete_ended(&tx, before).await?;
            link::delete_ended(&tx, before).await?;
            session::delete_ended(&tx, before).await
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_is_known_by_its_name() {
        let person = Uuid::from_u128(1);
        let id = Uuid::from_u128(2);
        let parse = |name: String| Task::parse(&name);
        assert_eq!(parse(format!("desk-link/{id}")), Ok(Task::Link(id)));
        assert_eq!(
            parse(format!("desk-session/{person}/{id}")),
            Ok(Task::Session(SessionId { person, id }))
        );
        assert_eq!(
            parse(format!("desk-session/{person}/")),
            Ok(Task::AllSessions(person))
        );
        let summary = "daily-summary/2026-03-01/1";
        assert_eq!(
            parse(summary.to_owned()),
            Ok(Task::Summary(summary.to_owned()))
        );
        for wrong in ["desk-link/1", "desk-session/1/2", "desk-session/"] {
            assert_eq!(
                parse(wrong.to_owned()),
                Err(FieldError::NotUuid("task")),
                "{wrong}"
            );
        }
        assert_eq!(
            parse("x".repeat(201)),
            Err(FieldError::TooLong("task", 200))
        );
    }
}
