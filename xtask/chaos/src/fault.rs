//! The faults, and their schedule, which seed and length determine.

use std::time::Duration;

use fastrand::Rng;
use strum::VariantArray;

use crate::mailbox::MailFault;
use crate::system::{BROKER, DATABASE_SERVER, KINDS, LINKS, Link, Process};

/// The services with a queue of leads.
pub(crate) const CONSUMERS: [&str; 2] = ["crm-sync", "notifier"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Mail(MailFault),
    /// The mail server permanently refuses one lead's email to one recipient.
    RecipientRefused,
    ReadOnly,
    /// A session locks tables in the reverse order.
    Deadlock,
    /// A message that is no valid protobuf in the queue of a consumer.
    Poison(&'static str),
    /// The dead-letter queue of a consumer is full, and its work queue contains messages that are no valid protobuf.
    FullDeadLetters(&'static str),
    /// A short outage of the mail server, while notifier does not reach the CRM and waits to retry emails.
    MailDuringCrmOutage,
    /// In a cluster, a fault of the node that leads the queue of a consumer.
    Leader(NodeFault, &'static str),
}

/// Separates a node of the broker from the other two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub(crate) enum NodeFault {
    /// SIGKILL, and a restart after the fault.
    Kill,
    /// Connections between the nodes are reset. The node notices that it has no majority, and pauses.
    CutOff,
    /// Connections between the nodes stay open but forward nothing. The node still accepts publishes.
    Silence,
}

/// Chooses the faults of a round.
pub(crate) type Round = fn(&mut Rng) -> Vec<Fault>;

/// The part that a fault affects. Faults with the same target do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    Process(Process),
    Link(Link),
    MailServer,
}

impl Fault {
    /// A round of faults: kills one replica of each kind of process and freezes one, and injects each network fault on two
    /// links.
    pub(crate) fn round(random: &mut Rng) -> Vec<Self> {
        let mut round = vec![
            Self::Alarm,
            Self::RecipientRefused,
            Self::ReadOnly,
            Self::Deadlock,
            Self::MailDuringCrmOutage,
        ];
        round.extend(MailFault::VARIANTS.iter().map(|fault| Self::Mail(*fault)));
        round.extend(CONSUMERS.map(Self::Poison));
        round.extend(CONSUMERS.map(Self::FullDeadLetters));
        for replicas in KINDS {
            let mut replica = || replicas[random.usize(..replicas.len())];
            round.extend([Self::Kill(replica()), Self::Freeze(replica())]);
        }
        for fault in [Self::Stall, Self::Reset, Self::HalfOpen] {
            round.extend(random.choose_multiple(LINKS, 2).into_iter().map(fault));
        }
        round
    }

    /// A round of faults for a cluster: each fault of a node for the leader of each queue.
    pub(crate) fn cluster_round(_random: &mut Rng) -> Vec<Self> {
        let mut round = vec![Self::RecipientRefused];
        round.extend(CONSUMERS.map(Self::Poison));
        for fault in NodeFault::VARIANTS {
            round.extend(CONSUMERS.map(|consumer| Self::Leader(*fault, consumer)));
        }
        round
    }

    pub(crate) fn target(self) -> Target {
        match self {
            Self::Kill(process) | Self::Freeze(process) => Target::Process(process),
            Self::Stall(link) | Self::Reset(link) | Self::HalfOpen(link) => Target::Link(link),
            // The broker must be running for the first three, and a quorum survives the fault of one node at a time.
            Self::Alarm | Self::Poison(_) | Self::FullDeadLetters(_) | Self::Leader(..) => {
                Target::Process(BROKER)
            }
            Self::Mail(_) | Self::RecipientRefused | Self::MailDuringCrmOutage => {
                Target::MailServer
            }
            Self::ReadOnly | Self::Deadlock => Target::Process(DATABASE_SERVER),
        }
    }
}

/// A scheduled fault. It begins later if another fault has the same target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) at: Duration,
    pub(crate) lasts: Duration,
    pub(crate) fault: Fault,
}

/// One more round of faults for each such length of the run.
const ROUND: Duration = Duration::from_secs(3 * 60);
/// A round of this length has faults of one to four seconds; others are scaled.
const SHORT_ROUND: Duration = Duration::from_secs(60);

/// Schedules rounds of faults within `length`, each in random order.
pub(crate) fn schedule(seed: u64, length: Duration, faults: Round) -> Vec<Step> {
    let mut random = Rng::with_seed(seed);
    let rounds = u32::try_from(length.as_secs() / ROUND.as_secs())
        .unwrap_or(u32::MAX)
        .max(1);
    let round = length / rounds;
    let scale = (round.as_secs_f64() / SHORT_ROUND.as_secs_f64()).clamp(0.25, 4.0);
    let mut steps = Vec::new();
    for number in 0..rounds {
        let mut order = faults(&mut random);
        random.shuffle(&mut order);
        let slot = round / u32::try_from(order.len()).unwrap_or(u32::MAX);
        for (place, fault) in (0_u32..).zip(order) {
            let at = round * number + slot.mul_f64(f64::from(place) + random.f64() * 0.8);
            let lasts = Duration::from_secs_f64((1.0 + 3.0 * random.f64()) * scale);
            steps.push(Step { at, lasts, fault });
        }
    }
    steps
}
