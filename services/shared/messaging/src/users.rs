//! The broker's users and what each may do there, as data. Compose, Kubernetes and the tests take their rights from
//! here.

/// A user of the broker. The rights are regular expressions over names of exchanges and queues, as RabbitMQ has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// Its name.
    pub name: &'static str,
    /// What it may publish to.
    ///
    /// It may check whether these exist, too: RabbitMQ 4.2.7 wants some right for that, whichever.
    pub write: &'static str,
    /// What it may consume from.
    pub read: &'static str,
}

/// Every user. Nobody may make, change or delete a queue or an exchange.
///
/// Whoever may write to the default exchange reaches every queue: RabbitMQ knows no finer right.
pub const USERS: [User; 4] = [
    User { name: "lead-intake", write: "^leads$", read: "^$" },
    User {
        name: "notifier",
        write: r"^(leads|amq\.default|notifier\.dead-letters)$",
        read: r"^notifier\.leads$",
    },
    User {
        name: "crm-sync",
        write: r"^(leads|amq\.default|crm-sync\.dead-letters)$",
        read: r"^crm-sync\.leads$",
    },
    // leadctl: lists, replays and discards dead letters.
    User { name: "operator", write: r"^amq\.default$", read: r"^(crm-sync|notifier)\.dead-letters$" },
];
