//! Which exchange, queues and bindings there are, as data.
//!
//! ```text
//! leads ──lead.submitted.v1──▶ crm-sync.leads      crm-sync.dead-letters
//!   │ └───lead.submitted.v1──▶ notifier.leads      notifier.dead-letters
//!   └─────lead.delivered.v1──▶ crm-sync.leads
//! ```

/// The topic exchange all events are published to.
pub const EXCHANGE: &str = "leads";

/// How often a message may come back from a consumer that died with it, before the broker makes it a
/// dead letter itself.
const DELIVERY_LIMIT: u32 = 50;

/// Queues nobody works on: looking at a message must not move it on.
const NO_DELIVERY_LIMIT: u32 = i32::MAX.unsigned_abs();

/// What an event is, and therefore where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// `lead.submitted.v1`
    LeadSubmittedV1,
    /// `lead.delivered.v1`
    LeadDeliveredV1,
}

impl Route {
    /// Every route.
    pub const ALL: [Self; 2] = [Self::LeadSubmittedV1, Self::LeadDeliveredV1];

    /// Its name on the wire: the routing key, and the message's `type`, which a copy keeps.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::LeadSubmittedV1 => "lead.submitted.v1",
            Self::LeadDeliveredV1 => "lead.delivered.v1",
        }
    }

    /// The route of this name.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.key() == key)
    }
}

/// What one service listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The service, and the first part of its queues' names.
    pub service: &'static str,
    /// The events it gets.
    pub routes: &'static [Route],
}

/// The CRM stores leads and what became of their deliveries.
pub const CRM_SYNC: Subscription = Subscription { service: "crm-sync", routes: &Route::ALL };

/// The notifier mails leads.
pub const NOTIFIER: Subscription = Subscription { service: "notifier", routes: &[Route::LeadSubmittedV1] };

/// Every subscription there is.
pub const SUBSCRIPTIONS: [Subscription; 2] = [CRM_SYNC, NOTIFIER];

impl Subscription {
    /// The queue worked on, e.g. `notifier.leads`.
    #[must_use]
    pub fn queue(&self) -> String {
        format!("{}.leads", self.service)
    }

    /// The queue of what an operator has to look at, e.g. `notifier.dead-letters`.
    #[must_use]
    pub fn dead_letter_queue(&self) -> String {
        format!("{}.dead-letters", self.service)
    }

    /// Its queues: the one worked on and the one for dead letters.
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

/// A durable quorum queue that refuses rather than drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// The queue its dead letters go to, at least once.
    pub dead_letters_to: Option<String>,
    /// How often a message may be delivered again before it is a dead letter.
    pub delivery_limit: u32,
}

/// Events of a route go to a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The queue.
    pub queue: String,
    /// The route.
    pub route: Route,
}

/// Every queue.
#[must_use]
pub fn queues() -> Vec<Queue> {
    SUBSCRIPTIONS.iter().flat_map(Subscription::queues).collect()
}

/// Every binding to [`EXCHANGE`].
#[must_use]
pub fn bindings() -> Vec<Binding> {
    let of = |subscription: Subscription| {
        subscription.routes.iter().map(move |route| Binding { queue: subscription.queue(), route: *route })
    };
    SUBSCRIPTIONS.into_iter().flat_map(of).collect()
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
