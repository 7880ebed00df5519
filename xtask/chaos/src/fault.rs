//! The faults: their names and targets.

use std::fmt;

use fastrand::Rng;

use crate::mailbox::Trouble;
use crate::stack::parts::{Link, Process};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// SIGKILL.
    Kill(Process),
    /// SIGSTOP, later SIGCONT.
    Freeze(Process),
    /// Connections stay open but forward nothing.
    Stall(Link),
    Reset(Link),
    /// The target disappears without closing its connections.
    HalfOpen(Link),
    /// The broker raises its disk alarm and blocks publishers.
    Alarm,
    /// A fault of the mail server.
    Mail(Trouble),
    /// The mail server permanently refuses one lead's email to one recipient.
    RecipientRefused,
    ReadOnly,
    /// A session takes locks in the reverse order.
    Deadlock,
    /// A message that is no valid protobuf.
    Poison(Queue),
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

    pub(crate) fn service(self) -> &'static str {
        match self {
            Self::CrmSync => "crm-sync",
            Self::Notifier => "notifier",
        }
    }
}

/// What a fault affects; faults with the same target must not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Target {
    Process(Process),
    Link(Link),
    MailServer,
}

impl Fault {
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Self::once();
        all.extend(Process::ALL.into_iter().flat_map(|process| [Self::Kill(process), Self::Freeze(process)]));
        all.extend(
            Link::ALL
                .into_iter()
                .flat_map(|link| [Self::Stall(link), Self::Reset(link), Self::HalfOpen(link)]),
        );
        all
    }

    /// A round of faults: one replica of each kind of process is killed and one frozen, and each fault of the network is made on
    /// two links.
    pub(crate) fn round(random: &mut Rng) -> Vec<Self> {
        let mut round = Self::once();
        for replicas in Process::KINDS {
            let mut replica = || replicas[random.usize(..replicas.len())];
            round.extend([Self::Kill(replica()), Self::Freeze(replica())]);
        }
        for fault in [Self::Stall, Self::Reset, Self::HalfOpen] {
            round.extend(random.choose_multiple(Link::ALL, 2).into_iter().map(fault));
        }
        round
    }

    fn once() -> Vec<Self> {
        let mut faults = vec![Self::Alarm, Self::RecipientRefused, Self::ReadOnly, Self::Deadlock];
        faults.extend(Trouble::ALL.map(Self::Mail));
        faults.extend(Queue::ALL.map(Self::Poison));
        faults
    }

    pub(crate) fn target(self) -> Target {
        match self {
            Self::Kill(process) | Self::Freeze(process) => Target::Process(process),
            Self::Stall(link) | Self::Reset(link) | Self::HalfOpen(link) => Target::Link(link),
            // The broker must be running for these.
            Self::Alarm | Self::Poison(_) => Target::Process(Process::Broker),
            Self::Mail(_) | Self::RecipientRefused => Target::MailServer,
            Self::ReadOnly | Self::Deadlock => Target::Process(Process::Database),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill(process) => write!(f, "kill:{}", process.name()),
            Self::Freeze(process) => write!(f, "freeze:{}", process.name()),
            Self::Stall(link) => write!(f, "stall:{}", link.name()),
            Self::Reset(link) => write!(f, "reset:{}", link.name()),
            Self::HalfOpen(link) => write!(f, "half-open:{}", link.name()),
            Self::Alarm => f.write_str("alarm:disk"),
            Self::Mail(trouble) => write!(f, "mail:{}", trouble.name()),
            Self::RecipientRefused => f.write_str("mail:recipient-refused"),
            Self::ReadOnly => f.write_str("database:read-only"),
            Self::Deadlock => f.write_str("database:deadlock"),
            Self::Poison(queue) => write!(f, "poison:{}", queue.service()),
        }
    }
}
