//! Events and their encoding.

use contracts::leads::v1::{
    LeadConsented, LeadDelivered, LeadSubmitted, LeadWithdrawn, delivery_report::Outcome,
};
use prost::Message;
use prost_types::Timestamp;
use serde::Serialize;
use strum::{EnumDiscriminants, EnumString, IntoStaticStr, VariantArray};

/// An event of the contract, serialised as the contract's message. The [`Route`] determines the queues.
#[derive(Clone, PartialEq, Serialize, EnumDiscriminants)]
#[serde(untagged)]
#[strum_discriminants(name(Route), derive(EnumString, IntoStaticStr, VariantArray))]
pub enum Event {
    #[strum_discriminants(strum(serialize = "lead.submitted.v1"))]
    LeadSubmitted(LeadSubmitted),
    #[strum_discriminants(strum(serialize = "lead.withdrawn.v1"))]
    LeadWithdrawn(LeadWithdrawn),
    #[strum_discriminants(strum(serialize = "lead.consented.v1"))]
    LeadConsented(LeadConsented),
    /// Delivery reports from a time when the CRM did not answer.
    #[strum_discriminants(strum(serialize = "lead.delivered.v1"))]
    LeadDelivered(LeadDelivered),
}

impl Route {
    /// The routing key and the `type` of a message. A copy has another routing key.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Possibly the type of a newer version.
    #[error("unknown message type")]
    UnknownType,
    #[error("undecodable body")]
    Undecodable(#[source] prost::DecodeError),
}

impl Event {
    pub fn route(&self) -> Route {
        self.into()
    }

    /// The lead's id, which is also the message id; empty if an [`Event::LeadDelivered`] has no lead.
    pub fn lead_id(&self) -> &str {
        match self {
            Self::LeadSubmitted(event) => &event.lead_id,
            Self::LeadWithdrawn(event) => &event.lead_id,
            Self::LeadConsented(event) => &event.lead_id,
            Self::LeadDelivered(event) => event.lead.as_ref().map_or("", |lead| &lead.lead_id),
        }
    }

    /// The time of the submission, of the withdrawal, of the consent, or of the last reported delivery.
    pub(crate) fn happened_at(&self) -> Option<&Timestamp> {
        match self {
            Self::LeadSubmitted(event) => event.submitted_at.as_ref(),
            Self::LeadWithdrawn(event) => event.withdrawn_at.as_ref(),
            Self::LeadConsented(event) => event.consented_at.as_ref(),
            Self::LeadDelivered(event) => last_delivered_at(event),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::LeadSubmitted(event) => event.encode_to_vec(),
            Self::LeadWithdrawn(event) => event.encode_to_vec(),
            Self::LeadConsented(event) => event.encode_to_vec(),
            Self::LeadDelivered(event) => event.encode_to_vec(),
        }
    }

    /// Decodes a body of the message type `kind`.
    ///
    /// # Errors
    /// [`DecodeError`] if the type is unknown or the body does not match it.
    pub fn decode(kind: &str, body: &[u8]) -> Result<Self, DecodeError> {
        match kind.parse().map_err(|_| DecodeError::UnknownType)? {
            Route::LeadSubmitted => LeadSubmitted::decode(body).map(Self::LeadSubmitted),
            Route::LeadWithdrawn => LeadWithdrawn::decode(body).map(Self::LeadWithdrawn),
            Route::LeadConsented => LeadConsented::decode(body).map(Self::LeadConsented),
            Route::LeadDelivered => LeadDelivered::decode(body).map(Self::LeadDelivered),
        }
        .map_err(DecodeError::Undecodable)
    }
}

fn last_delivered_at(event: &LeadDelivered) -> Option<&Timestamp> {
    let delivered_at = event
        .reports
        .iter()
        .filter_map(|report| match report.outcome.as_ref()? {
            Outcome::Delivered(delivered) => delivered.delivered_at.as_ref(),
            Outcome::Retry(_) | Outcome::Failed(_) | Outcome::Cancelled(_) => None,
        });
    delivered_at.max_by_key(|at| (at.seconds, at.nanos))
}

#[cfg(test)]
mod tests {
    use contracts::leads::v1::{DeliveryReport, delivery_report::Delivered};
    use proptest::prelude::*;

    use super::*;

    fn submitted(
        [lead_id, reference, name, email, questions]: [String; 5],
        interests: Vec<i32>,
    ) -> Event {
        let event = LeadSubmitted {
            lead_id,
            reference,
            name,
            email,
            questions,
            interests,
            ..Default::default()
        };
        Event::LeadSubmitted(event)
    }

    fn delivered(
        [lead_id, holder, recipient, mail_message_id, server_reply]: [String; 5],
    ) -> Event {
        let delivered = Delivered {
            mail_message_id,
            server_reply,
            ..Default::default()
        };
        let outcome = Some(Outcome::Delivered(delivered));
        Event::LeadDelivered(LeadDelivered {
            lead: Some(LeadSubmitted {
                lead_id,
                ..Default::default()
            }),
            recipients: vec![recipient.clone()],
            reports: vec![DeliveryReport { recipient, outcome }],
            holder,
        })
    }

    fn withdrawn(lead_id: String) -> Event {
        Event::LeadWithdrawn(LeadWithdrawn {
            lead_id,
            ..Default::default()
        })
    }

    fn consented(lead_id: String, wording: String) -> Event {
        Event::LeadConsented(LeadConsented {
            lead_id,
            wording,
            ..Default::default()
        })
    }

    fn report(delivered_at: Option<i64>) -> DeliveryReport {
        let delivered_at = delivered_at.map(|seconds| Timestamp { seconds, nanos: 0 });
        let outcome = Some(Outcome::Delivered(Delivered {
            delivered_at,
            ..Default::default()
        }));
        DeliveryReport {
            outcome,
            ..Default::default()
        }
    }

    #[test]
    fn delivered_event_has_the_latest_time() {
        let reports = [None, Some(1), Some(3), Some(2)].map(report);
        let event = LeadDelivered {
            reports: reports.into(),
            ..Default::default()
        };
        let event = Event::LeadDelivered(event);
        assert_eq!(event.happened_at().map(|at| at.seconds), Some(3));
        assert_eq!(event.lead_id(), "", "it has no lead");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn encoding_round_trips(
            texts in any::<[String; 5]>(),
            numbers in any::<Vec<i32>>(),
        ) {
            let [lead_id, wording, ..] = texts.clone();
            for event in [
                submitted(texts.clone(), numbers),
                withdrawn(lead_id.clone()),
                consented(lead_id, wording),
                delivered(texts),
            ] {
                let decoded = Event::decode(event.route().key(), &event.encode());
                prop_assert!(decoded.is_ok_and(|decoded| decoded == event));
            }
        }

        #[test]
        fn malformed_event_never_panics(bytes in any::<Vec<u8>>()) {
            for route in Route::VARIANTS {
                let _ = Event::decode(route.key(), &bytes);
            }
        }
    }
}
