//! The broker's users and their permissions, as data; used by Compose, Kubernetes and the tests.

/// A user of the broker. Permissions are RabbitMQ's regular expressions over names of exchanges and queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// The login name.
    pub name: &'static str,
    /// Exchanges it may publish to, and queues it may bind.
    ///
    /// This also permits passive declarations, for which RabbitMQ 4.2.7 requires any one permission.
    pub write: &'static str,
    /// Queues it may consume from, and the exchange it may bind them to.
    pub read: &'static str,
}

/// All users. None may create, change or delete a queue or an exchange.
///
/// Write permission on the default exchange reaches every queue: RabbitMQ has no finer permission.
pub const USERS: [User; 4] = [
    User { name: "lead-intake", write: "^leads$", read: "^$" },
    User {
        name: "notifier",
        write: r"^(leads|amq\.default|notifier\.(leads|dead-letters))$",
        read: r"^(leads|notifier\.leads)$",
    },
    User {
        name: "crm-sync",
        write: r"^(leads|amq\.default|crm-sync\.(leads|dead-letters))$",
        read: r"^(leads|crm-sync\.leads)$",
    },
    // For leadctl, which lists, replays and discards dead letters.
    User { name: "operator", write: r"^amq\.default$", read: r"^(crm-sync|notifier)\.dead-letters$" },
];
