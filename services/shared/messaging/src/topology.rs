//! Names of the exchanges, routing keys and queues in `deploy/rabbitmq/definitions.json`, which the broker imports.
//!
//! ```text
//! leads ──lead.submitted.v1──▶ crm-sync.leads      dead-letters ──QUEUE──▶ crm-sync.dead-letters
//!   │ └───lead.submitted.v1──▶ notifier.leads           │ └───────QUEUE──▶ notifier.dead-letters
//!   ├─────lead.withdrawn.v1──▶ crm-sync.leads           └─replay──QUEUE──▶ crm-sync.leads, notifier.leads
//!   ├─────lead.consented.v1──▶ crm-sync.leads
//!   └─────lead.delivered.v1──▶ crm-sync.leads
//! ```

use strum::VariantArray;

pub use crate::event::Route;

/// The topic exchange for all events.
pub const EXCHANGE: &str = "leads";

/// The topic exchange for messages to and from the dead-letter queues. The routing key is the queue's name, so topic
/// permissions limit the queues to which a user can publish.
pub const DEAD_LETTER_EXCHANGE: &str = "dead-letters";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription {
    pub service: &'static str,
    pub queue: &'static str,
    pub dead_letter_queue: &'static str,
    /// The routes bound to `queue`.
    pub routes: &'static [Route],
}

pub const CRM_SYNC: Subscription = Subscription {
    service: "crm-sync",
    queue: "crm-sync.leads",
    dead_letter_queue: "crm-sync.dead-letters",
    routes: Route::VARIANTS,
};

pub const NOTIFIER: Subscription = Subscription {
    service: "notifier",
    queue: "notifier.leads",
    dead_letter_queue: "notifier.dead-letters",
    routes: &[Route::LeadSubmitted],
};

pub const SUBSCRIPTIONS: [Subscription; 2] = [CRM_SYNC, NOTIFIER];
