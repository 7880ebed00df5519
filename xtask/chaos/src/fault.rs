//! The faults: their names and targets.

use std::fmt;

use crate::mail_server::Trouble;
use crate::stack::parts::{Link, Process};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// SIGKILL.
    Kill(Process),
    /// SIGSTOP, later SIGCONT.
    Freeze(Process),
    /// Stops the process gracefully and starts it again later.
    Restart(Process),
    /// Closes connections normally.
    Cut(Link),
    /// Connections stay open but forward nothing.
    Stall(Link),
    Reset(Link),
    /// The target disappears without closing its connections.
    HalfOpen(Link),
    /// The broker raises an alarm and blocks publishers.
    Alarm(Resource),
    QueueDeleted(Queue),
    /// Removes the route to a work queue.
    BindingDeleted(Queue),
    /// A fault of the mail server.
    Mail(Trouble),
    /// The mail server permanently refuses one lead's mail to one recipient.
    RecipientRefused,
    ReadOnly,
    OutOfConnections,
    /// A session holds a lock on all tables.
    Locked,
    /// A session takes locks in the reverse order.
    Deadlock,
    DatabaseDiskFull,
    BrokerDiskFull,
    /// A message that no handler can process.
    Poison(Poison, Queue),
}

/// The resource of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Resource {
    /// The high watermark is exceeded.
    Memory,
    /// The free space is below its limit.
    Disk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Queue {
    /// `crm-sync.leads`
    CrmSync,
    /// `notifier.leads`
    Notifier,
}

impl Queue {
    pub(crate) const ALL: [Self; 2] = [Self::CrmSync, Self::Notifier];

    pub(crate) fn other(self) -> Self {
        match self {
            Self::CrmSync => Self::Notifier,
            Self::Notifier => Self::CrmSync,
        }
    }

    /// The queue's name at the broker.
    pub(crate) fn name(self) -> String {
        format!("{}.leads", self.service())
    }

    pub(crate) fn service(self) -> &'static str {
        match self {
            Self::CrmSync => "crm-sync",
            Self::Notifier => "notifier",
        }
    }
}

/// The defect of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Poison {
    /// The body is no valid protobuf.
    Undecodable,
    WrongType,
    /// The type is of a newer version.
    UnknownVersion,
}

impl Poison {
    const ALL: [Self; 3] = [Self::Undecodable, Self::WrongType, Self::UnknownVersion];
}

/// What a fault affects; faults with the same target must not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Target {
    Process(Process),
    Link(Link),
    /// One of the two queues in which the broker keeps a copy of each lead.
    Copy,
}

impl Fault {
    pub(crate) fn all() -> Vec<Self> {
        let processes = Process::ALL.into_iter();
        let links = Link::ALL.into_iter();
        let mut all: Vec<Self> = processes
            .flat_map(|process| [Self::Kill(process), Self::Freeze(process), Self::Restart(process)])
            .chain(links.flat_map(|link| {
                [Self::Cut(link), Self::Stall(link), Self::Reset(link), Self::HalfOpen(link)]
            }))
            .chain([Self::Alarm(Resource::Memory), Self::Alarm(Resource::Disk)])
            .chain(Queue::ALL.into_iter().flat_map(|queue| {
                let poison = Poison::ALL.into_iter().map(move |poison| Self::Poison(poison, queue));
                [Self::QueueDeleted(queue), Self::BindingDeleted(queue)].into_iter().chain(poison)
            }))
            .chain(Trouble::ALL.into_iter().map(Self::Mail))
            .collect();
        all.extend([
            Self::RecipientRefused,
            Self::ReadOnly,
            Self::OutOfConnections,
            Self::Locked,
            Self::Deadlock,
            Self::DatabaseDiskFull,
            Self::BrokerDiskFull,
        ]);
        all
    }

    pub(crate) fn target(self) -> Target {
        match self {
            Self::Kill(process) | Self::Freeze(process) | Self::Restart(process) => Target::Process(process),
            Self::Cut(link) | Self::Stall(link) | Self::Reset(link) | Self::HalfOpen(link) => {
                Target::Link(link)
            }
            // The broker must be running for these.
            Self::Alarm(_) | Self::Poison(..) | Self::BrokerDiskFull => Target::Process(Process::Broker),
            Self::QueueDeleted(_) | Self::BindingDeleted(_) => Target::Copy,
            Self::Mail(_) | Self::RecipientRefused => Target::Process(Process::MailServer),
            Self::ReadOnly
            | Self::OutOfConnections
            | Self::Locked
            | Self::Deadlock
            | Self::DatabaseDiskFull => Target::Process(Process::Database),
        }
    }
}

/// The result of making a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    Done,
    /// This machine does not support the fault.
    NotPossibleHere,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill(process) => write!(f, "kill:{}", process.name()),
            Self::Freeze(process) => write!(f, "freeze:{}", process.name()),
            Self::Restart(process) => write!(f, "restart:{}", process.name()),
            Self::Cut(link) => write!(f, "cut:{}", link.name()),
            Self::Stall(link) => write!(f, "stall:{}", link.name()),
            Self::Reset(link) => write!(f, "reset:{}", link.name()),
            Self::HalfOpen(link) => write!(f, "half-open:{}", link.name()),
            Self::Alarm(Resource::Memory) => f.write_str("alarm:memory"),
            Self::Alarm(Resource::Disk) => f.write_str("alarm:disk"),
            Self::QueueDeleted(queue) => write!(f, "queue-deleted:{}", queue.service()),
            Self::BindingDeleted(queue) => write!(f, "binding-deleted:{}", queue.service()),
            Self::Mail(trouble) => write!(f, "mail:{}", trouble.word()),
            Self::RecipientRefused => f.write_str("mail:recipient-refused"),
            Self::ReadOnly => f.write_str("database:read-only"),
            Self::OutOfConnections => f.write_str("database:out-of-connections"),
            Self::Locked => f.write_str("database:locked"),
            Self::Deadlock => f.write_str("database:deadlock"),
            Self::DatabaseDiskFull => f.write_str("disk-full:database"),
            Self::BrokerDiskFull => f.write_str("disk-full:broker"),
            Self::Poison(Poison::Undecodable, queue) => write!(f, "poison:undecodable:{}", queue.service()),
            Self::Poison(Poison::WrongType, queue) => write!(f, "poison:wrong-type:{}", queue.service()),
            Self::Poison(Poison::UnknownVersion, queue) => {
                write!(f, "poison:unknown-version:{}", queue.service())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_a_name_of_its_own() {
        let mut names: Vec<String> = Fault::all().iter().map(Fault::to_string).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| name.contains(':')), "{names:?}");
    }
}
