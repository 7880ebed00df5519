//! The exchange, queues and bindings, as data.
//!
//! ```text
//! leads ──lead.submitted.v1──▶ crm-sync.leads      crm-sync.dead-letters
//!   │ └───lead.submitted.v1──▶ notifier.leads      notifier.dead-letters
//!   ├─────lead.withdrawn.v1──▶ crm-sync.leads
//!   └─────lead.delivered.v1──▶ crm-sync.leads
//! ```

/// The topic exchange for all events.
pub const EXCHANGE: &str = "leads";

/// Redeliveries, after a pause, a restart or the death of a consumer, before the broker dead-letters a message by itself.
const DELIVERY_LIMIT: u32 = 200;

/// For dead-letter queues: looking at a message must not move it.
const NO_DELIVERY_LIMIT: u32 = i32::MAX.unsigned_abs();

/// The type of an event, which determines its queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// `lead.submitted.v1`
    LeadSubmittedV1,
    /// `lead.withdrawn.v1`
    LeadWithdrawnV1,
    /// `lead.delivered.v1`
    LeadDeliveredV1,
}

impl Route {
    /// All routes.
    pub const ALL: [Self; 3] = [Self::LeadSubmittedV1, Self::LeadWithdrawnV1, Self::LeadDeliveredV1];

    /// The routing key and the message's `type`; a copy keeps the latter.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::LeadSubmittedV1 => "lead.submitted.v1",
            Self::LeadWithdrawnV1 => "lead.withdrawn.v1",
            Self::LeadDeliveredV1 => "lead.delivered.v1",
        }
    }

    /// Parses a routing key; `None` when unknown.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.key() == key)
    }
}

/// The queue and routes of one service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The service's name, and prefix of its queues' names.
    pub service: &'static str,
    /// The routes bound to its queue.
    pub routes: &'static [Route],
}

/// The CRM stores leads, withdrawals and delivery reports.
pub const CRM_SYNC: Subscription = Subscription { service: "crm-sync", routes: &Route::ALL };

/// The notifier mails leads.
pub const NOTIFIER: Subscription = Subscription { service: "notifier", routes: &[Route::LeadSubmittedV1] };

/// All subscriptions.
pub const SUBSCRIPTIONS: [Subscription; 2] = [CRM_SYNC, NOTIFIER];

impl Subscription {
    /// The work queue, e.g. `notifier.leads`.
    #[must_use]
    pub fn queue(&self) -> String {
        format!("{}.leads", self.service)
    }

    /// The queue of its dead letters, e.g. `notifier.dead-letters`.
    #[must_use]
    pub fn dead_letter_queue(&self) -> String {
        format!("{}.dead-letters", self.service)
    }

    /// The bindings of the work queue.
    pub fn bindings(&self) -> impl Iterator<Item = Binding> + use<> {
        let queue = self.queue();
        self.routes.iter().map(move |route| Binding { queue: queue.clone(), route: *route })
    }

    /// The work queue and the dead-letter queue.
    #[must_use]
    pub fn queues(&self) -> [Queue; 2] {
        [
            Queue {
                name: self.queue(),
                dead_letters_to: Some(self.dead_letter_queue()),
                delivery_limit: DELIVERY_LIMIT,
            },
            Queue {
                name: self.dead_letter_queue(),
                dead_letters_to: None,
                delivery_limit: NO_DELIVERY_LIMIT,
            },
        ]
    }
}

/// A durable quorum queue that rejects messages when full instead of dropping them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The queue's name.
    pub name: String,
    /// The queue for its dead letters, which are transferred at least once.
    pub dead_letters_to: Option<String>,
    /// Redeliveries after which a message becomes a dead letter.
    pub delivery_limit: u32,
}

/// A binding of a queue to [`EXCHANGE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The queue's name.
    pub queue: String,
    /// The route that provides the routing key.
    pub route: Route,
}

/// The queues of all subscriptions.
#[must_use]
pub fn queues() -> Vec<Queue> {
    SUBSCRIPTIONS.iter().flat_map(Subscription::queues).collect()
}

/// The bindings of all subscriptions.
#[must_use]
pub fn bindings() -> Vec<Binding> {
    SUBSCRIPTIONS.iter().flat_map(Subscription::bindings).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_named_by_what_they_hold() {
        let names = queues().into_iter().map(|queue| queue.name).collect::<Vec<_>>();
        assert_eq!(
            names,
            ["crm-sync.leads", "crm-sync.dead-letters", "notifier.leads", "notifier.dead-letters"]
        );
    }

    #[test]
    fn every_submitted_lead_goes_to_both_services() {
        let of = |wanted| {
            let to = bindings().into_iter().filter(|binding| binding.route == wanted);
            to.map(|binding| binding.queue).collect::<Vec<_>>()
        };
        assert_eq!(of(Route::LeadSubmittedV1), ["crm-sync.leads", "notifier.leads"]);
        assert_eq!(of(Route::LeadWithdrawnV1), ["crm-sync.leads"]);
        assert_eq!(of(Route::LeadDeliveredV1), ["crm-sync.leads"]);
    }

    #[test]
    fn routes_are_found_by_their_names() {
        for route in Route::ALL {
            assert_eq!(Route::from_key(route.key()), Some(route));
        }
        assert_eq!(Route::from_key("lead.submitted.v2"), None);
    }
}
